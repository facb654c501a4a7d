pub fn encode(lengths: &[usize], out: &mut Vec<u8>) {
    for length in lengths {
        (*length as u64).encode(out);
    }
}
pub fn ones(words: &[u64]) -> u32 {
    let mut ones = 0;
    for word in words {
        ones += (*word as i64).count_ones();
    }
    ones
}
pub fn rounds(limit: u64) -> u64 {
    (0..limit as u16).map(u64::from).sum()
}
pub fn wide(state: u32, modulus: u32) -> u64 {
    (state % modulus) as u64
}
