//! The formats that profiles come in and are kept in: callgrind's output files, the JSON view and our own
//! binary format.
//!
//! Reads from and writes to bytes only; what a machine-level trace means in terms of source functions is
//! decided in [`crate::attribution`].

pub mod binary;
pub mod callgrind;
pub mod json;
