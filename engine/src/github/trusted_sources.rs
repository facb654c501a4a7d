//! The sources of a pull request, fetched as objects into a bare repository of their own → its score, and the verdict on
//! what was measured elsewhere. Checks nothing out, and runs no hook, filter or program of theirs.

use report::github::CheckPolicy;
use runner::git::{CommitId, Repository};
use runner::owned::OwnedFolder;
use runner::process::InterruptionFlag;
use runner::store::Store;
use runner::store::remote::{Remote, RemoteToken, StoreTransfer, TIME_LIMIT, fetch_sources, has_ref};
use verdict::Acknowledgement;
use verdict::claims::RequestedClaim;

use crate::error::EngineError;
use crate::pipeline::{
    self, ExternalMeasurements, GateContext, GateJudgement, GateRequest, GateReuse, GateThoroughness, SelectionRequest,
};
use crate::profiling::Profiler;
use crate::progress::Progress;
use crate::sample_loader::decodes;
use crate::settings::{ForkMeasurements, Settings, UnjudgedCheck};
use crate::skipping_audit::AuditDraw;

/// The newest commit of the branch that is merged into.
const BASE: &str = "refs/lito/base";

/// The commit that is judged.
const HEAD: &str = "refs/lito/head";

/// Where the repository is that pull requests are made to.
#[derive(Debug, Clone)]
pub struct RepositoryAddress {
    /// URL of the repository.
    pub url: String,
    /// Secret for reading and writing it; none: anonymous.
    pub token: Option<RemoteToken>,
}

impl RepositoryAddress {
    /// Whether it has a branch.
    pub(super) fn has_branch(&self, branch: &str, interruption: &InterruptionFlag) -> Result<bool, EngineError> {
        let folder = temporary_folder()?;
        let repository = Repository::create_bare(folder.path())?;
        let reference = format!("refs/heads/{branch}");
        Ok(has_ref(
            &repository,
            &self.remote(&repository)?,
            &reference,
            interruption,
        )?)
    }

    fn remote(&self, repository: &Repository) -> Result<Remote, EngineError> {
        Ok(Remote::find(repository, Some(&self.url))?.with_token(self.token.clone())?)
    }
}

/// Both sides of a change, with the store that predictions stand on.
pub(super) struct TrustedSources {
    repository: Repository,
    store: Store,
    remote: Remote,
    /// As the branch has them that is merged into.
    settings: Settings,
    base: CommitId,
    head: CommitId,
    /// Last, so that what lies in it is closed before it is removed.
    _folder: OwnedFolder,
}

impl TrustedSources {
    /// Fetches a commit and the branch that it is merged into: the other side's default branch, if none is named. The base is a
    /// version before the commit; if none is named, where the commit left the branch.
    pub(super) fn fetch(
        address: &RepositoryAddress,
        head: CommitId,
        (branch, base): (Option<&str>, Option<CommitId>),
        interruption: &InterruptionFlag,
    ) -> Result<Self, EngineError> {
        let folder = temporary_folder()?;
        let repository = Repository::create_bare(folder.path())?;
        let remote = address.remote(&repository)?;
        let branch = branch.map_or_else(|| String::from("HEAD"), |branch| format!("refs/heads/{branch}"));
        let wanted = [(branch.as_str(), BASE), (&head.to_string(), HEAD)];
        fetch_sources(&repository, &remote, &wanted, interruption)?;
        let tip = repository.resolve(BASE)?;
        let settings = Settings::of_version(&repository, tip)?;
        let store = Store::open(&repository, &settings.store.url)?;
        let trusted = Self {
            // Of a version that is not before the commit, this is the one that both have in common.
            base: repository.merge_base(base.unwrap_or(tip), head)?,
            head,
            repository,
            store,
            remote,
            settings,
            _folder: folder,
        };
        trusted.transfer(interruption).fetch()?;
        Ok(trusted)
    }

    /// Scores, and judges on measurements of another job, by the number of its run and the claims of the pull request.
    pub(super) fn judge(
        &self,
        (run, claims): (u64, &[RequestedClaim]),
        delivered: ExternalMeasurements,
        interruption: &InterruptionFlag,
        progress: Progress<'_>,
    ) -> Result<GateJudgement, EngineError> {
        let question = GateRequest {
            base: self.base,
            head: self.head,
            which: SelectionRequest::Flagged {
                audit: AuditDraw::of_run(self.settings.gate.audit.share(), run),
            },
            claims,
            metrics: &self.settings.gate.metrics,
            budget: self.settings.gate.budget.0,
            draft: false,
            is_scored_again: false,
            reuse: GateReuse::Everything,
            thoroughness: GateThoroughness::Gate,
        };
        let workplace = GateContext {
            repository: &self.repository,
            settings: &self.settings,
            store: &self.store,
            profiler: Profiler::Auto,
            interruption,
            progress,
        };
        pipeline::judge_measured(&question, &workplace, delivered)
    }

    /// The version that the head is compared with.
    pub(super) fn base(&self) -> CommitId {
        self.base
    }

    pub(super) fn threshold(&self) -> f64 {
        self.settings.gate.threshold.share()
    }

    /// How its checks end that lito's own machines can't answer for.
    pub(super) fn policy(&self) -> CheckPolicy {
        CheckPolicy {
            forks_decide: self.settings.gate.forks == ForkMeasurements::Decide,
            unjudged_fails: self.settings.gate.unjudged == UnjudgedCheck::Fail,
        }
    }

    /// The acknowledgements of a pull request so far.
    pub(super) fn acknowledgements(&self, pull: u64) -> Result<Vec<Acknowledgement>, EngineError> {
        Ok(self.store.acknowledgements(pull)?.acknowledgements)
    }

    /// Records acknowledgements in the shared store.
    pub(super) fn record(
        &self,
        accepted: &[Acknowledgement],
        interruption: &InterruptionFlag,
    ) -> Result<(), EngineError> {
        for one in accepted {
            self.store.record_acknowledgement(one)?;
        }
        if !accepted.is_empty() {
            self.transfer(interruption).push()?;
        }
        Ok(())
    }

    fn transfer<'a>(&'a self, interruption: &'a InterruptionFlag) -> StoreTransfer<'a> {
        StoreTransfer {
            repository: &self.repository,
            store: &self.store,
            remote: &self.remote,
            decode: &decodes,
            time_limit: TIME_LIMIT,
            interruption,
        }
    }
}

fn temporary_folder() -> Result<OwnedFolder, EngineError> {
    OwnedFolder::temporary("sources").map_err(|error| {
        EngineError::environment(format_args!(
            "making a folder for the sources: {error}; check that the disk is not full"
        ))
    })
}
