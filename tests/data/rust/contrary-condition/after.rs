fn sum(xs: &[u64]) -> u64 {
    let mut sum = 0;
    for x in xs {
        if seen(*x) {
            sum += dear(*x);
        }
        if *x >= 4 {
            sum += dear(x + 1);
        }
    }
    sum
}
