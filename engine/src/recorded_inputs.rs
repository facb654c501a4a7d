//! The inputs that a sample recorded → what still holds at a later version, and whether its variables are as they were.

use std::collections::BTreeMap;

use analyzer::sample::Sample;
use profile::inputs::{InputRecord, OpenedFiles, VariableDigest};
use runner::git::{CommitId, Repository};

use crate::error::EngineError;
use crate::file_sources;

/// The files that each benchmark opens at a version; complete where the sample knows all of them, and nothing that
/// decides it changed since.
pub(crate) fn opened_at(
    repository: &Repository,
    sample: &Sample,
    version: CommitId,
) -> Result<BTreeMap<String, OpenedFiles>, EngineError> {
    let sampled: CommitId = sample.commit.parse().map_err(EngineError::environment)?;
    let changed = match sampled == version {
        true => Vec::new(),
        false => file_sources::changed_paths(repository, sampled, version)?,
    };
    let holds = |record: &InputRecord| {
        let InputRecord { compiled, opened, .. } = record;
        let decides = |path: &String| {
            compiled.units_with(path).next().is_some()
                || compiled.settings.contains(path)
                || opened.notices_presence(path)
        };
        compiled.is_complete && opened.is_complete && !changed.iter().any(decides)
    };
    let at_version = |(name, record): (&str, &InputRecord)| {
        let opened = OpenedFiles {
            is_complete: holds(record),
            ..record.opened.clone()
        };
        (name.to_owned(), opened)
    };
    Ok(sample.inputs.records().map(at_version).collect())
}

/// The names of recorded variables that have another value now.
pub(crate) fn changed_variables(sample: &Sample, value: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<String> {
    let mut names: Vec<String> = sample
        .inputs
        .records()
        .flat_map(|(_, record)| record.compiled.variables())
        .filter(|(name, digest)| value(name).map(|value| VariableDigest::of(&value)) != *digest)
        .map(|(name, _)| name.to_owned())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
