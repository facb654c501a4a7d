fn at(table: &[u64], at: usize) -> u64 {
    if table.len() > at {
        return table[at];
    }
    0
}
fn set(table: &mut [u64], at: usize) {
    debug_assert!(at < table.len());
    table[at] = 1;
}
fn check(kind: u8) {
    match kind {
        0 => run(),
        _ => {}
    }
}
