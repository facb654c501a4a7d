//! A build → everything outside the version that it read, and the lock files that it ended with; and a path → the
//! digest of its content.
//!
//! Two builds of one version end alike where all of this is equal, and the machine and the settings are. Inputs inside
//! the version follow from its commit, and those of a harness from its folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::{BuildContext, lockfile};
use crate::benchmark::BenchmarkDefinition;
use crate::folder_entries::sorted_entries;
use crate::toolchain;

/// Folders that no build takes sources from.
const SKIPPED: [&str; 2] = ["target", ".git"];

/// Arguments of `cargo build` with which it may read any other place.
const ELSEWHERE: [&str; 5] = ["--manifest-path", "--config", "--target-dir", "-C", "-Z"];

/// Everything outside a version that its builds read, and the lock files that they ended with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OutsideInputs {
    /// True if all of it is known, and no part of the build failed for a reason that may be the machine's.
    pub is_complete: bool,
    /// Files, and folders with everything below.
    pub paths: BTreeSet<PathBuf>,
    /// The lock files by their paths; a build without one has none.
    pub lockfiles: BTreeMap<PathBuf, LockfileDigest>,
}

/// The content of a lock file after a build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockfileDigest {
    /// Of its text.
    pub text: String,
    /// Of the packages that come from a registry or from git.
    pub packages: String,
}

impl LockfileDigest {
    /// The digest of a lock file's text.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        let packages = std::str::from_utf8(text).ok().and_then(lockfile::locked_packages);
        let mut hasher = blake3::Hasher::new();
        match packages {
            Some(packages) => {
                for part in packages
                    .iter()
                    .flat_map(|(name, version, source)| [name, version, source])
                {
                    hasher.update(part.as_bytes()).update(&[0]);
                }
            }
            None => drop(hasher.update(text)),
        }
        Self {
            text: blake3::hash(text).to_hex().to_string(),
            packages: hasher.finalize().to_hex().to_string(),
        }
    }
}

impl OutsideInputs {
    /// Those of a build that reads nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            is_complete: true,
            ..Self::default()
        }
    }

    /// Takes in those of another build of the same version.
    pub(crate) fn join(&mut self, other: &Self) {
        self.is_complete &= other.is_complete;
        self.paths.extend(other.paths.iter().cloned());
        self.lockfiles.extend(other.lockfiles.clone());
    }

    /// Takes in the lock file of a workspace.
    pub(super) fn add_lockfile(&mut self, workspace: &Path) {
        let path = workspace.join("Cargo.lock");
        if let Ok(text) = std::fs::read(&path) {
            self.lockfiles.insert(path, LockfileDigest::of(&text));
        }
    }
}

/// The inputs of a command that was run. Known of `cargo build` alone, which leaves a list of them beside each program.
pub(super) fn of_command(definition: &BenchmarkDefinition, directory: &Path, site: &BuildContext<'_>) -> OutsideInputs {
    known_of_command(definition, directory, site).unwrap_or_default()
}

fn known_of_command(
    definition: &BenchmarkDefinition,
    directory: &Path,
    site: &BuildContext<'_>,
) -> Option<OutsideInputs> {
    let (program, arguments) = definition.build.as_deref()?.split_first()?;
    let reads_elsewhere = |argument: &String| ELSEWHERE.iter().any(|option| argument.starts_with(option));
    if program != "cargo" || arguments.first()? != "build" || arguments.iter().any(reads_elsewhere) {
        return None;
    }
    let built = definition.run.as_deref()?.first()?.strip_prefix("target/")?;
    let program = site.target().join(built);
    let mut list = program.clone().into_os_string();
    list.push(".d");
    let listed = std::fs::read_to_string(list).ok()?;
    let packages = toolchain::local_packages(directory, &definition.env, site.interruption).ok()?;
    let folders = packages
        .iter()
        .filter_map(|package| Some(package.manifest_path.parent()?.to_owned()));
    let files = listed_files(&listed)?.into_iter().map(|file| directory.join(file));
    let mut inputs = OutsideInputs::nothing();
    for path in folders.chain(files) {
        let followed = path.canonicalize().ok()?;
        if !followed.starts_with(site.tree) && !followed.starts_with(site.cache.root()) {
            inputs.paths.insert(followed);
        }
    }
    let workspace = toolchain::workspace(directory, &definition.env, site.interruption).ok()?;
    inputs.add_lockfile(&workspace.workspace_root);
    Some(inputs)
}

/// The files after `program:`, separated by spaces; those in a name are escaped.
fn listed_files(text: &str) -> Option<Vec<String>> {
    let (_, files) = text.lines().next()?.split_once(": ")?;
    let escaped = files.replace("\\ ", "\0");
    let names = escaped.split(' ').filter(|name| !name.is_empty());
    Some(names.map(|name| name.replace('\0', " ")).collect())
}

/// The digest of a file, or of the names and contents in a folder, and when any of them last changed; the same digest
/// for all that can't be read. Links are not followed below a folder. Build folders are left out.
#[must_use]
pub(crate) fn path_digest(path: &Path) -> (String, SystemTime) {
    let mut hasher = blake3::Hasher::new();
    let mut changed = SystemTime::UNIX_EPOCH;
    add_path(path, &mut hasher, &mut changed);
    (hasher.finalize().to_hex().to_string(), changed)
}

fn add_path(path: &Path, hasher: &mut blake3::Hasher, changed: &mut SystemTime) {
    let Ok(metadata) = std::fs::symlink_metadata(path) else {
        hasher.update(b"missing");
        return;
    };
    *changed = metadata.modified().map_or(*changed, |time| time.max(*changed));
    if metadata.is_dir() {
        hasher.update(b"folder");
        for entry in sorted_entries(path) {
            let name = entry.file_name().unwrap_or_default();
            if SKIPPED.iter().all(|skipped| name != *skipped) {
                hasher.update(name.as_encoded_bytes()).update(&[0]);
                add_path(&entry, hasher, changed);
            }
        }
        hasher.update(b"end");
    } else if metadata.is_symlink() {
        let to = std::fs::read_link(path).unwrap_or_default();
        hasher
            .update(b"link")
            .update(to.as_os_str().as_encoded_bytes())
            .update(&[0]);
    } else {
        hasher.update(b"file").update(&metadata.len().to_le_bytes());
        if let Ok(file) = std::fs::File::open(path) {
            // A file that can't be read has the digest of its length.
            let _ = hasher.update_reader(file);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_list_beside_a_program_is_read_with_its_escapes() {
        assert_eq!(
            listed_files("/t/release/a: /x/a\\ b.txt /x/src/lib.rs\n").unwrap(),
            ["/x/a b.txt", "/x/src/lib.rs"]
        );
        assert_eq!(listed_files(""), None);
    }

    #[test]
    fn a_lock_file_of_the_same_packages_has_the_same_packages_whatever_else_it_says() {
        let lock = |version: &str, other: &str| {
            let text = format!(
                "version = 4\n[[package]]\nname = \"own\"\nversion = \"{other}\"\n[[package]]\nname = \"a\"\n\
                 version = \"{version}\"\nsource = \"s\"\n"
            );
            LockfileDigest::of(text.as_bytes())
        };
        assert_eq!(lock("1.0.0", "0.1.0").packages, lock("1.0.0", "0.2.0").packages);
        assert_ne!(lock("1.0.0", "0.1.0").text, lock("1.0.0", "0.2.0").text);
        assert_ne!(lock("1.0.0", "0.1.0").packages, lock("1.0.1", "0.1.0").packages);
        assert_ne!(LockfileDigest::of(b"\xff").packages, LockfileDigest::of(b"").packages);
    }

    #[test]
    fn a_digest_tells_names_and_contents_apart_and_leaves_out_what_was_built() {
        let folder = tempfile::tempdir().unwrap();
        let digest = || path_digest(folder.path()).0;
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let mut seen = vec![digest()];
        for (name, text) in [("a", ""), ("a", "x"), ("b/c", "x"), ("b/d", "")] {
            write(name, text);
            let now = digest();
            assert!(!seen.contains(&now), "{name} {text}");
            seen.push(now);
        }
        write("target/a", "built");
        assert_eq!(seen.last(), Some(&digest()));
        assert_ne!(
            path_digest(&folder.path().join("none")).0,
            path_digest(&folder.path().join("a")).0
        );
    }
}
