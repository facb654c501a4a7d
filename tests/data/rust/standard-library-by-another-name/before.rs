use std::cmp;
use std::mem::{self, MaybeUninit};
use alloc::vec;
use alloc::vec::Vec;
pub type Result<T> = ::std::result::Result<T, u8>;
pub fn larger(a: u64, b: u64) -> Result<u64> { Ok(cmp::max(a, b)) }
pub fn swap(a: &mut u64, b: &mut u64) { std::mem::swap(a, b); mem::drop(std::vec::Vec::<u64>::new()) }
pub fn room() -> MaybeUninit<u64> { MaybeUninit::uninit() }
pub fn list() -> Vec<u64> { vec![1] }
