//! Versions into the calling context trees of their benchmarks: what the runner takes them with, put together for every
//! command that compares.

use std::num::NonZero;
use std::path::Path;

use runner::benchmark::Definition;
use runner::build::Cache;
use runner::environment;
use runner::git::{CommitId, Repository};
use runner::process::Interruption;
use runner::sample::FailedBefore;
use runner::trees::{self, Event, Filter, Plan, VersionTrees};
use runner::visit::Ground;

use crate::exit::Failure;

/// What trees are taken with.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) definitions: &'a [Definition],
    /// The checkout that the builds belong to.
    pub(crate) root: &'a Path,
    pub(crate) interruption: &'a Interruption,
}

/// Takes the trees of the benchmarks that the filter wants.
pub(crate) fn take(
    request: &Request<'_>,
    commits: &[CommitId],
    filter: Filter<'_>,
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Vec<VersionTrees>, Failure> {
    let profiler = environment::valgrind_version(request.interruption).ok_or_else(|| {
        Failure::environment(
            "taking call trees: on this machine: valgrind is missing; install it (`sudo apt-get install valgrind`), or \
             compare stacks of another profiler with `lito compare --folded`",
        )
    })?;
    let cache = Cache::of_repository(request.root).map_err(Failure::environment)?;
    let plan = Plan {
        ground: Ground {
            repository: request.repository,
            definitions: request.definitions,
            cache: &cache,
            profiler: &profiler,
            interruption: request.interruption,
        },
        workers: std::thread::available_parallelism().map_or(1, NonZero::get),
        failed_before: FailedBefore::Skip,
    };
    trees::take(&plan, commits, filter, tell).map_err(|error| match error {
        error if error.is_interruption() => Failure::Interrupted,
        error => Failure::environment(error),
    })
}
