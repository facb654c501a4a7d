//! What profilers write in, profiles, call trees and timelines out: a folder for each profiler.
//!
//! Pure: bytes and values in, values out. Who ran the profiler, and where, is not known here.

pub mod callgrind;
pub mod probes;
