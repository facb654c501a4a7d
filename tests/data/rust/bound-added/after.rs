pub fn f<T: Clone + Send>(x: &T) -> T { x.clone() }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
