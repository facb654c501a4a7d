//= sums
//+ calls left 30
//+ calls right 12
//= calls user 42
use std::hint::black_box;

// the same machine code: a linker or the optimiser may keep only one
#[inline(never)]
fn left(x: u64) -> u64 {
    user(x ^ 0x55)
}

#[inline(never)]
fn right(x: u64) -> u64 {
    user(x ^ 0x55)
}

#[inline(never)]
fn user(x: u64) -> u64 {
    black_box(x)
}

#[inline(never)]
pub fn subject(n: u64) -> u64 {
    let mut t = 0;
    for i in 0..n {
        t ^= if black_box(i) < 30 { left(i) } else { right(i) };
    }
    t
}

fn main() {
    println!("{}", subject(black_box(42)));
}
