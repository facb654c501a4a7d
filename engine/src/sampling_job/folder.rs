//! The folder of a sampling job: its plan, who takes which version, and what came of each.
//!
//! ```text
//! plan.json              the versions, in one stretch for each task
//! machine.json           the facts of the machine that began first
//! claims/<commit>        the number of the task that takes the version
//! outcomes/<commit>.json what came of it
//! problems/<task>        why the task gave up
//! logs/<task>.log        what the task wrote
//! ```
//! Tasks and those who watch them speak to each other through these files alone, so any file system will do that all
//! machines see. A file is there whole or not at all, and a claim is made by one task alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use runner::git::CommitId;
use runner::sample::SampledVersion;
use runner::whole_file::{self, ExistingFilePolicy, NewFileMode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// The version of the plan's form.
const SCHEMA: &str = "lito.job/1";

/// The versions of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct JobPlan {
    schema: String,
    /// One stretch for each task, oldest first.
    stretches: Vec<Vec<CommitId>>,
}

/// The end that a version came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionOutcome {
    /// A task came to its end with it.
    Taken {
        /// The task.
        task: u32,
        /// Its outcome.
        sampled: SampledVersion,
    },
    /// Tasks that took it were killed again and again.
    Lost {
        /// The last of these tasks.
        task: u32,
        /// How often.
        killed: u32,
    },
}

/// The folder of one job.
#[derive(Debug, Clone)]
pub struct JobFolder {
    path: PathBuf,
    name: String,
    plan: JobPlan,
}

impl JobFolder {
    /// Opens a job that was begun below a folder, or begins it with these stretches.
    ///
    /// # Errors
    /// The folder can't be read or written, or holds a job of another lito.
    pub fn open_or_begin(
        jobs: &Path,
        name: &str,
        stretches: impl FnOnce() -> Result<Vec<Vec<CommitId>>, EngineError>,
    ) -> Result<Self, EngineError> {
        let path = jobs.join(name);
        let plan = path.join("plan.json");
        if !plan.exists() {
            let plan_now = JobPlan {
                schema: SCHEMA.to_owned(),
                stretches: stretches()?,
            };
            write_new(&plan, &encoded(&plan_now))?;
        }
        Self::open(&path)
    }

    /// Opens a job that was begun.
    ///
    /// # Errors
    /// The folder can't be read, or holds a job of another lito.
    pub fn open(path: &Path) -> Result<Self, EngineError> {
        let file = path.join("plan.json");
        let plan: JobPlan = read(&file)?.ok_or_else(|| {
            problem(
                "reading the job",
                &file,
                "it is missing; was the job removed meanwhile?",
            )
        })?;
        if plan.schema != SCHEMA {
            let why = format!(
                "it is of the form `{}`, and this lito knows `{SCHEMA}`; remove the folder",
                plan.schema
            );
            return Err(problem("reading the job", &file, why));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = path.to_owned();
        Ok(Self { path, name, plan })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Identifies it in its repository.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of tasks.
    pub fn tasks(&self) -> u32 {
        u32::try_from(self.plan.stretches.len()).unwrap_or(u32::MAX)
    }

    /// The versions, in one stretch for each task.
    pub fn stretches(&self) -> &[Vec<CommitId>] {
        &self.plan.stretches
    }

    /// All versions, oldest first.
    pub fn versions(&self) -> impl Iterator<Item = CommitId> {
        self.plan.stretches.iter().flatten().copied()
    }

    /// Makes a version a task's own; false if another task has it. A claim that the task made before it was started again
    /// is still its own.
    pub fn claim(&self, commit: CommitId, task: u32) -> Result<bool, EngineError> {
        let claim = self.claim_path(commit);
        if write_new(&claim, task.to_string().as_bytes())? {
            return Ok(true);
        }
        Ok(owner(&claim)? == Some(task))
    }

    /// Gives a version back that a task has, and has not come to an end with.
    pub fn release(&self, commit: CommitId) -> Result<(), EngineError> {
        remove(&self.claim_path(commit))
    }

    /// The claimed versions, with the tasks that have them.
    pub fn claims(&self) -> Result<BTreeMap<CommitId, u32>, EngineError> {
        let folder = self.path.join("claims");
        let mut claims = BTreeMap::new();
        for name in names(&folder)? {
            // Files that are not finished have other names.
            if let (Ok(commit), Some(task)) = (name.parse(), owner(&folder.join(&name))?) {
                claims.insert(commit, task);
            }
        }
        Ok(claims)
    }

    /// Records what came of a version.
    pub fn finish(&self, commit: CommitId, outcome: &VersionOutcome) -> Result<(), EngineError> {
        write(&self.outcome_path(commit), &encoded(outcome))
    }

    /// True if something came of the version.
    pub fn is_finished(&self, commit: CommitId) -> bool {
        self.outcome_path(commit).exists()
    }

    /// The outcomes that are not among those of earlier calls.
    pub fn new_outcomes(&self, known: &BTreeSet<CommitId>) -> Result<Vec<(CommitId, VersionOutcome)>, EngineError> {
        let folder = self.path.join("outcomes");
        let commits = names(&folder)?
            .into_iter()
            .filter_map(|name| name.strip_suffix(".json")?.parse().ok());
        let new = commits.filter(|commit| !known.contains(commit));
        let outcomes = new.map(|commit| Ok(read(&self.outcome_path(commit))?.map(|outcome| (commit, outcome))));
        outcomes.filter_map(Result::transpose).collect()
    }

    /// The facts of the job's first machine: these, if this machine is the first.
    pub fn first_machine(&self, here: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, EngineError> {
        let file = self.path.join("machine.json");
        write_new(&file, &encoded(here))?;
        read(&file)?.ok_or_else(|| {
            problem(
                "reading the job",
                &file,
                "it is missing; was the job removed meanwhile?",
            )
        })
    }

    /// Records why a task gave up; without a reason, that it has none.
    pub fn set_problem(&self, task: u32, why: Option<&str>) -> Result<(), EngineError> {
        match why {
            Some(why) => write(&self.problem_path(task), why.as_bytes()),
            None => remove(&self.problem_path(task)),
        }
    }

    /// Why a task gave up.
    pub fn problem(&self, task: u32) -> Option<String> {
        fs::read_to_string(self.problem_path(task)).ok()
    }

    /// Removes the folder.
    pub fn remove(self) -> Result<(), EngineError> {
        fs::remove_dir_all(&self.path).map_err(|error| problem("removing the job", &self.path, error))
    }

    fn claim_path(&self, commit: CommitId) -> PathBuf {
        self.path.join("claims").join(commit.to_string())
    }

    fn outcome_path(&self, commit: CommitId) -> PathBuf {
        self.path.join("outcomes").join(format!("{commit}.json"))
    }

    fn problem_path(&self, task: u32) -> PathBuf {
        self.path.join("problems").join(task.to_string())
    }
}

fn problem(attempt: &str, path: &Path, why: impl std::fmt::Display) -> EngineError {
    EngineError::environment(format_args!("{attempt}: {}: {why}", path.display()))
}

fn encoded(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec_pretty(value).expect("texts, numbers and lists are always encoded")
}

/// The task that a claim names; `None` if the claim is gone.
fn owner(claim: &Path) -> Result<Option<u32>, EngineError> {
    match fs::read_to_string(claim) {
        Ok(text) => Ok(text.trim().parse().ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(problem("reading the job", claim, error)),
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, EngineError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| problem("reading the job", path, error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(problem("reading the job", path, error)),
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), EngineError> {
    whole_file::write(path, content).map_err(|error| EngineError::environment(format_args!("writing the job: {error}")))
}

/// Writes a file that nobody has written; false if somebody has.
fn write_new(path: &Path, content: &[u8]) -> Result<bool, EngineError> {
    whole_file::write_with(path, content, ExistingFilePolicy::Keep, NewFileMode::Usual)
        .map_err(|error| EngineError::environment(format_args!("writing the job: {error}")))
}

fn remove(path: &Path) -> Result<(), EngineError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(problem("writing the job", path, error)),
        _ => Ok(()),
    }
}

/// The names in a folder; none if there is no such folder yet.
fn names(folder: &Path) -> Result<Vec<String>, EngineError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(problem("reading the job", folder, error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| problem("reading the job", folder, error))?;
        names.extend(entry.file_name().into_string());
    }
    names.sort();
    Ok(names)
}
