fn set(table: &mut [u64], at: usize) {
    table[at] = 1;
}
