//! The name of a published package in, a git repository of its releases out: one commit a release, oldest
//! first, dated and tagged, so that lito can be tried on any library.
//!
//! Everything comes through the user's cargo, so its mirrors, proxies and credentials work. What is already
//! in cargo's cache is not fetched again, and a history that exists is only added to. Backports, yanked
//! releases and pre-releases are not versions of the main line: they are left out and named.

mod crate_archive;
mod registry;
mod releases;

use std::path::{Path, PathBuf};

use releases::{CrateRelease, MainLine};
pub use releases::{SkipReason, SkippedRelease};

use crate::process::InterruptionFlag;

/// The branch that holds the releases.
const BRANCH: &str = "refs/heads/main";

/// Where the repository says of which package it is the history.
const SETTING: &str = "lito.crate";

/// What builds leave behind, and no release contains on purpose.
const IGNORED: &str = "/target/\n/Cargo.lock\n";

/// What is to be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRequest {
    /// The package.
    pub name: String,
    /// Only so many releases, the newest ones; `None` for all.
    pub last: Option<usize>,
    /// Only this release and later ones, `1.0.0`; `None` for all.
    pub from: Option<String>,
    /// Where the repository is to be: a folder that is empty, not there, or an earlier import.
    pub dir: PathBuf,
}

/// One step of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress<'a> {
    /// The release that is about to be fetched.
    pub version: &'a str,
    /// How many are done.
    pub done: usize,
    /// How many there are to do.
    pub total: usize,
}

/// What an import made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOutcome {
    /// The whole history, oldest first.
    pub releases: Vec<ImportedRelease>,
    /// How many of them are new.
    pub added: usize,
    /// Releases that are not part of it, and why.
    pub left_out: Vec<SkippedRelease>,
}

/// A release that is a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedRelease {
    /// The version, without `v`.
    pub version: String,
    /// Its commit.
    pub commit: crate::git::CommitId,
}

/// Failure to import. What was imported before stays, and the next import goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Not how a package can be called.
    #[error("importing `{name}`: this is not a package's name: it has letters, digits, `-` and `_` only")]
    BadName {
        /// What was asked for.
        name: String,
    },
    /// Not how a release can be called.
    #[error("importing from `{from}` on: this is not a release: write it in full, as in 1.0.0")]
    BadRelease {
        /// What was asked for.
        from: String,
    },
    /// The registry does not know it.
    #[error(
        "importing `{name}`: cargo found no such package: check the name, and the registry that cargo is configured for; offline, cargo knows only what it fetched before ({said})"
    )]
    UnknownCrate {
        /// What was asked for.
        name: String,
        /// What cargo said.
        said: String,
    },
    /// Cargo can't be started, or failed.
    #[error(
        "fetching {what} with cargo: {said}: check the network (or proxy), and that `cargo info {what}` works here"
    )]
    Cargo {
        /// The package, with version.
        what: String,
        /// What cargo said.
        said: String,
    },
    /// The user asked to stop.
    #[error("fetching {what}: interrupted: import again to go on")]
    Interrupted {
        /// The package, with version.
        what: String,
    },
    /// Cargo worked, but what it fetched is not where it keeps such things.
    #[error(
        "reading cargo's cache: {what}: {why}: check that CARGO_HOME is right and that the package does not come from vendored sources"
    )]
    Cache {
        /// What was looked for.
        what: String,
        /// What is wrong.
        why: String,
    },
    /// Nothing is left to import.
    #[error(
        "importing `{name}`: none of its {found} releases can be used (yanked, pre-release or without a date): import another package"
    )]
    NoReleases {
        /// The package.
        name: String,
        /// How many there are in all.
        found: usize,
    },
    /// A published archive that is not what it should be.
    #[error("unpacking {what}: {why}: remove the archive from cargo's cache and import again")]
    Archive {
        /// The package and version.
        what: String,
        /// What is wrong.
        why: String,
    },
    /// Something else is in the folder.
    #[error("importing into {}: {why}: name a folder that is empty or not there yet", dir.display())]
    Occupied {
        /// The folder.
        dir: PathBuf,
        /// What is there.
        why: String,
    },
    /// The repository can't be written.
    #[error("writing the history: {}: {why}: check that the folder is writable and the disk is not full", dir.display())]
    Write {
        /// The folder.
        dir: PathBuf,
        /// Why not.
        why: String,
    },
}

/// Imports the releases of a package, or those that are new since the last import.
///
/// # Errors
/// See [`ImportError`].
pub fn import(
    request: &ImportRequest,
    interruption: &InterruptionFlag,
    progress: &mut dyn FnMut(ImportProgress<'_>),
) -> Result<ImportOutcome, ImportError> {
    if !registry::is_package_name(&request.name) {
        return Err(ImportError::BadName {
            name: request.name.clone(),
        });
    }
    let from = match &request.from {
        Some(from) => {
            Some(releases::parse_version(from).ok_or_else(|| ImportError::BadRelease { from: from.clone() })?)
        }
        None => None,
    };
    // Before anything is fetched: a folder that can't be used is known at once.
    let present = existing(request)?;
    let index = registry::fetch_index(&request.name, interruption)?;
    let mut line = releases::main_line(&request.name, &index)?;
    if let Some(from) = from {
        line.begin_at(&from);
    }
    let known = match &present {
        Some(git) => recorded(git, request)?,
        None => Vec::new(),
    };
    let (wanted, left_out) = select(line, request.last, &known);
    let mut history = ReleaseHistory {
        git: present,
        dir: &request.dir,
        name: &request.name,
        releases: known,
    };
    let total = wanted.len();
    for (done, release) in wanted.iter().enumerate() {
        progress(ImportProgress {
            version: &release.number,
            done,
            total,
        });
        let archive = registry::fetch_archive(release, interruption)?;
        history.append(release, &archive)?;
    }
    history.finish(total > 0)?;
    let releases = history.releases;
    Ok(ImportOutcome {
        releases,
        added: total,
        left_out,
    })
}

/// Which releases are to be added, and which of the main line are not part of the history.
fn select(line: MainLine, last: Option<usize>, known: &[ImportedRelease]) -> (Vec<CrateRelease>, Vec<SkippedRelease>) {
    let MainLine {
        mut releases,
        mut left_out,
    } = line;
    let newest = known
        .last()
        .and_then(|release| releases::parse_version(&release.version));
    let skipped = releases.len().saturating_sub(last.unwrap_or(usize::MAX));
    let mut wanted = releases.split_off(skipped);
    if let Some(newest) = newest {
        let new = wanted
            .iter()
            .position(|release| release.version > newest)
            .unwrap_or(wanted.len());
        let old = wanted.drain(..new);
        releases.extend(old.filter(|release| known.iter().all(|known| known.version != release.number)));
    }
    left_out.extend(
        releases
            .into_iter()
            .filter(|release| known.iter().all(|known| known.version != release.number))
            .map(|release| SkippedRelease {
                version: release.number,
                reason: SkipReason::BeforeTheFirst,
            }),
    );
    left_out.sort_by_cached_key(|left| (releases::parse_version(&left.version), left.version.clone()));
    (wanted, left_out)
}

/// The repository of an earlier import; `None` if there is nothing yet.
fn existing(request: &ImportRequest) -> Result<Option<git2::Repository>, ImportError> {
    let dir = &request.dir;
    let occupied = |why: String| ImportError::Occupied { dir: dir.clone(), why };
    let write = |error: std::io::Error| ImportError::Write {
        dir: dir.clone(),
        why: error.to_string(),
    };
    let mut entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(occupied("it is a file".to_owned()));
        }
        Err(error) => return Err(write(error)),
    };
    if entries.next().transpose().map_err(write)?.is_none() {
        return Ok(None);
    }
    let foreign = || occupied("the folder holds something else".to_owned());
    let git = git2::Repository::open_ext(dir, git2::RepositoryOpenFlags::NO_SEARCH, [] as [&Path; 0])
        .map_err(|_| foreign())?;
    let owner = git
        .config()
        .and_then(|config| config.get_string(SETTING))
        .map_err(|_| foreign())?;
    if owner != request.name {
        return Err(occupied(format!("it is the history of `{owner}`")));
    }
    Ok(Some(git))
}

/// The releases that an earlier import recorded.
fn recorded(git: &git2::Repository, request: &ImportRequest) -> Result<Vec<ImportedRelease>, ImportError> {
    let write = |error: git2::Error| ImportError::Write {
        dir: request.dir.clone(),
        why: error.message().to_owned(),
    };
    let mut next = match git.refname_to_id(BRANCH) {
        Ok(tip) => Some(tip),
        Err(error) if error.code() == git2::ErrorCode::NotFound => None,
        Err(error) => return Err(write(error)),
    };
    let start = format!("{} ", request.name);
    let mut releases = Vec::new();
    while let Some(id) = next {
        let commit = git.find_commit(id).map_err(write)?;
        let message = String::from_utf8_lossy(commit.message_bytes());
        let version = message
            .strip_prefix(&start)
            .filter(|version| releases::parse_version(version).is_some());
        let Some(version) = version.filter(|_| commit.parent_count() < 2) else {
            let why = format!("its branch `main` has the commit {id}, which is no release");
            return Err(ImportError::Occupied {
                dir: request.dir.clone(),
                why,
            });
        };
        releases.push(ImportedRelease {
            version: version.to_owned(),
            commit: crate::git::CommitId::of(id),
        });
        next = commit.parent_id(0).ok();
    }
    let mut changed = git2::StatusOptions::new();
    changed.include_untracked(false).include_ignored(false);
    if !releases.is_empty()
        && git
            .statuses(Some(&mut changed))
            .map_err(write)?
            .iter()
            .any(|entry| is_edited(&entry))
    {
        let why = "files in it were changed (undo that with `git checkout .`)".to_owned();
        return Err(ImportError::Occupied {
            dir: request.dir.clone(),
            why,
        });
    }
    releases.reverse();
    Ok(releases)
}

/// A file with other contents than the release. One that is not there is no edit: a killed import leaves
/// files that it had not yet written.
fn is_edited(entry: &git2::StatusEntry<'_>) -> bool {
    entry
        .status()
        .intersects(git2::Status::WT_MODIFIED | git2::Status::WT_TYPECHANGE)
}

/// A history as it grows.
struct ReleaseHistory<'a> {
    git: Option<git2::Repository>,
    dir: &'a Path,
    name: &'a str,
    releases: Vec<ImportedRelease>,
}

impl ReleaseHistory<'_> {
    /// One more release. The branch moves when everything else is written.
    fn append(&mut self, release: &CrateRelease, archive: &[u8]) -> Result<(), ImportError> {
        self.create()?;
        let Some(git) = &self.git else { return Ok(()) };
        let what = format!("{} {}", self.name, release.number);
        let tree =
            crate_archive::write_tree(git, &format!("{}-{}", self.name, release.number), archive).map_err(|why| {
                ImportError::Archive {
                    what: what.clone(),
                    why,
                }
            })?;
        let commit = (|| {
            let time = git2::Time::new(release.published_at, 0);
            let author = git2::Signature::new("lito", "lito@localhost", &time)?;
            let tree = git.find_tree(tree)?;
            let parent = self
                .releases
                .last()
                .map(|last| git.find_commit(last.commit.oid()))
                .transpose()?;
            let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
            git.commit(Some(BRANCH), &author, &author, &what, &tree, &parents)
        })()
        .map_err(self.failed())?;
        let commit = crate::git::CommitId::of(commit);
        self.releases.push(ImportedRelease {
            version: release.number.clone(),
            commit,
        });
        Ok(())
    }

    /// Tags, and the files of the newest release.
    fn finish(&self, changed: bool) -> Result<(), ImportError> {
        let Some(git) = &self.git else { return Ok(()) };
        // All of them: an import that was killed left its last ones out.
        for release in &self.releases {
            let tag = format!("refs/tags/v{}", release.version);
            if git.refname_to_id(&tag).ok() != Some(release.commit.oid()) {
                git.reference(&tag, release.commit.oid(), true, "imported")
                    .map_err(self.failed())?;
            }
        }
        let unwritten = git.index().map_err(self.failed())?.is_empty();
        if changed || unwritten {
            let mut how = git2::build::CheckoutBuilder::new();
            how.force().disable_filters(true);
            git.set_head(BRANCH)
                .and_then(|()| git.checkout_head(Some(&mut how)))
                .map_err(self.failed())?;
        }
        Ok(())
    }

    fn create(&mut self) -> Result<(), ImportError> {
        if self.git.is_some() {
            return Ok(());
        }
        let mut options = git2::RepositoryInitOptions::new();
        options.external_template(false).initial_head("main").mkpath(true);
        let git = git2::Repository::init_opts(self.dir, &options).map_err(self.failed())?;
        git.config()
            .and_then(|mut config| config.set_str(SETTING, self.name))
            .map_err(self.failed())?;
        let exclude = git.path().join("info/exclude");
        std::fs::create_dir_all(git.path().join("info"))
            .and_then(|()| std::fs::write(&exclude, IGNORED))
            .map_err(|error| ImportError::Write {
                dir: exclude,
                why: error.to_string(),
            })?;
        self.git = Some(git);
        Ok(())
    }

    fn failed(&self) -> impl Fn(git2::Error) -> ImportError + use<> {
        let dir = self.dir.to_path_buf();
        move |error| ImportError::Write {
            dir: dir.clone(),
            why: error.message().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
