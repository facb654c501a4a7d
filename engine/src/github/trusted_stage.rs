//! The trusted stage: a run of the measuring workflow, or a comment → a posting.

use std::str::FromStr as _;
use std::time::{SystemTime, UNIX_EPOCH};

use report::github;
use report::score::ScoreDocument;
use runner::git::CommitId;
use runner::github::{ArtifactLimits, GithubClient, GithubError, GithubPullRequest, PullRequestHead, WorkflowRun};
use runner::process::InterruptionFlag;
use verdict::claims::claims_of_description;
use verdict::{MissingMeasurements, VerdictReport};

use super::accept_command::{self, AcceptCommandAuthor};
use super::event::CommentReference;
use super::posting::{CHECK, GithubPosting, MeasuringRun, new_check};
use super::trusted_sources::{RepositoryAddress, TrustedSources};
use crate::error::EngineError;
use crate::pipeline::ExternalMeasurements;
use crate::progress::{Activity, Progress};

/// The file of the artifact in which the measuring job leaves its verdict.
const VERDICT: &str = "verdict.json";

/// The artifact of the measuring job.
struct MeasuringArtifact {
    elsewhere: ExternalMeasurements,
    /// Whether it drew where a difference comes from.
    compared: bool,
}

impl MeasuringArtifact {
    fn nothing(why: MissingMeasurements) -> Self {
        Self {
            elsewhere: ExternalMeasurements::Nothing(why),
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

/// The posting for a finished run of the measuring workflow. A run that can't be judged gets a check that says so: a
/// branch that requires the check must not wait for ever.
pub fn posting_of_run(stage: &PostingContext<'_>, run: u64) -> Result<GithubPosting, EngineError> {
    match stage.judge(run) {
        Ok(judged) => Ok(judged.posting),
        Err(EngineError::Interrupted) => Err(EngineError::Interrupted),
        Err(failure) => {
            // The first failure is the one to return; if it is GitHub itself, this fails as well.
            if let Err(again) = stage.post_not_judged(run, &failure) {
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
    let run = stage.run_behind(said.pull)?;
    let JudgedRun { mut posting, trusted } = stage.judge(run)?;
    if posting.pull != Some(said.pull) {
        return Err(EngineError::request(format_args!(
            "accepting: pull request {}: the newest check is about another pull request with the same commit; run its \
             workflow again",
            said.pull
        )));
    }
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
    fn judge(&self, run: u64) -> Result<JudgedRun, EngineError> {
        let run = self.client.workflow_run(run)?;
        let head = CommitId::from_str(&run.head_sha).map_err(EngineError::environment)?;
        let pull = self.pull_of(&run)?;
        let base_branch = pull.as_ref().map(|pull| pull.base_branch.as_str());
        let trusted = TrustedSources::fetch(self.address, head, base_branch, self.interruption)?;
        let left = self.left_by(&run)?;
        // The text is read from GitHub: an artifact could have any.
        let description = pull.as_ref().map_or("", |pull| pull.description.as_str());
        let claims = claims_of_description(description);
        let judgement = trusted.judge((run.id, &claims), left.elsewhere, self.interruption, self.progress)?;
        let number = pull.map(|pull| pull.number);
        let acknowledgements = match number {
            Some(number) => trusted.acknowledgements(number)?,
            None => Vec::new(),
        };
        let posting = GithubPosting {
            pull: number,
            fork: run.is_fork,
            compared: left.compared,
            threshold: trusted.threshold(),
            acknowledgements,
            run: Some(MeasuringRun {
                id: run.id,
                url: run.url,
            }),
            ..GithubPosting::of(judgement.report, Some(ScoreDocument::of(&judgement.score)))
        };
        Ok(JudgedRun { posting, trusted })
    }

    /// The check of a version that could not be judged.
    fn post_not_judged(&self, run: u64, failure: &EngineError) -> Result<(), GithubError> {
        let run = self.client.workflow_run(run)?;
        let shown = github::not_judged(&failure.to_string());
        let behind = MeasuringRun {
            id: run.id,
            url: run.url,
        };
        self.client
            .upsert_check(&new_check(shown, run.head_sha, Some(&behind)))?;
        Ok(())
    }

    /// The open pull request that a run was for. Never by a number that the run could have written.
    fn pull_of(&self, run: &WorkflowRun) -> Result<Option<GithubPullRequest>, EngineError> {
        let (Some(repository_id), Some(owner), Some(branch)) = (run.head_repository, &run.head_owner, &run.head_branch)
        else {
            return Ok(None);
        };
        if !run.event.starts_with("pull_request") {
            return Ok(None);
        }
        Ok(self.client.pull_by_head(&PullRequestHead {
            sha: run.head_sha.clone(),
            repository_id,
            owner: owner.clone(),
            branch: branch.clone(),
        })?)
    }

    /// The run behind the check on a pull request's newest commit.
    fn run_behind(&self, pull: u64) -> Result<u64, EngineError> {
        let head = self.client.pull(pull)?.head_sha;
        let check = self.client.check(&head, CHECK)?;
        (check.and_then(|check| check.external_id?.parse().ok())).ok_or_else(|| {
            EngineError::request(format_args!(
                "accepting: pull request {pull}: its newest commit {head} has not been judged yet; repeat the comment \
                 once the check `{CHECK}` is there"
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
        let Some(verdict) = files.get(VERDICT) else {
            return Ok(MeasuringArtifact::nothing(MissingMeasurements::NoVerdict {
                conclusion: ended.to_owned(),
            }));
        };
        Ok(match serde_json::from_slice::<VerdictReport>(verdict) {
            Ok(report) => MeasuringArtifact {
                elsewhere: ExternalMeasurements::Report(Box::new(report)),
                compared: files.contains_key(github::COMPARISON),
            },
            Err(error) => MeasuringArtifact::nothing(MissingMeasurements::MalformedVerdict {
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
