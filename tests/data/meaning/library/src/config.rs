pub struct Config {
    level: u64,
}
impl Config {
    pub fn new() -> Self {
        Config { level: 5000 }
    }
    pub fn rounds(&self) -> u64 {
        self.level
    }
    pub fn limit(&self) -> usize {
        4000
    }
}
