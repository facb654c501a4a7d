mod inner {
    pub const SIZE: u64 = 20;
    pub mod deeper {
        pub use super::SIZE;
    }
}
use inner::deeper::*;
pub fn sized() -> u64 {
    SIZE * 200
}
