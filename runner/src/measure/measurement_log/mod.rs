//! Measurements → a file that a kill does not lose, and back.
//!
//! There is one file for each pair of versions in one environment, with one line for each measurement, written to the
//! disk before the next begins. Lines that are cut short by a kill or damaged are left out. Of several lines for one
//! benchmark and metric, the last counts. Two processes can't write one file: the one that measures holds the checkout.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use verdict::{MeasurementRound, Metric};

use crate::build::RepositoryCache;
use crate::git::CommitId;
use crate::store::Environment;

/// The version of the lines; other versions' files have other names.
const SCHEMA: &str = "lito.results/1";

/// Hexadecimal digits of a line's hash: against accidents, not against forgers, who could write the whole cache.
const CHECK_DIGITS: usize = 16;

/// Largest file that is read: a thousand benchmarks of a hundred rounds take some ten megabytes.
const LARGEST_FILE: u64 = 1 << 30;

/// The text before the hash of a line, between hash and entry, and at the end.
const FRAME: [&str; 3] = ["{\"check\":\"", "\",\"entry\":", "}"];

/// The measured values of one benchmark in one metric, run by run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasurementRecord {
    /// The benchmark.
    pub benchmark: String,
    /// The metric.
    pub metric: Metric,
    /// The values.
    pub values: MeasuredValues,
    /// Starts that failed and were tried again.
    pub retries: u32,
}

/// Values of one benchmark in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MeasuredValues {
    /// One count per run.
    Counts {
        /// Counts of the base.
        base: Vec<u64>,
        /// Counts of the head.
        head: Vec<u64>,
    },
    /// Times, interleaved.
    Rounds(Vec<MeasurementRound>),
}

/// The reason why results can't be kept.
#[derive(Debug, thiserror::Error)]
#[error("{attempt}: {}: {source}: check that the folder is writable and the disk is not full", path.display())]
pub struct MeasurementLogError {
    attempt: &'static str,
    path: PathBuf,
    source: std::io::Error,
}

/// The measurements of two versions in one environment.
#[derive(Debug)]
pub struct MeasurementLog {
    path: PathBuf,
    file: File,
    known: BTreeMap<(String, Metric), MeasurementRecord>,
    /// Lines that could not be read.
    pub damaged: usize,
}

impl MeasurementLog {
    /// Opens the stored measurements of two versions, and creates the file if there is none.
    ///
    /// # Errors
    /// If the file can't be read or written.
    pub fn open(
        cache: &RepositoryCache,
        base: CommitId,
        head: CommitId,
        environment: &Environment,
    ) -> Result<Self, MeasurementLogError> {
        let folder = cache.root().join("results");
        let key = format!("{SCHEMA} {base} {head} {}", environment.id());
        let hash = blake3::hash(key.as_bytes()).to_hex();
        let name = format!("{}-{}-{}.jsonl", base.short(), head.short(), &hash[..CHECK_DIGITS]);
        let path = folder.join(name);
        let failed = |attempt| {
            let path = path.clone();
            move |source| MeasurementLogError { attempt, path, source }
        };
        std::fs::create_dir_all(&folder).map_err(failed("making the folder of results"))?;
        let mut options = File::options();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed("opening results"))?;
        let mut text = Vec::new();
        Read::by_ref(&mut file)
            .take(LARGEST_FILE)
            .read_to_end(&mut text)
            .map_err(failed("reading results"))?;
        if text.len() as u64 == LARGEST_FILE {
            let source = std::io::Error::other("it is too large to be a file of results");
            return Err(failed("reading results")(source));
        }
        let mut results = Self {
            path: path.clone(),
            file,
            known: BTreeMap::new(),
            damaged: 0,
        };
        // Removes a line that a kill cut short, so that the next one begins on a line of its own.
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        results.damaged += usize::from(whole < text.len());
        results
            .file
            .set_len(whole as u64)
            .and_then(|()| results.file.seek(SeekFrom::End(0)))
            .map_err(failed("mending results"))?;
        for line in text[..whole].split(|byte| *byte == b'\n') {
            match read_line(line) {
                _ if line.is_empty() => {}
                Some(entry) => results.remember(entry),
                None => results.damaged += 1,
            }
        }
        Ok(results)
    }

    /// The stored measurement of a benchmark in a metric.
    #[must_use]
    pub fn known(&self, benchmark: &str, metric: Metric) -> Option<&MeasurementRecord> {
        self.known.get(&(benchmark.to_owned(), metric))
    }

    /// Stores a measurement, in place of an earlier one of the same benchmark in the same metric. It is on the disk
    /// when this returns.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn append(&mut self, entry: MeasurementRecord) -> Result<(), MeasurementLogError> {
        let line = write_line(&entry);
        self.file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|source| MeasurementLogError {
                attempt: "keeping a result",
                path: self.path.clone(),
                source,
            })?;
        self.remember(entry);
        Ok(())
    }

    fn remember(&mut self, entry: MeasurementRecord) {
        self.known.insert((entry.benchmark.clone(), entry.metric), entry);
    }
}

fn write_line(entry: &MeasurementRecord) -> String {
    let text = serde_json::to_string(entry).expect("entries have no maps with keys that are not text");
    let [before, between, after] = FRAME;
    format!("{before}{}{between}{text}{after}\n", check(&text))
}

fn read_line(line: &[u8]) -> Option<MeasurementRecord> {
    let line = std::str::from_utf8(line).ok()?;
    let [before, between, after] = FRAME;
    let (hash, rest) = line.strip_prefix(before)?.split_at_checked(CHECK_DIGITS)?;
    let text = rest.strip_prefix(between)?.strip_suffix(after)?;
    (check(text) == hash).then(|| serde_json::from_str(text).ok()).flatten()
}

fn check(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..CHECK_DIGITS].to_owned()
}

#[cfg(test)]
mod tests;
