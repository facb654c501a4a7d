//! The parts of a trace that callgrind wrote, one for each reading of the clock or mark → those that belong to the subject.
//!
//! Benchmark frameworks read the clock immediately before and after the measured code. Since each reading ends a part,
//! the measured code is a part of its own without set-up and clean-up, even if the optimiser inlined all of it into one
//! function.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::benchmark::{BenchmarkSubject, ClockedEnd, MARK};

/// The function whose entry ends a part of a clocked subject; Rust's `Instant::now` calls it on Linux.
pub(super) const CLOCK: &str = "clock_gettime*";

/// Bytes at the start of a part that say why it was written, behind the command line.
const HEAD: u64 = 64 << 10;

/// Bytes at the end of a part that contain its total.
const TAIL: u64 = 4096;

/// All parts of a run in the order in which they were written: `out.1`, `out.2`, …, `out`.
pub(super) fn parts(output: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = output.parent().unwrap_or(Path::new("."));
    let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut numbered: Vec<(u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let other = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let number = other.strip_prefix(&name).and_then(|rest| rest.strip_prefix('.'));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            numbered.push((number, path));
        }
    }
    numbered.sort();
    let last = output.is_file().then(|| output.to_owned());
    Ok(numbered.into_iter().map(|(_, path)| path).chain(last).collect())
}

/// The function whose entry ends a part, if the subject lies between two entries of one.
pub(super) fn end_of_parts(subject: &BenchmarkSubject) -> Option<&'static str> {
    match subject {
        BenchmarkSubject::Clocked { .. } | BenchmarkSubject::FirstClocked { .. } => Some(CLOCK),
        BenchmarkSubject::Marked => Some(MARK),
        BenchmarkSubject::Process
        | BenchmarkSubject::FurtherIterations { .. }
        | BenchmarkSubject::Function(_)
        | BenchmarkSubject::Pattern(_) => None,
    }
}

/// The parts between the first mark and the last; none if there are not two.
pub(super) fn marked_parts(parts: &[PathBuf]) -> &[PathBuf] {
    let end = parts.len().saturating_sub(1);
    parts.get(1..end).unwrap_or_default()
}

/// The parts of the first interval between readings of the clock while costs are collected; none if it did not end.
pub(super) fn first_interval(parts: Vec<PathBuf>, until: ClockedEnd) -> io::Result<Vec<PathBuf>> {
    let mut search = FirstInterval::new(until);
    for part in parts {
        if search.take(part)? {
            return Ok(search.found);
        }
    }
    Ok(Vec::new())
}

/// The search for the first interval, part after part.
struct FirstInterval {
    until: ClockedEnd,
    /// True once the set-up is over: the first part with costs, which the first reading ends.
    has_begun: bool,
    found: Vec<PathBuf>,
}

impl FirstInterval {
    fn new(until: ClockedEnd) -> Self {
        Self {
            until,
            has_begun: false,
            found: Vec::new(),
        }
    }

    /// Takes the next part; true if the interval is whole.
    fn take(&mut self, part: PathBuf) -> io::Result<bool> {
        if total(&part)? == 0 {
            return Ok(false);
        }
        if !self.has_begun {
            self.has_begun = true;
            return Ok(false);
        }
        match self.until {
            ClockedEnd::Second => self.found.push(part),
            // The part behind the last reading.
            ClockedEnd::LastOfCall if ends_with_a_return(&part)? => {}
            ClockedEnd::LastOfCall => {
                self.found.push(part);
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Tells whether the parts written so far hold the first interval. Looks at each part once.
pub(super) struct FirstIntervalWatch {
    output: PathBuf,
    /// Parts that are known to be whole, because a later one is there.
    seen: u64,
    search: FirstInterval,
    is_whole: bool,
}

impl FirstIntervalWatch {
    /// A watch over the parts of a run that writes `out.PID.1`, `out.PID.2`, … in this folder.
    pub(super) fn new(output: PathBuf, until: ClockedEnd) -> Self {
        Self {
            output,
            seen: 0,
            search: FirstInterval::new(until),
            is_whole: false,
        }
    }

    /// True once the interval is written to its end. A part that cannot be read is looked at again.
    pub(super) fn is_written(&mut self) -> bool {
        let part = |number: u64| {
            let mut name = self.output.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        while !self.is_whole && part(self.seen + 2).exists() {
            match self.search.take(part(self.seen + 1)) {
                Ok(is_whole) => self.is_whole = is_whole,
                Err(_) => return false,
            }
            self.seen += 1;
        }
        self.is_whole
    }
}

/// The parts with collected costs, except for the `depth` first and the `depth` last; all of them if the clock was read
/// less often.
pub(super) fn subject_parts(parts: Vec<PathBuf>, depth: usize) -> io::Result<Vec<PathBuf>> {
    let mut collected = Vec::new();
    for part in parts {
        if total(&part)? > 0 {
            collected.push(part);
        }
    }
    if collected.len() > 2 * depth {
        collected.truncate(collected.len() - depth);
        collected.drain(..depth);
    }
    Ok(collected)
}

/// The parts of a subject, of a run whose parts hold the whole process and end at the subject's `functions` as well: those that
/// [`subject_parts()`] returns of a run that collects costs in these alone. `None` if a part does not tell why it was written.
pub(super) fn subject_parts_of_process(
    parts: &[PathBuf],
    functions: &BTreeSet<&str>,
    depth: usize,
) -> io::Result<Option<Vec<PathBuf>>> {
    let mut is_inside = false;
    // Between two readings of the clock, as one run of them is one part where nothing else is collected.
    let mut intervals: Vec<Vec<PathBuf>> = vec![Vec::new()];
    for part in parts {
        if is_inside && total(part)? > 0 {
            intervals.last_mut().expect("there is one").push(part.clone());
        }
        match end_of_part(part)? {
            Some(PartEnd::Clock) => intervals.push(Vec::new()),
            Some(PartEnd::Function(name)) if functions.contains(&*name) => is_inside = !is_inside,
            Some(PartEnd::Function(_) | PartEnd::Process) => {}
            None => return Ok(None),
        }
    }
    intervals.retain(|parts| !parts.is_empty());
    if intervals.len() > 2 * depth {
        intervals.truncate(intervals.len() - depth);
        intervals.drain(..depth);
    }
    Ok(Some(intervals.concat()))
}

/// The parts joined into one input: the reader adds them up.
pub(super) fn concatenated(parts: &[PathBuf]) -> io::Result<Box<dyn BufRead>> {
    let mut input: Box<dyn BufRead> = Box::new(io::empty());
    for part in parts {
        input = Box::new(input.chain(BufReader::new(File::open(part)?)));
    }
    Ok(input)
}

/// The reason why a part was written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PartEnd {
    /// A reading of the clock.
    Clock,
    /// The entry or the return of another function.
    Function(String),
    /// The end of the process.
    Process,
}

/// The reason why a part was written; `None` if it does not tell.
fn end_of_part(part: &Path) -> io::Result<Option<PartEnd>> {
    let head = head(part)?;
    let trigger = head.lines().find_map(|line| line.strip_prefix("desc: Trigger: "));
    Ok(trigger.and_then(|trigger| {
        let clock = CLOCK.trim_end_matches('*');
        match trigger.split_once('=') {
            Some(("--dump-before", function)) if function.starts_with(clock) => Some(PartEnd::Clock),
            Some(("--dump-before" | "--dump-after", function)) => Some(PartEnd::Function(function.to_owned())),
            _ => (trigger == "Program termination").then_some(PartEnd::Process),
        }
    }))
}

/// True if a part was written because the subject's function returned.
fn ends_with_a_return(part: &Path) -> io::Result<bool> {
    let head = head(part)?;
    Ok(head.lines().any(|line| line.starts_with("desc: Trigger: --dump-after")))
}

/// The start of a part.
fn head(part: &Path) -> io::Result<String> {
    let mut head = Vec::new();
    File::open(part)?.take(HEAD).read_to_end(&mut head)?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// The total that a part states; 0 if it states none.
fn total(part: &Path) -> io::Result<u64> {
    let mut file = File::open(part)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let tail = String::from_utf8_lossy(&tail);
    let total = tail.lines().rev().find_map(|line| line.strip_prefix("totals:"));
    Ok(total.and_then(|total| total.trim().parse().ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn written(totals: &[u64]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out.7");
        let last = totals.len() - 1;
        for (index, total) in totals.iter().enumerate() {
            let name = if index == last {
                "out.7".to_owned()
            } else {
                format!("out.7.{}", index + 1)
            };
            std::fs::write(
                folder.path().join(name),
                format!("fn=(1)\n{}\ntotals: {total}\n", "x".repeat(9999)),
            )
            .unwrap();
        }
        std::fs::write(folder.path().join("out.8.1"), "totals: 99\n").unwrap();
        (folder, output)
    }

    fn kept(totals: &[u64], depth: usize) -> Vec<u64> {
        let (_folder, output) = written(totals);
        let parts = subject_parts(parts(&output).unwrap(), depth).unwrap();
        parts.iter().map(|part| total(part).unwrap()).collect()
    }

    #[test]
    fn parts_come_in_the_order_of_writing_and_those_of_other_processes_are_left_out() {
        let totals: Vec<u64> = (1..=12).collect();
        assert_eq!(kept(&totals, 0), totals);
    }

    #[test]
    fn the_parts_around_the_subject_are_left_out_however_long_the_run_before_and_after() {
        assert_eq!(kept(&[0, 0, 19, 34, 3826, 95, 86, 0], 2), [3826]);
        assert_eq!(kept(&[0, 95, 3821, 40], 1), [3821]);
    }

    /// The same of parts that hold the whole process, each with the reason why it ended.
    fn kept_of_process(parts_of_run: &[(u64, &str)], depth: usize) -> Option<Vec<u64>> {
        let totals: Vec<u64> = parts_of_run.iter().map(|(total, _)| *total).collect();
        let (_folder, output) = written(&totals);
        let parts = parts(&output).unwrap();
        for (part, (_, end)) in parts.iter().zip(parts_of_run) {
            let text = std::fs::read_to_string(part).unwrap();
            std::fs::write(part, format!("cmd: bench\ndesc: Trigger: {end}\n{text}")).unwrap();
        }
        let kept = subject_parts_of_process(&parts, &BTreeSet::from(["bench"]), depth).unwrap()?;
        Some(kept.iter().map(|part| total(part).unwrap()).collect())
    }

    #[test]
    fn the_subject_of_a_whole_process_is_what_a_run_that_collects_nothing_else_keeps() {
        let [clock, entry, leave, other, end] = [
            "--dump-before=clock_gettime@@GLIBC_2.17",
            "--dump-before=bench",
            "--dump-after=bench",
            "--dump-before=of_another_benchmark",
            "Program termination",
        ];
        let once = [
            (900, clock),
            (70, entry),
            (19, clock),
            (3820, other),
            (6, clock),
            (95, leave),
            (8, end),
        ];
        assert_eq!(kept_of_process(&once, 1), Some(vec![3820, 6]));
        assert_eq!(kept(&[0, 19, 3826, 95], 1), [3826]);
        // Without a reading of the clock, or with too few, everything counts, and nothing around it.
        let unclocked = [
            (900, entry),
            (30, leave),
            (7, entry),
            (31, leave),
            (7, entry),
            (32, leave),
            (8, end),
        ];
        assert_eq!(kept_of_process(&unclocked, 1), Some(vec![30, 31, 32]));
        assert_eq!(kept_of_process(&[(900, clock), (8, end)], 1), Some(vec![]));
        assert_eq!(kept_of_process(&[(900, "?"), (8, end)], 1), None);
    }

    #[test]
    fn what_lies_between_the_first_mark_and_the_last_is_marked() {
        let marked = |totals: &[u64]| -> Vec<u64> {
            let (_folder, output) = written(totals);
            let parts = parts(&output).unwrap();
            marked_parts(&parts).iter().map(|part| total(part).unwrap()).collect()
        };
        assert_eq!(marked(&[9, 30, 7]), [30]);
        assert_eq!(marked(&[9, 30, 5, 2, 7]), [30, 5, 2]);
        assert_eq!(marked(&[9, 7]), [0; 0]);
        assert_eq!(marked(&[9]), [0; 0]);
    }

    #[test]
    fn a_subject_that_reads_the_clock_itself_is_kept_whole() {
        assert_eq!(kept(&[1, 2, 30, 40, 50, 3, 4], 2), [30, 40, 50]);
    }

    #[test]
    fn where_the_clock_is_read_too_seldom_everything_is_kept() {
        assert_eq!(kept(&[5, 6, 0], 1), [5, 6]);
        assert_eq!(kept(&[0], 1), [0; 0]);
    }

    #[test]
    fn the_first_interval_lies_between_the_first_two_readings_in_the_subject() {
        let first = |totals: &[u64]| -> Vec<u64> {
            let (_folder, output) = written(totals);
            let parts = first_interval(parts(&output).unwrap(), ClockedEnd::Second).unwrap();
            parts.iter().map(|part| total(part).unwrap()).collect()
        };
        assert_eq!(first(&[0, 0, 19, 3826, 20, 38260, 5]), [3826]);
        assert_eq!(first(&[19, 0]), [0; 0]);
    }

    #[test]
    fn readings_of_the_set_up_and_the_routine_are_part_of_the_first_call() {
        let (_folder, output) = written(&[0, 19, 300, 3826, 20, 7, 5]);
        let all = parts(&output).unwrap();
        assert_eq!(
            first_interval(all.clone(), ClockedEnd::LastOfCall).unwrap(),
            [""; 0].map(PathBuf::from)
        );
        // The part behind the last reading ends where the function returns.
        let tail = std::fs::read_to_string(&all[4]).unwrap();
        std::fs::write(&all[4], format!("desc: Trigger: --dump-after=part\n{tail}")).unwrap();
        assert_eq!(first_interval(all.clone(), ClockedEnd::LastOfCall).unwrap(), all[2..4]);
        assert!(FirstIntervalWatch::new(output, ClockedEnd::LastOfCall).is_written());
    }

    #[test]
    fn a_run_is_watched_until_the_first_interval_is_whole() {
        let is_written = |totals: &[u64]| {
            let (_folder, output) = written(totals);
            FirstIntervalWatch::new(output, ClockedEnd::Second).is_written()
        };
        // The last of `totals` is in the file without a number, which is written at the end of the run.
        assert!(is_written(&[0, 19, 3826, 20, 5]));
        assert!(!is_written(&[0, 19, 3826, 5]));
        assert!(!is_written(&[5]));
    }

    #[test]
    fn joined_parts_read_as_one() {
        let (_folder, output) = written(&[1, 2]);
        let mut text = String::new();
        concatenated(&parts(&output).unwrap())
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert!(text.contains("totals: 1\n") && text.ends_with("totals: 2\n"));
    }
}
