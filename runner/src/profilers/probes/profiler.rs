//! Probes as a [`Profiler`]: counts operations of sources and needs no tool except the Rust toolchain.

use attribution::probes::{PROFILER, TIMELINE_VERSION, VERSION};
use profile::CostUnit;
use profile::probes::SourceInstrumenter;

use super::{build_with_probes, run};
use crate::benchmark::BenchmarkDefinitions;
use crate::build::{BuildContext, ProbedRuns};
use crate::frameworks::Benchmark;
use crate::process::InterruptionFlag;
use crate::profilers::{
    ProfiledCallTree, ProfiledRun, Profiler, ProfilerBuild, ProfilerCounter, ProfilerError, TimelineRecorder,
};
use crate::suite::SuiteError;

/// Probes in the sources of a version.
#[derive(Clone, Copy)]
pub struct ProbesProfiler<'a> {
    instrument: SourceInstrumenter<'a>,
    runs: ProbedRuns,
}

impl<'a> ProbesProfiler<'a> {
    /// A profiler whose probes this function inserts into sources.
    #[must_use]
    pub fn new(instrument: SourceInstrumenter<'a>) -> Self {
        Self {
            instrument,
            runs: ProbedRuns::All,
        }
    }

    /// The same profiler for time frames alone, which are taken beside another profiler's results: its programs are built
    /// more quickly, and run more slowly.
    #[must_use]
    pub fn for_time_frames(self) -> Self {
        Self {
            runs: ProbedRuns::TimeFramesOnly,
            ..self
        }
    }
}

impl Profiler for ProbesProfiler<'_> {
    fn name(&self) -> &'static str {
        PROFILER
    }

    fn version(&self) -> &str {
        VERSION
    }

    fn unit(&self) -> CostUnit {
        CostUnit::Operations
    }

    /// Probes do not see the allocator.
    fn counters(&self) -> &'static [ProfilerCounter] {
        &[ProfilerCounter::Operations]
    }

    fn changes_sources(&self) -> bool {
        true
    }

    fn build(
        &self,
        definitions: &BenchmarkDefinitions,
        context: &BuildContext<'_>,
    ) -> Result<ProfilerBuild, SuiteError> {
        build_with_probes(definitions, context, self.instrument, self.runs)
    }

    fn profile(
        &self,
        benchmark: &Benchmark,
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Result<ProfiledRun, ProfilerError> {
        run::profile(benchmark, &build.table, interruption).map(ProfiledRun::from)
    }

    fn call_tree(
        &self,
        benchmark: &Benchmark,
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Result<ProfiledCallTree, ProfilerError> {
        run::call_tree(benchmark, &build.table, interruption)
    }

    fn timelines(&self) -> Option<TimelineRecorder> {
        Some(TimelineRecorder {
            version: TIMELINE_VERSION,
            record: |benchmark, build, interruption| run::timeline(benchmark, &build.table, interruption),
        })
    }
}
