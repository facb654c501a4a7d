//! Small programs whose cost hangs on a number, a name or an order of their own.
use super::{slow_spin, spin};
use std::hint::black_box;

pub trait Policy {
    const LIMIT: u64;
    fn limit(&self) -> u64 {
        Self::LIMIT
    }
}
pub struct Strict;
pub struct Loose;
impl Policy for Strict {
    const LIMIT: u64 = 5000;
}
impl Policy for Loose {
    const LIMIT: u64 = 25000;
}
pub fn limited<P: Policy>() -> u64 {
    spin(P::LIMIT)
}
pub fn turbofish() -> u64 {
    limited::<Strict>()
}
pub fn annotation() -> usize {
    let v: Vec<u64> = (0..3000u64).filter(|x| black_box(x % 3) != 1).collect();
    black_box(&v).len()
}
pub fn cast(n: u64) -> u64 {
    spin((n as u8) as u64)
}
pub fn range_pattern() -> u64 {
    let mut t = 0;
    for i in 0..100u64 {
        t ^= match black_box(i) {
            0..=9 => spin(500),
            _ => 1,
        };
    }
    t
}
#[cfg(not(feature = "slow"))]
pub fn chosen() -> u64 {
    spin(5000)
}
#[cfg(feature = "slow")]
pub fn chosen() -> u64 {
    spin(50_000)
}
pub fn by_feature() -> u64 {
    chosen()
}
pub trait Named {
    fn go(&self) -> u64;
}
pub struct Quick;
pub struct Costly;
impl Named for Quick {
    fn go(&self) -> u64 {
        spin(5000)
    }
}
impl Named for Costly {
    fn go(&self) -> u64 {
        spin(50_000)
    }
}
pub fn dispatch() -> u64 {
    let n: &dyn Named = &Quick;
    black_box(n).go()
}
pub fn pointer() -> u64 {
    let f: fn(u64) -> u64 = spin;
    black_box(f)(5000)
}
pub fn passed() -> u64 {
    (0..10u64).map(|x| x * 100).map(spin).fold(0, |a, b| a ^ b)
}
#[derive(Clone, Copy)]
pub enum Speed {
    Fast,
    Slow,
}
pub fn variant() -> u64 {
    let s = Speed::Fast;
    match black_box(s) {
        Speed::Fast => spin(5000),
        Speed::Slow => spin(50_000),
    }
}
pub fn flag() -> u64 {
    let slow = false;
    if black_box(slow) { spin(50_000) } else { spin(5000) }
}
pub fn bytes() -> u64 {
    let mut t = 0;
    for c in b'a'..=b'c' {
        t ^= spin(black_box(c) as u64 * 10);
    }
    t
}
pub fn chain() -> usize {
    (0..10_000u64).take(100).filter(|x| black_box(x % 50) == 0).count()
}
pub fn two(n: u64, m: u64) -> u64 {
    let mut t = 0;
    for i in 0..n {
        t = black_box(t ^ i ^ m);
    }
    t
}
pub fn swapped() -> u64 {
    two(black_box(500), black_box(50_000))
}
pub fn order() -> u64 {
    let mut n = black_box(5000u64);
    let r = spin(n);
    n *= 10;
    r ^ n
}
pub fn early() -> u64 {
    let mut t = 0;
    for i in 0..10_000u64 {
        if black_box(i) > 1000 {
            break;
        }
        t = black_box(t ^ i);
    }
    t
}
pub fn own_constant() -> u64 {
    const ROUNDS: u64 = 5000;
    spin(ROUNDS)
}
pub fn tuple() -> u64 {
    let pair = black_box((5000u64, 50_000u64));
    spin(pair.0) ^ pair.1
}
pub fn element() -> u64 {
    let all = black_box([5000u64, 50_000u64]);
    spin(all[0]) ^ all[1]
}
pub struct Both {
    small: u64,
    large: u64,
}
pub fn field() -> u64 {
    let both = black_box(Both {
        small: 5000,
        large: 50_000,
    });
    spin(both.small) ^ both.large
}
pub fn local() -> u64 {
    let n = black_box(5000u64);
    let m = black_box(50_000u64);
    spin(n) ^ m
}
pub fn bounded(limit: u64) -> u64 {
    let n = limit * 10;
    let n = n.min(5000);
    spin(n)
}
pub fn shadowed() -> u64 {
    bounded(black_box(5000))
}
pub struct Rows {
    cells: Vec<[u64; 2]>,
}
impl Rows {
    fn new() -> Self {
        Self { cells: Default::default() }
    }
}
pub fn grown() -> usize {
    let mut rows = Rows::new();
    for _ in 0..300 {
        rows.cells.push(black_box(Default::default()));
    }
    rows.cells.len()
}
pub fn nested() -> u64 {
    fn inner(n: u64) -> u64 {
        spin(n)
    }
    inner(5000)
}
pub fn split() -> usize {
    let text = black_box("some words, some more words, and then some");
    (0..50).map(|_| text.split(',').map(str::len).sum::<usize>()).sum()
}
pub fn sized() -> usize {
    let block = [7u8; 1000];
    black_box(&block).iter().filter(|x| black_box(**x) == 7).count()
}
pub fn guarded() -> u64 {
    let mut t = 0;
    for i in 0..200u64 {
        match black_box(i) {
            n if n < 10 => t ^= spin(500),
            _ => t ^= 1,
        }
    }
    t
}
pub fn until() -> u64 {
    let mut n = 0;
    loop {
        n = black_box(n + 1);
        if n == 4000 {
            return n;
        }
    }
}
pub fn sliced() -> u64 {
    let all: Vec<u64> = (0..20_000).collect();
    black_box(&all)[..1000].iter().fold(0, |a, b| black_box(a ^ b))
}
pub fn capacity() -> usize {
    let mut v: Vec<u64> = Vec::with_capacity(4000);
    for i in 0..4000 {
        v.push(black_box(i));
    }
    v.len()
}
pub fn optional(n: Option<u64>) -> u64 {
    spin(n.unwrap_or(5000))
}
pub fn defaulted() -> u64 {
    optional(black_box(None))
}
pub fn negated() -> u64 {
    let list = black_box([1u64, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    list.iter()
        .filter(|x| **x > 9)
        .map(|x| spin(x * 100))
        .fold(0, |a, b| a ^ b)
}
pub fn raised() -> u64 {
    spin(10u64.pow(3))
}
pub fn chunks() -> usize {
    let all = black_box([1u8; 4096]);
    all.chunks(64).map(|c| black_box(c).len()).sum()
}
pub fn joined() -> usize {
    let parts = black_box(["a"; 100]);
    parts.join("-").len()
}
#[inline]
fn weight(x: u64) -> u64 {
    x & 0xff
}
pub fn weighed() -> u64 {
    spin(weight(black_box(70_000)))
}

#[cfg(test)]
mod tests {
    use super::*;
    const SIZE: u64 = 300;
    fn input() -> Vec<u64> {
        (0..5000).collect()
    }
    #[test]
    fn with_turbofish() {
        black_box(turbofish());
    }
    #[test]
    fn with_annotation() {
        black_box(annotation());
    }
    #[test]
    fn with_cast() {
        black_box(cast(black_box(5000)));
    }
    #[test]
    fn with_range_pattern() {
        black_box(range_pattern());
    }
    #[test]
    fn with_by_feature() {
        black_box(by_feature());
    }
    #[test]
    fn with_dispatch() {
        black_box(dispatch());
    }
    #[test]
    fn with_pointer() {
        black_box(pointer());
    }
    #[test]
    fn with_passed() {
        black_box(passed());
    }
    #[test]
    fn with_variant() {
        black_box(variant());
    }
    #[test]
    fn with_flag() {
        black_box(flag());
    }
    #[test]
    fn with_bytes() {
        black_box(bytes());
    }
    #[test]
    fn with_chain() {
        black_box(chain());
    }
    #[test]
    fn with_swapped() {
        black_box(swapped());
    }
    #[test]
    fn with_order() {
        black_box(order());
    }
    #[test]
    fn with_early() {
        black_box(early());
    }
    #[test]
    fn with_own_constant() {
        black_box(own_constant());
    }
    #[test]
    fn with_tuple() {
        black_box(tuple());
    }
    #[test]
    fn with_element() {
        black_box(element());
    }
    #[test]
    fn with_field() {
        black_box(field());
    }
    #[test]
    fn with_local() {
        black_box(local());
    }
    #[test]
    fn with_shadowed() {
        black_box(shadowed());
    }
    #[test]
    fn with_grown() {
        black_box(grown());
    }
    #[test]
    fn with_nested() {
        black_box(nested());
    }
    #[test]
    fn with_split() {
        black_box(split());
    }
    #[test]
    fn with_sized() {
        black_box(sized());
    }
    #[test]
    fn with_guarded() {
        black_box(guarded());
    }
    #[test]
    fn with_until() {
        black_box(until());
    }
    #[test]
    fn with_sliced() {
        black_box(sliced());
    }
    #[test]
    fn with_capacity() {
        black_box(capacity());
    }
    #[test]
    fn with_defaulted() {
        black_box(defaulted());
    }
    #[test]
    fn with_negated() {
        black_box(negated());
    }
    #[test]
    fn with_raised() {
        black_box(raised());
    }
    #[test]
    fn with_chunks() {
        black_box(chunks());
    }
    #[test]
    fn with_joined() {
        black_box(joined());
    }
    #[test]
    fn with_weighed() {
        black_box(weighed());
    }
    #[test]
    fn with_own_input() {
        black_box(input().iter().fold(0, |a, b| black_box(a ^ b)));
    }
    #[test]
    fn with_own_size() {
        black_box(two(black_box(SIZE * 10), 1));
    }
    #[test]
    fn with_own_argument() {
        black_box(spin(black_box(5000)));
    }
}
