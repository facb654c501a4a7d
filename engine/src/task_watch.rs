//! Tasks that say when they have come to their end → all of them at their end: starts them through an executor, and those
//! again that were killed.
//!
//! A task leaves a file, with its error if it has one. So whoever sees the folder and the scheduler can go on where
//! another watcher stopped.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use runner::executors::{Executor, ExecutorError, TaskArray, TaskState};
use runner::process::InterruptionFlag;
use runner::whole_file;

use crate::error::EngineError;

/// Starts of one task. One that was killed so often is not started again.
pub(crate) const MOST_STARTS: u32 = 4;

/// Looks in a row that a scheduler may leave unanswered: it may be restarted meanwhile.
const UNANSWERED_LOOKS: u32 = 60;

/// Asks for unfinished tasks, with patience for a scheduler that does not answer.
#[derive(Default)]
pub(crate) struct PatientLook {
    unanswered: u32,
}

impl PatientLook {
    /// The unfinished tasks; `None` while the scheduler does not answer, with why the first time.
    pub(crate) fn unfinished(
        &mut self,
        executor: &dyn Executor,
        array: &TaskArray,
        warn: impl FnOnce(String),
    ) -> Result<Option<BTreeMap<u32, TaskState>>, EngineError> {
        match executor.unfinished(array) {
            Ok(unfinished) => {
                self.unanswered = 0;
                Ok(Some(unfinished))
            }
            Err(error @ ExecutorError::Refused { .. }) if self.unanswered < UNANSWERED_LOOKS => {
                self.unanswered += 1;
                if self.unanswered == 1 {
                    warn(format!("{error}; asking again"));
                }
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl From<ExecutorError> for EngineError {
    fn from(error: ExecutorError) -> Self {
        Self::environment(error)
    }
}

/// The file in a folder of tasks that their watcher holds the system's lock on.
const WATCHER: &str = "watcher.lock";

/// Makes this process the watcher of the tasks in a folder, until the file is dropped.
///
/// # Errors
/// Another process watches them: two would start tasks twice.
pub(crate) fn watch_alone(folder: &Path) -> Result<File, EngineError> {
    let path = folder.join(WATCHER);
    let failed = |error: &dyn std::fmt::Display| {
        EngineError::environment(format_args!("watching the tasks: {}: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let file = File::create(&path).map_err(|error| failed(&error))?;
    match file.try_lock() {
        // Where a file system knows no locks, nobody can tell.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(EngineError::request(format_args!(
            "watching the tasks: {}: another lito watches them, here or on another machine; wait for it, or stop it and \
             repeat the command",
            folder.display()
        ))),
    }
}

/// Digits that tell one user's tasks apart.
const NAME_DIGITS: usize = 16;

/// A name for tasks of these facts: the same request has the same name, from whatever machine.
#[must_use]
pub fn name_of(facts: &[u8]) -> String {
    blake3::hash(facts).to_hex()[..NAME_DIGITS].to_owned()
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    /// It did its work.
    Done,
    /// It could not, for this reason.
    Failed(String),
    /// It was killed as often as it was started.
    Killed,
}

/// An event of a watch.
pub enum TaskEvent {
    /// A task came to its end.
    Ended(u32, TaskEnd),
    /// So many tasks run, and so many wait.
    Unfinished {
        /// Tasks that have a machine.
        running: usize,
        /// Tasks that wait for one.
        waiting: usize,
    },
    /// Something is not as it should be, though the tasks go on.
    Warning(String),
}

/// Everything that tasks are watched with.
pub struct TaskWatch<'a> {
    /// The tasks' command.
    pub array: &'a TaskArray,
    /// Their number.
    pub tasks: u32,
    /// The executor that runs them.
    pub executor: &'a dyn Executor,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

impl TaskWatch<'_> {
    /// Watches the tasks until each has come to its end, and removes the array's folder.
    ///
    /// # Errors
    /// The user stops it, or the folder or the scheduler fail. Tasks that are done stay done.
    pub fn to_the_end(&self, tell: &mut dyn FnMut(TaskEvent)) -> Result<BTreeMap<u32, TaskEnd>, EngineError> {
        let _alone = watch_alone(&self.array.folder)?;
        let ended = self.watch(tell);
        if let Err(EngineError::Interrupted) = ended {
            self.executor.cancel(self.array)?;
        }
        let ended = ended?;
        let folder = &self.array.folder;
        fs::remove_dir_all(folder).map_err(|error| {
            EngineError::environment(format_args!(
                "removing the tasks' folder: {}: {error}",
                folder.display()
            ))
        })?;
        Ok(ended)
    }

    fn watch(&self, tell: &mut dyn FnMut(TaskEvent)) -> Result<BTreeMap<u32, TaskEnd>, EngineError> {
        let mut ended: BTreeMap<u32, TaskEnd> = BTreeMap::new();
        let mut starts: BTreeMap<u32, u32> = BTreeMap::new();
        let mut look = PatientLook::default();
        let mut shown = None;
        loop {
            if self.interruption.is_raised() {
                return Err(EngineError::Interrupted);
            }
            let warn = |text| tell(TaskEvent::Warning(text));
            // Before the files: a task that ended before this has left its own.
            if let Some(unfinished) = look.unfinished(self.executor, self.array, warn)? {
                let is_over = |task: &u32| !unfinished.contains_key(task) && !ended.contains_key(task);
                let mut startable = Vec::new();
                for task in (1..=self.tasks).filter(is_over).collect::<Vec<_>>() {
                    let end = match read_end(&self.array.folder, task)? {
                        // What another watcher was told of is tried again.
                        Some(TaskEnd::Failed(_)) if !starts.contains_key(&task) => None,
                        None if starts.get(&task) == Some(&MOST_STARTS) => Some(TaskEnd::Killed),
                        end => end,
                    };
                    match end {
                        Some(end) => {
                            tell(TaskEvent::Ended(task, end.clone()));
                            ended.insert(task, end);
                        }
                        None => startable.push(task),
                    }
                }
                if !startable.is_empty() {
                    self.executor.start(self.array, &startable)?;
                }
                for task in &startable {
                    *starts.entry(*task).or_default() += 1;
                }
                let running = unfinished
                    .values()
                    .filter(|state| **state == TaskState::Running)
                    .count();
                let waiting = unfinished.len() - running + startable.len();
                if shown.replace((running, waiting)) != Some((running, waiting)) {
                    tell(TaskEvent::Unfinished { running, waiting });
                }
                if ended.len() == self.tasks as usize {
                    return Ok(ended);
                }
            }
            std::thread::sleep(self.executor.interval());
        }
    }
}

/// Records, for those who watch, that a task came to its end.
///
/// # Errors
/// The file can't be written.
pub fn record_end<T>(folder: &Path, task: u32, outcome: &Result<T, String>) -> Result<(), EngineError> {
    let error = outcome.as_ref().err().map_or("", String::as_str);
    whole_file::write(&end_path(folder, task), error)
        .map_err(|error| EngineError::environment(format_args!("recording the end of a task: {error}")))
}

fn read_end(folder: &Path, task: u32) -> Result<Option<TaskEnd>, EngineError> {
    let path = end_path(folder, task);
    match fs::read_to_string(&path) {
        Ok(error) if error.is_empty() => Ok(Some(TaskEnd::Done)),
        Ok(error) => Ok(Some(TaskEnd::Failed(error))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let path = path.display();
            Err(EngineError::environment(format_args!(
                "reading the end of a task: {path}: {error}"
            )))
        }
    }
}

fn end_path(folder: &Path, task: u32) -> PathBuf {
    folder.join("ends").join(task.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::cell::RefCell;
    use std::time::Duration;

    use super::*;

    /// An executor whose tasks end at once: as the number of the task and of its start says.
    struct PlayedExecutor<F: Fn(u32, u32)> {
        starts: RefCell<BTreeMap<u32, u32>>,
        cancelled: RefCell<bool>,
        run: F,
    }

    impl<F: Fn(u32, u32)> PlayedExecutor<F> {
        fn new(run: F) -> Self {
            Self {
                starts: RefCell::default(),
                cancelled: RefCell::default(),
                run,
            }
        }
    }

    impl<F: Fn(u32, u32)> Executor for PlayedExecutor<F> {
        fn start(&self, _: &TaskArray, tasks: &[u32]) -> Result<(), ExecutorError> {
            for &task in tasks {
                let mut starts = self.starts.borrow_mut();
                let start = starts.entry(task).or_default();
                *start += 1;
                (self.run)(task, *start);
            }
            Ok(())
        }

        fn unfinished(&self, _: &TaskArray) -> Result<BTreeMap<u32, TaskState>, ExecutorError> {
            Ok(BTreeMap::new())
        }

        fn cancel(&self, _: &TaskArray) -> Result<(), ExecutorError> {
            self.cancelled.replace(true);
            Ok(())
        }

        fn interval(&self) -> Duration {
            Duration::ZERO
        }
    }

    fn array(folder: &Path) -> TaskArray {
        TaskArray {
            name: "lito-test".to_owned(),
            folder: folder.join("tasks"),
            directory: folder.to_owned(),
            program: "lito".into(),
            arguments: Vec::new(),
        }
    }

    fn watch(array: &TaskArray, executor: &dyn Executor, interruption: &InterruptionFlag) -> TaskResults {
        let watch = TaskWatch {
            array,
            tasks: 3,
            executor,
            interruption,
        };
        watch.to_the_end(&mut |_| {})
    }

    type TaskResults = Result<BTreeMap<u32, TaskEnd>, EngineError>;

    #[test]
    fn killed_tasks_are_started_again_and_failed_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let array = array(folder.path());
        let end = |task, outcome: Result<(), &str>| {
            record_end(&array.folder, task, &outcome.map_err(str::to_owned)).unwrap();
        };
        let executor = PlayedExecutor::new(|task, start| match (task, start) {
            (1, 3) => end(1, Ok(())),
            (2, 1) => end(2, Err("no benchmark")),
            _ => {}
        });
        let ended = watch(&array, &executor, &InterruptionFlag::default()).unwrap();
        let expected = [
            (1, TaskEnd::Done),
            (2, TaskEnd::Failed("no benchmark".to_owned())),
            (3, TaskEnd::Killed),
        ];
        assert_eq!(ended, expected.into());
        assert_eq!(executor.starts.into_inner(), [(1, 3), (2, 1), (3, MOST_STARTS)].into());
        assert!(!array.folder.exists());
    }

    #[test]
    fn another_watcher_starts_what_failed_and_leaves_what_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let array = array(folder.path());
        record_end(&array.folder, 1, &Ok(())).unwrap();
        record_end::<()>(&array.folder, 2, &Err("no disk".to_owned())).unwrap();
        let executor = PlayedExecutor::new(|task, _| record_end(&array.folder, task, &Ok(())).unwrap());
        let ended = watch(&array, &executor, &InterruptionFlag::default()).unwrap();
        assert!(ended.values().all(|end| *end == TaskEnd::Done), "{ended:?}");
        assert_eq!(executor.starts.into_inner(), [(2, 1), (3, 1)].into());
    }

    #[test]
    fn an_interrupted_watch_cancels_its_tasks_and_keeps_their_ends() {
        let folder = tempfile::tempdir().unwrap();
        let array = array(folder.path());
        let interruption = InterruptionFlag::default();
        let executor = PlayedExecutor::new(|task, _| {
            record_end(&array.folder, task, &Ok(())).unwrap();
            interruption.raise();
        });
        let ended = watch(&array, &executor, &interruption);
        assert!(matches!(ended, Err(EngineError::Interrupted)), "{ended:?}");
        assert!(executor.cancelled.into_inner());
        assert_eq!(read_end(&array.folder, 1).unwrap(), Some(TaskEnd::Done));
    }
}
