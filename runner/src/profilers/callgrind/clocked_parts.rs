//! The parts of a trace that callgrind wrote at each reading of the clock in, those that are the subject out.
//!
//! Benchmark frameworks read the clock right before and right after the code that they measure. With a part ended
//! at each reading, what they measure is a part of its own, set-up and clean-up excluded, however much of all this
//! the optimiser inlined into one function.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Ends a part whenever it is entered; what Rust's `Instant::now` calls on Linux.
pub(super) const CLOCK: &str = "clock_gettime*";

/// Bytes at the end of a part in which its total stands.
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

/// Of the parts in which something was collected, all but the `depth` first and the `depth` last; all of them if
/// the clock was read less often than that.
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

/// One after the other, as one input: the reader adds parts up.
pub(super) fn concatenated(parts: &[PathBuf]) -> io::Result<Box<dyn BufRead>> {
    let mut input: Box<dyn BufRead> = Box::new(io::empty());
    for part in parts {
        input = Box::new(input.chain(BufReader::new(File::open(part)?)));
    }
    Ok(input)
}

/// What a part says was collected in it; 0 if it does not say.
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
