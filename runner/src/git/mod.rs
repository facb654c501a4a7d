//! A repository → commits, changed files and contents, through libgit2 and without a working tree.
//!
//! Reads objects only: runs no hooks and no filters, uses no network, no index and nothing of the user's checkout, except
//! for changes that are not committed.
//! Renames are not detected (functions are matched across files later), and the history is that of first parents.

mod ancestry;
mod branches;
mod changes;
mod content;
mod draft_commits;
mod draft_sources;
mod error;
mod history;
mod id;
mod loose_objects;
pub(crate) mod submodules;
mod tags;
#[cfg(test)]
pub(crate) mod tests;
mod uncommitted;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, PoisonError};

pub(crate) use ancestry::{AncestryIndex, MarkedCommit};
pub use changes::{FileDelta, GitEntry, GitEntryKind, RepoPath};
pub use content::{BlobContent, CommitSnapshot, PlaceInCommit, SnapshotFile};
pub use draft_commits::DraftCommits;
pub use draft_sources::DraftSource;
pub use error::GitError;
pub use history::{FirstParents, HistoryEnd};
pub use id::{BadId, BlobId, CommitId};
use submodules::folders_of_submodules;
pub(crate) use submodules::{MOST_NESTED, SubmoduleObjects};

/// Size limit of the lists of refs and shallow commits.
const SHALLOW_FILE_LIMIT: u64 = 64 << 20;

/// An open repository. Not shared between threads: each takes its own with [`Repository::reopen`].
pub struct Repository {
    git: git2::Repository,
    /// The objects of its submodules; `None` if it has none here.
    submodules: Option<SubmoduleObjects>,
    place: Arc<RepositoryLayout>,
}

/// Facts about the repository that all handles share.
struct RepositoryLayout {
    /// Path that libgit2 opens without searching.
    opened_at: PathBuf,
    workdir: Option<PathBuf>,
    /// Commits whose parents a shallow clone left out.
    shallow: BTreeSet<CommitId>,
    /// Object folders: its own and those it borrows from.
    objects: Vec<PathBuf>,
    /// Objects that were found to be whole: they are not looked up again.
    whole: Mutex<HashSet<git2::Oid>>,
    /// The remote of a partial clone, which has the objects that are not here.
    promisor: Option<String>,
    /// Folders among these with the objects of submodules.
    of_submodules: Vec<PathBuf>,
    /// Folder among these in which lito keeps commits that do not belong to the repository.
    drafts: Option<PathBuf>,
}

impl RepositoryLayout {
    /// The same, without what is known of its objects.
    fn another(&self) -> Self {
        Self {
            opened_at: self.opened_at.clone(),
            workdir: self.workdir.clone(),
            shallow: self.shallow.clone(),
            objects: self.objects.clone(),
            of_submodules: self.of_submodules.clone(),
            whole: Mutex::default(),
            promisor: self.promisor.clone(),
            drafts: self.drafts.clone(),
        }
    }
}

impl Repository {
    /// Opens the repository that contains `dir`.
    ///
    /// # Errors
    /// There is no repository, it belongs to another user, or its format is one that libgit2 can't read.
    pub fn open(dir: &Path) -> Result<Repository, GitError> {
        static SETTINGS: Once = Once::new();
        // Otherwise each object's hash is computed again on reading: a third of the time on a large history. Git's own
        // packs have checksums, and lito verifies stored contents by hashes of its own.
        SETTINGS.call_once(|| git2::opts::strict_hash_verification(false));
        let none: [&Path; 0] = [];
        let git = git2::Repository::open_ext(dir, git2::RepositoryOpenFlags::empty(), none)
            .map_err(|source| open_error(dir, source))?;
        refuse_unreadable_formats(&git)?;
        let workdir = git.workdir().map(Path::to_path_buf);
        let of_submodules = folders_of_submodules(&git);
        let mut objects = loose_objects::object_folders(git.commondir());
        objects.extend(of_submodules.iter().cloned());
        let place = RepositoryLayout {
            opened_at: workdir.clone().unwrap_or_else(|| git.path().to_path_buf()),
            shallow: shallow_commits(&git)?,
            objects,
            of_submodules,
            whole: Mutex::default(),
            promisor: promisor_remote(&git),
            drafts: None,
            workdir,
        };
        Repository::with_borrowed(git, Arc::new(place))
    }

    /// A handle that finds all objects of a place.
    fn with_borrowed(git: git2::Repository, place: Arc<RepositoryLayout>) -> Result<Repository, GitError> {
        git.odb()
            .and_then(|odb| loose_objects::borrow_from(&odb, place.of_submodules.iter().chain(&place.drafts)))
            .map_err(GitError::during(
                "opening the objects of submodules and temporary commits",
            ))?;
        Ok(Repository {
            submodules: SubmoduleObjects::in_folders(&place.of_submodules)
                .map_err(GitError::during("opening the objects of the submodules"))?,
            git,
            place,
        })
    }

    /// Creates a bare repository in an empty folder, for fetched objects.
    ///
    /// # Errors
    /// The folder can't be written, or is a repository already.
    pub fn create_bare(dir: &Path) -> Result<Repository, GitError> {
        let mut options = git2::RepositoryInitOptions::new();
        options.bare(true).no_reinit(true).external_template(false);
        git2::Repository::init_opts(dir, &options)
            .map_err(GitError::during(format!("creating a repository in {}", dir.display())))?;
        Repository::open(dir)
    }

    /// Opens another handle of the repository, for another thread.
    ///
    /// # Errors
    /// The repository no longer exists.
    pub fn reopen(&self) -> Result<Repository, GitError> {
        Repository::at(Arc::clone(&self.place))
    }

    fn at(place: Arc<RepositoryLayout>) -> Result<Repository, GitError> {
        let git = git2::Repository::open(&place.opened_at).map_err(|source| open_error(&place.opened_at, source))?;
        Repository::with_borrowed(git, place)
    }

    /// The user's checkout; `None` for a bare repository.
    #[must_use]
    pub fn workdir(&self) -> Option<&Path> {
        self.place.workdir.as_deref()
    }

    /// The folder where git looks for hooks, by its configuration; it need not exist.
    ///
    /// # Errors
    /// The configuration can't be read.
    pub fn hooks_folder(&self) -> Result<PathBuf, GitError> {
        const SETTING: &str = "core.hooksPath";
        let during = || GitError::during(format!("reading git's setting {SETTING}"));
        let settings = self.git.config().map_err(during())?;
        match settings.get_path(SETTING) {
            // Relative to where hooks run: the root of the checkout.
            Ok(folder) => Ok(self.workdir().unwrap_or(self.common_dir()).join(folder)),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(self.common_dir().join("hooks")),
            Err(error) => Err(during()(error)),
        }
    }

    /// Git's folder for everything that working trees share: objects, refs, configuration.
    #[must_use]
    pub fn common_dir(&self) -> &Path {
        self.git.commondir()
    }

    /// Object folders that a checkout must borrow from.
    pub(crate) fn shared_object_folders(&self) -> impl Iterator<Item = PathBuf> {
        let own = self.common_dir().join("objects");
        std::iter::once(own)
            .chain(self.place.of_submodules.iter().cloned())
            .chain(self.place.drafts.clone())
    }

    /// Those of them with the objects of submodules.
    pub(crate) fn object_folders_of_submodules(&self) -> &[PathBuf] {
        &self.place.of_submodules
    }

    /// True if the repository has no checkout.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.git.is_bare()
    }

    /// True if the repository is a shallow clone.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        !self.place.shallow.is_empty()
    }

    /// The remote of a partial clone, which left some objects out; `None` for other repositories.
    #[must_use]
    pub fn promisor(&self) -> Option<&str> {
        self.place.promisor.as_deref()
    }

    /// The error of an object that could not be read.
    pub(crate) fn unread(&self, kind: &'static str, id: git2::Oid) -> impl FnOnce(git2::Error) -> GitError {
        let promisor = self.place.promisor.clone();
        move |source| match (GitError::object(kind, id)(source), promisor) {
            (GitError::MissingObject { kind, id }, Some(remote)) => GitError::PartialClone {
                object: format!("{kind} {id}"),
                remote,
            },
            (error, _) => error,
        }
    }

    /// Refuses an object that libgit2 would read without end. Call it before reading an object by id.
    pub(crate) fn refuse_truncated_object(&self, kind: &'static str, oid: git2::Oid) -> Result<(), GitError> {
        // A set of ids is whole at every moment a panic could leave it.
        let whole = || self.place.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if whole().contains(&oid) {
            return Ok(());
        }
        match loose_objects::check_loose_object(&self.place.objects, oid) {
            Ok(loose_objects::LooseObjectState::Whole) => {
                whole().insert(oid);
                Ok(())
            }
            Ok(loose_objects::LooseObjectState::CutShort) => Err(GitError::DamagedObject {
                kind,
                id: oid.to_string(),
            }),
            Err(error) => Err(GitError::Git {
                attempt: format!("reading {kind} {oid}"),
                source: git2::Error::from_str(&error.to_string()),
            }),
        }
    }

    pub(crate) fn tree(&self, oid: git2::Oid) -> Result<git2::Tree<'_>, GitError> {
        self.refuse_truncated_object("tree", oid)?;
        self.git.find_tree(oid).map_err(self.unread("tree", oid))
    }

    pub(crate) fn raw(&self) -> &git2::Repository {
        &self.git
    }
}

fn open_error(dir: &Path, source: git2::Error) -> GitError {
    let dir = dir.to_path_buf();
    let message = source.message().to_lowercase();
    let unsupported = |feature: &str, remedy| GitError::Unsupported {
        dir: dir.clone(),
        feature: feature.to_owned(),
        remedy,
    };
    if message.contains("partialclone") {
        unsupported(
            "a partial clone",
            "clone without --filter (for actions/checkout, without `filter:`)",
        )
    } else if message.contains("refstorage") || message.contains("reftable") {
        unsupported("the reftable format", "run `git refs migrate --ref-format=files`")
    } else if message.contains("objectformat") || message.contains("object format") || message.contains("sha256") {
        unsupported("SHA-256 object names", "use a repository with SHA-1 object names")
    } else if message.contains("extension") || message.contains("repository version") {
        unsupported(source.message(), "use a repository without this extension")
    } else if source.code() == git2::ErrorCode::Owner {
        GitError::ForeignOwner { dir }
    } else if source.code() == git2::ErrorCode::NotFound {
        GitError::NotARepository { dir }
    } else {
        GitError::Git {
            attempt: format!("opening the repository: {}", dir.display()),
            source,
        }
    }
}

/// Refuses formats that libgit2 opens but then reads wrongly or not at all.
fn refuse_unreadable_formats(git: &git2::Repository) -> Result<(), GitError> {
    let settings = git
        .config()
        .and_then(|mut config| config.snapshot())
        .map_err(GitError::during("reading the repository's configuration"))?;
    let format = |name: &str| settings.get_string(name).unwrap_or_default().to_lowercase();
    let unsupported = |feature: &str, remedy| {
        Err(GitError::Unsupported {
            dir: git.path().to_path_buf(),
            feature: feature.to_owned(),
            remedy,
        })
    };
    if format("extensions.refstorage") == "reftable" {
        return unsupported("the reftable format", "run `git refs migrate --ref-format=files`");
    }
    if format("extensions.objectformat") == "sha256" {
        return unsupported("SHA-256 object names", "use a repository with SHA-1 object names");
    }
    Ok(())
}

/// The remote that `git clone --filter` left objects at. Unreadable settings are reported when they are needed.
fn promisor_remote(git: &git2::Repository) -> Option<String> {
    let settings = git.config().ok()?.snapshot().ok()?;
    let remotes = git.remotes().ok()?;
    let is_promisor = |remote: &&str| settings.get_bool(&format!("remote.{remote}.promisor")).unwrap_or(false);
    let found = remotes.iter().flatten().flatten().find(is_promisor);
    found.map(str::to_owned)
}

fn shallow_commits(git: &git2::Repository) -> Result<BTreeSet<CommitId>, GitError> {
    let path = git.commondir().join("shallow");
    let failed = |why: String| GitError::Git {
        attempt: format!("reading the boundary of the shallow clone: {}", path.display()),
        source: git2::Error::from_str(&why),
    };
    let size = match std::fs::metadata(&path) {
        Ok(found) => found.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(failed(error.to_string())),
    };
    if size > SHALLOW_FILE_LIMIT {
        return Err(failed(format!("its {size} bytes exceed the limit")));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| failed(error.to_string()))?;
    text.lines()
        .map(|line| line.trim().parse().map_err(|bad: BadId| failed(bad.to_string())))
        .collect()
}
