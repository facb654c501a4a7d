//! `lito gate`: a version scored, measured where it is worth that, and judged.

use report::github::{self, Posting};
use runner::git::{CommitId, Repository};

use super::verdict::{self, Asked, Given};
use crate::cli::GateArguments;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use engine::github::{Event, Job, StopCommands, first_version};
use engine::pipeline::Which;
use engine::settings::Settings;

/// Judges what was asked for.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &GateArguments,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let gate = Gate {
        repository,
        settings,
        arguments,
        terminal,
    };
    if arguments.github {
        return gate.judge_event();
    }
    let head = repository.resolve(&arguments.head)?;
    let base = match &arguments.base {
        Some(base) => repository.resolve(base)?,
        None => (repository.base_of(head)?).ok_or_else(|| first_version(head))?,
    };
    Ok(verdict::exit(&gate.judge(base, head)?.judgement.report))
}

struct Gate<'a> {
    repository: &'a Repository,
    settings: &'a Settings,
    arguments: &'a GateArguments,
    terminal: &'a Terminal,
}

impl Gate<'_> {
    fn judge(&self, base: CommitId, head: CommitId) -> Result<Given, Failure> {
        let audit = if self.arguments.no_audit {
            0.0
        } else {
            self.settings.gate.audit.share()
        };
        let asked = Asked {
            base,
            head,
            which: Which::Flagged { audit },
            measuring: &self.arguments.measuring,
        };
        verdict::give(self.repository, self.settings, &asked, self.terminal)
    }

    /// Judges what the event is about that started the job, and tells the job's page.
    fn judge_event(&self) -> Result<Exit, Failure> {
        let job = Job::of_environment()?;
        let judged = match job.event()? {
            Event::Judge(judged) => judged,
            Event::Nothing(why) => {
                self.terminal.note(&format!("nothing to judge: {why}"));
                job.summarise(&github::nothing(&why))?;
                return Ok(Exit::Passed);
            }
            Event::Measured(_) | Event::Comment(_) => {
                return Err(Failure::usage(
                    "judging: this event is about a version that was judged already; `lito post` is for it",
                ));
            }
        };
        let base = judged.base(self.repository)?;
        let quiet = WithoutCommands::begin(*self.terminal)?;
        let Given { judgement, drawn } = self.judge(base, judged.head)?;
        drop(quiet);
        let run = job.run_address()?.filter(|_| drawn);
        let posting = Posting {
            compared_in: run.as_deref(),
            ..verdict::told(&judgement, self.settings.gate.threshold.share())
        };
        job.summarise(&github::summary(&posting))?;
        job.output(&github::outputs(&posting))?;
        let annotations = github::check(&posting).annotations;
        self.terminal.print(&github::workflow_commands(&annotations))?;
        Ok(verdict::exit(&judgement.report))
    }
}

/// While it lives, no line of the output is a command to GitHub.
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
        // Where nobody reads the output, nobody waits for commands in it.
        let _ = self.terminal.print(&self.commands.last_line());
    }
}
