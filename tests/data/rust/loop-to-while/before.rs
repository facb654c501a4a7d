pub fn f(mut x: u64) -> u64 { loop { x = work(x); if x > 9 { break; } } x }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
