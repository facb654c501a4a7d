//! Sources and profiles → sources with something added: [`probe`] adds counters, [`seed`] plants one change.
//!
//! Both edit text and leave everything else byte for byte as it was. Neither compiles or runs the result.

pub mod probe;
pub mod seed;
