pub fn f(x: u64) -> u64 { let y = work(x); other(y) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
