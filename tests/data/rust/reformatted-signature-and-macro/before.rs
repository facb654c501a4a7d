pub fn f<F>(x: u64, g: F) -> u64 where F: Fn(u64) -> u64 { g(x) }
thread_local!(static T: u64 = 3);
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
