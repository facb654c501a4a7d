pub fn run(n: u64) -> Box<u64> {
    Box::new(n)
}
