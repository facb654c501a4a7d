fn find(table: &Table, key: u64) -> u64 {
    if table.len() != key {
        table.scan(key)
    } else {
        table.look_up(key)
    }
}
