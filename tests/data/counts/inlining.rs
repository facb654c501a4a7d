//= sums
//= executions opaque 600
//= calls opaque 600
//+ calls inner 600
//+ calls middle 200
//+ calls outermost 20
//+ executions inner ~600
//+ executions middle 200
//+ executions outermost 20
//= calls boundary 20
use std::hint::black_box;

#[inline(never)]
fn opaque(x: u64) -> u64 {
    black_box(x)
}

#[inline(always)]
fn inner(x: u64) -> u64 {
    let y = opaque(x ^ 3); // @opaque
    y.wrapping_mul(5)
}

#[inline(always)]
fn middle(x: u64) -> u64 {
    let mut t = 0;
    for i in 0..3 {
        t ^= inner(x + i); // @inner
    }
    t
}

#[inline]
fn outermost(x: u64) -> u64 {
    let mut t = boundary(x);
    for i in 0..10 {
        t ^= middle(x + i); // @middle
    }
    t
}

#[inline(never)]
fn boundary(x: u64) -> u64 {
    black_box(x) ^ 9
}

#[inline(never)]
pub fn subject(n: u64) -> u64 {
    let mut t = 0;
    for i in 0..n {
        t ^= outermost(black_box(i)); // @outermost
    }
    t
}

fn main() {
    println!("{}", subject(black_box(20)));
}
