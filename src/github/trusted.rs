//! The sources of a pull request, fetched as objects into a bare repository of their own → its score, and the verdict on
//! what was measured elsewhere. Checks nothing out, and runs no hook, filter or program of theirs.

use std::path::Path;

use profile::verdict::Acknowledgement;
use runner::git::{CommitId, Fetch, Remote, Repository};
use runner::process::Interruption;
use runner::store::Store;
use tempfile::TempDir;

use crate::cli::Profiler;
use crate::exit::Failure;
use crate::pipeline::{self, Elsewhere, Measured, Question, Thoroughness, Which, Workplace};
use crate::settings::Settings;
use crate::terminal::Terminal;

/// The newest commit of the branch that is merged into.
const BASE: &str = "refs/lito/base";

/// The commit that is judged.
const HEAD: &str = "refs/lito/head";

/// Both sides of a change, with the store that predictions stand on.
pub(super) struct Trusted {
    repository: Repository,
    store: Store,
    /// As the branch has them that is merged into.
    settings: Settings,
    base: CommitId,
    head: CommitId,
    /// Last, so that what lies in it is closed before it is removed.
    _folder: TempDir,
}

impl Trusted {
    /// Fetches a commit and the branch that it is merged into: the remote's default branch, if none is named.
    pub(super) fn fetch(
        remote: &Remote,
        head: CommitId,
        branch: Option<&str>,
        interruption: &Interruption,
    ) -> Result<Self, Failure> {
        let folder = tempfile::tempdir().map_err(|error| {
            Failure::environment(format_args!(
                "making a folder for the sources: {error}; check that the disk is not full"
            ))
        })?;
        let repository = Repository::create_bare(folder.path())?;
        let branch = branch.map_or_else(
            || format!("+HEAD:{BASE}"),
            |branch| format!("+refs/heads/{branch}:{BASE}"),
        );
        let refspecs = [branch, format!("+{head}:{HEAD}")];
        Fetch {
            into: &repository,
            remote,
            refspecs: &refspecs,
        }
        .run(interruption)?;
        let tip = repository.resolve(BASE)?;
        let settings = Settings::of_version(&repository, tip)?;
        let store = Store::open(&repository, &settings.store.url)?;
        store.fetch(remote, interruption)?;
        Ok(Self {
            base: repository.fork_point(tip, head)?,
            head,
            repository,
            store,
            settings,
            _folder: folder,
        })
    }

    /// Scores, and judges on what was measured elsewhere.
    pub(super) fn judge(
        &self,
        elsewhere: Elsewhere,
        interruption: &Interruption,
        terminal: &Terminal,
    ) -> Result<Measured, Failure> {
        let question = Question {
            base: self.base,
            head: self.head,
            which: Which::Flagged {
                audit: self.settings.gate.audit.share(),
            },
            metrics: &self.settings.gate.metrics,
            budget: self.settings.gate.budget.0,
            fresh: false,
            thoroughness: Thoroughness::Gate,
        };
        let progress = terminal.waiting("scoring");
        let workplace = Workplace {
            repository: &self.repository,
            settings: &self.settings,
            store: &self.store,
            profiler: Profiler::Auto,
            interruption,
            progress: &progress,
        };
        pipeline::judge_measured(&question, &workplace, elsewhere)
    }

    pub(super) fn threshold(&self) -> f64 {
        self.settings.gate.threshold.share()
    }

    /// What was accepted in a pull request so far.
    pub(super) fn acknowledgements(&self, pull: u64) -> Result<Vec<Acknowledgement>, Failure> {
        Ok(self.store.acknowledgements(pull)?.acknowledgements)
    }

    /// Records what was accepted, for everybody.
    pub(super) fn record(
        &self,
        accepted: &[Acknowledgement],
        remote: &Remote,
        interruption: &Interruption,
    ) -> Result<(), Failure> {
        for one in accepted {
            self.store.record_acknowledgement(one)?;
        }
        if !accepted.is_empty() {
            self.store.push(remote, interruption)?;
        }
        Ok(())
    }
}
