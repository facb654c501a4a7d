pub fn f(xs: &[u64]) -> u64 { let mut t = 0; for x in xs { t += work(*x); } t }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
