pub fn f(mut x: u64) -> u64 { while x <= 9 { x = work(x); } x }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
