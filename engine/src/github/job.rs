//! The job that lito runs in: what GitHub tells it through the environment, and what it tells GitHub through files and
//! lines of its output. The names of the variables are GitHub's.

use std::env::{self, VarError};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::event::GithubEvent;
use crate::error::EngineError;

/// The largest payload that GitHub sends is 25 MB; those of the events here are far below.
const PAYLOAD_LIMIT: u64 = 25 << 20;

/// A job of a workflow.
#[derive(Debug, Clone)]
pub struct WorkflowJob {
    event: String,
    payload: PathBuf,
    /// Where markdown for the job's page goes.
    summary: Option<PathBuf>,
    /// Where the step's outputs go.
    outputs: Option<PathBuf>,
}

impl WorkflowJob {
    /// As the environment has it.
    pub fn of_environment() -> Result<Self, EngineError> {
        let path = |name| Ok::<_, EngineError>(variable(name)?.map(PathBuf::from));
        Ok(Self {
            event: needed("GITHUB_EVENT_NAME")?,
            payload: PathBuf::from(needed("GITHUB_EVENT_PATH")?),
            summary: path("GITHUB_STEP_SUMMARY")?,
            outputs: path("GITHUB_OUTPUT")?,
        })
    }

    /// Where its run is on GitHub, if it says so.
    pub fn run_address(&self) -> Result<Option<String>, EngineError> {
        let [server, repository, run] = [
            variable("GITHUB_SERVER_URL")?,
            variable("GITHUB_REPOSITORY")?,
            variable("GITHUB_RUN_ID")?,
        ];
        let address = |server, repository, run| format!("{server}/{repository}/actions/runs/{run}");
        Ok(match (server, repository, run) {
            (Some(server), Some(repository), Some(run)) => Some(address(server, repository, run)),
            _ => None,
        })
    }

    /// The number of its run on GitHub, if it says so.
    pub fn run_number(&self) -> Result<Option<u64>, EngineError> {
        Ok(variable("GITHUB_RUN_ID")?.and_then(|run| run.parse().ok()))
    }

    /// The event that started it.
    pub fn event(&self) -> Result<GithubEvent, EngineError> {
        let failed = |why: &dyn std::fmt::Display| {
            EngineError::request(format_args!(
                "reading the event `{}`: {}: {why}; this command is for jobs of GitHub Actions",
                self.event,
                self.payload.display()
            ))
        };
        let size = fs::metadata(&self.payload).map_err(|error| failed(&error))?;
        if size.len() > PAYLOAD_LIMIT {
            return Err(failed(&"it is larger than any event"));
        }
        let payload = fs::read_to_string(&self.payload).map_err(|error| failed(&error))?;
        GithubEvent::read(&self.event, &payload).map_err(|error| failed(&error))
    }

    /// Adds to the job's page.
    pub fn summarise(&self, markdown: &str) -> Result<(), EngineError> {
        append(self.summary.as_deref(), "writing the job's summary", markdown)
    }

    /// Sets the step's outputs.
    pub fn output(&self, outputs: &[(String, String)]) -> Result<(), EngineError> {
        let mut lines = String::new();
        for (name, value) in outputs {
            // A name that nobody can guess ends the value, whatever stands in it.
            let end = unguessable();
            writeln!(lines, "{name}<<{end}\n{value}\n{end}").expect("a string takes every write");
        }
        append(self.outputs.as_deref(), "writing the step's outputs", &lines)
    }
}

/// A token that stops GitHub from reading commands in the output until the same token ends it: names of benchmarks,
/// and what compilers say, are somebody else's text. Whoever writes the output writes both lines.
#[derive(Debug)]
pub struct StopCommands {
    token: String,
}

impl StopCommands {
    /// With a token that nobody can guess.
    #[must_use]
    #[allow(clippy::new_without_default)] // each one has a token of its own: there is no default
    pub fn new() -> Self {
        Self { token: unguessable() }
    }

    /// The line from which on no line of the output is a command.
    #[must_use]
    pub fn first_line(&self) -> String {
        format!("::stop-commands::{}\n", self.token)
    }

    /// The line from which on lines are commands again.
    #[must_use]
    pub fn last_line(&self) -> String {
        format!("::{}::\n", self.token)
    }
}

/// A variable that GitHub sets in each job.
fn needed(name: &str) -> Result<String, EngineError> {
    variable(name)?.ok_or_else(|| {
        EngineError::request(format_args!(
            "reading the environment: {name} is not set; this command is for jobs of GitHub Actions"
        ))
    })
}

/// A variable; `None` if it is not set, or empty.
pub fn variable(name: &str) -> Result<Option<String>, EngineError> {
    match env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(EngineError::request(format_args!(
            "reading the environment: {name} is not valid UTF-8; set it anew"
        ))),
    }
}

fn append(file: Option<&Path>, attempt: &str, text: &str) -> Result<(), EngineError> {
    let Some(file) = file else {
        return Ok(());
    };
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .and_then(|mut opened| opened.write_all(text.as_bytes()))
        .map_err(|error| {
            EngineError::environment(format_args!(
                "{attempt}: {}: {error}; check that the disk is not full",
                file.display()
            ))
        })
}

/// 128 bits as text. The standard library seeds its hashers from the operating system's random numbers.
fn unguessable() -> String {
    let draw = || RandomState::new().build_hasher().finish();
    format!("lito-{:016x}{:016x}", draw(), draw())
}
