fn run(a: u32) {
    outer(first(a), second(a)).then(third(a + 1));
    std::mem::swap(&mut a, &mut b);
    values.iter().collect::<Vec<_>>();
    (self.callback)(a);
    let handler = pick();
    handler(a);
}
