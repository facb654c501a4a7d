//! Changes and profiles in, predictions out.

mod model;

pub use model::*;
