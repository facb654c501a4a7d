//! Everything of lito that touches the world.

pub mod adapter;
pub mod benchmark;
pub mod build;
pub mod environment;
pub mod process;
pub mod toolchain;

#[cfg(test)]
mod fixture;
