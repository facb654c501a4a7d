pub fn f(xs: &[u64]) -> usize { xs.iter().collect::<Vec<_>>().len() }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
