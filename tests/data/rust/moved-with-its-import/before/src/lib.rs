mod a;
mod b;
use crate::a::words;
pub fn run(s: &str) -> usize { words(s) }
