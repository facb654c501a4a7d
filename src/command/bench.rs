//! `lito bench list`: the working copy, built, into its benchmarks.

use report::benchmarks::{self, Listed};
use runner::build::{BuildError, Cache, Purpose, Site};
use runner::git::Repository;
use runner::suite::{self, Programs, SuiteError};
use runner::toolchain;

use super::{checkout, interruption};
use crate::cli::Format;
use crate::exit::{Exit, Failure};
use crate::settings::Settings;
use crate::terminal::Terminal;

/// Builds what is checked out, and lists its benchmarks.
pub(super) fn list(
    repository: &Repository,
    settings: &Settings,
    format: Format,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let root = checkout(repository, "listing benchmarks")?;
    let interruption = interruption()?;
    let compiler = toolchain::compiler(root, &interruption)?;
    let cache = Cache::of_repository(root).map_err(Failure::environment)?;
    let site = Site {
        tree: root,
        repository: root,
        cache: &cache,
        // The working copy's dependencies are those of the commit that it began as.
        committed_at: head_time(repository),
        compiler: &compiler,
        purpose: Purpose::Costs,
        interruption: &interruption,
    };
    let progress = terminal.waiting("building the benchmarks");
    let suite = suite::prepare(&settings.benchmarks, &site, Programs::Measured).map_err(
        |error| match error {
            SuiteError::Build(error @ BuildError::DoesNotBuild { .. }) => Failure::usage(
                format_args!("building the benchmarks: on {}: it {error}", root.display()),
            ),
            error => error.into(),
        },
    )?;
    drop(progress);
    for failure in &suite.failures {
        terminal.warn(&format!(
            "`{}` is left out: {}",
            failure.target, failure.reason
        ));
    }
    let listed: Vec<Listed> = suite
        .benchmarks
        .iter()
        .map(|benchmark| Listed {
            name: benchmark.name.clone(),
            framework: benchmark.framework.to_owned(),
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
    let text = match format {
        Format::Human => benchmarks::human(&listed, terminal.page().width),
        Format::Json => benchmarks::json(&listed),
        Format::Markdown => benchmarks::markdown(&listed),
    };
    terminal.print(&text)?;
    Ok(Exit::Passed)
}
