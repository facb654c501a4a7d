pub fn f(x: u64, out: &mut Vec<u64>) -> u64 {
    let a = work(x);
    let b = other(a);
    out.push(b);
    out.sort();
    out.dedup();
    a + b
}
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
