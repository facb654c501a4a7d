//! Arguments of the commands that measure and judge: measure, gate and post.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use runner::benchmark::TimeSpan;

use super::{ChoiceArguments, DraftArguments, MeasuredArgument, ProfilerArgument};

#[derive(Debug, Args)]
pub(crate) struct MeasureArguments {
    /// The version to compare with.
    #[arg(value_name = "BASE")]
    pub(crate) base: String,
    /// The version to judge.
    #[arg(value_name = "HEAD", default_value = "HEAD", hide_default_value = true)]
    pub(crate) head: String,
    /// Only benchmarks of this name; `*` matches any text. Repeatable.
    #[arg(long = "bench", value_name = "NAME")]
    pub(crate) benchmarks: Vec<String>,
    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,
}

#[derive(Debug, Args)]
pub(crate) struct GateArguments {
    /// The version to compare with [default: where HEAD left the default branch, or its parent; HEAD for what is not
    /// committed].
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
    /// The version to judge.
    #[arg(long, value_name = "REV", default_value = "HEAD", conflicts_with = "DraftArguments")]
    pub(crate) head: String,
    #[command(flatten)]
    pub(crate) draft: DraftArguments,
    /// Take base and head from the event that started this GitHub Actions job, and write the job's summary, annotations
    /// and the step's outputs.
    #[arg(long, conflicts_with_all = ["base", "head", "DraftArguments"])]
    pub(crate) github: bool,
    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,
    /// Audit no skipped version, whatever `gate.audit` of lito.toml says.
    #[arg(long)]
    pub(crate) no_audit: bool,
    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,
}

/// How to measure, and where to write the verdict.
#[derive(Debug, Args)]
pub(crate) struct MeasuringArguments {
    /// Check a claim about the change, such as 'parse/* faster 10%'; repeatable. The benchmarks that it names are
    /// measured in any case.
    #[arg(long = "claim", value_name = "CLAIM")]
    pub(crate) claims: Vec<String>,
    /// A metric to measure; repeatable [default: `gate.metrics` of lito.toml].
    #[arg(long = "metric", value_name = "NAME")]
    pub(crate) metrics: Vec<MeasuredArgument>,
    /// Time limit for measuring, builds excluded [default: `gate.budget` of lito.toml, 10m].
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<TimeSpan>,
    /// The profiler [default: callgrind, or probes if valgrind is missing].
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true)]
    pub(crate) profiler: ProfilerArgument,
    /// Build and measure again instead of reusing an earlier run on the same versions.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Also write the verdict to this folder: as JSON, markdown, SARIF, JUnit, OpenMetrics and code quality.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "human", hide_default_value = true)]
    pub(crate) format: VerdictFormat,
}

/// Output formats of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum VerdictFormat {
    /// Text for people.
    #[default]
    Human,
    /// JSON for programs.
    Json,
    /// Markdown for comments and summaries.
    Markdown,
    /// SARIF for code scanning: the changes behind each regression.
    Sarif,
}

#[derive(Debug, Args)]
pub(crate) struct PostArguments {
    /// A verdict (verdict.json), or a result that could not be posted (posting.json) [default: the version that the
    /// event of this GitHub Actions job is about].
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The repository on GitHub, as OWNER/NAME.
    #[arg(long, value_name = "OWNER/NAME", env = "GITHUB_REPOSITORY")]
    pub(crate) repository: String,
    /// The pull request of FILE [default: the event's; without either, only the check is posted].
    #[arg(long, value_name = "N", requires = "file")]
    pub(crate) pull: Option<u64>,
    /// Write the verdict, and posting.json if GitHub cannot be reached, to this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
}
