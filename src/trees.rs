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

use crate::exit::Failure;
use crate::profiling::{self, Chosen};

/// What trees are taken with.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) definitions: &'a [Definition],
    /// The checkout that the builds belong to.
    pub(crate) root: &'a Path,
    pub(crate) profiler: &'a Chosen,
    pub(crate) interruption: &'a Interruption,
}

/// Takes the trees of the benchmarks that the filter wants.
pub(crate) fn take(
    request: &Request<'_>,
    commits: &[CommitId],
    filter: Filter<'_>,
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Vec<VersionTrees>, Failure> {
    let cache = Cache::of_repository(request.root).map_err(Failure::environment)?;
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
        error if error.is_interruption() => Failure::Interrupted,
        error => Failure::environment(error),
    })
}
