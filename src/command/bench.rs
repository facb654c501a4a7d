//! `lito bench list`: builds the working copy and lists its benchmarks. `lito bench coverage`: what those of the newest
//! sample execute.

use std::path::{Path, PathBuf};

use report::benchmarks::{self, BenchmarkListEntry};
use report::coverage::CoverageReport;
use runner::build::{self, BuildContext, BuildError, BuildPurpose, RepositoryCache};
use runner::git::Repository;
use runner::process::InterruptionFlag;
use runner::store::Store;
use runner::suite::{self, BenchmarkSuite, SuiteError, SuitePrograms};
use runner::toolchain;

use super::sample::TESTS_STAND_IN;
use super::{checkout, interruption};
use crate::cli::{BenchListArguments, CoverageArguments, OutputFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::benchmark_names::{NamedBenchmarks, refuse_unmatched};
use engine::coverage::coverage_at;
use engine::settings::Settings;

/// Builds the working copy and lists its benchmarks.
pub(super) fn list(
    repository: &Repository,
    settings: &Settings,
    arguments: &BenchListArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let root = checkout(repository, "listing benchmarks")?;
    let interruption = interruption()?;
    let compiler = toolchain::compiler_for(&settings.benchmarks, root, &interruption)?;
    let cache = RepositoryCache::of_repository(root).map_err(Failure::environment)?;
    // The working copy stands for the commit it was checked out from; before the first commit there is none.
    let head = repository.resolve("HEAD");
    let committed_at = head.and_then(|head| repository.committed_at(head)).ok();
    let site = BuildContext {
        tree: root,
        repository: root,
        cache: &cache,
        committed_at,
        compiler: &compiler,
        purpose: BuildPurpose::Costs,
        is_working_copy: true,
        records_commands: false,
        interruption: &interruption,
    };
    let definitions = settings.benchmarks.choosing((&arguments.choice).into());
    let progress = terminal.waiting("building the benchmarks");
    let suite = suite::build_suite(&definitions, &site, SuitePrograms::Measured).map_err(|error| match error {
        SuiteError::Build(error @ BuildError::DoesNotBuild { .. }) => Failure::usage(format_args!(
            "building the benchmarks: on {}: it {error}",
            root.display()
        )),
        error => error.into(),
    })?;
    drop(progress);
    if suite.tests_stand_in {
        terminal.warn(TESTS_STAND_IN);
    }
    for failure in &suite.failures {
        terminal.warn(&format!("`{}` is left out: {}", failure.target, failure.reason));
    }
    for target in &suite.empty_targets {
        terminal.warn(&benchmarks::empty_target(target));
    }
    if definitions.is_empty() && !suite.tests_stand_in {
        for (folder, targets) in unmeasured_packages(&suite, root, &interruption)? {
            terminal.warn(&benchmarks::not_measured(&folder, &targets));
        }
    }
    let listed: Vec<BenchmarkListEntry> = suite
        .benchmarks
        .iter()
        .map(|benchmark| BenchmarkListEntry {
            name: benchmark.name.clone(),
            framework: benchmark.framework.name().to_owned(),
            command: std::iter::once(benchmark.program.display().to_string())
                .chain(
                    benchmark
                        .arguments
                        .iter()
                        .map(|argument| argument.to_string_lossy().into_owned()),
                )
                .collect(),
        })
        .collect();
    check_names(&arguments.choice.names, &suite)?;
    let text = match arguments.output.format {
        OutputFormat::Human => benchmarks::human(&listed, terminal.page().width),
        OutputFormat::Json => benchmarks::json(&listed),
        OutputFormat::Markdown => benchmarks::markdown(&listed),
    };
    terminal.print(&text)?;
    Ok(CommandExit::Passed)
}

/// The folders of packages beside the workspace that have bench targets, and these, where the workspace's own are measured.
fn unmeasured_packages(
    suite: &BenchmarkSuite,
    root: &Path,
    interruption: &InterruptionFlag,
) -> Result<Vec<(PathBuf, Vec<String>)>, Failure> {
    let nested = build::nested_benches(root, interruption).map_err(Failure::environment)?;
    let folders = nested.into_iter().filter_map(|definition| definition.directory);
    let unmeasured = folders.filter(|folder| {
        let folder = root.join(folder);
        !(suite.benchmarks.iter()).any(|benchmark| benchmark.directory.starts_with(&folder))
    });
    Ok(unmeasured
        .map(|folder| {
            let targets = build::bench_targets(&root.join(&folder), interruption);
            (folder, targets)
        })
        .collect())
}

/// Refuses a name that no benchmark has.
fn check_names(names: &[String], suite: &BenchmarkSuite) -> Result<(), Failure> {
    let listed = suite.benchmarks.iter().map(|benchmark| benchmark.name.clone());
    let all = listed.chain(suite.left_out.iter().cloned()).collect();
    Ok(refuse_unmatched(
        NamedBenchmarks::by_option("listing benchmarks", names),
        &all,
        "",
    )?)
}

/// Shows what the benchmarks of the newest sample at or before a version execute.
pub(super) fn coverage(
    repository: &Repository,
    settings: &Settings,
    arguments: &CoverageArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let version = repository.resolve(&arguments.revision)?;
    let store = Store::open(repository, &settings.store.url)?;
    let Some((sample, coverage)) = coverage_at(repository, &store, version)? else {
        return Err(Failure::usage(format_args!(
            "looking for what benchmarks execute: {} has no sample at or before it; `lito sample` takes one",
            version.short()
        )));
    };
    let shown = CoverageReport {
        commit: &sample.commit,
        benchmarks: sample.benchmarks.len(),
        unprofiled: &sample.unprofiled,
        coverage: &coverage,
    };
    terminal.print(&match arguments.output.format {
        OutputFormat::Human => report::coverage::human(shown, terminal.page()),
        OutputFormat::Json => report::coverage::json(shown),
        OutputFormat::Markdown => report::coverage::markdown(shown),
    })?;
    Ok(CommandExit::Passed)
}
