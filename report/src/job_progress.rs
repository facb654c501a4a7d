//! How far a sampling job of many tasks is: the contract `lito.job-progress/1`, and its line.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{number_format, text};

/// The version of the contract.
pub const SCHEMA: &str = "lito.job-progress/1";

/// How far a sampling job is. One line of JSON each time that something changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JobProgress {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Identifies the job in its repository.
    pub job: String,
    /// The number of its versions.
    pub versions: usize,
    /// Versions that tasks have come to an end with, failed ones among them.
    pub done: usize,
    /// Versions that are being sampled.
    pub running: Vec<RunningVersion>,
    /// Versions without a profile.
    pub failed: Vec<FailedVersion>,
    /// Tasks that run.
    pub tasks_running: usize,
    /// Tasks that wait for a machine.
    pub tasks_waiting: usize,
    /// Why tasks wait, in the scheduler's words.
    pub waiting_for: Vec<String>,
    /// Seconds until the end, as versions took so far; `null` while nothing is known or nothing runs.
    pub seconds_left: Option<f64>,
}

/// A version that is being sampled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunningVersion {
    /// The version.
    pub commit: String,
    /// The number of the task.
    pub task: u32,
}

/// A version without a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailedVersion {
    /// The version.
    pub commit: String,
    /// Why.
    pub reason: String,
    /// The log of the task that tried it, in the job's folder.
    pub log: String,
}

/// The progress as one line of JSON.
#[must_use]
pub fn json(progress: &JobProgress) -> String {
    let json = serde_json::to_string(progress).expect("strings and numbers are always encoded");
    format!("{json}\n")
}

/// The part of the line for people that stands behind the number of versions: `3 tasks run, 5 wait (Resources), 1 failed`.
#[must_use]
pub fn line(progress: &JobProgress) -> String {
    let verb = if progress.tasks_running == 1 { "runs" } else { "run" };
    let mut line = format!("{} {verb}", number_format::counted_noun(progress.tasks_running, "task"));
    if progress.tasks_waiting > 0 {
        line.push_str(&format!(", {} wait", progress.tasks_waiting));
        let reasons = progress.waiting_for.join(", ");
        if !reasons.is_empty() {
            line.push_str(&format!(" ({})", text::safe(&reasons)));
        }
    }
    if !progress.failed.is_empty() {
        line.push_str(&format!(", {} failed", progress.failed.len()));
    }
    if let Some(seconds) = progress.seconds_left {
        line.push_str(&format!(", {} left", number_format::duration(seconds)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_runs_waits_and_failed() {
        let mut progress = JobProgress {
            schema: SCHEMA,
            job: "a".to_owned(),
            versions: 9,
            done: 3,
            running: Vec::new(),
            failed: Vec::new(),
            tasks_running: 1,
            tasks_waiting: 0,
            waiting_for: Vec::new(),
            seconds_left: None,
        };
        assert_eq!(line(&progress), "1 task runs");
        progress.failed.push(FailedVersion {
            commit: "c".to_owned(),
            reason: "r".to_owned(),
            log: "l".to_owned(),
        });
        progress.tasks_running = 3;
        progress.tasks_waiting = 5;
        progress.waiting_for.push("Resources".to_owned());
        progress.seconds_left = Some(90.0);
        assert_eq!(
            line(&progress),
            "3 tasks run, 5 wait (Resources), 1 failed, 1 min 30 s left"
        );
    }
}
