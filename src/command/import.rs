//! `lito import crate` and `lito import python`: import the published releases of a package as a git history.

use runner::process::InterruptionFlag;
use runner::release_history::{
    ImportError, ImportOutcome, ImportRequest, PackageRegistry, SkipReason, SkippedRelease, UnpublishedPart, import,
};

use super::interruption;
use crate::cli::ImportCommand;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;

/// Imports the releases.
pub(super) fn run(command: &ImportCommand, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let (registry, arguments) = match command {
        ImportCommand::Crate(arguments) => (PackageRegistry::Cargo, arguments),
        ImportCommand::Python(arguments) => (PackageRegistry::Python, arguments),
    };
    let request = ImportRequest {
        registry,
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
            SkipReason::NoSource => "published without its sources",
            SkipReason::BeforeTheFirst => continue,
        };
        terminal.detail(&format!("left out {}: {why}", report::text::safe(version)));
    }
    tell_unpublished(&imported, terminal);
    terminal.note(&format!(
        "{}: {}, {} of them new",
        request.dir.display(),
        report::number_format::counted_noun(imported.releases.len(), "release"),
        imported.added
    ));
    Ok(CommandExit::Passed)
}

/// Names in a note; --verbose lists all of them.
const NAMED: usize = 3;

/// Names what the manifests of the new releases lack because it was not published.
fn tell_unpublished(imported: &ImportOutcome, terminal: &Terminal) {
    let (mut targets, mut dependencies) = (Vec::new(), Vec::new());
    for (part, releases) in &imported.unpublished {
        let releases: Vec<_> = releases.iter().map(|number| report::text::safe(number)).collect();
        let releases = releases.join(", ");
        match part {
            UnpublishedPart::Target { kind, name } => {
                let name = format!("{} `{}`", kind.key(), report::text::safe(name));
                terminal.detail(&format!("left out {name} of {releases}: its file was not published"));
                targets.push(name);
            }
            UnpublishedPart::Dependency { name } => {
                let name = format!("`{}`", report::text::safe(name));
                terminal.detail(&format!(
                    "left out the folder of {name} of {releases}: it was not published"
                ));
                dependencies.push(name);
            }
        }
    }
    for (what, names) in [
        ("targets whose files were not published", targets),
        (
            "unpublished folders of dependencies, which come from the registry",
            dependencies,
        ),
    ] {
        if names.is_empty() {
            continue;
        }
        let more = match names.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = names
            .iter()
            .take(NAMED)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        terminal.note(&format!("left out {what}: {named}{more}"));
    }
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
