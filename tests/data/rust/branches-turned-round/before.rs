fn find(table: &Table, key: u64) -> Option<u64> {
    if !table.is_empty() {
        let hash = table.hash(key);
        table.get(hash, key)
    } else {
        None
    }
}
fn step(table: &mut Table, at: usize) -> usize {
    if at != table.len() {
        table.advance(at)
    } else {
        0
    }
}
