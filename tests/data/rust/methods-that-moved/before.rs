pub fn merge(&mut self, left: &mut Vec<u32>, right: &mut Vec<u32>, ready: bool) {
    left.sort();
    left.push(width());
    self.queue.drain();
    seal(left, 1);
    if ready {
        start(left);
        announce(right);
    }
}
