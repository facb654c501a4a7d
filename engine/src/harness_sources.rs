//! The definitions of benchmarks → the texts of the harnesses that are compiled with every version, from outside it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use analyzer::sources::{OutsideSources, SourceContent};
use runner::benchmark::BenchmarkDefinition;
use runner::git::Repository;
use runner::visit::harness_files;

/// Bytes of all harnesses together that are read, at most: they are small programs.
const MOST_BYTES: u64 = 16 << 20;

/// The files of every harness; none if there is no harness. Not known if one of them cannot be read here, as in a job that has
/// the sources of versions only.
#[must_use]
pub fn harness_sources(repository: &Repository, definitions: &[BenchmarkDefinition]) -> OutsideSources {
    let root = repository.workdir().unwrap_or(repository.common_dir());
    let harnesses = definitions.iter().filter_map(|definition| definition.harness.as_ref());
    let folders: BTreeSet<PathBuf> = harnesses.map(|harness| root.join(harness)).collect();
    OutsideSources::new(Box::new(|| read(folders)))
}

fn read(folders: BTreeSet<PathBuf>) -> Option<Vec<SourceContent>> {
    let mut sources = Vec::new();
    let mut left = MOST_BYTES;
    for folder in folders {
        for file in harness_files(&folder)? {
            let bytes = std::fs::read(&file).ok()?;
            left = left.checked_sub(u64::try_from(bytes.len()).ok()?)?;
            sources.push(SourceContent::Bytes(bytes.into()));
        }
    }
    Some(sources)
}
