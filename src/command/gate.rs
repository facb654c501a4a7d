//! `lito gate`: scores a version, measures the benchmarks at risk, and judges it.

use report::github::{self, PostingContent};
use runner::git::{CommitId, Repository};
use verdict::claims::{RequestedClaim, claims_of_description};

use super::draft::Draft;
use super::note_uncommitted;
use super::verdict_answer::{self, VerdictAnswer, VerdictRequest};
use crate::cli::GateArguments;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::github::{GithubEvent, StopCommands, WorkflowJob, first_version};
use engine::pipeline::SelectionRequest;
use engine::settings::Settings;
use engine::skipping_audit::AuditDraw;
use engine::verdict_files::posting_without_acknowledgements;

/// Judges the version that the arguments or the event name.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &GateArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let settings = &Settings {
        benchmarks: settings.benchmarks.choosing((&arguments.choice).into()),
        ..settings.clone()
    };
    let gate = GateCommand {
        repository,
        settings,
        arguments,
        terminal,
    };
    if arguments.github {
        return gate.judge_event();
    }
    let base = (arguments.base.as_deref())
        .map(|base| repository.resolve(base))
        .transpose()?;
    let answer = match Draft::of(repository, &arguments.draft)? {
        Some(draft) => {
            draft.note_if_unchanged(terminal);
            let Some(head) = draft.head else {
                return Ok(CommandExit::Passed);
            };
            let gate = GateCommand {
                repository: draft.repository(),
                ..gate
            };
            gate.judge(
                base.unwrap_or(draft.base),
                JudgedHead::Draft(head, draft.name),
                Vec::new(),
            )?
        }
        None => {
            let head = repository.resolve(&arguments.head)?;
            note_uncommitted(repository, head, terminal);
            let base = match base {
                Some(base) => base,
                None => (repository.default_base(head)?).ok_or_else(|| first_version(head))?,
            };
            gate.judge(base, JudgedHead::Commit(head, None), Vec::new())?
        }
    };
    Ok(verdict_answer::exit_of_answer(&answer.judgement.report))
}

/// The version that is judged, and where.
#[derive(Debug, Clone, Copy)]
enum JudgedHead {
    /// A commit, in the run of a workflow with this number, or at a desk.
    Commit(CommitId, Option<u64>),
    /// Changes that are not committed, with the name that is shown.
    Draft(CommitId, &'static str),
}

struct GateCommand<'a> {
    repository: &'a Repository,
    settings: &'a Settings,
    arguments: &'a GateArguments,
    terminal: &'a Terminal,
}

impl GateCommand<'_> {
    fn judge(&self, base: CommitId, judged: JudgedHead, claims: Vec<RequestedClaim>) -> Result<VerdictAnswer, Failure> {
        let share = self.settings.gate.audit.share();
        let (head, audit, draft) = match judged {
            JudgedHead::Commit(head, None) => (head, AuditDraw::at_desk(share), None),
            JudgedHead::Commit(head, Some(run)) => (head, AuditDraw::of_run(share, run), None),
            // An audit counts what skipping misses of a history.
            JudgedHead::Draft(head, name) => (head, AuditDraw::NONE, Some(name)),
        };
        let audit = if self.arguments.no_audit {
            AuditDraw::NONE
        } else {
            audit
        };
        let asked = VerdictRequest {
            base,
            head,
            draft,
            which: SelectionRequest::Flagged { audit },
            is_scored_again: self.arguments.github,
            claims,
            measuring: &self.arguments.measuring,
        };
        verdict_answer::judge_and_report(self.repository, self.settings, &asked, self.terminal)
    }

    /// Judges the version of the job's event, and writes the job's summary.
    fn judge_event(&self) -> Result<CommandExit, Failure> {
        let job = WorkflowJob::of_environment()?;
        let judged = match job.event()? {
            GithubEvent::Judge(judged) => judged,
            GithubEvent::Nothing(why) => {
                self.terminal.note(&format!("nothing to judge: {why}"));
                job.summarise(&github::no_version_summary(&why))?;
                return Ok(CommandExit::Passed);
            }
            GithubEvent::Measured(_) | GithubEvent::Comment(_) => {
                return Err(Failure::usage(
                    "judging: the version of this event was judged already; run `lito post` to post its verdict",
                ));
            }
        };
        let base = judged.base(self.repository)?;
        let claims = claims_of_description(&judged.description);
        let quiet = WithoutCommands::begin(*self.terminal)?;
        let VerdictAnswer { judgement, drawn } =
            self.judge(base, JudgedHead::Commit(judged.head, job.run_number()?), claims)?;
        drop(quiet);
        let run = job.run_address()?.filter(|_| drawn);
        let posting = PostingContent {
            compared_in: run.as_deref(),
            ..posting_without_acknowledgements(&judgement, self.settings.gate.threshold.share())
        };
        job.summarise(&github::summary(&posting))?;
        job.output(&github::outputs(&posting))?;
        let annotations = github::check(&posting).annotations;
        self.terminal.print(&github::workflow_commands(&annotations))?;
        Ok(verdict_answer::exit_of_answer(&judgement.report))
    }
}

/// Keeps GitHub from reading commands in the output while it lives.
struct WithoutCommands {
    commands: StopCommands,
    terminal: Terminal,
}

impl WithoutCommands {
    fn begin(terminal: Terminal) -> Result<Self, Failure> {
        let commands = StopCommands::new();
        terminal.print(&commands.first_line())?;
        Ok(Self { commands, terminal })
    }
}

impl Drop for WithoutCommands {
    fn drop(&mut self) {
        // If nobody reads the output, nobody waits for commands in it.
        let _ = self.terminal.print(&self.commands.last_line());
    }
}
