//! Changed files and a sample with benchmarks whose build left no record, such as a command of the user → the files that
//! such a build may read, and of which the profile tells nothing.

use super::VersionSources;
use crate::change::{DegradedFile, may_decide_a_build};
use crate::languages::{is_measured_code, language_of};
use crate::sample::Sample;

/// The changed files that may decide what a benchmark executes without being seen in its profile: scripts that a build may
/// run, and sources in a language of which the profile holds no function. None where each build left a record.
pub(super) fn files_beyond_records(version: &VersionSources<'_>, sample: &Sample) -> Vec<DegradedFile> {
    let unrecorded: Vec<_> = (sample.benchmarks.iter())
        .filter(|profile| !sample.inputs.records_a_build_of(&profile.profile().benchmark))
        .collect();
    if unrecorded.is_empty() {
        return Vec::new();
    }
    let why = |path: &str| {
        if may_decide_a_build(path) {
            return Some("may decide what a command builds, of which nothing is recorded".to_owned());
        }
        let language = language_of(path).filter(|_| is_measured_code(path))?;
        let is_seen = unrecorded.iter().all(|profile| profile.holds(language));
        (!is_seen).then(|| "in a language of which the profile shows nothing".to_owned())
    };
    (version.files.iter())
        .filter_map(|file| {
            let why = why(&file.path)?;
            let file = file.path.to_string();
            Some(DegradedFile { file, why })
        })
        .collect()
}
