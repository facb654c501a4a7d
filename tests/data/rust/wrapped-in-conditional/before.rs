pub fn f(x: u64, deep: bool) -> u64 {
    let mut t = 0;
    for i in 0..x { t += work(i); }
    t
}
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
