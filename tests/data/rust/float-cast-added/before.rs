fn scaled(size: u64, by: f64, table: &mut [u64]) {
    table[0] = size + 1;
    table[1] = (by + 0.5).to_bits();
}
