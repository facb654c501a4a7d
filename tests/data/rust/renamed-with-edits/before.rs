pub fn f(x: u64) -> u64 { settle(x) }
fn settle(x: u64) -> u64 {
    let mut t = 0;
    for i in 0..x { t += work(i); if t > 100 { t = other(t); } }
    t ^ 7
}
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
