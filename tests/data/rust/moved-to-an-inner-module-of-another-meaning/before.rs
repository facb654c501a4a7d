mod alpha {
    use std::cmp::max as act;
    pub fn moved(n: u64) -> u64 {
        act(n, 3) ^ 7
    }
    pub fn stay(n: u64) -> u64 {
        act(n, 5)
    }
}
mod beta {
    fn act(n: u64, to: u64) -> u64 {
        (0..n).map(|at| at * to).sum()
    }
    pub fn other(n: u64) -> u64 {
        act(n, 8)
    }
}
use alpha::moved;
pub fn moving() -> u64 {
    moved(10) ^ beta::other(1) ^ alpha::stay(1)
}
