//! Callgrind as a [`Profiler`]: instructions of optimised programs, calls of unoptimised ones.

use std::path::Path;
use std::sync::OnceLock;

use attribution::callgrind::{self, PathRemapping, ProfiledBuild};
use profile::CostUnit;

use super::interpreted::{self, InterpretedOutcome, InterpretedRun};
use super::presented::presented;
use super::set_up::{process_profile, profile_with_process};
use super::shared_start::{can_share, profile_forks, profile_together, shared_start_library};
use super::{
    ProfilerRequest, SubjectRun, TraceDetail, batches, call_tree, forks_of, heap, heaps, profile_program, requests_of,
    two_runs,
};
use crate::benchmark::BenchmarkDefinitions;
use crate::build::BuildContext;
use crate::environment::MachineFacts;
use crate::frameworks::Benchmark;
use crate::opened_files::opened_below;
use crate::process::InterruptionFlag;
use crate::profilers::{
    HeapUsage, ProfiledCallTree, ProfiledRun, Profiler, ProfilerBuild, ProfilerCounter, ProfilerError,
    ProfilerFailureKind, TimelineRecorder,
};
use crate::suite::{self, SuiteError, SuitePrograms};

/// Valgrind's callgrind, with dhat for the heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallgrindProfiler {
    version: String,
    /// Asked once: the answer takes a compilation and a run.
    machine: OnceLock<MachineFacts>,
}

impl CallgrindProfiler {
    /// Callgrind of one version of valgrind: `valgrind-3.19.0`.
    #[must_use]
    pub fn new(version: String) -> Self {
        Self {
            version,
            machine: OnceLock::new(),
        }
    }
}

#[cfg(test)]
impl CallgrindProfiler {
    /// Callgrind on a machine with these facts.
    pub(crate) fn presenting(version: &str, machine: MachineFacts) -> Self {
        Self {
            version: version.to_owned(),
            machine: machine.into(),
        }
    }
}

impl Profiler for CallgrindProfiler {
    fn name(&self) -> &'static str {
        "callgrind"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn machine(&self, directory: &Path, interruption: &InterruptionFlag) -> MachineFacts {
        self.machine.get_or_init(|| presented(directory, interruption)).clone()
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
        let suite = suite::build_suite(definitions, context, SuitePrograms::MeasuredAndCounting)?;
        Ok(ProfilerBuild {
            shared_start: (suite.benchmarks.iter())
                .any(|benchmark| can_share(&benchmark.subject, &benchmark.arguments, &benchmark.environment))
                .then(|| shared_start_library(context.cache, context.interruption))
                .flatten(),
            suite,
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
        let request = request(benchmark, &roots, (build, interruption));
        match two_runs::runs(&request) {
            Some(runs) => two_runs::difference(&runs, |run| profile_of_run(run, false, build)),
            None => profile_of_run(&request, benchmark.has_set_up(), build),
        }
    }

    fn batches<'b>(
        &self,
        benchmarks: &[&'b Benchmark],
        build: &ProfilerBuild,
        workers: usize,
    ) -> Vec<Vec<&'b Benchmark>> {
        batches(benchmarks, build.shared_start.as_deref(), workers)
    }

    fn profile_batch(
        &self,
        batch: &[&Benchmark],
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Vec<Option<Result<ProfiledRun, ProfilerError>>> {
        if let [benchmark] = batch {
            return vec![Some(self.profile(benchmark, build, interruption))];
        }
        let roots = PathRemapping::for_project(&build.tree.to_string_lossy());
        let with_requests: Vec<_> = (batch.iter())
            .map(|benchmark| (*benchmark, request(benchmark, &roots, (build, interruption))))
            .collect();
        if let Some(forks) = forks_of(&with_requests) {
            let runs = profile_forks(&forks).into_iter();
            return runs.map(|run| Some(Ok(without_counts(build, run?)))).collect();
        }
        let [first, ..] = batch else {
            return Vec::new();
        };
        let requests = requests_of(&with_requests);
        // All of them are of one framework, and have a set-up or none.
        let has_set_up = first.has_set_up();
        let optimised = (ProfiledBuild::Optimised, has_set_up && first.counting.is_none());
        let costs = profile_together(&requests, &first.program, optimised);
        let mut counts = Vec::new().into_iter();
        if let Some(counting) = &first.counting {
            let with_costs: Vec<_> = (requests.iter().zip(&costs))
                .filter(|(_, costs)| costs.is_some())
                .map(|(request, _)| request.clone())
                .collect();
            let counting_build = (ProfiledBuild::Counting, has_set_up);
            counts = profile_together(&with_costs, counting, counting_build).into_iter();
        }
        (requests.iter().zip(costs))
            .map(|(request, costs)| {
                let costs = costs?;
                let counts = counts.next().flatten();
                // A run that takes too long beside others may have the time by itself.
                let is_whole = counts.is_some() == request.counting.is_some();
                is_whole.then(|| with_counts(request, has_set_up, build, costs, counts))
            })
            .collect()
    }

    fn heap_of_batch(
        &self,
        batch: &[&Benchmark],
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Vec<Option<HeapUsage>> {
        let roots = PathRemapping::default();
        let batch: Vec<_> = (batch.iter())
            .map(|benchmark| (*benchmark, request(benchmark, &roots, (build, interruption))))
            .collect();
        (batch.iter().zip(heaps(&batch)))
            .map(|((_, request), counted)| match counted {
                // Dhat counts whole runs, and functions of them.
                None if request.subject.has_own_allocations() => heap(request).ok(),
                counted => counted,
            })
            .collect()
    }

    fn call_tree(
        &self,
        benchmark: &Benchmark,
        build: &ProfilerBuild,
        interruption: &InterruptionFlag,
    ) -> Result<ProfiledCallTree, ProfilerError> {
        let roots = PathRemapping::for_project(&build.tree.to_string_lossy());
        call_tree(&request(benchmark, &roots, (build, interruption)))
    }

    fn timelines(&self) -> Option<TimelineRecorder> {
        None
    }
}

/// The profile of one run; with the functions of the project that only its set-up executes, if it `has_set_up`.
fn profile_of_run(
    request: &ProfilerRequest<'_>,
    has_set_up: bool,
    build: &ProfilerBuild,
) -> Result<ProfiledRun, ProfilerError> {
    let unnamed = match interpreted::profile(request)? {
        InterpretedOutcome::Profiled(run) => return Ok(without_counts(build, *run)),
        InterpretedOutcome::NotInterpreted => None,
        InterpretedOutcome::Unnamed(reason) => Some(reason),
    };
    // The counting program tells the set-up better.
    let tells_process = has_set_up && request.counting.is_none();
    let costs = run_once(request, request.program, ProfiledBuild::Optimised, tells_process)?;
    let run = with_counts(request, has_set_up, build, costs, None)?;
    Ok(ProfiledRun { unnamed, ..run })
}

fn run_once(
    request: &ProfilerRequest<'_>,
    program: &Path,
    build: ProfiledBuild,
    tells_process: bool,
) -> Result<SubjectRun, ProfilerError> {
    match tells_process {
        true => profile_with_process(request, program, build),
        false => profile_program(request, program, build, TraceDetail::CostsAndJumps),
    }
}

/// A run with the counts of its counting program, which runs unless they are there.
fn with_counts(
    request: &ProfilerRequest<'_>,
    has_set_up: bool,
    build: &ProfilerBuild,
    costs: SubjectRun,
    counts: Option<SubjectRun>,
) -> Result<ProfiledRun, ProfilerError> {
    let opened = opened_below(&build.tree, &costs.requested);
    let (counts, uncounted) = match (counts, request.counting) {
        (None, Some(counting)) => match run_once(request, counting, ProfiledBuild::Counting, has_set_up) {
            Err(error) if error.kind() == ProfilerFailureKind::Interrupted => return Err(error),
            // The estimates stay and are marked as such.
            Err(error) => (None, Some(error.to_string())),
            Ok(counts) => (Some(counts), None),
        },
        (counts, _) => (counts, None),
    };
    let profile = match &counts {
        Some(counts) => callgrind::merge_exact_counts(&costs.profile, &counts.profile),
        None => costs.profile,
    };
    let profile = match has_set_up {
        true => {
            let of_counts = counts.and_then(|counts| counts.process);
            profile.with_set_up(&process_profile(request, costs.process, of_counts)?)
        }
        false => profile,
    };
    Ok(ProfiledRun {
        profile,
        opened,
        asked_names: None,
        uncounted,
        unnamed: None,
    })
}

/// A run whose counts are those of its costs: nothing of it was optimised.
fn without_counts(build: &ProfilerBuild, run: InterpretedRun) -> ProfiledRun {
    ProfiledRun {
        opened: opened_below(&build.tree, &run.requested),
        asked_names: run.asked_names,
        ..ProfiledRun::from(run.profile)
    }
}

fn request<'a>(
    benchmark: &'a Benchmark,
    roots: &'a PathRemapping,
    (build, interruption): (&'a ProfilerBuild, &'a InterruptionFlag),
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
        interpreter: benchmark.interpreter.as_ref(),
        shared_start: build.shared_start.as_deref(),
        interruption,
    }
}
