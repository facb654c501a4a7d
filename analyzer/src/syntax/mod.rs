//! Sources in, functions as trees of blocks out.

mod model;

pub use model::*;
