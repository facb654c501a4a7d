macro_rules! m { ($a:expr) => { work($a) }; ($a:expr, $b:expr) => { work($a + $b) } }
pub fn f(x: u64) -> u64 { m!(x) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
