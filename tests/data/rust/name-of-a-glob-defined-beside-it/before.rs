mod given {
    pub const SIDE: u64 = 20;
    pub fn act(n: u64) -> u64 {
        n.rotate_left(3)
    }
    pub struct Tool;
}
use given::*;
pub fn side() -> u64 {
    SIDE * 50
}
pub fn acting() -> u64 {
    act(10)
}
pub fn tool(_: &Tool) {}
