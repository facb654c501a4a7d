//! Built dependencies in the repository's cache → a folder that a later job starts from, and back.
//!
//! A host's cache carries the folder from a job of the default branch to the jobs of pull requests. It holds nothing of the
//! version's own packages: see [`units`]. Cargo decides again for each unit whether it fits the compiler, the flags and
//! the versions that are resolved, so that a folder of other dependencies costs time, and never a wrong program. lito
//! has cargo build the version's own packages again in any case. Whoever writes the folder decides what those jobs
//! execute: it must come from a job that is trusted at least as much, and nothing trusted may start from it.
//!
//! The optimised build and the counting build are carried: a regression is explained by call trees, which take both.

mod key;
mod namesakes;
#[cfg(test)]
mod tests;
mod units;

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::RepositoryCache;
use crate::cache_files;
use crate::folder_entries::sorted_entries;
use crate::owned::{owned_file, remove_abandoned_once};
use crate::whole_file::{FileWriteError, UNFINISHED, UnfinishedPath};
pub use key::DependencyKey;
use key::cargo_home;
pub(super) use namesakes::NamesakeFiles;
use units::{DependencyFiles, FINGERPRINTS, add_files, dependency_files};

/// The description of the folder.
const RECORD: &str = "dependencies.json";

/// Largest description that is read.
const LARGEST_RECORD: u64 = 1 << 16;

/// Bytes of packed sources that are carried: a framework with its dependencies has about ten megabytes.
const MOST_PACKED: u64 = 64 << 20;

/// The builds that a folder was made for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FolderRecord {
    prefix: String,
}

/// The size of carried dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CarriedDependencies {
    /// Compiled units.
    pub units: usize,
    /// Bytes of all files.
    pub bytes: u64,
    /// Names what is carried; the same for the same units.
    pub content: String,
}

/// The outcome of filling a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DependencyExport {
    /// The folder holds these.
    Written(CarriedDependencies),
    /// Nothing was built, or nothing that is a dependency.
    Nothing,
    /// They exceed the limit: nothing was written.
    TooLarge {
        /// Their size in bytes.
        bytes: u64,
    },
}

/// The outcome of starting from a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DependencyImport {
    /// The build starts from these.
    Taken(CarriedDependencies),
    /// The folder is missing, or lito did not write it.
    NoFolder,
    /// It was made for another compiler, system, lito or folder.
    ForAnother,
    /// Something is built already.
    AlreadyBuilt,
}

/// A folder that can't be written or read.
#[derive(Debug, thiserror::Error)]
#[error("{attempt}: {}: {source}; check that the folder is writable and the disk is not full", path.display())]
pub struct CarryError {
    attempt: &'static str,
    path: PathBuf,
    source: io::Error,
}

/// Writes the built dependencies into a folder, unless they have more than `most` bytes. The folder is empty, missing, or
/// one that was written so before: this is replaced, unless there is nothing to write.
///
/// # Errors
/// If the folder holds anything else, or a file can't be copied.
pub fn export_dependencies(
    cache: &RepositoryCache,
    key: &DependencyKey,
    folder: &Path,
    most: u64,
) -> Result<DependencyExport, CarryError> {
    let failed = |path: &Path| failed("keeping built dependencies", path);
    let is_ours = folder.join(RECORD).is_file();
    if !is_ours && !sorted_entries(folder).is_empty() {
        return Err(failed(folder)(io::ErrorKind::DirectoryNotEmpty.into()));
    }
    let home = cargo_home();
    let mut carried = CarriedDependencies::default();
    let (mut names, mut sources) = (BTreeSet::new(), BTreeSet::new());
    // Each file with its place in the folder.
    let mut copies: Vec<(PathBuf, PathBuf)> = Vec::new();
    for (name, target) in carried_targets(cache) {
        for profile in profile_folders(&target) {
            let place = Path::new(name).join(profile.strip_prefix(&target).unwrap_or(&profile));
            let found: DependencyFiles = dependency_files(&profile, &home);
            copies.extend(found.files.iter().map(|file| (profile.join(file), place.join(file))));
            names.extend(found.units.iter().map(|unit| place.join(unit)));
            sources.extend(found.sources);
        }
    }
    if names.is_empty() {
        return Ok(DependencyExport::Nothing);
    }
    carried.units = names.len();
    copies.extend(packed_sources(&home, &sources));
    for (file, _) in &copies {
        carried.bytes += fs::metadata(file).map_err(failed(file))?.len();
    }
    if carried.bytes > most {
        return Ok(DependencyExport::TooLarge { bytes: carried.bytes });
    }
    // Whole or absent: a folder that is half written would be kept as one of somebody else.
    let unfinished = unfinished_beside(folder).map_err(failed(folder))?;
    for (file, place) in &copies {
        copy_with_times(file, &unfinished.path().join(place)).map_err(failed(file))?;
    }
    let text: Vec<String> = names.iter().map(|name| name.display().to_string()).collect();
    carried.content = key::short_digest(&text);
    let record = FolderRecord {
        prefix: key.prefix.clone(),
    };
    let record = serde_json::to_vec(&record).map_err(|error| failed(folder)(error.into()))?;
    cache_files::write_atomically(&unfinished.path().join(RECORD), &[&record]).map_err(failed(folder))?;
    unfinished.finish_folder().map_err(failed(folder))?;
    Ok(DependencyExport::Written(carried))
}

/// Puts the dependencies of a folder where the next build finds them, if nothing is built there yet.
///
/// # Errors
/// If a file can't be copied; then nothing of it is left in the build folder. A build from nothing is slow, and right.
pub fn import_dependencies(
    cache: &RepositoryCache,
    key: &DependencyKey,
    folder: &Path,
) -> Result<DependencyImport, CarryError> {
    let Some(bytes) = cache_files::read_bounded(&folder.join(RECORD), LARGEST_RECORD) else {
        return Ok(DependencyImport::NoFolder);
    };
    let Ok(record) = serde_json::from_slice::<FolderRecord>(&bytes) else {
        return Ok(DependencyImport::NoFolder);
    };
    if record.prefix != key.prefix {
        return Ok(DependencyImport::ForAnother);
    }
    let targets = carried_targets(cache);
    // Also where nothing is taken, because a killed import came as far as the first of them.
    remove_abandoned_once(cache.root(), UNFINISHED);
    if targets.iter().any(|(_, target)| target.exists()) {
        return Ok(DependencyImport::AlreadyBuilt);
    }
    take(folder, &targets)
        .map(DependencyImport::Taken)
        .map_err(|(path, source)| failed("taking built dependencies", &path)(source))
}

/// The target folders that are carried, with the names of their places.
fn carried_targets(cache: &RepositoryCache) -> [(&'static str, PathBuf); 2] {
    [("target", cache.target()), ("counting", cache.counting_target())]
}

fn take(folder: &Path, targets: &[(&str, PathBuf)]) -> Result<CarriedDependencies, (PathBuf, io::Error)> {
    let mut carried = CarriedDependencies::default();
    let mut copy = |from: &Path, to: &Path, copy_one: fn(&Path, &Path) -> io::Result<u64>| {
        let mut files = Vec::new();
        add_files(from, &mut files);
        for file in files {
            let Ok(place) = file.strip_prefix(from) else { continue };
            let target = to.join(place);
            if !target.exists() {
                let length = copy_one(&file, &target).map_err(|error| (file.clone(), error))?;
                carried.bytes += length;
            }
        }
        Ok(())
    };
    // Cargo's home first: it may be shared with other programs, whose files stay.
    copy(&folder.join("registry"), &cargo_home().join("registry"), copy_whole)?;
    for (name, target) in targets {
        // Whole or absent: cargo takes a file for built by its time, and does not look whether it was cut short.
        let unfinished = unfinished_beside(target).map_err(|error| (target.clone(), error))?;
        copy(&folder.join(name), &unfinished.path(), copy_with_times)?;
        if unfinished.path().exists() {
            unfinished.finish_folder().map_err(|error| (target.clone(), error))?;
        }
    }
    let profiles = targets.iter().flat_map(|(_, target)| profile_folders(target));
    let units = profiles.flat_map(|profile| sorted_entries(&profile.join(FINGERPRINTS)));
    carried.units = units.count();
    Ok(carried)
}

/// The folders below a target folder that cargo builds into: `release`, and one for each target triple.
fn profile_folders(target: &Path) -> Vec<PathBuf> {
    let below = sorted_entries(target);
    let of_triples = below.iter().flat_map(|folder| sorted_entries(folder));
    let all = below.iter().cloned().chain(of_triples);
    all.filter(|folder| folder.join(FINGERPRINTS).is_dir()).collect()
}

/// The packed sources and the index entries of the packages, each with its place in the folder. If all that cargo's home
/// has is small, all of it: resolving asks for packages that this system does not build, too.
fn packed_sources(home: &Path, sources: &BTreeSet<PathBuf>) -> Vec<(PathBuf, PathBuf)> {
    let registry = home.join("registry");
    // `…/registry/src/REGISTRY/serde-1.0.0/src/lib.rs` → `serde-1.0.0`.
    let used: BTreeSet<&str> = sources
        .iter()
        .filter_map(|source| {
            source
                .strip_prefix(registry.join("src"))
                .ok()?
                .components()
                .nth(1)?
                .as_os_str()
                .to_str()
        })
        .collect();
    let packed: Vec<PathBuf> = (sorted_entries(&registry.join("cache")).iter())
        .flat_map(|folder| sorted_entries(folder))
        .filter(|file| file.extension().is_some_and(|extension| extension == "crate"))
        .collect();
    let size: u64 = packed
        .iter()
        .filter_map(|file| fs::metadata(file).ok())
        .map(|file| file.len())
        .sum();
    let stem = |file: &Path| {
        file.file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned()
    };
    let packed = packed
        .into_iter()
        .filter(|file| size <= MOST_PACKED || used.contains(stem(file).as_str()));
    let packed: Vec<PathBuf> = packed.collect();
    let names: BTreeSet<String> = packed
        .iter()
        .map(|file| package_of(&stem(file)).to_lowercase())
        .collect();
    let mut index = Vec::new();
    for folder in sorted_entries(&registry.join("index")) {
        add_files(&folder.join("config.json"), &mut index);
        let mut entries = Vec::new();
        add_files(&folder.join(".cache"), &mut entries);
        let is_used = |file: &PathBuf| {
            file.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| names.contains(name))
        };
        index.extend(entries.into_iter().filter(is_used));
    }
    let placed = packed.into_iter().chain(index).filter_map(|file| {
        let place = file.strip_prefix(home).ok()?.to_owned();
        Some((file, place))
    });
    placed.collect()
}

/// `serde_json` of `serde_json-1.0.0-rc.1`: the version begins at the first hyphen before a digit and a full stop.
fn package_of(packed: &str) -> &str {
    let hyphens = packed.match_indices('-');
    let is_version = |rest: &str| {
        let major = rest.split('.').next().unwrap_or_default();
        rest.contains('.') && !major.is_empty() && major.bytes().all(|byte| byte.is_ascii_digit())
    };
    let found = hyphens
        .map(|(at, _)| packed.split_at(at))
        .find(|(_, rest)| is_version(&rest[1..]));
    found.map_or(packed, |(name, _)| name)
}

fn unfinished_beside(folder: &Path) -> io::Result<UnfinishedPath> {
    UnfinishedPath::beside(folder).map_err(|error| match error {
        FileWriteError::Refused { source, .. } => source,
        link @ FileWriteError::Link { .. } => io::Error::other(link),
    })
}

/// Copies a file with its times, so that it is there whole or not at all; gives its length.
fn copy_whole(from: &Path, to: &Path) -> io::Result<u64> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder)?;
    remove_abandoned_once(folder, UNFINISHED);
    let unfinished = owned_file(folder, UNFINISHED, "")?;
    let length = copy_with_times(from, unfinished.path())?;
    unfinished.persist(to).map_err(|error| error.error)?;
    Ok(length)
}

fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Copies a file with its times, which cargo compares; gives its length.
fn copy_with_times(from: &Path, to: &Path) -> io::Result<u64> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let length = fs::copy(from, to)?;
    let metadata = fs::metadata(from)?;
    let times = FileTimes::new()
        .set_modified(metadata.modified()?)
        .set_accessed(metadata.accessed()?);
    // Without the right to write, its owner may still set the times.
    File::open(to)?.set_times(times)?;
    Ok(length)
}

fn failed(attempt: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CarryError + use<> {
    let path = path.to_owned();
    move |source| CarryError { attempt, path, source }
}
