//! A job, an executor → all its versions sampled: starts the tasks, looks at what came of them, starts those again that
//! were killed, and merges their parts of the store into one.
//!
//! Everything that is known of a job is in its folder and in the scheduler. So whoever sees both can watch it, and go on
//! where another watcher stopped. One of them at a time: two would start tasks twice.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use report::job_progress::JobProgress;
use runner::executors::{Executor, TaskArray, TaskState};
use runner::git::CommitId;
use runner::process::InterruptionFlag;
use runner::store::Store;

use super::expected_costs;
use super::folder::{JobFolder, VersionOutcome};
use super::merging;
use super::progress::{JobView, seconds_of};
use crate::error::EngineError;
use crate::task_watch::{MOST_STARTS, PatientLook, watch_alone};

/// Kills of tasks that took one version, until it is left alone: it may need more memory or time than tasks have.
const MOST_KILLS: u32 = 3;

/// Time for cancelled tasks to end: they store what they have.
const ENDING: Duration = Duration::from_secs(60);

/// An event of a job.
pub enum JobEvent<'a> {
    /// Something came of a version.
    Outcome(CommitId, &'a VersionOutcome),
    /// It went on.
    Progress(&'a JobProgress),
    /// Something is not as it should be, though the job goes on.
    Warning(String),
}

/// Everything that a job is watched with.
pub struct JobWatch<'a> {
    /// The job.
    pub job: JobFolder,
    /// Its tasks.
    pub array: &'a TaskArray,
    /// Their executor.
    pub executor: &'a dyn Executor,
    /// The store that all samples come into.
    pub store: &'a Store,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// Everything that a watcher remembers from look to look.
#[derive(Default)]
struct Memory {
    outcomes: BTreeMap<CommitId, VersionOutcome>,
    starts: BTreeMap<u32, u32>,
    kills: BTreeMap<CommitId, u32>,
    told: BTreeSet<u32>,
    look: PatientLook,
    has_looked: bool,
}

impl JobWatch<'_> {
    /// Watches the job to its end, and gives what came of each version. The job's folder is removed then.
    ///
    /// # Errors
    /// The user stops it, no task is left that can go on, or the folder, the scheduler or the store fail. What is
    /// sampled is in the store, and the same request goes on from there.
    pub fn to_the_end(
        self,
        tell: &mut dyn FnMut(JobEvent<'_>),
    ) -> Result<BTreeMap<CommitId, VersionOutcome>, EngineError> {
        let _alone = watch_alone(self.job.path())?;
        let mut memory = Memory::default();
        let ended = self.watch(&mut memory, tell);
        let have_tasks_ended = match &ended {
            Ok(()) => true,
            Err(EngineError::Interrupted) => self.cancel(tell),
            Err(_) => self.executor.unfinished(self.array).is_ok_and(|left| left.is_empty()),
        };
        self.store.merge_parts(self.job.name(), merging())?;
        if have_tasks_ended {
            self.store.remove_parts(self.job.name())?;
        }
        ended?;
        let seconds = memory
            .outcomes
            .iter()
            .filter_map(|(commit, outcome)| Some((*commit, seconds_of(outcome)?)));
        let jobs = self.job.path().parent().unwrap_or(self.job.path());
        expected_costs::remember(jobs, &seconds.collect::<Vec<_>>());
        self.job.remove()?;
        Ok(memory.outcomes)
    }

    fn watch(&self, memory: &mut Memory, tell: &mut dyn FnMut(JobEvent<'_>)) -> Result<(), EngineError> {
        let mut shown = None;
        loop {
            if self.interruption.is_raised() {
                return Err(EngineError::Interrupted);
            }
            // Before the outcomes: what ended before this has left its outcome.
            let warn = |text| tell(JobEvent::Warning(text));
            if let Some(unfinished) = memory.look.unfinished(self.executor, self.array, warn)? {
                let claims = self.job.claims()?;
                let unfinished = self.go_on(memory, (unfinished, &claims), tell)?;
                let progress = JobView {
                    job: &self.job,
                    outcomes: &memory.outcomes,
                    claims: &claims,
                    unfinished: &unfinished,
                }
                .progress();
                if shown.as_ref() != Some(&progress) {
                    tell(JobEvent::Progress(&progress));
                    shown = Some(progress);
                }
                if memory.outcomes.len() == self.job.versions().count() {
                    if unfinished.is_empty() {
                        return Ok(());
                    }
                    if !unfinished.values().any(|state| *state == TaskState::Running) {
                        // Tasks that only wait have nothing left to do.
                        self.executor.cancel(self.array)?;
                    }
                }
            }
            std::thread::sleep(self.executor.interval());
        }
    }

    /// Reads what came of versions, gives versions of killed tasks back, and starts tasks for what nobody has.
    fn go_on(
        &self,
        memory: &mut Memory,
        (mut unfinished, claims): (BTreeMap<u32, TaskState>, &BTreeMap<CommitId, u32>),
        tell: &mut dyn FnMut(JobEvent<'_>),
    ) -> Result<BTreeMap<u32, TaskState>, EngineError> {
        if !std::mem::replace(&mut memory.has_looked, true) {
            // Whoever asks again has mended what an earlier watcher was told of.
            for task in (1..=self.job.tasks()).filter(|task| !unfinished.contains_key(task)) {
                self.job.set_problem(task, None)?;
            }
        }
        self.read_outcomes(memory, tell)?;
        let mut free = Vec::new();
        for commit in self
            .job
            .versions()
            .filter(|commit| !memory.outcomes.contains_key(commit))
            .collect::<Vec<_>>()
        {
            let Some(&owner) = claims.get(&commit) else {
                free.push(commit);
                continue;
            };
            match unfinished.get(&owner) {
                Some(TaskState::Running) => {}
                // It lost its machine, and may wait long for another.
                Some(TaskState::Waiting(_)) => {
                    self.job.release(commit)?;
                    free.push(commit);
                }
                None => {
                    self.give_back(memory, commit, owner)?;
                    free.push(commit);
                }
            }
        }
        // A version that was lost now is no work any more.
        self.read_outcomes(memory, tell)?;
        free.retain(|commit| !memory.outcomes.contains_key(commit));
        if free.is_empty() {
            return Ok(unfinished);
        }
        let mut startable = Vec::new();
        for task in (1..=self.job.tasks()).filter(|task| !unfinished.contains_key(task)) {
            if let Some(why) = self.job.problem(task) {
                if memory.told.insert(task) {
                    tell(JobEvent::Warning(format!("task {task} gave up: {why}")));
                }
            } else if memory.starts.get(&task).copied().unwrap_or(0) < MOST_STARTS {
                startable.push(task);
            }
        }
        startable.truncate(free.len());
        if startable.is_empty() && unfinished.is_empty() {
            return Err(self.nobody_is_left(free.len()));
        }
        if !startable.is_empty() {
            self.executor.start(self.array, &startable)?;
        }
        for task in startable {
            *memory.starts.entry(task).or_default() += 1;
            unfinished.insert(task, TaskState::Waiting(String::new()));
        }
        Ok(unfinished)
    }

    fn read_outcomes(&self, memory: &mut Memory, tell: &mut dyn FnMut(JobEvent<'_>)) -> Result<(), EngineError> {
        let known = memory.outcomes.keys().copied().collect();
        for (commit, outcome) in self.job.new_outcomes(&known)? {
            tell(JobEvent::Outcome(commit, &outcome));
            memory.outcomes.insert(commit, outcome);
        }
        Ok(())
    }

    /// Takes a version from a task that ended without having come to an end with it.
    fn give_back(&self, memory: &mut Memory, commit: CommitId, owner: u32) -> Result<(), EngineError> {
        // It may have done so since the outcomes were read.
        if self.job.is_finished(commit) {
            return Ok(());
        }
        let killed = memory.kills.entry(commit).or_default();
        *killed += 1;
        if *killed == MOST_KILLS {
            let outcome = VersionOutcome::Lost {
                task: owner,
                killed: *killed,
            };
            return self.job.finish(commit, &outcome);
        }
        self.job.release(commit)
    }

    /// Ends the tasks, and waits until they have stored what they have. False if some may still run.
    fn cancel(&self, tell: &mut dyn FnMut(JobEvent<'_>)) -> bool {
        let started = Instant::now();
        let mut ended = self.executor.cancel(self.array).map(|()| false);
        while let Ok(false) = ended
            && started.elapsed() < ENDING
        {
            std::thread::sleep(self.executor.interval());
            ended = self.executor.unfinished(self.array).map(|left| left.is_empty());
        }
        ended.unwrap_or_else(|error| {
            tell(JobEvent::Warning(format!("tasks may still run: {error}")));
            false
        })
    }

    fn nobody_is_left(&self, left: usize) -> EngineError {
        let why = (1..=self.job.tasks()).find_map(|task| self.job.problem(task));
        let why = why.unwrap_or_else(|| {
            format!(
                "every task was killed {MOST_STARTS} times; their logs are in {}",
                self.array.folder.join("logs").display()
            )
        });
        EngineError::environment(format_args!(
            "sampling: {}: no task is left that can take them: {why}; what is sampled is in the store, and the same \
             command goes on from there",
            report::number_format::counted_noun(left, "version")
        ))
    }
}
