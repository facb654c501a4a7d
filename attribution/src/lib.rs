//! Output of profilers → profiles, call trees and timelines: one folder for each profiler, and one for the perf maps that
//! programs write about themselves.
//!
//! Pure: bytes and values in, values out. Knows neither how a profiler is run nor where its output is kept.

pub mod callgrind;
pub mod perf_map;
pub mod probes;
