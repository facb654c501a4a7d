pub fn f(xs: &[Vec<u64>]) -> u64 { let mut t = 0; for row in xs { t += row.len() as u64; for x in row { t += work(*x); } } t }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
