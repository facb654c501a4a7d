//! The trusted stage: a run of the measuring workflow, or a comment → a posting.

use std::str::FromStr as _;
use std::time::{SystemTime, UNIX_EPOCH};

use report::github::{self, CheckPolicy};
use report::score::ScoreDocument;
use runner::git::CommitId;
use runner::github::{ArtifactLimits, GithubClient, GithubError, GithubPullRequest, PullRequestHead, WorkflowRun};
use runner::process::InterruptionFlag;
use verdict::claims::claims_of_description;
use verdict::{JobMeasurements, MissingMeasurements};

use super::accept_command::{self, AcceptCommandAuthor};
use super::event::CommentReference;
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
/// run that can't be judged gets a check that says so: a branch that requires the check must not wait for ever.
pub fn postings_of_run(stage: &PostingContext<'_>, run: u64) -> Result<Vec<GithubPosting>, EngineError> {
    let run = stage.client.workflow_run(run)?;
    let targets = stage.targets_of(&run)?;
    match stage.judge(&run, &targets) {
        Ok(judged) => Ok(judged.into_iter().map(|judged| judged.posting).collect()),
        Err(EngineError::Interrupted) => Err(EngineError::Interrupted),
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
    let trusted = stage.fetch(&run, Some(&pull))?;
    let JudgedRun { mut posting, trusted } = stage.judge_for(&run, (Some(&pull), trusted), &left)?;
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
    /// The judgements of a run, by pull request; of a run for none, one.
    fn judge(&self, run: &WorkflowRun, targets: &[GithubPullRequest]) -> Result<Vec<JudgedRun>, EngineError> {
        let left = self.left_by(run)?;
        let pulls: Vec<Option<&GithubPullRequest>> = for_each_target(targets);
        let fetched = pulls.into_iter().map(|pull| Ok((pull, self.fetch(run, pull)?)));
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
            .map(|(pull, trusted)| self.judge_for(run, (pull, trusted), &left));
        judged.collect()
    }

    /// The sources of a run's commit, and of the branch that it is to be merged into.
    fn fetch(&self, run: &WorkflowRun, pull: Option<&GithubPullRequest>) -> Result<TrustedSources, EngineError> {
        let head = CommitId::from_str(&run.head_sha).map_err(EngineError::environment)?;
        let base_branch = pull.map(|pull| pull.base_branch.as_str());
        TrustedSources::fetch(self.address, head, base_branch, self.interruption)
    }

    fn judge_for(
        &self,
        run: &WorkflowRun,
        (pull, trusted): (Option<&GithubPullRequest>, TrustedSources),
        left: &MeasuringArtifact,
    ) -> Result<JudgedRun, EngineError> {
        // The text is read from GitHub: an artifact could have any.
        let description = pull.map_or("", |pull| pull.description.as_str());
        let claims = claims_of_description(description);
        let delivered = left.delivered.clone();
        let judgement = trusted.judge((run.id, &claims), delivered, self.interruption, self.progress)?;
        let number = pull.map(|pull| pull.number);
        let acknowledgements = match number {
            Some(number) => trusted.acknowledgements(number)?,
            None => Vec::new(),
        };
        let posting = GithubPosting {
            pull: number,
            check: check_of(pull),
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
        targets: &[GithubPullRequest],
        failure: &EngineError,
    ) -> Result<(), GithubError> {
        let behind = MeasuringRun {
            id: run.id,
            url: run.url.clone(),
        };
        for pull in for_each_target(targets) {
            let policy = self
                .fetch(run, pull)
                .map_or_else(|_| CheckPolicy::default(), |trusted| trusted.policy());
            let shown = github::not_judged(&failure.to_string(), policy);
            let check = new_check(shown, &check_of(pull), run.head_sha.clone(), Some(&behind));
            self.client.upsert_check(&check)?;
        }
        Ok(())
    }

    /// The pull requests that a run may have been for. Never by a number that the run could have written.
    fn targets_of(&self, run: &WorkflowRun) -> Result<Vec<GithubPullRequest>, EngineError> {
        let (Some(repository_id), Some(owner), Some(branch)) = (run.head_repository, &run.head_owner, &run.head_branch)
        else {
            return Ok(Vec::new());
        };
        if !run.event.starts_with("pull_request") {
            return Ok(Vec::new());
        }
        Ok(self.client.pulls_by_head(&PullRequestHead {
            sha: run.head_sha.clone(),
            repository_id,
            owner: owner.clone(),
            branch: branch.clone(),
        })?)
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

/// The pull requests that a run is judged for; a run for none is judged once.
fn for_each_target(targets: &[GithubPullRequest]) -> Vec<Option<&GithubPullRequest>> {
    match targets.is_empty() {
        true => vec![None],
        false => targets.iter().map(Some).collect(),
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
