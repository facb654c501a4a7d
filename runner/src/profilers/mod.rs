//! A version's sources → its benchmarks built for a profiler; a built benchmark → its profile, its calling context tree
//! and its timeline.
//!
//! [`Profiler`] is everything that differs between profilers; each is a folder here, which the samples, the call trees,
//! the timelines and the gate use through the trait alone. Keeps nothing: what a profiler writes is in temporary folders.
//! `cargo xtask new profiler NAME` writes the stubs of another one.

pub mod callgrind;
mod error;
pub mod probes;
mod suggestions;

use std::path::PathBuf;

use profile::Profile;
use profile::call_tree::CallTree;
use profile::probes::ProbeTable;
use profile::timeline::Timeline;

use crate::benchmark::BenchmarkDefinition;
use crate::build::BuildContext;
use crate::frameworks::Benchmark;
use crate::process::InterruptionFlag;
use crate::suite::{BenchmarkSuite, SuiteError};
pub use error::{ProfilerError, ProfilerFailureKind};

/// A profiler: how programs are built for it, and what one run of a benchmark under it gives.
pub trait Profiler: Send + Sync {
    /// Its name: `callgrind`, `probes`.
    fn name(&self) -> &'static str;

    /// Its version, for an environment's fingerprint: `valgrind-3.19.0`, `probes-1`. Samples of different versions are
    /// never mixed.
    fn version(&self) -> &str;

    /// The unit of its profiles: `instructions`, `operations`.
    fn unit(&self) -> &'static str;

    /// The counters that it offers to the gate.
    fn counters(&self) -> &'static [ProfilerCounter];

    /// True if it changes sources, so that the programs that are measured can't be profiled: both sides of a comparison
    /// are then built once more, for it.
    fn changes_sources(&self) -> bool;

    /// Builds the benchmarks of a version for it, and lists them. The checkout may be changed; going to another version
    /// restores it.
    ///
    /// # Errors
    /// As [`crate::suite::build_suite`].
    fn build(
        &self,
        definitions: &[BenchmarkDefinition],
        context: &BuildContext<'_>,
    ) -> Result<ProfilerBuild, SuiteError>;

    /// Runs a benchmark of a build and returns its profile.
    ///
    /// # Errors
    /// [`ProfilerError`]. Nothing that was started is left running, nothing that was written is left behind.
    fn profile(
        &self,
        benchmark: &Benchmark,
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Result<Profile, ProfilerError>;

    /// Runs a benchmark of a build and returns its calling contexts.
    ///
    /// # Errors
    /// As [`Profiler::profile`].
    fn call_tree(
        &self,
        benchmark: &Benchmark,
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Result<ProfiledCallTree, ProfilerError>;

    /// How it records timelines; `None` if it doesn't.
    fn timelines(&self) -> Option<TimelineRecorder>;
}

/// The benchmarks of a version, built for a profiler.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfilerBuild {
    /// The benchmarks.
    pub suite: BenchmarkSuite,
    /// The checkout that they were built in, which source paths are named relative to.
    pub tree: PathBuf,
    /// The functions and regions that probes in the programs count; empty without probes.
    pub table: ProbeTable,
}

/// A counter of a profiler, by what it counts in one run of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfilerCounter {
    /// Machine instructions.
    Instructions,
    /// Operations of the source.
    Operations,
    /// Requests to the allocator.
    Heap,
}

/// A way to record when each function was active in a run.
#[derive(Clone, Copy)]
pub struct TimelineRecorder {
    /// Version of what is recorded, for the environment that timelines are kept under.
    pub version: &'static str,
    /// Runs a benchmark of a build, and returns its timeline.
    pub record: fn(&Benchmark, &ProfilerBuild, &InterruptionFlag) -> Result<Timeline, ProfilerError>,
}

/// The calling contexts of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfiledCallTree {
    /// Its root is the benchmark, [`attribution::callgrind::contexts::ROOT`]; its self costs add up to the profile's total of the same run.
    pub tree: CallTree,
    /// Instructions, of all nodes together.
    pub total: u64,
    /// Of the total, the cost of nodes whose calls were counted in the unoptimised build, on the same path: exact.
    pub counted: u64,
    /// Of the total, what was divided among several callers in the ratio of the cost of their calls: where one function
    /// is called from several functions that are inlined into one, the ratio is exact for that function with all it
    /// calls, but not for each below it.
    pub divided: u64,
    /// Callers by which functions were told apart, if some had more: paths beyond those were put together by who calls
    /// whom.
    pub cut: Option<u32>,
    /// False if the tree had no room for all contexts: what is missing is in its callers' self costs.
    pub complete: bool,
}
