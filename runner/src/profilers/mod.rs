//! A version's sources → its benchmarks built for a profiler; a built benchmark → its profile, its calling context tree
//! and its timeline.
//!
//! [`Profiler`] is everything that differs between profilers. Each is a folder here, and the samples, the call trees,
//! the timelines and the gate use it only through the trait. Keeps nothing: profilers write into temporary folders.
//! `cargo xtask new profiler NAME` writes the stubs of another one.

pub mod callgrind;
mod error;
pub mod probes;
mod suggestions;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use profile::call_tree::CallTree;
use profile::inputs::OpenedFiles;
use profile::probes::ProbeTable;
use profile::timeline::Timeline;
use profile::{CostUnit, Profile};
use serde::{Deserialize, Serialize};

use crate::benchmark::BenchmarkDefinitions;
use crate::build::BuildContext;
use crate::environment::{MachineFacts, native_machine};
use crate::frameworks::Benchmark;
use crate::process::InterruptionFlag;
use crate::suite::{BenchmarkSuite, SuiteError};
pub use error::{ProfilerError, ProfilerFailureKind};

/// A profiler: how programs are built for it, and the results of one run of a benchmark under it.
pub trait Profiler: Send + Sync {
    /// Its name: `callgrind`, `probes`.
    fn name(&self) -> &'static str;

    /// Its version, for an environment's fingerprint: `valgrind-3.19.0`, `probes-1`. Samples of different versions are
    /// never mixed.
    fn version(&self) -> &str;

    /// The facts of this machine that its counts depend on: of a program that runs by itself, the processor, as libraries
    /// choose code by its features. `directory` is one whose toolchain can compile.
    fn machine(&self, _directory: &Path, _interruption: &InterruptionFlag) -> MachineFacts {
        native_machine()
    }

    /// The unit of its profiles.
    fn unit(&self) -> CostUnit;

    /// The counters that the gate can use.
    fn counters(&self) -> &'static [ProfilerCounter];

    /// True if it changes sources, so that measured programs can't be profiled: both sides of a comparison are then
    /// built once more for the profiler.
    fn changes_sources(&self) -> bool;

    /// Builds the benchmarks of a version for it, and lists them. The checkout may be changed; switching to another
    /// version restores it.
    ///
    /// # Errors
    /// As [`crate::suite::build_suite`].
    fn build(
        &self,
        definitions: &BenchmarkDefinitions,
        context: &BuildContext<'_>,
    ) -> Result<ProfilerBuild, SuiteError>;

    /// Runs a benchmark of a build and returns its profile, and the files that it opened.
    ///
    /// # Errors
    /// [`ProfilerError`]. No process is left running and no file is left behind.
    fn profile(
        &self,
        benchmark: &Benchmark,
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Result<ProfiledRun, ProfilerError>;

    /// Divides benchmarks of a build among a number of workers, into batches for [`Profiler::profile_batch`]: each is
    /// one, unless several can share a start.
    fn batches<'b>(
        &self,
        benchmarks: &[&'b Benchmark],
        _build: &ProfilerBuild,
        _workers: usize,
    ) -> Vec<Vec<&'b Benchmark>> {
        benchmarks.iter().map(|benchmark| vec![*benchmark]).collect()
    }

    /// The results of [`Profiler::profile`] for each benchmark of a batch, in their order; `None` for those of several that need a
    /// start of their own.
    fn profile_batch(
        &self,
        batch: &[&Benchmark],
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Vec<Option<Result<ProfiledRun, ProfilerError>>> {
        (batch.iter())
            .map(|benchmark| Some(self.profile(benchmark, build, interruption)))
            .collect()
    }

    /// The requests to the allocator in one run of each benchmark of a batch, in their order; `None` for those that it does not
    /// count.
    fn heap_of_batch(
        &self,
        batch: &[&Benchmark],
        _build: &ProfilerBuild,
        _interruption: &InterruptionFlag,
    ) -> Vec<Option<HeapUsage>> {
        vec![None; batch.len()]
    }

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
    /// The checkout that they were built in; source paths are relative to it.
    pub tree: PathBuf,
    /// The functions and regions that probes in the programs count; empty without probes.
    pub table: ProbeTable,
    /// The library through which several runs of a program share one start of the profiler, where there is one.
    pub shared_start: Option<PathBuf>,
}

/// One run of a benchmark under a profiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfiledRun {
    /// The calls and lines that it executed.
    pub profile: Profile,
    /// The files of the checkout that it opened; not complete if the profiler does not see them.
    pub opened: OpenedFiles,
    /// The names of attributes and modules that it asked for as texts; `None` where they are not all known.
    pub asked_names: Option<BTreeSet<String>>,
    /// Why the run of the counting program gave no counts, so that those of inlined code are estimates.
    pub uncounted: Option<String>,
    /// Why the functions of an interpreted program are not in the profile.
    pub unnamed: Option<String>,
}

impl From<Profile> for ProfiledRun {
    /// A run of which nobody knows what it opened.
    fn from(profile: Profile) -> Self {
        Self {
            profile,
            opened: OpenedFiles::default(),
            asked_names: None,
            uncounted: None,
            unnamed: None,
        }
    }
}

/// A subject's requests to the allocator in one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeapUsage {
    /// Bytes, freed ones included; a block that grows counts with its whole new size each time it is moved or resized.
    pub bytes: u64,
    /// Number of times that a block was requested or resized.
    pub blocks: u64,
    /// The subject's share of the bytes that the process held at its peak. `None` if the subject allocates but held
    /// nothing then: its own peak is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<u64>,
}

/// A counter of a profiler, by the quantity that it counts in one run of a benchmark.
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
    /// Version of the recording, for the environment that timelines are kept under.
    pub version: &'static str,
    /// Runs a benchmark of a build, and returns its timeline.
    pub record: fn(&Benchmark, &ProfilerBuild, &InterruptionFlag) -> Result<Timeline, ProfilerError>,
}

/// The calling contexts of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfiledCallTree {
    /// Its root is the benchmark, [`attribution::callgrind::contexts::ROOT`]; its self costs add up to the profile's
    /// total of the same run.
    pub tree: CallTree,
    /// Instructions of all nodes together.
    pub total: u64,
    /// The part of the total in nodes whose calls were counted in the unoptimised build, on the same path: exact.
    pub counted: u64,
    /// The part of the total that was divided among several callers in proportion to the cost of their calls. If one
    /// function is called from several functions that are inlined into one, the proportion is exact for that function
    /// with its callees, but not for each function below it.
    pub divided: u64,
    /// The number of callers that distinguish functions, if some chains were longer: longer chains were joined from
    /// their caller-callee pairs.
    pub cut: Option<u32>,
    /// False if the tree had no room for all contexts: the missing ones are part of their callers' self costs.
    pub complete: bool,
}
