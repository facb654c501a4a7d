//! Arguments that name changes which are not committed → a commit of them, for as long as the command runs.

use std::io::Read as _;
use std::path::Path;

use runner::git::{CommitId, DraftCommits, DraftSource, Repository};

use crate::cli::DraftArguments;
use crate::exit::Failure;
use crate::terminal::Terminal;

/// Changes that are not committed, as a commit on top of HEAD.
pub(super) struct Draft {
    /// Holds the commit. Handles on its repository must not outlive it.
    commits: DraftCommits,
    /// The commit; `None` if nothing is changed.
    pub(super) head: Option<CommitId>,
    /// HEAD.
    pub(super) base: CommitId,
    /// The name that is shown in place of an identifier.
    pub(super) name: &'static str,
}

impl Draft {
    /// The changes that the arguments name; `None` if they name none.
    pub(super) fn of(repository: &Repository, arguments: &DraftArguments) -> Result<Option<Self>, Failure> {
        let patch = match &arguments.patch {
            Some(file) => Some(read_patch(file)?),
            None => None,
        };
        let (source, name) = match &patch {
            Some(text) => (DraftSource::Patch(text), "the patch"),
            None if arguments.staged => (DraftSource::Index, "what is staged"),
            None if arguments.uncommitted => (DraftSource::Checkout, "the checkout"),
            None => return Ok(None),
        };
        let base = repository.resolve("HEAD")?;
        let commits = DraftCommits::of(repository)?;
        let head = commits.commit_of(base, source)?;
        Ok(Some(Self {
            commits,
            head,
            base,
            name,
        }))
    }

    /// Says so where nothing is changed.
    pub(super) fn note_if_unchanged(&self, terminal: &Terminal) {
        if self.head.is_none() {
            terminal.note(&format!(
                "{} is as {}: nothing is changed",
                self.name,
                self.base.short()
            ));
        }
    }

    /// The repository with the commit among its objects.
    pub(super) fn repository(&self) -> &Repository {
        self.commits.repository()
    }
}

fn read_patch(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().lock().read_to_end(&mut text).map(drop),
        _ => std::fs::read(file).map(|read| text = read),
    };
    let refused = |error| {
        Failure::usage(format_args!(
            "reading the patch: {}: {error}; name another file",
            file.display()
        ))
    };
    read.map(|()| text).map_err(refused)
}
