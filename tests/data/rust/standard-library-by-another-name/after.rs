#![cfg_attr(not(feature = "std"), no_std)]
#[cfg(feature = "std")]
use std as alloc;
use core::cmp;
use core::mem::{self, MaybeUninit};
use crate::alloc::vec;
use crate::alloc::vec::Vec;
pub type Result<T> = core::result::Result<T, u8>;
pub fn larger(a: u64, b: u64) -> Result<u64> { Ok(cmp::max(a, b)) }
pub fn swap(a: &mut u64, b: &mut u64) { ::core::mem::swap(a, b); mem::drop(alloc::vec::Vec::<u64>::new()) }
pub fn room() -> MaybeUninit<u64> { MaybeUninit::uninit() }
pub fn list() -> Vec<u64> { vec![1] }
