//! Tasks as processes of this machine, all at once. They end with the lito that started them, also if it is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::{Executor, ExecutorError, TaskArray, TaskState};
use crate::process::{self, InterruptionFlag};

/// How often to look: it costs nothing here.
const INTERVAL: Duration = Duration::from_millis(100);

/// Memory that a build and its profiles take, in bytes: a compiler for a large crate, and a program under a profiler.
const MEMORY_OF_A_TASK: u64 = 2 << 30;

/// This machine.
#[derive(Default)]
pub struct LocalExecutor {
    running: Arc<Mutex<BTreeSet<u32>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    cancelled: InterruptionFlag,
}

impl LocalExecutor {
    /// Tasks that this machine can run at once: one for each core, if there is memory for them.
    #[must_use]
    pub fn capacity() -> u32 {
        let cores = thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX));
        let information = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let by_memory =
            available_memory(&information).map(|bytes| u32::try_from(bytes / MEMORY_OF_A_TASK).unwrap_or(1));
        by_memory.map_or(cores, |tasks| tasks.min(cores)).max(1)
    }
}

impl Executor for LocalExecutor {
    fn start(&self, array: &TaskArray, tasks: &[u32]) -> Result<(), ExecutorError> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|thread| !thread.is_finished());
        for &task in tasks {
            let (array, running, cancelled) = (array.clone(), Arc::clone(&self.running), self.cancelled.clone());
            running.lock().unwrap_or_else(PoisonError::into_inner).insert(task);
            threads.push(thread::spawn(move || {
                let said = run(&array, task, &cancelled);
                // Nobody needs a log that can't be written as much as the task's results.
                let _ = add_to_log(&array.log(task), &said);
                running.lock().unwrap_or_else(PoisonError::into_inner).remove(&task);
            }));
        }
        Ok(())
    }

    fn unfinished(&self, _array: &TaskArray) -> Result<BTreeMap<u32, TaskState>, ExecutorError> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(running.iter().map(|&task| (task, TaskState::Running)).collect())
    }

    fn cancel(&self, _array: &TaskArray) -> Result<(), ExecutorError> {
        self.cancelled.raise();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A thread that panicked runs no task any more.
            let _ = thread.join();
        }
        Ok(())
    }

    fn interval(&self) -> Duration {
        INTERVAL
    }
}

/// Runs a task to its end, and gives what it wrote.
fn run(array: &TaskArray, task: u32, cancelled: &InterruptionFlag) -> String {
    let command = array.command().arguments([task.to_string()]);
    match process::run(&command, cancelled) {
        Ok(finished) => format!(
            "{}{}task {task} {}\n",
            finished.stdout.text(),
            finished.stderr.text(),
            finished.ending()
        ),
        Err(error) => format!("task {task}: {error}\n"),
    }
}

fn add_to_log(path: &Path, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    let mut log = OpenOptions::new().create(true).append(true).open(path)?;
    log.write_all(text.as_bytes())
}

/// Memory in bytes that `/proc/meminfo` calls available.
fn available_memory(information: &str) -> Option<u64> {
    let line = information
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn array(folder: &Path, script: &str) -> TaskArray {
        TaskArray {
            name: "lito-test".to_owned(),
            folder: folder.to_owned(),
            directory: folder.to_owned(),
            program: "/bin/sh".into(),
            arguments: ["-c", script, "sh"].map(Into::into).into(),
        }
    }

    fn wait(executor: &LocalExecutor, array: &TaskArray) {
        while !executor.unfinished(array).unwrap().is_empty() {
            thread::sleep(INTERVAL);
        }
    }

    #[test]
    fn each_task_is_told_its_number_and_has_a_log_of_all_its_runs() {
        let folder = tempfile::tempdir().unwrap();
        let array = array(folder.path(), "echo number $1; test $1 != 2");
        let executor = LocalExecutor::default();
        executor.start(&array, &[1, 2]).unwrap();
        wait(&executor, &array);
        executor.start(&array, &[2]).unwrap();
        wait(&executor, &array);
        let log = |task| fs::read_to_string(array.log(task)).unwrap();
        assert_eq!(log(1), "number 1\ntask 1 exited with code 0\n");
        assert_eq!(log(2), "number 2\ntask 2 exited with code 1\n".repeat(2));
    }

    #[test]
    fn cancelling_ends_what_runs_and_returns_when_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let array = array(folder.path(), "touch started-$1; exec sleep 600");
        let executor = LocalExecutor::default();
        executor.start(&array, &[1, 2]).unwrap();
        assert_eq!(executor.unfinished(&array).unwrap().len(), 2);
        executor.cancel(&array).unwrap();
        assert!(executor.unfinished(&array).unwrap().is_empty());
    }

    #[test]
    fn available_memory_is_read_in_bytes() {
        let information = "MemTotal:       24689764 kB\nMemAvailable:   1024 kB\n";
        assert_eq!(available_memory(information), Some(1 << 20));
        assert_eq!(available_memory("MemTotal: 1 kB\n"), None);
    }
}
