pub trait Checksum {
    fn checksum(&self) -> u64;
}
impl Checksum for [u8] {
    fn checksum(&self) -> u64 {
        self.iter().map(|byte| u64::from(*byte)).sum()
    }
}
impl Checksum for Vec<u8> {
    fn checksum(&self) -> u64 {
        self.chunks(8).map(|part| part.len() as u64).sum()
    }
}
pub fn run(bytes: &Vec<u8>) -> u64 {
    bytes.checksum()
}
