pub trait Checksum {
    fn checksum(&self) -> u64;
}
impl Checksum for [u8] {
    fn checksum(&self) -> u64 {
        self.iter().map(|byte| u64::from(*byte)).sum()
    }
}
pub fn run(bytes: &Vec<u8>) -> u64 {
    bytes.checksum()
}
