const FULL: u8 = 3;
pub fn ranges(x: u8) -> u64 {
    match x {
        0..=2 => few(),
        2..=3 => many(),
        _ => 0,
    }
}
pub fn named(x: u8) -> u64 {
    match x {
        FULL => few(),
        3 => many(),
        _ => 0,
    }
}
