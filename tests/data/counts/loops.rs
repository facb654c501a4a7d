//= sums
//= calls visit 36
//= absent unreachable_tail
//= calls first_over 6
//= calls probe 21
//= executions visit 36
//= executions probe 21
//+ executions skipped 12
//+ executions found 6
//+ executions halving 70
//= executions zero 0
use std::hint::black_box;

#[inline(never)]
pub fn subject(n: u64) -> u64 {
    let mut t = 0u64;
    let mut i = 0u64;
    while i < black_box(n) {
        i += 1;
        if black_box(i) % 4 == 0 {
            t ^= 1; // @skipped
            continue;
        }
        t = t.wrapping_add(visit(black_box(i))); // @visit
    }
    for limit in 1..=6u64 {
        t ^= first_over(black_box(limit));
    }
    for _ in 0..black_box(0u64) {
        t ^= unreachable_tail(t); // @zero
    }
    for _ in 0..10 {
        let mut x = black_box(64u64);
        while x > 0 {
            x /= 2; // @halving
        }
        t ^= x;
    }
    t
}

#[inline(never)]
fn visit(x: u64) -> u64 {
    x.rotate_left(5) ^ 0xabcd
}

// probes 1, 2, .. until one is not below the limit: `limit` of them
#[inline(never)]
fn first_over(limit: u64) -> u64 {
    for i in 1..100u64 {
        let seen = probe(i); // @probe
        if seen >= limit {
            return seen; // @found
        }
    }
    0
}

#[inline(never)]
fn probe(x: u64) -> u64 {
    black_box(x)
}

#[inline(never)]
fn unreachable_tail(x: u64) -> u64 {
    x + 1
}

fn main() {
    println!("{}", subject(black_box(48)));
}
