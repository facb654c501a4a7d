//! Versions → the calling context trees of their benchmarks: assembles the runner's plan for every command that
//! compares.

use std::num::NonZero;
use std::path::Path;

use runner::benchmark::BenchmarkDefinitions;
use runner::build::RepositoryCache;
use runner::call_trees::{self, BenchmarkFilter, CallTreesEvent, CallTreesPlan, VersionCallTrees};
use runner::git::{CommitId, Repository};
use runner::measure::sides::SideBuildPlan;
use runner::process::InterruptionFlag;
use runner::sample::FailureRetryPolicy;
use runner::visit::VisitContext;

use crate::error::EngineError;
use crate::profiling::ProfilerChoice;

/// The settings with which trees are taken.
#[derive(Clone, Copy)]
pub struct CallTreeRequest<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The configured benchmarks; if empty, they are discovered.
    pub definitions: &'a BenchmarkDefinitions,
    /// The checkout that the builds belong to.
    pub root: &'a Path,
    /// The profiler to use.
    pub profiler: &'a ProfilerChoice,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// Takes the trees of the benchmarks that the filter selects.
pub fn collect_call_trees(
    request: &CallTreeRequest<'_>,
    commits: &[CommitId],
    filter: BenchmarkFilter<'_>,
    tell: &mut dyn FnMut(&CallTreesEvent<'_>),
) -> Result<Vec<VersionCallTrees>, EngineError> {
    let cache = RepositoryCache::of_repository(request.root).map_err(EngineError::environment)?;
    let plan = CallTreesPlan {
        context: VisitContext {
            repository: request.repository,
            definitions: request.definitions,
            cache: &cache,
            interruption: request.interruption,
        },
        profiler: request.profiler.profiler(),
        workers: workers(),
        failed_before: FailureRetryPolicy::Skip,
    };
    Ok(call_trees::take(&plan, commits, filter, tell)?)
}

/// Takes the trees of what a gate measured: of the programs that it kept, where there are any. `draft` is true if the head
/// is not committed.
pub fn collect_measured_call_trees(
    request: &CallTreeRequest<'_>,
    (base, head): (CommitId, CommitId),
    draft: bool,
    filter: BenchmarkFilter<'_>,
    tell: &mut dyn FnMut(&CallTreesEvent<'_>),
) -> Result<Vec<VersionCallTrees>, EngineError> {
    let profiler = request.profiler.profiler();
    // Its programs have probes, and no others have contexts.
    if profiler.changes_sources() {
        return collect_call_trees(request, &[base, head], filter, tell);
    }
    let cache = RepositoryCache::of_repository(request.root).map_err(EngineError::environment)?;
    let plan = SideBuildPlan {
        repository: request.repository,
        base,
        head,
        definitions: request.definitions,
        cache: &cache,
        profiler,
        interruption: request.interruption,
        draft,
        fresh: false,
    };
    Ok(call_trees::take_measured(&plan, workers(), filter, tell)?)
}

/// Benchmarks that run at the same time.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
