//! Small programs whose cost hangs on something that is written elsewhere.
use std::cell::Cell;
use std::collections::HashMap as Map;
use std::sync::LazyLock;

mod below;
mod calm;
mod config;
mod helpers;
#[path = "part.rs"]
mod portion;
mod shadow;
pub mod steps;
mod worker;
include!("table.rs");
mod outer {
    pub mod inner;
}

#[inline(never)]
pub fn spin(n: u64) -> u64 {
    let mut s = 0u64;
    for i in 0..n {
        s = std::hint::black_box(s.rotate_left(3) ^ i);
    }
    s
}
#[inline(never)]
pub fn slow_spin(n: u64) -> u64 {
    spin(n) ^ spin(n) ^ spin(n)
}

pub fn by_map() -> usize {
    below::fill(3000)
}
pub fn by_part() -> u64 {
    spin(portion::PART)
}
pub fn by_table() -> u64 {
    spin(TABLED)
}
pub fn by_inner() -> u64 {
    spin(outer::inner::INNER)
}
pub fn by_mid() -> u64 {
    spin(mid::sizes::TIMES)
}
const fn chosen() -> u64 {
    5000
}
pub fn by_chosen() -> u64 {
    spin(chosen())
}
pub fn by_worker() -> u64 {
    worker::make().run()
}
pub fn by_worker_limit() -> usize {
    worker::make().grow()
}
pub struct Buf<T = u8>(Vec<T>);
pub fn by_default_parameter() -> usize {
    let b: Buf = Buf(vec![Default::default(); 50_000]);
    std::hint::black_box(&b.0).len()
}
pub struct Steps {
    n: u64,
}
impl Iterator for Steps {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        self.n += 1;
        (self.n <= 3000).then_some(self.n)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (3000, Some(3000))
    }
}
pub fn by_hint() -> usize {
    let v: Vec<u64> = Steps { n: 0 }.collect();
    std::hint::black_box(&v).len()
}
pub fn by_next() -> u64 {
    let mut t = 0;
    for x in (Steps { n: 0 }) {
        t = std::hint::black_box(t ^ x);
    }
    t
}
pub struct Bare {
    n: u64,
}
impl Iterator for Bare {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        self.n += 1;
        (self.n < 3000).then_some(self.n)
    }
}
pub fn by_step_through() -> u64 {
    let mut t = 0;
    for x in (Bare { n: 0 }).step_by(3) {
        t = std::hint::black_box(t ^ x);
    }
    t
}
#[derive(PartialEq, Eq, Clone, Copy)]
pub struct Key(u32);
impl std::hash::Hash for Key {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        h.write_u32(self.0)
    }
}
pub fn by_hash() -> usize {
    let mut m: Map<Key, u32> = Map::new();
    for i in 0..2000u32 {
        m.insert(Key(i), i);
    }
    m.len()
}
#[derive(PartialEq, Eq)]
pub struct Ranked(u32);
impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
pub fn by_rank() -> u64 {
    let mut v: Vec<Ranked> = (0..2000).map(Ranked).collect();
    v.sort();
    v[0].0 as u64
}
pub fn by_text() -> u64 {
    let mut t = 0;
    for c in "abcdefghij".chars() {
        t ^= spin(c as u64 * 5);
    }
    t
}
pub fn by_format() -> usize {
    (0..100).map(|i| format!("{:>5}", i).len()).sum()
}
pub struct Ring<const N: usize = 16>([u64; N]);
impl<const N: usize> Ring<N> {
    fn sum(&self) -> u64 {
        self.0.iter().fold(0, |a, b| std::hint::black_box(a ^ b))
    }
}
pub fn by_ring() -> u64 {
    let r = Ring::<64>([7; 64]);
    (0..100).fold(0, |a, _| a ^ std::hint::black_box(&r).sum())
}
pub fn by_ring_default() -> u64 {
    let r: Ring = Ring(filled());
    (0..100).fold(0, |a, _| a ^ std::hint::black_box(&r).sum())
}
fn filled<const N: usize>() -> [u64; N] {
    [7; N]
}
pub static SETTINGS: LazyLock<u64> = LazyLock::new(|| 5000);
pub fn by_lazy() -> u64 {
    spin(*SETTINGS)
}
thread_local! {
    static LOCAL: Cell<u64> = Cell::new(5000);
}
pub fn by_local() -> u64 {
    spin(LOCAL.with(|c| c.get()))
}
macro_rules! consts {
    ($($name:ident = $value:expr;)*) => { $(pub const $name: u64 = $value;)* };
}
consts! {
    WRITTEN = 5000;
    OTHER = 1;
}
pub fn by_written() -> u64 {
    spin(WRITTEN + OTHER)
}
pub trait Container {
    type Store: Default + Extend<u64> + IntoIterator<Item = u64>;
}
pub struct Bag;
impl Container for Bag {
    type Store = Vec<u64>;
}
pub fn by_associated_type() -> u64 {
    let mut s = <Bag as Container>::Store::default();
    for i in 0..2000u64 {
        s.extend([i]);
    }
    s.into_iter().sum()
}
pub static HANDLERS: [fn(u64) -> u64; 2] = [spin, slow_spin];
pub fn by_handlers() -> u64 {
    std::hint::black_box(&HANDLERS)[0](5000)
}
pub enum Rung {
    A,
    B,
    C,
}
pub fn by_rung() -> u64 {
    spin(Rung::C as u64 * 2000)
}
#[derive(Default)]
pub struct Outer {
    inner: Inner,
}
pub struct Inner {
    n: u64,
}
impl Default for Inner {
    fn default() -> Self {
        Inner { n: 5000 }
    }
}
pub fn by_derived_default() -> u64 {
    let o = Outer::default();
    spin(o.inner.n)
}
pub struct Wish;
impl From<Wish> for u64 {
    fn from(_: Wish) -> u64 {
        5000
    }
}
pub fn by_into() -> u64 {
    let n: u64 = Wish.into();
    spin(n)
}
pub struct Row(Vec<u64>);
impl std::ops::Index<usize> for Row {
    type Output = u64;
    fn index(&self, at: usize) -> &u64 {
        &self.0[at]
    }
}
pub fn by_index() -> u64 {
    let r = Row((0..10).map(|i| i * 500).collect());
    spin(r[3])
}
impl std::str::FromStr for Wish {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        text.bytes().take(1).for_each(|b| {
            std::hint::black_box(b);
        });
        Ok(Wish)
    }
}
pub fn by_parse() -> usize {
    (0..200)
        .filter(|_| std::hint::black_box("a wish for many things").parse::<Wish>().is_ok())
        .count()
}
#[derive(Default, Clone, Copy)]
pub enum Speed {
    #[default]
    Fast,
    Slow,
}
pub fn by_default_variant() -> u64 {
    match Speed::default() {
        Speed::Fast => spin(5000),
        Speed::Slow => slow_spin(5000),
    }
}
pub trait Policy {
    const LIMIT: u64;
}
pub struct Strict;
impl Policy for Strict {
    const LIMIT: u64 = 5000;
}
pub struct Loose;
impl Policy for Loose {
    const LIMIT: u64 = 50000;
}
pub fn limited<P: Policy>() -> u64 {
    spin(P::LIMIT)
}
pub type Chosen = Strict;
pub fn by_policy() -> u64 {
    limited::<Chosen>()
}
pub trait Named {
    fn id(&self) -> u64 {
        5000
    }
}
pub struct Plain;
impl Named for Plain {}
pub fn by_provided() -> u64 {
    let n: &dyn Named = &Plain;
    spin(std::hint::black_box(n).id())
}
pub fn by_trait() -> u64 {
    calm::run()
}
pub fn by_glob() -> u64 {
    calm::run_all()
}
pub fn by_shadow() -> u64 {
    shadow::run()
}
pub fn by_closure() -> u64 {
    let until = |i: u64| i < 5000;
    let mut i = 0;
    while until(i) {
        i = std::hint::black_box(i + 1);
    }
    i
}
pub fn by_label() -> u64 {
    let mut t = 0;
    'outer: for i in 0..100u64 {
        for j in 0..100u64 {
            if j > 10 {
                continue 'outer;
            }
            t = std::hint::black_box(t ^ i ^ j);
        }
    }
    t
}
pub struct Spec {
    pub n: u64,
    pub m: u64,
}
pub const SPEC: Spec = Spec { n: 5000, m: 1 };
pub fn by_spec() -> u64 {
    spin(SPEC.n * SPEC.m)
}
pub fn by_shift() -> u64 {
    let mut t = 0;
    let mut i = 1u64;
    while i < 1 << 12 {
        t = std::hint::black_box(t ^ i);
        i += 1;
    }
    t
}
pub fn by_step() -> u64 {
    let mut t = 0;
    for i in (0..20000u64).step_by(4) {
        t = std::hint::black_box(t ^ i);
    }
    t
}
pub fn by_vec() -> usize {
    (0..100).map(|i| std::hint::black_box(vec![i; 10]).len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box as b;
    #[test]
    fn map() {
        b(by_map());
    }
    #[test]
    fn part() {
        b(by_part());
    }
    #[test]
    fn table() {
        b(by_table());
    }
    #[test]
    fn inner() {
        b(by_inner());
    }
    #[test]
    fn mid() {
        b(by_mid());
    }
    #[test]
    fn chosen() {
        b(by_chosen());
    }
    #[test]
    fn worker() {
        b(by_worker());
    }
    #[test]
    fn worker_limit() {
        b(by_worker_limit());
    }
    #[test]
    fn default_parameter() {
        b(by_default_parameter());
    }
    #[test]
    fn hint() {
        b(by_hint());
    }
    #[test]
    fn step_through() {
        b(by_step_through());
    }
    #[test]
    fn next() {
        b(by_next());
    }
    #[test]
    fn hash() {
        b(by_hash());
    }
    #[test]
    fn rank() {
        b(by_rank());
    }
    #[test]
    fn text() {
        b(by_text());
    }
    #[test]
    fn format() {
        b(by_format());
    }
    #[test]
    fn ring() {
        b(by_ring());
    }
    #[test]
    fn ring_default() {
        b(by_ring_default());
    }
    #[test]
    fn lazy() {
        b(by_lazy());
    }
    #[test]
    fn local() {
        b(by_local());
    }
    #[test]
    fn written() {
        b(by_written());
    }
    #[test]
    fn associated_type() {
        b(by_associated_type());
    }
    #[test]
    fn handlers() {
        b(by_handlers());
    }
    #[test]
    fn rung() {
        b(by_rung());
    }
    #[test]
    fn derived_default() {
        b(by_derived_default());
    }
    #[test]
    fn into() {
        b(by_into());
    }
    #[test]
    fn index() {
        b(by_index());
    }
    #[test]
    fn parse() {
        b(by_parse());
    }
    #[test]
    fn default_variant() {
        b(by_default_variant());
    }
    #[test]
    fn policy() {
        b(by_policy());
    }
    #[test]
    fn provided() {
        b(by_provided());
    }
    #[test]
    fn by_imported_trait() {
        b(by_trait());
    }
    #[test]
    fn by_imported_glob() {
        b(by_glob());
    }
    #[test]
    fn shadow() {
        b(by_shadow());
    }
    #[test]
    fn closure() {
        b(by_closure());
    }
    #[test]
    fn label() {
        b(by_label());
    }
    #[test]
    fn spec() {
        b(by_spec());
    }
    #[test]
    fn shift() {
        b(by_shift());
    }
    #[test]
    fn step() {
        b(by_step());
    }
    #[test]
    fn vec() {
        b(by_vec());
    }
}
