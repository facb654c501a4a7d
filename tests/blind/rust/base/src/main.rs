use std::hint::black_box;

#[inline(never)]
fn subject<T: ?Sized>(work: impl Fn(&T) -> u64, input: &T) -> u64 {
    black_box(work(black_box(input)))
}

fn main() {
    let which = std::env::args().nth(1);
    let sum = match which.as_deref() {
        Some("halves") => subject(sums::halves, &*sums::input::numbers()),
        _ => subject(sums::vowels, &*sums::input::text()),
    };
    assert_ne!(sum, 1);
}
