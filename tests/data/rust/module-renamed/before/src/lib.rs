pub mod scan;
pub fn run(s: &str) -> usize { scan::words(s) }
