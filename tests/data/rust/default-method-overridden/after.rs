pub trait Cost { fn base(&self) -> u64; fn cost(&self) -> u64 { self.base() } }
pub struct A(u64);
impl Cost for A { fn base(&self) -> u64 { self.0 } fn cost(&self) -> u64 { work(self.0) } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
