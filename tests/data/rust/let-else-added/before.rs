pub fn f(s: Option<u64>) -> u64 { let x = s.unwrap_or(0); work(x) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
