//! The command line: the commands and the arguments that all of them share, with their help. Parses; decides nothing.

mod bisect;
mod cache;
mod compare;
mod evaluate;
mod gate;
mod help;
mod lito_source;
mod sample;
mod score;
mod selftest;
mod setup;
mod store;
mod tasks;
mod track;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::profiling::Profiler;
use engine::settings::{BUILD_TIME_NEVER_GATES, GateMetric};
use runner::benchmark::BenchmarkChoice;

use crate::exit::Failure;

pub(crate) use bisect::BisectArguments;
pub(crate) use cache::{CacheCommand, CacheExportArguments, CacheImportArguments};
pub(crate) use compare::{CompareArguments, CompareFormat};
pub(crate) use evaluate::{EvaluateArguments, StudyStepArgument, WeightsArgument};
pub(crate) use gate::{GateArguments, MeasureArguments, MeasuringArguments, PostArguments, VerdictFormat};
pub(crate) use help::command;
pub(crate) use lito_source::LitoSource;
pub(crate) use sample::{SampleArguments, SampleFormat};
pub(crate) use score::ScoreArguments;
pub(crate) use selftest::SelftestArguments;
pub(crate) use setup::{
    BenchCommand, BenchListArguments, CiArgument, CoverageArguments, DemoArguments, DemoLanguage, ImportCommand,
    InitArguments,
};
pub(crate) use store::{
    StoreCommand, StoreExportArguments, StoreFetchArguments, StoreGcArguments, StoreMergeArguments,
    StoreRemoteArguments, StoreShowArguments,
};
pub(crate) use tasks::{ExecutorArgument, TaskArguments};
pub(crate) use track::{TrackArguments, TrackFormat};

/// A choice among the benchmarks.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArguments {
    /// Only benchmarks of this name; `*` matches any text. Repeatable.
    #[arg(long = "bench", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Only benchmarks of this package. Repeatable.
    #[arg(long = "package", value_name = "NAME")]
    pub(crate) packages: Vec<String>,
}

impl From<&ChoiceArguments> for BenchmarkChoice {
    fn from(arguments: &ChoiceArguments) -> Self {
        Self {
            names: arguments.names.clone(),
            packages: arguments.packages.clone(),
        }
    }
}

/// The heading of the options that every command has.
const GLOBAL: &str = "Global options";

/// Benchmark only the commits that can change a benchmark.
///
/// lito reads the source of each commit, compares it with profiles of an earlier version, predicts how the commit
/// changes each benchmark, and benchmarks only the commits that may matter.
#[derive(Debug, Parser)]
#[command(name = "lito", version, arg_required_else_help = true, max_term_width = help::WIDTH)]
#[command(after_help = "\
Exit codes: 0 passed or skipped, 1 regression, 2 usage or configuration, 3 environment, 4 inconclusive, 130 interrupted.

`lito COMMAND --help` explains a command, with an example.")]
pub(crate) struct CliArguments {
    /// The repository to work on.
    #[arg(
        long,
        global = true,
        help_heading = GLOBAL,
        value_name = "DIR",
        default_value = ".",
        hide_default_value = true
    )]
    pub(crate) repo: PathBuf,
    #[command(flatten)]
    pub(crate) terminal: TerminalArguments,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// Options of all output besides the result.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct TerminalArguments {
    /// Show each step.
    #[arg(short, long, global = true, help_heading = GLOBAL, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Show only the result and errors.
    #[arg(short, long, global = true, help_heading = GLOBAL)]
    pub(crate) quiet: bool,
    /// When to use colour.
    #[arg(
        long,
        global = true,
        help_heading = GLOBAL,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) color: ColorArgument,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArgument {
    /// On a terminal with colours, unless NO_COLOR is set.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Write a commented lito.toml for this repository, and the workflows of GitHub, GitLab or Forgejo.
    Init(InitArguments),
    /// Check the environment, the benchmarks, the store and the workflows. Each finding names its remedy.
    Doctor(FormatArguments),
    /// Show the benchmarks of this repository.
    #[command(subcommand, arg_required_else_help = true)]
    Bench(BenchCommand),
    /// Build a version, profile each of its benchmarks, and store the profiles.
    Sample(SampleArguments),
    /// Predict how a version, or each version of a range, changes the benchmarks. Builds and runs nothing.
    Score(ScoreArguments),
    /// Measure two versions against each other.
    Measure(MeasureArguments),
    /// Score a version, measure the benchmarks at risk, and give the verdict.
    Gate(GateArguments),
    /// Post a verdict to its pull request: a check, and a comment if something changed.
    ///
    /// The token comes from GITHUB_TOKEN. If GitHub cannot be reached, posting.json keeps the result to be posted later.
    Post(PostArguments),
    /// Show what each benchmark costs over many versions, and where the cost jumps. Measures only versions that may differ.
    Track(TrackArguments),
    /// Find the version between two that moved a benchmark. Builds first where the score expects it.
    Bisect(BisectArguments),
    /// Explain the difference between two versions: calls, costs and source, context by context.
    ///
    /// Also compares two benchmarks of one version, and folded stacks from any other profiler.
    Compare(CompareArguments),
    /// Plant slowdowns in this repository and check that lito finds them, and nothing else.
    Selftest(SelftestArguments),
    /// Evaluate prediction accuracy against exhaustive measurements.
    Evaluate(EvaluateArguments),
    /// Inspect, verify, prune and sync the profile store.
    #[command(subcommand, arg_required_else_help = true)]
    Store(StoreCommand),
    /// Carry built dependencies from one job to another.
    #[command(subcommand, arg_required_else_help = true)]
    Cache(CacheCommand),
    /// Import a crate's published releases as a git history.
    #[command(subcommand, arg_required_else_help = true)]
    Import(ImportCommand),
    /// Try the whole workflow on the releases of a real library.
    Demo(DemoArguments),
    /// Print the completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages to a folder.
    Man {
        /// The folder. Created if missing.
        dir: PathBuf,
    },
    /// Print the JSON schema of lito.toml, or of what `--format json` writes.
    Schema {
        /// The schema.
        #[arg(value_name = "NAME", default_value = "settings", hide_default_value = true)]
        name: SchemaArgument,
    },
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Text for people.
    #[default]
    Human,
    /// JSON for programs.
    Json,
    /// Markdown for comments and summaries.
    Markdown,
}

/// Output format.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FormatArguments {
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "human", hide_default_value = true)]
    pub(crate) format: OutputFormat,
}

/// Changes that are not committed, in place of a version.
#[derive(Debug, Clone, Args)]
#[group(multiple = false)]
pub(crate) struct DraftArguments {
    /// Take the checkout as it is, new files included, in place of a commit.
    #[arg(long)]
    pub(crate) uncommitted: bool,
    /// Take what is staged for the next commit.
    #[arg(long)]
    pub(crate) staged: bool,
    /// Take HEAD with the patch in this file; `-` for the standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) patch: Option<PathBuf>,
}

/// Profilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfilerArgument {
    /// Callgrind, or probes if valgrind is missing.
    Auto,
    /// Valgrind's callgrind. Counts instructions.
    Callgrind,
    /// Probes in the sources. Count operations, and need nothing but a Rust toolchain.
    Probes,
}

impl From<ProfilerArgument> for Profiler {
    fn from(argument: ProfilerArgument) -> Self {
        match argument {
            ProfilerArgument::Auto => Self::Auto,
            ProfilerArgument::Callgrind => Self::Callgrind,
            ProfilerArgument::Probes => Self::Probes,
        }
    }
}

/// JSON schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaArgument {
    /// The file lito.toml.
    Settings,
    /// `lito.score/1`, of `lito score`.
    #[value(alias = "lito.score/1")]
    Score,
    /// `lito.verdict/1`, of `lito gate` and `lito measure`.
    #[value(alias = "lito.verdict/1")]
    Verdict,
    /// `lito.track/1`, of `lito track`.
    #[value(alias = "lito.track/1")]
    Track,
    /// `lito.bisection/1`, of `lito bisect`.
    #[value(alias = "lito.bisection/1")]
    Bisection,
    /// `lito.comparison/1`, of `lito compare`.
    #[value(alias = "lito.comparison/1")]
    Comparison,
    /// `lito.profile/1`, of `lito store show`.
    #[value(alias = "lito.profile/1")]
    Profile,
    /// `lito.plan/1`, of `lito sample --plan`.
    #[value(alias = "lito.plan/1")]
    Plan,
    /// `lito.job-progress/1`, of `lito sample --executor`.
    #[value(alias = "lito.job-progress/1")]
    JobProgress,
    /// `lito.coverage/1`, of `lito bench coverage`.
    #[value(alias = "lito.coverage/1")]
    Coverage,
    /// `lito.selftest/1`, of `lito selftest`.
    #[value(alias = "lito.selftest/1")]
    Selftest,
    /// `lito.evaluation/1`, of `lito evaluate`.
    #[value(alias = "lito.evaluation/1")]
    Evaluation,
}

/// Metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasuredArgument {
    /// Instructions of the benchmark's subject; operations if valgrind is missing.
    Instructions,
    /// Allocated bytes, allocations, and peak bytes.
    Memory,
    /// Wall time, base and head interleaved.
    WallTime,
    /// Machine code of the functions that the benchmark's subject executes, in bytes; needs valgrind.
    ExecutedCodeSize,
    /// The bytes that each program loads from its file.
    BinarySize,
    /// Refused with the reason.
    #[value(hide = true)]
    BuildTime,
}

impl MeasuredArgument {
    /// The metrics to measure.
    ///
    /// # Errors
    /// One that never decides.
    pub(crate) fn gate_metrics(arguments: &[Self]) -> Result<Vec<GateMetric>, Failure> {
        let metric = |argument: &Self| match argument {
            Self::Instructions => Ok(GateMetric::Instructions),
            Self::Memory => Ok(GateMetric::Memory),
            Self::WallTime => Ok(GateMetric::WallTime),
            Self::ExecutedCodeSize => Ok(GateMetric::ExecutedCodeSize),
            Self::BinarySize => Ok(GateMetric::BinarySize),
            Self::BuildTime => Err(Failure::usage(format_args!(
                "measuring: on --metric build-time: {BUILD_TIME_NEVER_GATES}; leave it out"
            ))),
        };
        arguments.iter().map(metric).collect()
    }
}

impl ColorArgument {
    /// Applies the choice to everything printed from now on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_argument_has_its_help() {
        fn check(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{} has no help", command.get_name());
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} of {}",
                    argument.get_id(),
                    command.get_name()
                );
            }
            command.get_subcommands().for_each(check);
        }
        check(&command());
    }
}
