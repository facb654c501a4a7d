pub fn f(left: u64, right: u64) -> u64 { join(left, right) + left }
fn join(x: u64, y: u64) -> u64 { x * 31 + y }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
