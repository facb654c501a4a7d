//! Arguments of `lito track`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ProfilerArgument, TaskArguments};

#[derive(Debug, Args)]
pub(crate) struct TrackArguments {
    /// The newest version.
    #[arg(value_name = "REV", default_value = "HEAD", hide_default_value = true)]
    pub(crate) revision: String,
    /// Number of versions, REV included.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) last: u32,
    /// Only every K-th of them, REV included.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: u32,
    /// Only benchmarks of this name; `*` matches any text. Repeatable.
    #[arg(long = "bench", value_name = "NAME")]
    pub(crate) benchmarks: Vec<String>,
    /// Measure every version, even if the score proves that it executes the same code. So it is with --executor.
    #[arg(long)]
    pub(crate) exhaustive: bool,
    /// The profiler [default: callgrind, or probes if valgrind is missing].
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true)]
    pub(crate) profiler: ProfilerArgument,
    #[command(flatten)]
    pub(crate) tasks: TaskArguments,
    /// Write a report: one HTML file with the chart, the evolution matrix, and an explanation of each difference. Takes
    /// the call trees and time frames of each measured version.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "human", hide_default_value = true)]
    pub(crate) format: TrackFormat,
}

/// Output formats of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum TrackFormat {
    /// Text for people.
    #[default]
    Human,
    /// JSON for programs.
    Json,
    /// CSV for spreadsheets: a row for each benchmark and version.
    Csv,
    /// Markdown for comments and summaries.
    Markdown,
}
