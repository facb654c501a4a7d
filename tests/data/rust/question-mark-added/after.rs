pub fn f(s: &str) -> Option<u64> { let x = s.parse().ok()?; Some(x) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
