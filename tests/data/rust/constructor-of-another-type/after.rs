use std::collections::{BTreeMap, HashMap};
pub fn f() -> usize { let m: BTreeMap<u64, u64> = BTreeMap::new(); m.len() }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
