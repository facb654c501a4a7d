//= sums
//= calls is_even 55
//= calls is_odd 45
//= calls leaf 10
//= executions leaf 10
use std::hint::black_box;

#[inline(never)]
fn is_even(n: u64) -> bool {
    if n == 0 {
        return leaf(true); // @leaf
    }
    black_box(is_odd(n - 1))
}

#[inline(never)]
fn is_odd(n: u64) -> bool {
    if n == 0 {
        return !leaf(false);
    }
    black_box(is_even(n - 1))
}

#[inline(never)]
fn leaf(x: bool) -> bool {
    black_box(x)
}

#[inline(never)]
pub fn subject() -> u64 {
    let mut t = 0;
    // from n even: n / 2 + 1 calls of is_even and n / 2 of is_odd
    for n in [2u64, 4, 6, 8, 10, 10, 12, 12, 12, 14] {
        t += u64::from(is_even(black_box(n)));
    }
    t
}

fn main() {
    println!("{}", subject());
}
