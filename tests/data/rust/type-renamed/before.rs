pub struct Old { a: u64 }
impl Old { pub fn new(a: u64) -> Old { Old { a } } pub fn get(&self) -> u64 { work(self.a) } }
impl Clone for Old { fn clone(&self) -> Old { Old::new(self.a) } }
pub fn f(x: u64) -> u64 { Old::new(x).get() }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
