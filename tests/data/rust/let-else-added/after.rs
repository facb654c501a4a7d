pub fn f(s: Option<u64>) -> u64 { let Some(x) = s else { return other(1) }; work(x) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
