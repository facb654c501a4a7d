//! `lito cache`: carries built dependencies from one job to another. Prints what a workflow takes as outputs of a step;
//! says everything else beside it.

use report::number_format;
use runner::build::{
    CarriedDependencies, DependencyExport, DependencyImport, DependencyKey, RepositoryCache, export_dependencies,
    import_dependencies,
};
use runner::git::Repository;
use runner::toolchain;

use super::{checkout, interruption};
use crate::cli::{CacheCommand, CacheExportArguments, CacheImportArguments};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;

/// Bytes of a mebibyte.
const MEBIBYTE: u64 = 1 << 20;

/// Runs the subcommand.
pub(super) fn run(
    repository: &Repository,
    command: &CacheCommand,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let root = checkout(repository, "carrying built dependencies")?;
    let cache = RepositoryCache::of_repository(root).map_err(Failure::environment)?;
    let compiler = toolchain::compiler(root, &interruption()?).map_err(Failure::environment)?;
    let key = DependencyKey::of(repository, repository.resolve("HEAD")?, &cache, &compiler)?;
    match command {
        CacheCommand::Key => {
            terminal.print(&format!("key={}\nprefix={}\n", key.wanted(), key.prefix))?;
        }
        CacheCommand::Export(asked) => export(&cache, &key, asked, terminal)?,
        CacheCommand::Import(asked) => import(&cache, &key, asked, terminal)?,
    }
    Ok(CommandExit::Passed)
}

fn export(
    cache: &RepositoryCache,
    key: &DependencyKey,
    asked: &CacheExportArguments,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let most = asked.most.saturating_mul(MEBIBYTE);
    match export_dependencies(cache, key, &asked.folder, most).map_err(Failure::environment)? {
        DependencyExport::Written(carried) => {
            terminal.note(&format!("kept {}", described(&carried)));
            terminal.print(&format!("key={}\n", key.with_content(&carried.content)))?;
        }
        DependencyExport::Nothing => terminal.note("nothing is kept: no dependency was built here"),
        DependencyExport::TooLarge { bytes } => terminal.warn(&format!(
            "nothing is kept: the built dependencies have {} MiB, more than {}; --most allows more",
            mebibytes(bytes),
            asked.most
        )),
    }
    Ok(())
}

fn import(
    cache: &RepositoryCache,
    key: &DependencyKey,
    asked: &CacheImportArguments,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let outcome = import_dependencies(cache, key, &asked.folder).map_err(Failure::environment)?;
    terminal.note(&match outcome {
        DependencyImport::Taken(carried) => format!("builds start from {}", described(&carried)),
        DependencyImport::NoFolder => String::from("builds start from nothing: there are no kept dependencies"),
        DependencyImport::ForAnother => String::from(
            "builds start from nothing: the kept dependencies are of another toolchain, system, lito or folder",
        ),
        DependencyImport::AlreadyBuilt => String::from("builds start from what was built here before"),
    });
    Ok(())
}

fn described(carried: &CarriedDependencies) -> String {
    format!(
        "{} of dependencies ({} MiB)",
        number_format::counted_noun(carried.units, "built unit"),
        mebibytes(carried.bytes)
    )
}

/// Rounded up, so that a limit of as many is enough.
fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(MEBIBYTE)
}
