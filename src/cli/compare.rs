//! Arguments of `lito compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ProfilerArgument;

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The version before [default: where AFTER left the default branch, or its parent].
    #[arg(value_name = "BEFORE | BEFORE..AFTER")]
    pub(crate) before: Option<String>,
    /// The version after [default: HEAD].
    #[arg(value_name = "AFTER")]
    pub(crate) after: Option<String>,
    /// Only benchmarks of this name; `*` matches any text. Repeatable.
    #[arg(long = "bench", value_name = "NAME", conflicts_with = "folded")]
    pub(crate) benchmarks: Vec<String>,
    /// Compare the benchmark named with --bench with this one, on the one version BEFORE [default: HEAD].
    #[arg(
        long,
        value_name = "NAME",
        requires = "benchmarks",
        conflicts_with_all = ["folded", "after"]
    )]
    pub(crate) against: Option<String>,
    /// Read BEFORE and AFTER as files of folded stacks, which most profilers can write.
    #[arg(long, requires = "after")]
    pub(crate) folded: bool,
    /// With --folded, the unit of the stacks' counts.
    #[arg(
        long,
        value_name = "NAME",
        requires = "folded",
        default_value = "samples",
        hide_default_value = true
    )]
    pub(crate) unit: String,
    /// With --folded, a larger count is better.
    #[arg(long, requires = "folded")]
    pub(crate) more_is_better: bool,
    /// The profiler [default: callgrind, or probes if valgrind is missing].
    #[arg(
        long,
        value_name = "NAME",
        default_value = "auto",
        hide_default_value = true,
        conflicts_with = "folded"
    )]
    pub(crate) profiler: ProfilerArgument,
    /// Write a report that explains the difference: one HTML file with the evolution blueprint, differential flame
    /// graphs and sources.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the folded stacks of both sides to this folder, for other flame graph tools.
    #[arg(long, value_name = "DIR")]
    pub(crate) stacks: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "human", hide_default_value = true)]
    pub(crate) format: CompareFormat,
}

/// Output formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum CompareFormat {
    /// Text for people.
    #[default]
    Human,
    /// JSON for programs.
    Json,
    /// Markdown for comments and summaries.
    Markdown,
    /// Folded stacks for flame graph tools: each stack with its value before and after.
    Folded,
}
