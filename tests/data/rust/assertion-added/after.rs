fn set(table: &mut [u64], at: usize) {
    assert!(table.len() > at);
    table[at] = 1;
}
