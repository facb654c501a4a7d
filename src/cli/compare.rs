//! What `lito compare` is asked for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ProfilerArgument;

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The version before [default: where AFTER left the default branch, or the version before it].
    #[arg(value_name = "BEFORE | BEFORE..AFTER")]
    pub(crate) before: Option<String>,
    /// The version after [default: HEAD].
    #[arg(value_name = "AFTER")]
    pub(crate) after: Option<String>,
    /// Only benchmarks of this name; `*` stands for any text. May be given several times.
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
    /// BEFORE and AFTER are files of folded stacks, as any profiler's output can be turned into.
    #[arg(long, requires = "after")]
    pub(crate) folded: bool,
    /// With --folded, what the stacks count.
    #[arg(
        long,
        value_name = "NAME",
        requires = "folded",
        default_value = "samples",
        hide_default_value = true
    )]
    pub(crate) unit: String,
    /// With --folded, more of this is better.
    #[arg(long, requires = "folded")]
    pub(crate) more_is_better: bool,
    /// What counts [default: callgrind, or probes where valgrind is missing].
    #[arg(
        long,
        value_name = "NAME",
        default_value = "auto",
        hide_default_value = true,
        conflicts_with = "folded"
    )]
    pub(crate) profiler: ProfilerArgument,
    /// Draw it: one HTML file with the evolution blueprint, the differential flame graphs and the sources.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the stacks of both sides into this folder, folded, for other flame graph tools.
    #[arg(long, value_name = "DIR")]
    pub(crate) stacks: Option<PathBuf>,
    /// How to write the result.
    #[arg(long, value_name = "FORMAT", default_value = "human", hide_default_value = true)]
    pub(crate) format: CompareFormat,
}

/// How to write a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum CompareFormat {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
    /// For comments and summaries.
    Markdown,
    /// For flame graph tools: each stack with its value before and after.
    Folded,
}
