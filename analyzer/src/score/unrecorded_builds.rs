//! Changed files and a sample with benchmarks whose build left no record, such as a command of the user → the files that
//! such a build may read, and of which the profile tells nothing.

use super::VersionSources;
use crate::change::{DegradedFile, SeenBy, UnfollowedFile, UnfollowedReach, may_decide_a_build};
use crate::languages::{is_measured_code, language_of};
use crate::sample::Sample;

/// Why a source is not compared with a profile.
pub(super) const SHOWS_NOTHING: &str = "in a language of which the profile shows nothing";

/// The changed files that may decide what a benchmark executes without being seen in its profile: scripts that a build may
/// run, and sources in a language of which the profile holds no function. None where each build left a record.
pub(super) fn files_beyond_records(version: &VersionSources<'_>, sample: &Sample) -> Vec<DegradedFile> {
    let why = |path: &str| {
        if !(sample.benchmarks.iter()).any(|profile| sample.may_be_built_from(profile, path)) {
            None
        } else if may_decide_a_build(path) {
            Some("may decide what a command builds, of which nothing is recorded")
        } else if is_measured_code(path) {
            Some(SHOWS_NOTHING)
        } else {
            None
        }
    };
    (version.files.iter())
        .filter_map(|file| {
            Some(DegradedFile {
                why: why(&file.path)?.to_owned(),
                file: file.path.to_string(),
            })
        })
        .collect()
}

/// The files among some that a command may read since something changed in what it reads, and whose own changes are not
/// followed.
pub(super) fn files_beyond_commands<'f>(
    files: impl Iterator<Item = &'f str>,
    sample: &Sample,
) -> impl Iterator<Item = UnfollowedFile> {
    let is_followed = |path: &str| {
        let holds = |language| sample.benchmarks.iter().all(|profile| profile.holds(language));
        !may_decide_a_build(path) && language_of(path).map_or(!is_measured_code(path), holds)
    };
    files.filter(move |path| !is_followed(path)).map(|path| UnfollowedFile {
        file: DegradedFile {
            file: path.to_owned(),
            why: "nobody knows whether a command reads it by now".to_owned(),
        },
        reach: UnfollowedReach::Any(SeenBy::Program),
    })
}
