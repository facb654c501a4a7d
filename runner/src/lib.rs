//! Everything of lito that touches the world.

pub mod benchmark;
pub mod process;
pub mod toolchain;
