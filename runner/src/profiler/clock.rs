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
    let name = output
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut numbered: Vec<(u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let other = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let number = other
            .strip_prefix(&name)
            .and_then(|rest| rest.strip_prefix('.'));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            numbered.push((number, path));
        }
    }
    numbered.sort();
    let last = output.is_file().then(|| output.to_owned());
    Ok(numbered
        .into_iter()
        .map(|(_, path)| path)
        .chain(last)
        .collect())
}

/// Of the parts in which something was collected, all but the `depth` first and the `depth` last; all of them if
/// the clock was read less often than that.
pub(super) fn subject(parts: Vec<PathBuf>, depth: usize) -> io::Result<Vec<PathBuf>> {
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
pub(super) fn joined(parts: &[PathBuf]) -> io::Result<Box<dyn BufRead>> {
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
    let total = tail
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("totals:"));
    Ok(total
        .and_then(|total| total.trim().parse().ok())
        .unwrap_or(0))
}
