fn both(first: &[u64], second: &[u64]) -> u64 {
    let left = largest(first);
    let right = largest(second);
    combine(left, right)
}
