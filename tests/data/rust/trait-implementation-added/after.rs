pub struct A(u64);
impl Drop for A { fn drop(&mut self) { work(self.0); } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
