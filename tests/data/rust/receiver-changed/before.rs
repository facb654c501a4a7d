pub struct S { a: Vec<u64>, b: Vec<u64> }
impl S { pub fn f(&mut self, x: u64) { self.a.push(x); } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
