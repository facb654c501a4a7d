pub struct Worker {
    config: crate::config::Config,
}
pub fn make() -> Worker {
    Worker {
        config: crate::config::Config::new(),
    }
}
impl Worker {
    pub fn run(&self) -> u64 {
        let mut s = 0;
        for i in 0..self.config.rounds() {
            s = std::hint::black_box(s ^ i);
        }
        s
    }
    pub fn grow(&self) -> usize {
        let mut v = Vec::new();
        while v.len() < self.config.limit() {
            v.push(std::hint::black_box(1u8));
        }
        v.len()
    }
}
