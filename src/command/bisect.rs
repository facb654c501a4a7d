//! `lito bisect`: which version between two moved a benchmark.

use report::bisection;
use runner::build::RepositoryCache;
use runner::git::Repository;
use runner::store::Store;

use super::{checkout, interruption};
use crate::cli::{BisectArguments, OutputFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::bisect::{BisectEvent, BisectRequest, bisect};
use engine::profiling::{self, Profiler};
use engine::settings::Settings;

/// Searches between the two versions.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &BisectArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let good = repository.resolve(&arguments.good)?;
    let bad = repository.resolve(&arguments.bad)?;
    let root = checkout(repository, "bisecting")?;
    let interruption = interruption()?;
    let store = Store::open(repository, &settings.store.url)?;
    let profiler = profiling::choose_profiler(Profiler::Callgrind, &interruption, |note| terminal.note(note))?;
    let progress = terminal.waiting("bisecting");
    let request = BisectRequest {
        repository,
        store: &store,
        definitions: &settings.benchmarks,
        cache: &RepositoryCache::of_repository(root).map_err(Failure::environment)?,
        profiler: &profiler,
        interruption: &interruption,
        good,
        bad,
        benchmark: &arguments.benchmark,
    };
    let found = bisect(&request, &mut |event| match event {
        BisectEvent::Building { commit, suspects } => progress.working_on(&format!(
            "{} left, building {}",
            report::number_format::counted_noun(suspects, "version"),
            commit.short()
        )),
        BisectEvent::Waiting { holder } => progress.waiting_for(holder),
    })?;
    drop(progress);
    terminal.print(&match arguments.output.format {
        OutputFormat::Human => bisection::human(&found, terminal.page()),
        OutputFormat::Json => bisection::json(&found),
        OutputFormat::Markdown => bisection::markdown(&found),
    })?;
    Ok(CommandExit::Passed)
}
