//! Everything of lito that touches the world.

pub mod profiler;
