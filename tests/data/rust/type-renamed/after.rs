pub struct Fresh { a: u64 }
impl Fresh { pub fn new(a: u64) -> Fresh { Fresh { a } } pub fn get(&self) -> u64 { work(self.a) } }
impl Clone for Fresh { fn clone(&self) -> Fresh { Fresh::new(self.a) } }
pub fn f(x: u64) -> u64 { Fresh::new(x).get() }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
