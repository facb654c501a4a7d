pub fn f(x: u64) -> u64 { a(x) }
fn a(x: u64) -> u64 { work(x) + 1 }
fn b(x: u64) -> u64 { other(x) * 2 }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
