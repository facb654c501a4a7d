//! Versions into the calling context trees of their benchmarks: what the runner takes them with, put together for every
//! command that compares.

use std::num::NonZero;
use std::path::Path;

use runner::benchmark::Definition;
use runner::build::Cache;
use runner::git::{CommitId, Repository};
use runner::process::Interruption;
use runner::sample::FailedBefore;
use runner::trees::{self, Event, Filter, Plan, VersionTrees};
use runner::visit::Ground;

use crate::error::EngineError;
use crate::profiling::{self, Chosen};

/// What trees are taken with.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub repository: &'a Repository,
    pub definitions: &'a [Definition],
    /// The checkout that the builds belong to.
    pub root: &'a Path,
    pub profiler: &'a Chosen,
    pub interruption: &'a Interruption,
}

/// Takes the trees of the benchmarks that the filter wants.
pub fn take(
    request: &Request<'_>,
    commits: &[CommitId],
    filter: Filter<'_>,
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Vec<VersionTrees>, EngineError> {
    let cache = Cache::of_repository(request.root).map_err(EngineError::environment)?;
    let plan = Plan {
        ground: Ground {
            repository: request.repository,
            definitions: request.definitions,
            cache: &cache,
            profiler: request.profiler.version(),
            interruption: request.interruption,
        },
        probes: (*request.profiler == Chosen::Probes).then_some(&profiling::instrument),
        workers: std::thread::available_parallelism().map_or(1, NonZero::get),
        failed_before: FailedBefore::Skip,
    };
    trees::take(&plan, commits, filter, tell).map_err(|error| match error {
        error if error.is_interruption() => EngineError::Interrupted,
        error => EngineError::environment(error),
    })
}
