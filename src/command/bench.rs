//! `lito bench list`: the working copy, built, into its benchmarks.

use report::benchmarks::{self, Listed};
use runner::adapter::{self, Listing};
use runner::benchmark::Definition;
use runner::build::{self, BuildError, Cache, Site};
use runner::git::Repository;
use runner::toolchain;

use super::interruption;
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
    let Some(root) = repository.workdir() else {
        return Err(Failure::usage(format_args!(
            "listing benchmarks: {}: it is a bare repository, so nothing is checked out that could be built; run this in \
             a clone",
            repository.common_dir().display()
        )));
    };
    let interruption = interruption()?;
    let compiler = toolchain::compiler(root, &interruption)?;
    let cache = Cache::of_repository(root).map_err(Failure::environment)?;
    let site = Site {
        tree: root,
        repository: root,
        cache: &cache,
        compiler: &compiler,
        interruption: &interruption,
    };
    let listings = found(settings, &site, terminal)?;
    for failure in listings.iter().flat_map(|(_, listing)| &listing.failures) {
        terminal.warn(&format!("listing `{}`: {}", failure.target, failure.reason));
    }
    let listed: Vec<Listed> = listings
        .iter()
        .flat_map(|(definition, listing)| rows(definition, listing))
        .collect();
    if listed.is_empty() {
        let asked: Vec<&str> = listings
            .iter()
            .flat_map(|(_, listing)| &listing.asked)
            .map(String::as_str)
            .collect();
        let asked = if asked.is_empty() {
            String::from("no program")
        } else {
            asked.join(", ")
        };
        return Err(Failure::usage(format_args!(
            "listing benchmarks: {}: there are none (looked at: {asked}); write one, or name a command in lito.toml \
             (`lito init` has an example)",
            root.display()
        )));
    }
    let text = match format {
        Format::Human => benchmarks::human(&listed, terminal.page().width),
        Format::Json => benchmarks::json(&listed),
        Format::Markdown => benchmarks::markdown(&listed),
    };
    terminal.print(&text)?;
    Ok(Exit::Passed)
}

/// What each definition gives; of the defaults, the first that gives anything.
fn found(
    settings: &Settings,
    site: &Site<'_>,
    terminal: &Terminal,
) -> Result<Vec<(Definition, Listing)>, Failure> {
    let defaults = settings.benchmarks.is_empty();
    let definitions = if defaults {
        Definition::defaults()
    } else {
        settings.benchmarks.clone()
    };
    let progress = terminal.progress(definitions.len(), "building");
    let mut found = Vec::new();
    for definition in definitions {
        progress.working_on(definition.adapter.name());
        let listing = match build::build(&definition, site) {
            Ok(built) => adapter::list(&definition, &built, site)?,
            Err(BuildError::Nothing { .. }) if defaults => Listing::default(),
            Err(error) => return Err(error.into()),
        };
        progress.step();
        let enough = defaults && !listing.benchmarks.is_empty();
        found.push((definition, listing));
        if enough {
            break;
        }
    }
    Ok(found)
}

fn rows<'a>(definition: &'a Definition, listing: &'a Listing) -> impl Iterator<Item = Listed> + 'a {
    listing.benchmarks.iter().map(|benchmark| Listed {
        name: benchmark.name.clone(),
        adapter: definition.adapter.name().to_owned(),
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
}
