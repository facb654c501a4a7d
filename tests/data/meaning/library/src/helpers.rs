pub fn turn(n: u64) -> u64 {
    crate::spin(n)
}
