pub struct S { hits: u64 }
impl S { pub fn f(&mut self, x: u64) -> u64 { work(x) } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
