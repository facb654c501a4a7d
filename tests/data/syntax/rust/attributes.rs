#![no_std]
#![allow(dead_code)]
#[inline(always)]
#[doc = "x"]
#[must_use]
#[cfg(feature = "fast")]
/// Documentation.
pub fn fast() {}
#[cfg(unix)]
mod unix {
    #[cold]
    #[target_feature(enable = "avx2")]
    unsafe fn slow() {}
}
