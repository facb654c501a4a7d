use std::collections::BTreeMap as Map;
pub fn f() -> Map<u64, u64> { Map::new() }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
