//! A project → its repository on this machine, and the studied versions.

use std::fs;
use std::path::Path;
use std::time::Duration;

use analyzer::change::is_build_input;
use runner::benchmark::{BenchmarkDefinitions, DependencyPolicy};
use runner::build::RepositoryCache;
use runner::git::{CommitId, Repository};
use runner::process::{self, InterruptionFlag, Invocation};
use runner::release_history::{self, ImportError, PackageRegistry};

use super::project_list::{StudyProject, StudyVersionSource};
use engine::EngineError;
use engine::settings::Settings;

/// The time limit for fetching a repository.
const CLONE_LIMIT: Duration = Duration::from_secs(1800);

/// The history of a project, ready for the study.
pub struct StudyHistory {
    /// The repository.
    pub repository: Repository,
    /// Its benchmarks.
    pub definitions: BenchmarkDefinitions,
    /// The folder of its builds.
    pub cache: RepositoryCache,
    /// The versions, oldest first.
    pub versions: Vec<StudyVersion>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyVersion {
    /// The display name.
    pub name: String,
    /// Its commit.
    pub commit: CommitId,
}

impl StudyHistory {
    /// The checkout that is built.
    pub fn root(&self) -> &Path {
        self.repository.workdir().unwrap_or(self.repository.common_dir())
    }
}

/// Creates the history of a project, or continues the one of an earlier run. `local` contains clones that replace the
/// addresses, each in a folder with the project's name.
pub fn open_history(
    project: &StudyProject,
    local: Option<&Path>,
    interruption: &InterruptionFlag,
) -> Result<StudyHistory, EngineError> {
    let place = Path::new("/evaluation").join(project.folder());
    let home = RepositoryCache::of_repository(&place).map_err(EngineError::environment)?;
    let folder = home.root().join("repository");
    let versions = match &project.source {
        StudyVersionSource::Releases { package, from } => releases(package, from.clone(), &folder, interruption)?,
        StudyVersionSource::Commits {
            repository,
            through,
            last,
        } => {
            // Git runs in another folder.
            let clone = local.and_then(|local| local.join(&project.name).canonicalize().ok());
            let clone = clone.filter(|folder| folder.is_dir());
            let address = match &clone {
                Some(clone) => clone.to_string_lossy(),
                None => repository.into(),
            };
            fetch(&address, &folder, through, interruption)?;
            commits(&folder, through, *last)?
        }
    };
    Ok(StudyHistory {
        repository: Repository::open(&folder)?,
        definitions: benchmarks(project)?,
        cache: RepositoryCache::of_repository(&folder).map_err(EngineError::environment)?,
        versions,
    })
}

/// The benchmarks of a harness: those of its `lito.toml`, or those of its package.
fn benchmarks(project: &StudyProject) -> Result<BenchmarkDefinitions, EngineError> {
    let harness = project.harness.canonicalize().map_err(|error| {
        EngineError::request(format_args!(
            "studying {}: its harness {}: {error}; mend `harness` in the list of projects",
            project.folder(),
            project.harness.display()
        ))
    })?;
    Settings::benchmarks_of_harness(&harness, Some(DependencyPolicy::AsOfVersion))
}

fn releases(
    package: &str,
    from: Option<String>,
    folder: &Path,
    interruption: &InterruptionFlag,
) -> Result<Vec<StudyVersion>, EngineError> {
    let request = release_history::ImportRequest {
        registry: PackageRegistry::Cargo,
        name: package.to_owned(),
        last: None,
        from,
        dir: folder.to_owned(),
    };
    let imported = release_history::import(&request, interruption, &mut |_| {}).map_err(|error| match error {
        ImportError::Interrupted { .. } => EngineError::Interrupted,
        error => EngineError::environment(error),
    })?;
    let versions = imported.releases.into_iter().map(|release| StudyVersion {
        name: release.version,
        commit: release.commit,
    });
    Ok(versions.collect())
}

/// Clones with the user's git, so that its proxies and credentials work; a clone without the newest version is
/// replaced.
fn fetch(address: &str, folder: &Path, through: &str, interruption: &InterruptionFlag) -> Result<(), EngineError> {
    if folder.exists() {
        if Repository::open(folder)?.resolve(through).is_ok() {
            return Ok(());
        }
        let renew = Invocation::new("git", folder, CLONE_LIMIT)
            .arguments(["fetch", "--quiet", "--tags", address])
            .arguments(["+refs/heads/*:refs/remotes/origin/*"]);
        return git(&renew, interruption).map_err(|stop| stop.fetching(address, folder));
    }
    // The folder has another name until the clone is complete.
    let part = folder.with_extension("part");
    let io = |error: std::io::Error| StudyGitError::Failed(error.to_string());
    let cloned = || {
        if part.exists() {
            fs::remove_dir_all(&part).map_err(io)?;
        }
        let clone = Invocation::new("git", "/", CLONE_LIMIT)
            .arguments(["clone", "--quiet", "--no-checkout", address])
            .arguments([&part]);
        git(&clone, interruption)?;
        fs::rename(&part, folder).map_err(io)
    };
    cloned().map_err(|stop: StudyGitError| stop.fetching(address, folder))
}

/// The reason why a git command failed.
enum StudyGitError {
    Interrupted,
    Failed(String),
}

impl StudyGitError {
    fn fetching(self, address: &str, folder: &Path) -> EngineError {
        match self {
            Self::Interrupted => EngineError::Interrupted,
            Self::Failed(why) => EngineError::environment(format_args!(
                "fetching {address} into {}: {why}; check the address, the network and the space on the disk",
                folder.display()
            )),
        }
    }
}

fn git(invocation: &Invocation, interruption: &InterruptionFlag) -> Result<(), StudyGitError> {
    match process::run(invocation, interruption) {
        Ok(finished) if finished.status.success() => Ok(()),
        Ok(finished) => {
            let said = finished.stderr.text();
            let lines: Vec<&str> = said.lines().map(str::trim).collect();
            Err(StudyGitError::Failed(lines.join(" ").trim().to_owned()))
        }
        Err(process::ProcessError::Interrupted { .. }) => Err(StudyGitError::Interrupted),
        Err(error) => Err(StudyGitError::Failed(error.to_string())),
    }
}

/// The last first-parent commits that change compiled files, oldest first.
fn commits(folder: &Path, through: &str, last: usize) -> Result<Vec<StudyVersion>, EngineError> {
    let repository = Repository::open(folder)?;
    let newest = repository.resolve(through)?;
    let mut commits = Vec::new();
    let mut next = Some(newest);
    while let (Some(commit), true) = (next, commits.len() < last) {
        next = repository.parent(commit)?;
        let changes = repository.changes(next, commit)?;
        if changes.iter().any(|delta| is_build_input(&delta.path.lossy())) {
            commits.push(StudyVersion {
                name: commit.short(),
                commit,
            });
        }
    }
    commits.reverse();
    Ok(commits)
}
