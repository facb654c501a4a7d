//! What `lito track` is asked for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ProfilerArgument;

#[derive(Debug, Args)]
pub(crate) struct TrackArguments {
    /// The newest version.
    #[arg(value_name = "REV", default_value = "HEAD", hide_default_value = true)]
    pub(crate) revision: String,
    /// How many versions, REV included.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) last: u32,
    /// Only every K-th of them, REV included.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: u32,
    /// Only benchmarks of this name; `*` stands for any text. May be given several times.
    #[arg(long = "bench", value_name = "NAME")]
    pub(crate) benchmarks: Vec<String>,
    /// Measure every version, also where the score proves that nothing changed.
    #[arg(long)]
    pub(crate) exhaustive: bool,
    /// What counts [default: callgrind, or probes where valgrind is missing].
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true)]
    pub(crate) profiler: ProfilerArgument,
    /// Draw it: one HTML file with the chart, the evolution matrix, and where differences come from. Takes call trees and
    /// time frames of each version that was measured.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How to write the result.
    #[arg(long, value_name = "FORMAT", default_value = "human", hide_default_value = true)]
    pub(crate) format: TrackFormat,
}

/// How to write a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum TrackFormat {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
    /// For spreadsheets: a row for each benchmark at each version.
    Csv,
    /// For comments and summaries.
    Markdown,
}
