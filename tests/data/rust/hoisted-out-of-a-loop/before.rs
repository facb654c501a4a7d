pub fn f(xs: &[u64], k: u64, out: &mut Vec<u64>) { for x in xs { let w = work(k); out.push(x + w); } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
