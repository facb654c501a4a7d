mod a { pub fn words(s: &str) -> usize { s.len() } }
use a::words;
pub fn g(s: &str) -> usize { words(s) }
fn work(x: u64) -> u64 { x.rotate_left(3) }
fn other(x: u64) -> u64 { x.rotate_right(3) }
