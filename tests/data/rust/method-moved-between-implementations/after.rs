pub struct A(u64);
impl A { pub fn two(&self) -> u64 { other(self.0) } pub fn one(&self) -> u64 { work(self.0) } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
