//! Tasks as a job array of Slurm. The scheduler alone knows their state: arrays are found again by their name, from
//! whatever machine has Slurm's commands.

mod queue;
mod script;

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Executor, ExecutorError, TaskArray, TaskState};
use crate::process::{self, InterruptionFlag, Invocation};
use crate::whole_file;

/// How often to ask: schedulers serve many users, and a task takes minutes.
const INTERVAL: Duration = Duration::from_secs(5);

/// Time for one command of Slurm: a busy controller answers within its own message timeout of 10 s, or tries again.
const COMMAND_TIME_LIMIT: Duration = Duration::from_secs(120);

/// The script of an array's tasks, in the array's folder.
const TASK_SCRIPT: &str = "task.sh";

/// The script of the command that follows an array.
const FOLLOWING_SCRIPT: &str = "afterwards.sh";

/// A Slurm cluster.
#[derive(Debug, Clone, Default)]
pub struct SlurmExecutor {
    /// Options of `sbatch` for each task, such as `--partition=long`.
    pub options: Vec<String>,
}

impl SlurmExecutor {
    /// Starts tasks, and a command once all of them have ended, however they end: it depends on them.
    ///
    /// # Errors
    /// Nothing was started, or the tasks alone.
    pub fn start_and_follow(
        &self,
        array: &TaskArray,
        tasks: &[u32],
        following: &Invocation,
    ) -> Result<(), ExecutorError> {
        let job = self.submit_array(array, tasks)?;
        let path = array.folder.join(FOLLOWING_SCRIPT);
        whole_file::write(&path, script::following(array, following)?)?;
        let submission = self
            .submission(array, &format!("{}-afterwards", array.name), "afterwards")
            .arguments([format!("--dependency=afterany:{job}")])
            .arguments(&self.options)
            .arguments([path]);
        self.answer("submitting what follows the tasks", &submission).map(drop)
    }

    /// Submits tasks; gives the number of the job.
    fn submit_array(&self, array: &TaskArray, tasks: &[u32]) -> Result<String, ExecutorError> {
        let path = array.folder.join(TASK_SCRIPT);
        whole_file::write(&path, script::task(array)?)?;
        // Slurm ends a task whose log it can't create, without a word.
        whole_file::prepare_folder(&array.log(1))?;
        let submission = self
            .submission(array, &array.name, "%a")
            .arguments([format!("--array={}", script::numbers(tasks))])
            .arguments(&self.options)
            .arguments([path]);
        let said = self.answer("submitting tasks", &submission)?;
        // `--parsable`: the number, and on federated clusters the cluster's name behind a semicolon.
        Ok(said.trim().split(';').next().unwrap_or_default().to_owned())
    }

    /// The part of `sbatch` that users' variables and options do not change.
    fn submission(&self, array: &TaskArray, name: &str, log: &str) -> Invocation {
        let logs = array.folder.join("logs").join(format!("{log}.log"));
        self.command("sbatch", array).arguments([
            "--parsable".to_owned(),
            format!("--job-name={name}"),
            format!("--output={}", logs.display()),
            "--open-mode=append".to_owned(),
            format!("--chdir={}", array.directory.display()),
        ])
    }

    fn command(&self, program: &str, array: &TaskArray) -> Invocation {
        Invocation::new(program, &array.directory, COMMAND_TIME_LIMIT)
    }

    /// The standard output of a command of Slurm that succeeds. It is not interrupted: whoever wants to stop has to know
    /// what still runs.
    fn answer(&self, attempt: &'static str, command: &Invocation) -> Result<String, ExecutorError> {
        let finished = process::run(command, &InterruptionFlag::default())
            .map_err(|source| ExecutorError::Program { attempt, source })?;
        if finished.status.success() {
            return Ok(finished.stdout.text());
        }
        Err(ExecutorError::Refused {
            attempt,
            command: command.to_string(),
            ending: finished.ending(),
            said: finished.stderr.last_lines(3),
        })
    }
}

impl Executor for SlurmExecutor {
    fn start(&self, array: &TaskArray, tasks: &[u32]) -> Result<(), ExecutorError> {
        self.submit_array(array, tasks).map(drop)
    }

    fn unfinished(&self, array: &TaskArray) -> Result<BTreeMap<u32, TaskState>, ExecutorError> {
        let question = self.command("squeue", array).arguments([
            "--noheader".to_owned(),
            "--me".to_owned(),
            "--array".to_owned(),
            format!("--name={}", array.name),
            format!("--format={}", queue::FORMAT),
        ]);
        Ok(queue::tasks(&self.answer("asking for the tasks", &question)?))
    }

    fn cancel(&self, array: &TaskArray) -> Result<(), ExecutorError> {
        // The task alone is told, and ends what it runs: Slurm would end all of its processes at once.
        for which in [&["--state=PENDING"][..], &["--batch", "--signal=TERM"]] {
            let order = self
                .command("scancel", array)
                .arguments(["--me".to_owned(), format!("--name={}", array.name)])
                .arguments(which);
            self.answer("cancelling the tasks", &order)?;
        }
        Ok(())
    }

    fn interval(&self) -> Duration {
        INTERVAL
    }
}
