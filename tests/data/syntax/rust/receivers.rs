impl Parser {
    fn next(&mut self, input: &str) {
        self.step();
        self.buffer.clear();
        input.trim();
        Vec::with_capacity(4).push(1);
        lookup(1).run();
        "text".len();
        self.stack[self.top].pop();
        Some(input).is_some();
        vec![1].len();
    }
}
