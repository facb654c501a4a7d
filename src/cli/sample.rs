//! Arguments of `lito sample`.

use clap::{Args, ValueEnum};
use engine::settings::Percent;
use engine::shards::Shard;
use runner::benchmark::TimeSpan;

use super::{ChoiceArguments, ProfilerArgument};

#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// The version to sample. With --last, the newest of the range.
    #[arg(value_name = "REV", default_value = "HEAD", hide_default_value = true)]
    pub(crate) revision: String,
    /// Sample among the last N versions up to REV instead of REV alone.
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<usize>,
    /// With --last, sample every K-th version [default: `sampling.every` of lito.toml, 20].
    #[arg(long, value_name = "K", requires = "last")]
    pub(crate) every: Option<u32>,
    /// Sample a version only if the code that benchmarks execute has changed this much since the last sample: a share of a
    /// benchmark's cost [default: `sampling.drift` of lito.toml, 50%].
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, conflicts_with_all = ["every", "shard", "plan"])]
    pub(crate) drift: Option<Option<Percent>>,
    /// With --last, sample part I of N of these versions: N machines share the work.
    #[arg(long, value_name = "I/N", requires = "last", conflicts_with = "plan")]
    pub(crate) shard: Option<Shard>,
    /// With --last, list these versions and their state in the store. Builds nothing.
    #[arg(long, requires = "last")]
    pub(crate) plan: bool,
    /// With --plan, split the versions among N machines.
    #[arg(long, value_name = "N", requires = "plan", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) shards: Option<u32>,
    /// With --plan, the output format.
    #[arg(
        long,
        value_name = "FORMAT",
        requires = "plan",
        default_value = "human",
        hide_default_value = true
    )]
    pub(crate) format: PlanFormat,
    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,
    /// Time limit for the profiles of one version, builds excluded; the most telling benchmarks come first. Those left out
    /// are a risk for every change of code, until `lito sample` takes them [default: none].
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<TimeSpan>,
    /// Retry versions that did not build and benchmarks that failed.
    #[arg(long)]
    pub(crate) retry: bool,
    /// The profiler [default: callgrind, or probes if valgrind is missing].
    #[arg(long, value_name = "NAME", default_value = "auto", hide_default_value = true)]
    pub(crate) profiler: ProfilerArgument,
}

/// Output formats of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum PlanFormat {
    /// Text for people.
    #[default]
    Human,
    /// JSON for programs, as the matrix of a workflow.
    Json,
}
