pub fn f(k: u8, x: u64) -> u64 { match k { 0 | 1 => work(x), _ => other(x) } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
