//! The formats that profiles are kept and shown in: our own binary format and the JSON view.
//!
//! Reads from and writes to bytes only.

pub mod binary;
pub mod json;
