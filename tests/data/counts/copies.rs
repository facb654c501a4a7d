//= subject count::descend
//= sums
//= calls descend 22
//= calls work 20
// two copies of the subject, one of which calls the other, which calls itself
use std::hint::black_box;

#[inline(never)]
fn descend<T: Copy + Into<u64>>(depth: u32, x: T) -> u64 {
    if depth == 0 {
        return x.into();
    }
    black_box(descend::<u64>(depth - 1, x.into())) ^ work(depth)
}

#[inline(never)]
fn work(n: u32) -> u64 {
    (0..100u64).fold(0, |t, i| t ^ black_box(i + u64::from(n)))
}

fn main() {
    work(black_box(9));
    println!("{}", descend::<u32>(black_box(10), 3) ^ descend::<u32>(black_box(10), 4));
}
