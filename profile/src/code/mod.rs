//! The bytes of two executables in, whether what a benchmark executes is compiled to the same machine code out.

mod graph;
mod pairing;
mod place;
mod program;
mod reach;
mod reading;
mod sameness;
mod scope;
mod x86_64;

pub use program::{Code, NotKnown};
pub use reach::{Question, Reach, reach};
pub use reading::read;
pub use sameness::{Difference, Sameness, Why};
pub use scope::{Scope, changed, compare};
