//! A machine's fingerprint and the definitions → everything besides the version that a sample's counts depend on.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::benchmark::BenchmarkDefinition;
use crate::build::{NATIVE, RepositoryCache, builds_for_this_processor};
use crate::environment::{EnvironmentFingerprint, native_machine};
use crate::folder_entries::sorted_entries;
use crate::store::Environment;

/// The environment that a sample's counts depend on besides the version: the machine, and the definitions with their
/// harnesses.
#[must_use]
pub fn environment(
    fingerprint: &EnvironmentFingerprint,
    definitions: &[BenchmarkDefinition],
    (repository, cache): (&Path, &RepositoryCache),
) -> Environment {
    let mut environment = fingerprint.to_environment();
    // Frameworks keep paths, so that their lengths decide how the heap is laid out, and so what the allocator executes.
    let length = cache.root().as_os_str().len();
    (environment.0).insert("length of paths".to_owned(), length.to_string());
    if !definitions.is_empty() {
        let text = serde_json::to_string(definitions).unwrap_or_default();
        let harnesses = definitions.iter().filter_map(|definition| definition.harness.as_ref());
        let mut hasher = blake3::Hasher::new();
        hasher.update(text.as_bytes());
        for harness in harnesses {
            hash_folder(&repository.join(harness), &NOT_OF_A_HARNESS, &mut hasher);
        }
        if definitions
            .iter()
            .any(|definition| builds_for_this_processor_by(definition, repository))
        {
            environment.0.extend(native_machine());
        }
        if let Some(digest) = passed_variables_digest(definitions) {
            environment.0.insert("passed variables".to_owned(), digest);
        }
        environment.0.insert(
            "definitions".to_owned(),
            hasher.finalize().to_hex()[..DEFINITIONS_DIGITS].to_owned(),
        );
    }
    environment
}

/// True if a definition's own flags or those of its harness name the processor of this machine as their target.
fn builds_for_this_processor_by(definition: &BenchmarkDefinition, repository: &Path) -> bool {
    let values = definition.env.values().chain(definition.build.iter().flatten());
    values.into_iter().any(|value| value.contains(NATIVE))
        || (definition.harness.iter()).any(|harness| builds_for_this_processor(&repository.join(harness)))
}

/// A digest of the variables that runs are given from this process; `None` if none is named.
fn passed_variables_digest(definitions: &[BenchmarkDefinition]) -> Option<String> {
    let passed: Vec<_> = definitions.iter().map(BenchmarkDefinition::passed_variables).collect();
    passed.iter().any(|passed| !passed.is_empty()).then(|| {
        let text = format!("{passed:?}");
        blake3::hash(text.as_bytes()).to_hex()[..DEFINITIONS_DIGITS].to_owned()
    })
}

/// A digest of the names and contents in a harness's folder, in hexadecimal digits. Where the folder is does not matter;
/// build folders, lock files and unreadable files do not count.
#[must_use]
pub fn harness_digest(harness: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    hash_folder(harness, &NOT_OF_A_HARNESS, &mut hasher);
    hasher.finalize().to_hex()[..DEFINITIONS_DIGITS].to_owned()
}

/// The files of a harness's folder, without those that are built; `None` if there is no such folder.
#[must_use]
pub fn harness_files(harness: &Path) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![harness.to_owned()];
    harness.is_dir().then_some(())?;
    while let Some(folder) = folders.pop() {
        for path in entries_without(&folder, &NOT_OF_A_HARNESS) {
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    Some(files)
}

/// A digest like [`harness_digest`] without manifests, which the copies of a harness have changed.
pub(super) fn harness_data_digest(harness: &Path) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let [target, git, lock] = NOT_OF_A_HARNESS;
    hash_folder(harness, &[target, git, lock, "Cargo.toml"], &mut hasher);
    hasher.finalize()
}

/// Names in a harness's folder that are built, and not part of it.
const NOT_OF_A_HARNESS: [&str; 3] = ["target", ".git", "Cargo.lock"];

/// Hexadecimal digits that distinguish one user's sets of definitions.
const DEFINITIONS_DIGITS: usize = 16;

/// The paths in a folder but those of these names, in a fixed order.
fn entries_without(folder: &Path, skipped: &[&str]) -> impl Iterator<Item = PathBuf> {
    let is_kept = |path: &PathBuf| {
        skipped
            .iter()
            .all(|skipped| path.file_name() != Some(OsStr::new(skipped)))
    };
    sorted_entries(folder).into_iter().filter(is_kept)
}

/// Hashes names and contents below a folder in a fixed order; skips these names and unreadable files.
fn hash_folder(folder: &Path, skipped: &[&str], hasher: &mut blake3::Hasher) {
    for path in entries_without(folder, skipped) {
        let name = path.file_name().unwrap_or_default();
        hasher.update(name.as_encoded_bytes()).update(&[0]);
        if path.is_dir() {
            hash_folder(&path, skipped, hasher);
        } else if let Ok(content) = std::fs::read(&path) {
            hasher.update(&(content.len() as u64).to_le_bytes()).update(&content);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    #[test]
    fn a_harness_is_another_one_where_a_name_or_a_content_differs_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        for harness in [&one, &two] {
            fs::create_dir_all(harness.join("src/bin")).unwrap();
            fs::write(harness.join("Cargo.toml"), "[package]").unwrap();
            fs::write(harness.join("src/bin/a.rs"), "fn main() {}").unwrap();
        }
        let first = harness_digest(&one);
        assert_eq!(first, harness_digest(&two), "wherever it is");
        fs::create_dir(two.join("target")).unwrap();
        fs::write(two.join("target/a"), "built").unwrap();
        fs::write(two.join("Cargo.lock"), "locked").unwrap();
        assert_eq!(first, harness_digest(&two), "whatever was built");
        fs::write(two.join("src/bin/a.rs"), "fn main() { }").unwrap();
        let second = harness_digest(&two);
        assert_ne!(first, second);
        fs::rename(two.join("src/bin/a.rs"), two.join("src/bin/b.rs")).unwrap();
        assert!(![first, second].contains(&harness_digest(&two)));
    }
}
