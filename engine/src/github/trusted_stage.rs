//! The trusted stage: a run of the measuring workflow, or a comment → a posting.

use std::str::FromStr as _;
use std::time::{SystemTime, UNIX_EPOCH};

use report::github::{self, CheckPolicy};
use report::score::ScoreDocument;
use runner::git::CommitId;
use runner::github::{ArtifactLimits, GithubClient, GithubError, GithubPullRequest, WorkflowRun};
use runner::process::InterruptionFlag;
use verdict::claims::claims_of_description;
use verdict::{JobMeasurements, MissingMeasurements};

use super::accept_command::{self, AcceptCommandAuthor};
use super::event::CommentReference;
use super::merge_target::{MergeTarget, is_of_queue, targets_of};
use super::posting::{GithubPosting, MeasuringRun, check_of, new_check};
use super::trusted_sources::{RepositoryAddress, TrustedSources};
use crate::error::EngineError;
use crate::pipeline::ExternalMeasurements;
use crate::progress::{Activity, Progress};

/// The artifact of the measuring job.
struct MeasuringArtifact {
    delivered: ExternalMeasurements,
    /// Whether it drew where a difference comes from.
    compared: bool,
}

impl MeasuringArtifact {
    fn nothing(why: MissingMeasurements) -> Self {
        Self {
            delivered: ExternalMeasurements::Nothing(why),
            compared: false,
        }
    }
}

/// Everything that the stage works with.
pub struct PostingContext<'a> {
    /// The client of GitHub's API.
    pub client: &'a GithubClient,
    /// Where the repository is.
    pub address: &'a RepositoryAddress,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
    /// Receives progress.
    pub progress: Progress<'a>,
}

/// The postings for a finished run of the measuring workflow: one for each branch that its commit is to be merged into. A
/// run that can't be judged gets a check that says so: a branch that requires the check must not wait for ever. One of a merge
/// group that is gone gets none, since nothing waits for it.
pub fn postings_of_run(stage: &PostingContext<'_>, run: u64) -> Result<Vec<GithubPosting>, EngineError> {
    let run = stage.client.workflow_run(run)?;
    let targets = targets_of(stage.client, &run)?;
    match stage.judge(&run, &targets) {
        Ok(judged) => Ok(judged.into_iter().map(|judged| judged.posting).collect()),
        Err(EngineError::Interrupted) => Err(EngineError::Interrupted),
        Err(_) if stage.is_gone(&run) => {
            stage.progress.activity(&Activity::MergeGroupGone);
            Ok(Vec::new())
        }
        Err(failure) => {
            // The first failure is the one to return; if it is GitHub itself, this fails as well.
            if let Err(again) = stage.post_not_judged(&run, &targets, &failure) {
                let error = &again.to_string();
                stage.progress.activity(&Activity::CheckNotPosted { error });
            }
            Err(failure)
        }
    }
}

/// The posting for a comment; `None` where it does not address lito, or its author has no permission.
pub fn posting_of_comment(
    stage: &PostingContext<'_>,
    said: &CommentReference,
) -> Result<Option<GithubPosting>, EngineError> {
    let comment = stage.client.issue_comment(said.comment)?;
    let commands = accept_command::read(&comment.body);
    let author = report::text::safe(&comment.author);
    if commands.is_empty() {
        stage.progress.activity(&Activity::CommentNotForLito);
        return Ok(None);
    }
    if !stage.client.permission(&comment.author)?.may_write() {
        stage.progress.activity(&Activity::CommentNotAllowed {
            author: &comment.author,
        });
        return Ok(None);
    }
    let pull = stage.client.pull(said.pull)?;
    let run = stage.client.workflow_run(stage.run_behind(&pull)?)?;
    if run.head_sha != pull.head_sha || run.head_repository != pull.head_repository {
        return Err(EngineError::request(format_args!(
            "accepting: pull request {}: the newest check is not about its commit {}; run its workflow again",
            said.pull, pull.head_sha
        )));
    }
    let left = stage.left_by(&run)?;
    let target = MergeTarget::of_pull(pull);
    let trusted = stage.fetch(&run, &target)?;
    let JudgedRun { mut posting, trusted } = stage.judge_for(&run, (&target, trusted), &left)?;
    let by = AcceptCommandAuthor {
        login: &comment.author,
        pull: said.pull,
        at: now(),
    };
    let mut accepted = Vec::new();
    for command in commands {
        match command.and_then(|command| command.of(&posting.report, by)) {
            Ok(these) => accepted.extend(these),
            Err(why) => posting.notes.push(format!("A command of {author} was refused: {why}.")),
        }
    }
    trusted.record(&accepted, stage.interruption)?;
    posting.acknowledgements.extend(accepted);
    Ok(Some(posting))
}

/// A judged run.
struct JudgedRun {
    posting: GithubPosting,
    trusted: TrustedSources,
}

impl PostingContext<'_> {
    /// The judgements of a run, one for each branch.
    fn judge(&self, run: &WorkflowRun, targets: &[MergeTarget]) -> Result<Vec<JudgedRun>, EngineError> {
        let left = self.left_by(run)?;
        let fetched = targets.iter().map(|target| Ok((target, self.fetch(run, target)?)));
        let mut fetched = fetched.collect::<Result<Vec<_>, EngineError>>()?;
        // The other branches' pull requests have runs of their own, which compare with other bases.
        if let ExternalMeasurements::Values(job) = &left.delivered {
            let is_measured = |trusted: &TrustedSources| trusted.base().to_string() == job.base;
            if fetched.iter().any(|(_, trusted)| is_measured(trusted)) {
                fetched.retain(|(_, trusted)| is_measured(trusted));
            }
        }
        let judged = fetched
            .into_iter()
            .map(|(target, trusted)| self.judge_for(run, (target, trusted), &left));
        judged.collect()
    }

    /// The sources of a run's commit, and of the branch that it is to be merged into.
    fn fetch(&self, run: &WorkflowRun, target: &MergeTarget) -> Result<TrustedSources, EngineError> {
        let head = CommitId::from_str(&run.head_sha).map_err(EngineError::environment)?;
        let into = (target.branch.as_deref(), target.base);
        TrustedSources::fetch(self.address, head, into, self.interruption)
    }

    /// Whether a run was for a merge group whose branch was removed.
    fn is_gone(&self, run: &WorkflowRun) -> bool {
        let branch = run.head_branch.as_ref().filter(|_| is_of_queue(run));
        // Where that can't be asked either, the first failure is the one to return.
        branch.is_some_and(|branch| matches!(self.address.has_branch(branch, self.interruption), Ok(false)))
    }

    fn judge_for(
        &self,
        run: &WorkflowRun,
        (target, trusted): (&MergeTarget, TrustedSources),
        left: &MeasuringArtifact,
    ) -> Result<JudgedRun, EngineError> {
        // The text is read from GitHub: an artifact could have any.
        let pull = target.pull.as_ref();
        let description = pull.map_or("", |pull| pull.description.as_str());
        let claims = claims_of_description(description);
        let delivered = left.delivered.clone();
        let judgement = trusted.judge((run.id, &claims), delivered, self.interruption, self.progress)?;
        let acknowledgements = match target.accepted_in {
            Some(number) => trusted.acknowledgements(number)?,
            None => Vec::new(),
        };
        let posting = GithubPosting {
            pull: pull.map(|pull| pull.number),
            check: target.check.clone(),
            policy: trusted.policy(),
            fork: run.is_fork,
            compared: left.compared,
            threshold: trusted.threshold(),
            acknowledgements,
            run: Some(MeasuringRun {
                id: run.id,
                url: run.url.clone(),
            }),
            ..GithubPosting::of(judgement.report, Some(ScoreDocument::of(&judgement.score)))
        };
        Ok(JudgedRun { posting, trusted })
    }

    /// The checks of a version that could not be judged. What it is to end with follows from settings that may be what could
    /// not be read: then it fails.
    fn post_not_judged(
        &self,
        run: &WorkflowRun,
        targets: &[MergeTarget],
        failure: &EngineError,
    ) -> Result<(), GithubError> {
        let behind = MeasuringRun {
            id: run.id,
            url: run.url.clone(),
        };
        for target in targets {
            let policy = self
                .fetch(run, target)
                .map_or_else(|_| CheckPolicy::default(), |trusted| trusted.policy());
            let shown = github::not_judged(&failure.to_string(), policy);
            let check = new_check(shown, &target.check, run.head_sha.clone(), Some(&behind));
            self.client.upsert_check(&check)?;
        }
        Ok(())
    }

    /// The run behind the check on a pull request's newest commit.
    fn run_behind(&self, pull: &GithubPullRequest) -> Result<u64, EngineError> {
        let name = check_of(Some(pull));
        let check = self.client.check(&pull.head_sha, &name)?;
        (check.and_then(|check| check.external_id?.parse().ok())).ok_or_else(|| {
            EngineError::request(format_args!(
                "accepting: pull request {}: its newest commit {} has not been judged yet; repeat the comment once the \
                 check `{name}` is there",
                pull.number, pull.head_sha
            ))
        })
    }

    /// The measuring job's artifact. A defect in it is a reason not to use it, not an error.
    fn left_by(&self, run: &WorkflowRun) -> Result<MeasuringArtifact, EngineError> {
        let ended = run.conclusion.as_deref().unwrap_or("no result");
        let limits = ArtifactLimits::default();
        let files = match self.client.artifact(run.id, github::ARTIFACT, &limits) {
            Ok(files) => files.unwrap_or_default(),
            Err(error @ GithubError::Artifact { .. }) => {
                return Ok(MeasuringArtifact::nothing(MissingMeasurements::UnreadableArtifact {
                    error: error.to_string(),
                }));
            }
            Err(error) => return Err(error.into()),
        };
        let Some(measurements) = files.get(github::MEASUREMENTS) else {
            return Ok(MeasuringArtifact::nothing(MissingMeasurements::NoMeasurements {
                conclusion: ended.to_owned(),
            }));
        };
        Ok(match serde_json::from_slice::<JobMeasurements>(measurements) {
            Ok(job) => MeasuringArtifact {
                delivered: ExternalMeasurements::Values(Box::new(job)),
                compared: files.contains_key(github::COMPARISON),
            },
            Err(error) => MeasuringArtifact::nothing(MissingMeasurements::Malformed {
                error: error.to_string(),
            }),
        })
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
