use std::mem;
pub fn f(x: &mut u64) -> u64 { mem::replace(x, 0) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
