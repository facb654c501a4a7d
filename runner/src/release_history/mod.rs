//! The name of a published package → a git repository of its releases: one commit per release, oldest first, dated and
//! tagged, so that lito can be tried on any library.
//!
//! Everything comes through the user's cargo, or the index that their pip is configured for, so mirrors, proxies and
//! credentials work. Archives in cargo's cache are not fetched again, and an existing history is only extended: a release whose commit is there stays as it was
//! imported. A manifest names only what was published. Backports, yanked releases and pre-releases are not
//! versions of the main line: they are left out and listed.

mod archive;
mod cargo;
mod python;
mod releases;
mod version;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use cargo::{TargetKind, UnpublishedPart};
use releases::{IndexLine, MainLine, PublishedRelease};
pub use releases::{SkipReason, SkippedRelease};
use semver::Version;
use sha2::{Digest, Sha256};
use version::{PythonVersion, ReleaseVersion};

use crate::process::InterruptionFlag;

/// The branch that holds the releases.
const BRANCH: &str = "refs/heads/main";

/// Characters of a program's output that are shown.
const SAID_LENGTH: usize = 400;

/// A registry of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackageRegistry {
    /// That of cargo: packages of Rust.
    Cargo,
    /// That of pip: packages of Python.
    Python,
}

impl PackageRegistry {
    /// Git setting that names the package of an imported history.
    fn setting(self) -> &'static str {
        match self {
            Self::Cargo => "lito.crate",
            Self::Python => "lito.python",
        }
    }

    /// Files that builds leave behind, and that no release contains on purpose.
    fn ignored(self) -> &'static str {
        match self {
            Self::Cargo => "/target/\n/Cargo.lock\n",
            Self::Python => "__pycache__/\n/build/\n/dist/\n",
        }
    }

    fn is_package_name(self, name: &str) -> bool {
        match self {
            Self::Cargo => cargo::is_package_name(name),
            Self::Python => python::is_package_name(name),
        }
    }

    fn version(self, text: &str) -> Option<ReleaseVersion> {
        match self {
            Self::Cargo => Version::parse(text).ok().map(ReleaseVersion::Semantic),
            Self::Python => PythonVersion::parse(text).map(ReleaseVersion::Python),
        }
    }

    fn fetch_index(self, name: &str, interruption: &InterruptionFlag) -> Result<Vec<IndexLine>, ImportError> {
        match self {
            Self::Cargo => cargo::fetch_index(name, interruption),
            Self::Python => python::fetch_index(name, interruption),
        }
    }

    fn fetch_archive(
        self,
        release: &PublishedRelease,
        interruption: &InterruptionFlag,
    ) -> Result<Vec<u8>, ImportError> {
        match self {
            Self::Cargo => cargo::fetch_archive(release, interruption),
            Self::Python => python::fetch_archive(release, interruption),
        }
    }

    fn write_tree(
        self,
        git: &git2::Repository,
        (name, number): (&str, &str),
        archive: &[u8],
    ) -> Result<ReleaseTree, String> {
        match self {
            Self::Cargo => cargo::write_tree(git, &format!("{name}-{number}"), archive),
            Self::Python => {
                let write = |error: git2::Error| error.message().to_owned();
                let mut index = archive::index_of_files(git, archive, None, &[])?;
                Ok(ReleaseTree {
                    id: index.write_tree_to(git).map_err(write)?,
                    unpublished: Vec::new(),
                })
            }
        }
    }
}

/// The tree of a release.
#[derive(Debug)]
struct ReleaseTree {
    /// Its id.
    id: git2::Oid,
    /// Parts that its manifest no longer has.
    unpublished: Vec<UnpublishedPart>,
}

/// The releases to import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRequest {
    /// The registry that has the package.
    pub registry: PackageRegistry,
    /// The package.
    pub name: String,
    /// Number of newest releases to import; `None` for all.
    pub last: Option<usize>,
    /// First release to import, as in `1.0.0`; `None` for all.
    pub from: Option<String>,
    /// Folder of the repository: an empty folder, a new one, or an earlier import.
    pub dir: PathBuf,
}

/// One step of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress<'a> {
    /// The release that is fetched next.
    pub version: &'a str,
    /// Number of finished releases.
    pub done: usize,
    /// Number of all releases to import.
    pub total: usize,
}

/// Result of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOutcome {
    /// The whole history, oldest first.
    pub releases: Vec<ImportedRelease>,
    /// Number of new releases.
    pub added: usize,
    /// Releases that are left out, with the reason.
    pub left_out: Vec<SkippedRelease>,
    /// Parts of the new releases' manifests that were not published, and that the history leaves out: each with its
    /// releases, oldest first.
    pub unpublished: BTreeMap<UnpublishedPart, Vec<String>>,
}

/// A release with its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedRelease {
    /// The version, without `v`.
    pub version: String,
    /// Its commit.
    pub commit: crate::git::CommitId,
}

/// Failure of an import. Releases imported before are kept, and the next import continues from there.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Not a valid package name.
    #[error(
        "importing `{name}`: not a valid package name: it consists of letters, digits, `-` and `_` only, for Python also of dots"
    )]
    BadName {
        /// The requested name.
        name: String,
    },
    /// Not a valid release number.
    #[error("importing from `{from}`: not a release number: write it in full, as in 1.0.0")]
    BadRelease {
        /// The requested release.
        from: String,
    },
    /// The registry does not know it.
    #[error(
        "importing `{name}`: cargo found no such package: check the name, and the registry that cargo is configured for; offline, cargo knows only packages fetched before ({said})"
    )]
    UnknownCrate {
        /// The requested name.
        name: String,
        /// Output of cargo.
        said: String,
    },
    /// The index of Python does not know it.
    #[error(
        "importing `{name}`: the index has no such package: check the name, and the index that pip is configured for"
    )]
    UnknownPython {
        /// The requested name.
        name: String,
    },
    /// The index of Python can't be asked.
    #[error(
        "fetching {what} with python3: {said}: check the network (or proxy), and that `python3 -m pip download --no-deps {what}` works here"
    )]
    Python {
        /// The package, with version.
        what: String,
        /// Output of the program.
        said: String,
    },
    /// Cargo can't be started, or failed.
    #[error(
        "fetching {what} with cargo: {said}: check the network (or proxy), and that `cargo info {what}` works here"
    )]
    Cargo {
        /// The package, with version.
        what: String,
        /// Output of cargo.
        said: String,
    },
    /// The user asked to stop.
    #[error("fetching {what}: interrupted: import again to continue")]
    Interrupted {
        /// The package, with version.
        what: String,
    },
    /// Cargo succeeded, but its download is not in its cache.
    #[error(
        "reading cargo's cache: {what}: {why}: check that CARGO_HOME is right and that the package does not come from vendored sources"
    )]
    Cache {
        /// The missing file or folder.
        what: String,
        /// The reason.
        why: String,
    },
    /// There is no release to import.
    #[error(
        "importing `{name}`: none of its {found} releases can be used (yanked, pre-release, or without a date or its sources): import another package"
    )]
    NoReleases {
        /// The package.
        name: String,
        /// Number of all releases.
        found: usize,
    },
    /// A published archive is malformed.
    #[error("unpacking {what}: {why}: import again; an archive of a crate must be removed from cargo's cache before")]
    Archive {
        /// The package and version.
        what: String,
        /// The reason.
        why: String,
    },
    /// The folder contains something else.
    #[error("importing into {}: {why}: name an empty or a new folder", dir.display())]
    Occupied {
        /// The folder.
        dir: PathBuf,
        /// Its content.
        why: String,
    },
    /// The repository can't be written.
    #[error("writing the history: {}: {why}: check that the folder is writable and the disk is not full", dir.display())]
    Write {
        /// The folder.
        dir: PathBuf,
        /// The reason.
        why: String,
    },
}

/// Imports the releases of a package, or those published since the last import.
///
/// # Errors
/// See [`ImportError`].
pub fn import(
    request: &ImportRequest,
    interruption: &InterruptionFlag,
    progress: &mut dyn FnMut(ImportProgress<'_>),
) -> Result<ImportOutcome, ImportError> {
    if !request.registry.is_package_name(&request.name) {
        return Err(ImportError::BadName {
            name: request.name.clone(),
        });
    }
    let from = match &request.from {
        Some(from) => {
            Some((request.registry.version(from)).ok_or_else(|| ImportError::BadRelease { from: from.clone() })?)
        }
        None => None,
    };
    // Before anything is fetched, so that an unusable folder is reported at once.
    let present = existing(request)?;
    let index = request.registry.fetch_index(&request.name, interruption)?;
    let mut line = releases::main_line(&request.name, &index)?;
    if let Some(from) = from {
        line.begin_at(&from);
    }
    let known = match &present {
        Some(git) => recorded(git, request)?,
        None => Vec::new(),
    };
    let (wanted, left_out) = select(request.registry, line, request.last, &known);
    let mut history = ReleaseHistory {
        registry: request.registry,
        git: present,
        dir: &request.dir,
        name: &request.name,
        releases: known,
        unpublished: BTreeMap::new(),
    };
    let total = wanted.len();
    for (done, release) in wanted.iter().enumerate() {
        progress(ImportProgress {
            version: &release.number,
            done,
            total,
        });
        let archive = request.registry.fetch_archive(release, interruption)?;
        history.append(release, &archive)?;
    }
    history.finish(total > 0)?;
    Ok(ImportOutcome {
        releases: history.releases,
        added: total,
        left_out,
        unpublished: history.unpublished,
    })
}

/// Selects the releases to add, and lists those of the main line that are left out.
fn select(
    registry: PackageRegistry,
    line: MainLine,
    last: Option<usize>,
    known: &[ImportedRelease],
) -> (Vec<PublishedRelease>, Vec<SkippedRelease>) {
    let MainLine {
        mut releases,
        mut left_out,
    } = line;
    let newest = known.last().and_then(|release| registry.version(&release.version));
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
    left_out.sort_by_cached_key(|left| (registry.version(&left.version), left.version.clone()));
    (wanted, left_out)
}

/// Opens the repository of an earlier import; `None` if there is none.
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
    let foreign = || occupied("the folder contains something else".to_owned());
    let git = git2::Repository::open_ext(dir, git2::RepositoryOpenFlags::NO_SEARCH, [] as [&Path; 0])
        .map_err(|_| foreign())?;
    let owner = git
        .config()
        .and_then(|config| config.get_string(request.registry.setting()))
        .map_err(|_| foreign())?;
    if owner != request.name {
        return Err(occupied(format!("it is the history of `{owner}`")));
    }
    Ok(Some(git))
}

/// Releases recorded by an earlier import.
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
            .filter(|version| request.registry.version(version).is_some());
        let Some(version) = version.filter(|_| commit.parent_count() < 2) else {
            let why = format!("its branch `main` has the commit {id}, which is not a release");
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

/// True for a file whose contents differ from the release. A missing file is not an edit: an interrupted import may not
/// have written it yet.
fn is_edited(entry: &git2::StatusEntry<'_>) -> bool {
    entry
        .status()
        .intersects(git2::Status::WT_MODIFIED | git2::Status::WT_TYPECHANGE)
}

/// A history under construction.
struct ReleaseHistory<'a> {
    registry: PackageRegistry,
    git: Option<git2::Repository>,
    dir: &'a Path,
    name: &'a str,
    releases: Vec<ImportedRelease>,
    unpublished: BTreeMap<UnpublishedPart, Vec<String>>,
}

impl ReleaseHistory<'_> {
    /// Adds a release. The branch moves after everything else is written.
    fn append(&mut self, release: &PublishedRelease, archive: &[u8]) -> Result<(), ImportError> {
        self.create()?;
        let Some(git) = &self.git else { return Ok(()) };
        let what = format!("{} {}", self.name, release.number);
        let ReleaseTree { id: tree, unpublished } =
            (self.registry.write_tree(git, (self.name, &release.number), archive)).map_err(|why| {
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
        for part in unpublished {
            let releases = self.unpublished.entry(part).or_default();
            releases.push(release.number.clone());
        }
        self.releases.push(ImportedRelease {
            version: release.number.clone(),
            commit,
        });
        Ok(())
    }

    /// Writes the tags, and checks out the files of the newest release.
    fn finish(&self, changed: bool) -> Result<(), ImportError> {
        let Some(git) = &self.git else { return Ok(()) };
        // All of them: an interrupted import may have left out its last ones.
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
            .and_then(|mut config| config.set_str(self.registry.setting(), self.name))
            .map_err(self.failed())?;
        let exclude = git.path().join("info/exclude");
        std::fs::create_dir_all(git.path().join("info"))
            .and_then(|()| std::fs::write(&exclude, self.registry.ignored()))
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

/// SHA-256, hexadecimal.
fn checksum(content: &[u8]) -> String {
    Sha256::digest(content)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The start of a program's output, on one line.
fn start_of(said: &str) -> String {
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    said.chars().take(SAID_LENGTH).collect()
}

#[cfg(test)]
mod tests;
