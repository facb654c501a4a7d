//! A command line, and the numbers of tasks that run it → the tasks, started on this machine or handed to the scheduler of
//! a cluster, watched, and cancelled.
//!
//! An executor starts what it is told, and says what has not ended. Who divides work into tasks, and who starts a task
//! again that was killed, is decided elsewhere: nothing here knows what a task does.

pub mod local;
pub mod slurm;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::process::{Invocation, ProcessError};
use crate::whole_file::FileWriteError;

/// A task has no time limit of lito's own: the scheduler's holds, and the user's patience.
const TASK_TIME_LIMIT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Many runs of one command line, each with a number of its own.
#[derive(Debug, Clone)]
pub struct TaskArray {
    /// Identifies it among all of this user's on the cluster: lower-case letters, digits and `-`.
    pub name: String,
    /// The folder of its scripts and logs. On a cluster, all machines must see it at this path.
    pub folder: PathBuf,
    /// The folder that tasks run in. On a cluster, all machines must see it at this path.
    pub directory: PathBuf,
    /// The program.
    pub program: PathBuf,
    /// Its arguments; the number of the task follows.
    pub arguments: Vec<OsString>,
}

impl TaskArray {
    /// The command of a task, without its number.
    fn command(&self) -> Invocation {
        Invocation::new(&self.program, &self.directory, TASK_TIME_LIMIT).arguments(self.arguments.clone())
    }

    /// The file of all that a task wrote on its standard output and error, in all its runs.
    #[must_use]
    pub fn log(&self, task: u32) -> PathBuf {
        self.folder.join("logs").join(format!("{task}.log"))
    }
}

/// The state of a task that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskState {
    /// It waits for a machine, for this reason in the scheduler's words.
    Waiting(String),
    /// It runs.
    Running,
}

/// Something that runs tasks.
pub trait Executor {
    /// Starts tasks of these numbers, each counted from 1.
    ///
    /// # Errors
    /// None of them was started.
    fn start(&self, array: &TaskArray, tasks: &[u32]) -> Result<(), ExecutorError>;

    /// The tasks that have not ended, whoever started them.
    ///
    /// # Errors
    /// The scheduler can't be asked now.
    fn unfinished(&self, array: &TaskArray) -> Result<BTreeMap<u32, TaskState>, ExecutorError>;

    /// Ends all tasks of the array. What a task has finished stays.
    ///
    /// # Errors
    /// The scheduler can't be asked now: tasks may still run.
    fn cancel(&self, array: &TaskArray) -> Result<(), ExecutorError>;

    /// How often to ask for the unfinished tasks.
    fn interval(&self) -> Duration;
}

/// The reason why an executor did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ExecutorError {
    /// The scheduler's program is not here, or did not answer.
    #[error("{attempt}: {source}; run this where the scheduler's commands are, such as a login node")]
    Program {
        /// The attempt.
        attempt: &'static str,
        /// Why there is no answer.
        source: ProcessError,
    },
    /// The scheduler refused.
    #[error("{attempt}: `{command}` {ending}: {said}")]
    Refused {
        /// The attempt.
        attempt: &'static str,
        /// The command line.
        command: String,
        /// How the scheduler's program ended.
        ending: String,
        /// Its last words.
        said: String,
    },
    /// A file of the array can't be written.
    #[error("preparing tasks: {0}")]
    File(#[from] FileWriteError),
    /// A path can't be written into a script.
    #[error("preparing tasks: {}: the path is not UTF-8, so no script can name it; use another folder", .0.display())]
    Path(PathBuf),
}
