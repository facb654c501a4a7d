pub fn fill(n: u64) -> usize {
    let mut m = crate::Map::new();
    for i in 0..n {
        m.insert(i.wrapping_mul(2654435761) % 977, i);
    }
    m.len()
}
