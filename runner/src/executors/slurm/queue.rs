//! The lines of `squeue` → tasks that have not ended.

use std::collections::BTreeMap;

use super::super::TaskState;

/// The task's number, its state, and the reason of its state, which may hold any character.
pub(super) const FORMAT: &str = "%K|%T|%r";

/// States of jobs that are still listed for some minutes after their end.
const ENDED: [&str; 10] = [
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "REVOKED",
    "TIMEOUT",
];

/// States in which a task has its machine.
const RUNNING: [&str; 5] = ["COMPLETING", "CONFIGURING", "RUNNING", "STAGE_OUT", "SUSPENDED"];

/// The tasks in lines of [`FORMAT`]. Lines of jobs that are no arrays have no number, and are not of lito.
pub(super) fn tasks(lines: &str) -> BTreeMap<u32, TaskState> {
    lines
        .lines()
        .filter_map(|line| {
            let mut fields = line.splitn(3, '|').map(str::trim);
            let (task, state, reason) = (fields.next()?.parse().ok()?, fields.next()?, fields.next()?);
            match state {
                state if ENDED.contains(&state) => None,
                state if RUNNING.contains(&state) => Some((task, TaskState::Running)),
                _ => Some((task, TaskState::Waiting(reason.to_owned()))),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_wait_and_run_are_told_apart_and_ended_ones_left_out() {
        let lines =
            "3|PENDING|Resources\n1|RUNNING|None\n2|COMPLETING|None\n4|FAILED|NonZeroExitCode\nN/A|RUNNING|None\n";
        let expected = [
            (1, TaskState::Running),
            (2, TaskState::Running),
            (3, TaskState::Waiting("Resources".to_owned())),
        ];
        assert_eq!(tasks(lines), expected.into());
        assert!(tasks("").is_empty());
    }

    #[test]
    fn a_requeued_task_waits_and_a_reason_may_hold_bars() {
        let lines = "7|REQUEUED|a|b\n";
        assert_eq!(tasks(lines), [(7, TaskState::Waiting("a|b".to_owned()))].into());
    }
}
