//= sums
//= calls Guard::drop 12
//= calls release 12
//= calls Guard::new 12
use std::hint::black_box;

struct Guard(u64);

impl Guard {
    #[inline(never)]
    fn new(x: u64) -> Self {
        Self(black_box(x))
    }
}

impl Drop for Guard {
    #[inline(never)]
    fn drop(&mut self) {
        release(self.0);
    }
}

#[inline(never)]
fn release(x: u64) {
    black_box(x);
}

#[inline(never)]
pub fn subject(n: u64) -> u64 {
    let mut kept = Vec::new();
    for i in 0..n {
        let guard = Guard::new(i);
        if i % 3 == 0 {
            kept.push(guard);
        }
    }
    kept.len() as u64
}

fn main() {
    println!("{}", subject(black_box(12)));
}
