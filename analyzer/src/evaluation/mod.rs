//! Exhaustive measurements and predictions of the same versions in, accuracy out.
//!
//! The study of Sandoval Alcocer, Bergel, Valente (ICPE 2016), section 4.2: S1 measures every version, S2 predicts every
//! version from samples every k versions, S3 contrasts the two. S1 and S2 are done elsewhere and arrive here as
//! [`Project`]s; everything here is arithmetic on them, and takes seconds.

mod model;

pub use model::*;
