//! Callgrind as a [`Profiler`]: instructions of optimised programs, calls of unoptimised ones.

use attribution::callgrind::PathRemapping;
use profile::CostUnit;

use super::{ProfilerRequest, add_counts, call_tree, profile_with_requests};
use crate::benchmark::BenchmarkDefinitions;
use crate::build::BuildContext;
use crate::frameworks::Benchmark;
use crate::process::InterruptionFlag;
use crate::profilers::opened_files::opened_below;
use crate::profilers::{
    ProfiledCallTree, ProfiledRun, Profiler, ProfilerBuild, ProfilerCounter, ProfilerError, ProfilerFailureKind,
    TimelineRecorder,
};
use crate::suite::{self, SuiteError, SuitePrograms};

/// Valgrind's callgrind, with dhat for the heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallgrindProfiler {
    version: String,
}

impl CallgrindProfiler {
    /// Callgrind of one version of valgrind: `valgrind-3.19.0`.
    #[must_use]
    pub fn new(version: String) -> Self {
        Self { version }
    }
}

impl Profiler for CallgrindProfiler {
    fn name(&self) -> &'static str {
        "callgrind"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn unit(&self) -> CostUnit {
        CostUnit::Instructions
    }

    fn counters(&self) -> &'static [ProfilerCounter] {
        &[ProfilerCounter::Instructions, ProfilerCounter::Heap]
    }

    fn changes_sources(&self) -> bool {
        false
    }

    fn build(
        &self,
        definitions: &BenchmarkDefinitions,
        context: &BuildContext<'_>,
    ) -> Result<ProfilerBuild, SuiteError> {
        Ok(ProfilerBuild {
            suite: suite::build_suite(definitions, context, SuitePrograms::MeasuredAndCounting)?,
            tree: context.tree.to_owned(),
            ..ProfilerBuild::default()
        })
    }

    fn profile(
        &self,
        benchmark: &Benchmark,
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Result<ProfiledRun, ProfilerError> {
        let roots = PathRemapping::for_project(&build.tree.to_string_lossy());
        let request = ProfilerRequest {
            counting: None,
            ..request(benchmark, &roots, interruption)
        };
        let (costs, requested) = profile_with_requests(&request)?;
        let opened = opened_below(&build.tree, &requested);
        let (profile, uncounted) = match &benchmark.counting {
            None => (costs, None),
            Some(counting) => match add_counts(&request, &costs, counting) {
                Err(error) if error.kind() == ProfilerFailureKind::Interrupted => return Err(error),
                // The estimates stay and are marked as such.
                Err(error) => (costs, Some(error.to_string())),
                Ok(counted) => (counted, None),
            },
        };
        Ok(ProfiledRun {
            profile,
            opened,
            uncounted,
        })
    }

    fn call_tree(
        &self,
        benchmark: &Benchmark,
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Result<ProfiledCallTree, ProfilerError> {
        let roots = PathRemapping::for_project(&build.tree.to_string_lossy());
        call_tree(&request(benchmark, &roots, interruption))
    }

    fn timelines(&self) -> Option<TimelineRecorder> {
        None
    }
}

fn request<'a>(
    benchmark: &'a Benchmark,
    roots: &'a PathRemapping,
    interruption: &'a InterruptionFlag,
) -> ProfilerRequest<'a> {
    ProfilerRequest {
        benchmark: &benchmark.name,
        program: &benchmark.program,
        counting: benchmark.counting.as_deref(),
        arguments: &benchmark.arguments,
        directory: &benchmark.directory,
        environment: &benchmark.environment,
        subject: &benchmark.subject,
        roots,
        time_limit: benchmark.time_limit,
        interruption,
    }
}
