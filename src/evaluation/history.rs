//! A project → its repository on this machine, and the versions that are studied.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use analyzer::change::is_compiled;
use runner::benchmark::{Adapter, Definition, Resolve};
use runner::build::Cache;
use runner::crate_history::{self, ImportError};
use runner::git::{CommitId, Repository};
use runner::process::{self, Interruption, Invocation};

use super::projects::{Project, Source};
use crate::exit::Failure;

/// The longest that fetching a repository may take.
const CLONE_LIMIT: Duration = Duration::from_secs(1800);

/// What is studied of a project.
pub(crate) struct History {
    /// The repository.
    pub(crate) repository: Repository,
    /// Its benchmarks.
    pub(crate) definitions: Vec<Definition>,
    /// Where it is built.
    pub(crate) cache: Cache,
    /// The versions, oldest first.
    pub(crate) versions: Vec<Version>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// What people call it.
    pub(crate) name: String,
    /// Its commit.
    pub(crate) commit: CommitId,
}

impl History {
    /// The checkout that the builds belong to.
    pub(crate) fn root(&self) -> &Path {
        self.repository
            .workdir()
            .unwrap_or(self.repository.common_dir())
    }
}

/// Makes the history of a project, or goes on with the one that an earlier run made. `local` holds clones that are taken
/// instead of the addresses, each in a folder of the project's name.
pub(crate) fn of(
    project: &Project,
    local: Option<&Path>,
    interruption: &Interruption,
) -> Result<History, Failure> {
    let place = Path::new("/evaluation").join(project.folder());
    let home = Cache::of_repository(&place).map_err(Failure::environment)?;
    let folder = home.root().join("repository");
    let versions = match &project.source {
        Source::Releases { package, from } => {
            releases(package, from.clone(), &folder, interruption)?
        }
        Source::Commits {
            repository,
            through,
            last,
        } => {
            let clone = local
                .map(|local| local.join(&project.name))
                .filter(|dir| dir.is_dir());
            let address = match &clone {
                Some(clone) => clone.to_string_lossy(),
                None => repository.into(),
            };
            fetch(&address, &folder, interruption)?;
            commits(&folder, through, *last)?
        }
    };
    let harness = project.harness.canonicalize().map_err(|error| {
        Failure::usage(format_args!(
            "studying {}: its harness {}: {error}; mend `harness` in the list of projects",
            project.folder(),
            project.harness.display()
        ))
    })?;
    let definition = Definition {
        harness: Some(harness),
        resolve: Some(Resolve::AsOfVersion),
        ..Definition::new(Adapter::CargoBench)
    };
    Ok(History {
        repository: Repository::open(&folder)?,
        definitions: vec![definition],
        cache: Cache::of_repository(&folder).map_err(Failure::environment)?,
        versions,
    })
}

fn releases(
    package: &str,
    from: Option<String>,
    folder: &Path,
    interruption: &Interruption,
) -> Result<Vec<Version>, Failure> {
    let request = crate_history::Request {
        name: package.to_owned(),
        last: None,
        from,
        dir: folder.to_owned(),
    };
    let imported =
        crate_history::import(&request, interruption, &mut |_| {}).map_err(
            |error| match error {
                ImportError::Interrupted { .. } => Failure::Interrupted,
                error => Failure::environment(error),
            },
        )?;
    let versions = imported.releases.into_iter().map(|release| Version {
        name: release.version,
        commit: release.commit,
    });
    Ok(versions.collect())
}

/// Clones with the user's git, so that its proxies and credentials work.
fn fetch(address: &str, folder: &Path, interruption: &Interruption) -> Result<(), Failure> {
    if folder.exists() {
        return Ok(());
    }
    let failed = |why: &str| {
        Failure::environment(format_args!(
            "cloning {address} into {}: {why}; check the address, the network and the space on the disk",
            folder.display()
        ))
    };
    // Under another name until it is complete.
    let part = folder.with_extension("part");
    if part.exists() {
        fs::remove_dir_all(&part).map_err(|error| failed(&error.to_string()))?;
    }
    let clone = Invocation::new("git", "/", CLONE_LIMIT)
        .arguments(["clone", "--quiet", "--no-checkout", address])
        .arguments([&part]);
    let finished = match process::run(&clone, interruption) {
        Ok(finished) => finished,
        Err(process::ProcessError::Interrupted { .. }) => return Err(Failure::Interrupted),
        Err(error) => return Err(failed(&error.to_string())),
    };
    if !finished.status.success() {
        return Err(failed(finished.stderr.text().trim()));
    }
    fs::rename(&part, folder).map_err(|error| failed(&error.to_string()))
}

/// The last first-parent commits that touch what is compiled, oldest first.
fn commits(folder: &PathBuf, through: &str, last: usize) -> Result<Vec<Version>, Failure> {
    let repository = Repository::open(folder)?;
    let newest = repository.resolve(through)?;
    let mut commits = Vec::new();
    let mut next = Some(newest);
    while let (Some(commit), true) = (next, commits.len() < last) {
        next = repository.parent(commit)?;
        let changes = repository.changes(next, commit)?;
        if changes.iter().any(|delta| is_compiled(&delta.path.lossy())) {
            commits.push(Version {
                name: commit.short(),
                commit,
            });
        }
    }
    commits.reverse();
    Ok(commits)
}
