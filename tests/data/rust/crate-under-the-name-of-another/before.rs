pub mod user {
    pub fn run(n: u64) -> u64 {
        step::step(n)
    }
}
