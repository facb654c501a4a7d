fn both(first: &[u64], second: &[u64]) -> u64 {
    let left = largest(first);
    combine(left, largest(second))
}
