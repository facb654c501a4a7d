//! Two versions in, classified changes out.

mod model;

pub use model::*;
