//= sums
//= calls subject 31
//= calls work 16
//= executions work 16
use std::hint::black_box;

// a full binary tree of depth four: 31 nodes, 16 leaves
#[inline(never)]
pub fn subject(depth: u32) -> u64 {
    if depth == 0 {
        return work(1); // @work
    }
    black_box(subject(depth - 1)) ^ black_box(subject(depth - 1))
}

#[inline(never)]
fn work(x: u64) -> u64 {
    black_box(x)
}

fn main() {
    work(black_box(2));
    println!("{}", subject(black_box(4)));
}
