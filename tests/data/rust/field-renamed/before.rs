pub struct S { items: Vec<u64>, count: u64 }
impl S { pub fn f(&mut self, x: u64) { self.items.push(x); self.count += 1; } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
