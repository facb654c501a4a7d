//! Output of profilers → profiles, call trees and timelines: one folder for each profiler.
//!
//! Pure: bytes and values in, values out. Knows neither how a profiler is run nor where its output is kept.

pub mod callgrind;
pub mod probes;
