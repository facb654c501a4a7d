pub mod tokens;
pub fn run(s: &str) -> usize { tokens::words(s) }
