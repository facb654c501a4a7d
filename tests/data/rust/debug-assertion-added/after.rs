fn at(table: &[u64], at: usize) -> u64 {
    debug_assert_eq!(table.iter().sum::<u64>(), 1, "{at}");
    if table.len() > at {
        return table[at];
    } else {
        debug_assert!(table.len() + 1 > at && is_sorted(table));
    }
    0
}
fn set(table: &mut [u64], at: usize) {
    debug_assert!(at + 1 < table.len() + 1, "out of bounds");
    table[at] = 1;
    debug_assert_ne!(at, 0)
}
fn check(kind: u8) {
    match kind {
        0 => run(),
        _ => debug_assert!(is_known(kind)),
    }
}
