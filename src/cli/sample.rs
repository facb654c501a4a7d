//! Arguments of `lito sample`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use engine::settings::Percent;
use engine::shards::Shard;
use runner::benchmark::TimeSpan;

use super::{ChoiceArguments, ProfilerArgument, TaskArguments};

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("told_as_json").args(["plan", "executor"]).multiple(true)))]
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
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, conflicts_with_all = ["every", "shard", "plan", "executor"])]
    pub(crate) drift: Option<Option<Percent>>,
    /// With --last, sample part I of N of these versions: N machines share the work.
    #[arg(long, value_name = "I/N", requires = "last", conflicts_with_all = ["plan", "executor"])]
    pub(crate) shard: Option<Shard>,
    /// With --last, list these versions and their state in the store. Builds nothing.
    #[arg(long, requires = "last", conflicts_with = "executor")]
    pub(crate) plan: bool,
    /// With --plan, split the versions among N machines.
    #[arg(long, value_name = "N", requires = "plan", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) shards: Option<u32>,
    #[command(flatten)]
    pub(crate) tasks: TaskArguments,
    /// With --executor slurm, leave once the tasks are submitted. A job that depends on them finishes the work.
    #[arg(long, requires = "executor")]
    pub(crate) detach: bool,
    /// The folder of a job, of which this process is a task.
    #[arg(long, value_name = "FOLDER", hide = true, requires = "task")]
    pub(crate) job: Option<PathBuf>,
    /// The number of the task.
    #[arg(long, value_name = "N", hide = true, requires = "job")]
    pub(crate) task: Option<u32>,
    /// Benchmarks to profile at the same time.
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) workers: Option<usize>,
    /// With --plan or --executor, the output format.
    #[arg(
        long,
        value_name = "FORMAT",
        requires = "told_as_json",
        default_value = "human",
        hide_default_value = true
    )]
    pub(crate) format: SampleFormat,
    /// With --plan --format kubernetes, the image of the pods: it has lito, git, valgrind and the toolchain.
    #[arg(long, value_name = "IMAGE", requires = "plan")]
    pub(crate) image: Option<String>,
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

/// Output formats of a plan, and of the progress of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum SampleFormat {
    /// Text for people.
    #[default]
    Human,
    /// JSON for programs: a plan as the matrix of a workflow, progress as one line for each step.
    Json,
    /// A plan as an indexed job of Kubernetes, for `kubectl apply --filename -`.
    Kubernetes,
}
