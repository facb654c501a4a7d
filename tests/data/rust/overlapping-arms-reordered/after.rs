const FULL: u8 = 3;
pub fn ranges(x: u8) -> u64 {
    match x {
        2..=3 => many(),
        0..=2 => few(),
        _ => 0,
    }
}
pub fn named(x: u8) -> u64 {
    match x {
        3 => many(),
        FULL => few(),
        _ => 0,
    }
}
