mod inner {
    pub const SIZE: u64 = 20;
    pub mod deeper {
        pub const SIZE: u64 = 90;
    }
}
use inner::deeper::*;
pub fn sized() -> u64 {
    SIZE * 200
}
