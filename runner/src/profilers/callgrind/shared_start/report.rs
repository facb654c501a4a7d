//! Runs of a program ↔ the file that asks for them and the file that tells of them; see `runtime.rs`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// A run to be asked for.
pub(super) struct RequestedRun<'r> {
    /// Its limit.
    pub(super) limit: Duration,
    /// As many for each.
    pub(super) arguments: &'r [OsString],
}

/// The text that asks for runs. No run begins later than `budget` after the first.
pub(super) fn requested(report: &Path, budget: Duration, runs: &[RequestedRun<'_>]) -> Vec<u8> {
    let each = runs.first().map_or(0, |run| run.arguments.len());
    let mut bytes = Vec::new();
    let mut add = |text: &OsStr| {
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    };
    add(report.as_os_str());
    add(each.to_string().as_ref());
    add(budget.as_millis().to_string().as_ref());
    for run in runs {
        add(run.limit.as_millis().to_string().as_ref());
        run.arguments.iter().for_each(|argument| add(argument));
    }
    bytes
}

/// The process of each of `count` runs that ended well; `None` for the others, and for all if the report is malformed.
pub(super) fn ended_well(report: &str, count: usize) -> Vec<Option<u32>> {
    let mut processes = vec![None; count];
    let mut well = vec![None; count];
    for line in report.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let known = match words[..] {
            [what, run, value] => run.parse::<usize>().ok().filter(|run| *run < count).zip(
                // A status of -1 is written as a number beyond 32 bits.
                value.parse::<u64>().ok().map(|value| (what, value)),
            ),
            _ => None,
        };
        match known {
            Some((run, ("s", process))) if processes[run].is_none() => processes[run] = u32::try_from(process).ok(),
            Some((run, ("e", 0))) if well[run].is_none() => well[run] = processes[run],
            Some((_, ("e", _))) => {}
            _ => return vec![None; count],
        }
    }
    well
}

/// The number of runs that ended at their limit.
pub(super) fn overdue(report: &str) -> usize {
    let killed = |line: &&str| line.starts_with("e ") && line.ends_with(" 9");
    report.lines().filter(killed).count()
}

/// The processes of the runs that began.
pub(super) fn started(report: &str) -> Vec<u32> {
    let processes = report
        .lines()
        .filter_map(|line| line.strip_prefix("s ")?.split(' ').nth(1));
    processes.map(|process| process.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_fail_or_never_end_are_left_out() {
        let report = "s 0 70\ne 0 0\ns 1 71\ne 1 25856\ns 2 72\n";
        assert_eq!(ended_well(report, 4), [Some(70), None, None, None]);
        assert_eq!(ended_well("s 0 70\ne 0 18446744073709551615\n", 1), [None]);
        assert_eq!(overdue("s 0 70\ne 0 0\ns 1 79\ne 1 9\ns 9 72\ne 9 256\n"), 1);
    }

    #[test]
    fn a_report_that_does_not_fit_counts_for_nothing() {
        for report in [
            "s 0 70\ne 0 0\ns 5 1\n",
            "s 0 70\ne 0 0\nx\n",
            "s 0 70\ns 0 71\ne 0 0\n",
        ] {
            assert_eq!(ended_well(report, 2), [None, None], "{report}");
        }
    }

    #[test]
    fn an_end_without_a_start_has_no_process() {
        assert_eq!(ended_well("e 0 0\n", 1), [None]);
    }

    #[test]
    fn texts_end_with_a_zero_byte() {
        let arguments = ["--exact".into(), "a::b".into()];
        let run = RequestedRun {
            limit: Duration::from_secs(2),
            arguments: &arguments,
        };
        let bytes = requested(Path::new("/tmp/r"), Duration::from_secs(10), &[run]);
        assert_eq!(bytes, b"/tmp/r\x002\x0010000\x002000\0--exact\0a::b\0");
    }
}
