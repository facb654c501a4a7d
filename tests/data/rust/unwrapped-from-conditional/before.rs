pub fn f(x: u64, deep: bool) { if deep { work(x); other(x); } }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
