fn find(table: &Table, key: u64) -> Option<u64> {
    if table.is_empty() {
        None
    } else {
        let hash = table.hash(key);
        table.get(hash, key)
    }
}
fn step(table: &mut Table, at: usize) -> usize {
    if at == table.len() {
        0
    } else {
        table.advance(at)
    }
}
