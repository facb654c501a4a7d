pub fn merge(&mut self, left: &mut Vec<u32>, right: &mut Vec<u32>, ready: bool) {
    if ready {
        start(left);
        left.sort();
        right.push(height());
        self.queue.drain();
        announce(right);
        seal(left, 2);
    }
}
