//! A machine's fingerprint and the definitions → what a sample's counts depend on besides the version.

use std::path::{Path, PathBuf};

use crate::benchmark::BenchmarkDefinition;
use crate::environment::EnvironmentFingerprint;
use crate::store::Environment;

/// What a sample's counts depend on besides the version: the machine, and the definitions with their harnesses.
#[must_use]
pub fn environment(
    fingerprint: &EnvironmentFingerprint,
    definitions: &[BenchmarkDefinition],
    repository: &Path,
) -> Environment {
    let mut environment = fingerprint.to_environment();
    if !definitions.is_empty() {
        let text = serde_json::to_string(definitions).unwrap_or_default();
        let harnesses = definitions.iter().filter_map(|definition| definition.harness.as_ref());
        let mut hasher = blake3::Hasher::new();
        hasher.update(text.as_bytes());
        for harness in harnesses {
            hash_folder(&repository.join(harness), &mut hasher);
        }
        environment.0.insert(
            "definitions".to_owned(),
            hasher.finalize().to_hex()[..DEFINITIONS_DIGITS].to_owned(),
        );
    }
    environment
}

/// Hexadecimal digits that tell one user's sets of definitions apart.
const DEFINITIONS_DIGITS: usize = 16;

/// Names and contents below a folder in a fixed order; build folders and what can't be read are left out.
fn hash_folder(folder: &Path, hasher: &mut blake3::Hasher) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default();
        if ["target", ".git", "Cargo.lock"].iter().any(|skipped| name == *skipped) {
            continue;
        }
        hasher.update(name.as_encoded_bytes()).update(&[0]);
        if path.is_dir() {
            hash_folder(&path, hasher);
        } else if let Ok(content) = std::fs::read(&path) {
            hasher.update(&(content.len() as u64).to_le_bytes()).update(&content);
        }
    }
}
