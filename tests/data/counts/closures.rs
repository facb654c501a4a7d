//= sums
//= calls keep 200
//= calls weigh 100
//= executions keep 200
//= executions weigh 100
//+ calls subject::{closure} 320
//+ executions add 20
use std::hint::black_box;

#[inline(never)]
fn keep(x: u64) -> bool {
    black_box(x) % 2 == 0
}

#[inline(never)]
fn weigh(x: u64) -> u64 {
    black_box(x) * 3
}

#[inline(never)]
pub fn subject(xs: &[u64]) -> u64 {
    let t: u64 = xs
        .iter()
        .filter(|x| keep(**x)) // @keep
        .map(|x| weigh(*x)) // @weigh
        .sum();
    let mut add = |x: u64| x.wrapping_add(7); // @add
    let mut s = t;
    for _ in 0..20 {
        s = black_box(add(s));
    }
    s
}

fn main() {
    let xs: Vec<u64> = (0..200).collect();
    println!("{}", subject(black_box(&xs)));
}
