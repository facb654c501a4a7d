mod a;
mod b;
use crate::b::words;
pub fn run(s: &str) -> usize { words(s) }
