const fn table() -> [u64; 256] {
    [3; 256]
}
pub fn look(at: u8) -> u64 {
    let table = const { table() };
    table[at as usize]
}
