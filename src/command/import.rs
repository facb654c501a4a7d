//! `lito import crate`: imports a crate's published releases as a git history.

use runner::crate_history::{ImportError, ImportOutcome, ImportRequest, SkipReason, SkippedRelease, import};
use runner::process::InterruptionFlag;

use super::interruption;
use crate::cli::ImportCrateArguments;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;

/// Imports the releases.
pub(super) fn run(arguments: &ImportCrateArguments, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let request = ImportRequest {
        name: arguments.name.clone(),
        last: arguments.last,
        from: arguments.from.clone(),
        dir: arguments.directory.clone(),
    };
    let imported = releases(&request, &interruption()?, terminal)?;
    for SkippedRelease { version, reason } in &imported.left_out {
        let why = match reason {
            SkipReason::Yanked => "yanked",
            SkipReason::PreRelease => "a pre-release",
            SkipReason::Backport => "a backport",
            SkipReason::BeforeTheFirst => continue,
        };
        terminal.detail(&format!("left out {}: {why}", report::text::safe(version)));
    }
    terminal.note(&format!(
        "{}: {}, {} of them new",
        request.dir.display(),
        report::number_format::counted_noun(imported.releases.len(), "release"),
        imported.added
    ));
    Ok(CommandExit::Passed)
}

/// Imports the releases with a progress bar.
pub(super) fn releases(
    request: &ImportRequest,
    interruption: &InterruptionFlag,
    terminal: &Terminal,
) -> Result<ImportOutcome, Failure> {
    let progress = terminal.progress(request.last.unwrap_or(0), "importing");
    import(request, interruption, &mut |step| {
        progress.reached(step.done, step.total);
        progress.working_on(&format!("{} {}", request.name, step.version));
    })
    .map_err(|error| match error {
        ImportError::Interrupted { .. } => Failure::Interrupted,
        ImportError::BadName { .. }
        | ImportError::BadRelease { .. }
        | ImportError::Occupied { .. }
        | ImportError::NoReleases { .. } => Failure::usage(error),
        error => Failure::environment(error),
    })
}
