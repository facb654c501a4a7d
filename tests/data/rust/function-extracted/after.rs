pub fn f(x: u64, out: &mut Vec<u64>) -> u64 {
    let a = work(x);
    let b = other(a);
    settle(b, out);
    a + b
}
fn settle(b: u64, out: &mut Vec<u64>) {
    out.push(b);
    out.sort();
    out.dedup();
}
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
