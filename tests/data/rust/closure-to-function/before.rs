pub fn f(xs: &mut Vec<u64>) { xs.sort_by_key(|x| work(*x)); }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
