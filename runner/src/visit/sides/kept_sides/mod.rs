//! Built sides → folders in the repository's cache, and back, so that a version is not built again for every comparison.
//!
//! A side is kept under the digest of everything that its build depends on: see [`KeptSides::key`]. It stands for a
//! build only where the other side was built in the same comparison, or with the same dependencies; a lock file that the
//! version itself has is part of its sources. A side is not kept if that can't be known, if a part of it failed for a
//! reason that may be the machine's, or if its programs name the build folder: they may read files there (their
//! `OUT_DIR`, other programs), which the next build replaces.
//!
//! A folder is written under another name and moved to its own, so that it is whole or absent; programs are read with
//! their digests. Everything here happens under the checkout's lock.

mod build_folder_use;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use profile::inputs::VariableDigest;
use serde::{Deserialize, Serialize};

use super::{BaseOrHead, MeasuredSide, MeasuredSidesError, ProgramCopies, SideBuildPlan};
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::build::{LockfileDigest, OutsideInputs, path_digest, surroundings_digest};
use crate::cache_files;
use crate::environment::{NEEDED_SPACE, free_space, processor};
use crate::git::{BlobContent, CommitId};
use crate::profilers::ProfilerBuild;
use crate::store::Environment;
use crate::suite::BenchmarkSuite;
use crate::visit::environment::harness_data_digest;

/// The version of the folders; those of other versions are never found, and go as the oldest.
const SCHEMA: &str = "lito.side/1";

/// The folder of the kept sides in the cache.
const FOLDER: &str = "built";

/// The name of a side that is being written; no key is as short.
const UNFINISHED: &str = "new";

/// The description of a side, beside its programs.
const RECORD: &str = "side.json";

/// The folder of a side's programs.
const PROGRAMS: &str = "programs";

/// Sides that are kept: those of two comparisons.
const MOST_SIDES: usize = 4;

/// Bytes of all kept sides: programs with debug information take some ten megabytes each.
const MOST_BYTES: u64 = 2 << 30;

/// Largest description that is read: a thousand benchmarks with their inputs take some ten megabytes.
const LARGEST_RECORD: u64 = 1 << 28;

/// Largest lock file that is compared with the version's own.
const LARGEST_LOCKFILE: u64 = 1 << 26;

/// The kept sides of a repository, as far as one comparison may use them.
pub(super) struct KeptSides<'a> {
    plan: SideBuildPlan<'a>,
    folder: PathBuf,
    environments: [Environment; 2],
    /// Names this comparison: what is built in it was built one after the other.
    comparison: String,
    began: SystemTime,
    /// The keys when the comparison began; none if a side must neither be taken nor kept.
    keys: [Option<String>; 2],
}

/// A side and the comparison that it was built in.
pub(super) struct BuiltSide {
    pub(super) side: MeasuredSide,
    comparison: String,
}

/// The description of a kept side.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SideRecord {
    key: String,
    comparison: String,
    /// The suite, with its programs as in [`Self::programs`].
    suite: BenchmarkSuite,
    /// The programs by their places below the folder of a side, with their digests.
    programs: BTreeMap<PathBuf, String>,
    /// The inputs outside the version, with their digests.
    outside: BTreeMap<PathBuf, String>,
}

impl<'a> KeptSides<'a> {
    /// Those that the comparison may use, of a base and a head in these environments. Removes what a killed process left
    /// half written.
    pub(super) fn open(plan: SideBuildPlan<'a>, environments: [Environment; 2]) -> KeptSides<'a> {
        let folder = plan.cache.root().join(FOLDER);
        // Without it nothing can be written there, and then nothing is kept.
        let _ = fs::remove_dir_all(folder.join(UNFINISHED));
        let began = SystemTime::now();
        let since = began.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut kept = KeptSides {
            plan,
            folder,
            environments,
            comparison: format!("{}-{}", std::process::id(), since.as_nanos()),
            began,
            keys: [None, None],
        };
        kept.keys = BaseOrHead::BOTH.map(|which| kept.key(which));
        kept
    }

    /// Marks a side that was built in this comparison.
    pub(super) fn built(&self, side: MeasuredSide) -> BuiltSide {
        BuiltSide {
            side,
            comparison: self.comparison.clone(),
        }
    }

    /// The kept sides that stand for builds of base and head, with their programs copied; both only if they may be
    /// compared with each other.
    ///
    /// # Errors
    /// If the copies of a side that can't be taken can't be removed.
    pub(super) fn take(&self, copies: &ProgramCopies) -> Result<[Option<BuiltSide>; 2], MeasuredSidesError> {
        if self.plan.fresh {
            return Ok([None, None]);
        }
        let mut taken = [
            self.take_side(copies, BaseOrHead::Base)?,
            self.take_side(copies, BaseOrHead::Head)?,
        ];
        if let [Some(base), Some(head)] = &taken
            && !self.are_comparable(base, head)
        {
            taken = [None, None];
            BaseOrHead::BOTH
                .into_iter()
                .try_for_each(|which| copies.discard(which))?;
        }
        Ok(taken)
    }

    /// True if a difference between the programs of both is one of the sources: they were built one after the other, or
    /// with the same packages from elsewhere.
    pub(super) fn are_comparable(&self, base: &BuiltSide, head: &BuiltSide) -> bool {
        let [base_suite, head_suite] = [&base.side.suite, &head.side.suite];
        if base.comparison == head.comparison || base_suite.benchmarks.is_empty() || head_suite.benchmarks.is_empty() {
            return true;
        }
        let [ours, theirs] = [&base_suite.outside, &head_suite.outside];
        let names: BTreeSet<&PathBuf> = ours.lockfiles.keys().chain(theirs.lockfiles.keys()).collect();
        ours.is_complete
            && theirs.is_complete
            && names.into_iter().all(|name| {
                let (Some(of_base), Some(of_head)) = (ours.lockfiles.get(name), theirs.lockfiles.get(name)) else {
                    return false;
                };
                of_base.packages == of_head.packages
                    || self.is_committed(base.side.commit, name, of_base)
                        && self.is_committed(head.side.commit, name, of_head)
            })
    }

    /// True if the version has the lock file with this very content.
    fn is_committed(&self, commit: CommitId, path: &Path, digest: &LockfileDigest) -> bool {
        let Ok(place) = path.strip_prefix(self.plan.cache.tree()) else {
            return false;
        };
        let place = place.as_os_str().as_encoded_bytes();
        let committed = self.plan.repository.file_at(commit, place, LARGEST_LOCKFILE);
        matches!(committed, Ok(Some(BlobContent::Bytes(text))) if LockfileDigest::of(&text) == *digest)
    }

    /// Keeps the sides that were built in this comparison, as far as a later one may use them. A failure loses only
    /// the time of a build.
    pub(super) fn keep<const SIDES: usize>(&self, copies: &ProgramCopies, sides: [(BaseOrHead, &BuiltSide); SIDES]) {
        for (which, built) in sides {
            let _ = self.keep_side(copies, which, built);
        }
    }

    /// The digest of everything that the build of a side depends on, except for inputs outside the version, which only
    /// the build tells: the commit, the definitions with their harnesses, the environment, the surroundings, and the
    /// folder. None if a part of it is not known, or the side must not be kept.
    fn key(&self, which: BaseOrHead) -> Option<String> {
        let plan = &self.plan;
        // A version against itself shows how much two builds differ; and what is not committed does not come again.
        let is_excluded = plan.base == plan.head
            || plan.draft && which == BaseOrHead::Head
            || plan.profiler.changes_sources()
            || !super::shared(plan.definitions).is_empty()
            || plan.definitions.iter().any(runs_what_it_does_not_build);
        if is_excluded {
            return None;
        }
        let commit = match which {
            BaseOrHead::Base => plan.base,
            BaseOrHead::Head => plan.head,
        };
        let surroundings = surroundings_digest(plan.cache, std::env::vars_os())?;
        let root = plan.repository.workdir().unwrap_or(plan.repository.common_dir());
        // Lock files included; the environment, which leaves them out, was taken when the comparison began.
        let harnesses = harnesses(plan.definitions).map(|harness| path_digest(&root.join(harness)).0);
        let environment = match which {
            BaseOrHead::Base => &self.environments[0],
            BaseOrHead::Head => &self.environments[1],
        };
        let definitions: Vec<&BenchmarkDefinition> = plan.definitions.iter().collect();
        let choice = plan.definitions.choice();
        let text = serde_json::to_string(&(
            (SCHEMA, env!("CARGO_PKG_VERSION"), commit.to_string()),
            (&environment.0, definitions, choice, harnesses.collect::<Vec<_>>()),
            // Build scripts may ask the processor for its features.
            (surroundings, plan.cache.root(), processor()),
        ));
        Some(blake3::hash(text.ok()?.as_bytes()).to_hex().to_string())
    }

    fn key_of(&self, which: BaseOrHead) -> Option<&String> {
        match which {
            BaseOrHead::Base => self.keys[0].as_ref(),
            BaseOrHead::Head => self.keys[1].as_ref(),
        }
    }

    fn take_side(&self, copies: &ProgramCopies, which: BaseOrHead) -> Result<Option<BuiltSide>, MeasuredSidesError> {
        let Some(key) = self.key_of(which) else { return Ok(None) };
        let folder = self.folder.join(key);
        let file = folder.join(RECORD);
        let record = read_record(&file).filter(|record| record.key == *key);
        let Some(record) = record.filter(|record| self.is_as_it_was(record)) else {
            return Ok(None);
        };
        let side_copies = copies.folder(which);
        let copied = record.programs.iter().try_for_each(|(place, digest)| {
            copy_verified(&folder.join(PROGRAMS).join(place), &side_copies.join(place), digest)
        });
        if copied.is_err() {
            copies.discard(which)?;
            return Ok(None);
        }
        let mut suite = record.suite;
        for benchmark in &mut suite.benchmarks {
            if record.programs.contains_key(&benchmark.program) {
                benchmark.program = side_copies.join(&benchmark.program);
            }
        }
        // The oldest go first: this one was just of use.
        let _ = File::options()
            .write(true)
            .open(&file)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Ok(Some(BuiltSide {
            side: MeasuredSide {
                commit: match which {
                    BaseOrHead::Base => self.plan.base,
                    BaseOrHead::Head => self.plan.head,
                },
                suite,
                unbuilt: None,
                probed: ProfilerBuild::default(),
                reused: true,
            },
            comparison: record.comparison,
        }))
    }

    /// True if everything outside the version that the build read is as it was, and the copies of harnesses hold the
    /// files that the programs may read.
    fn is_as_it_was(&self, record: &SideRecord) -> bool {
        let is_set = |name: &str| {
            self.plan
                .definitions
                .iter()
                .any(|definition| definition.env.contains_key(name))
        };
        let variables = record.suite.compiled.values().flat_map(|inputs| inputs.variables());
        let mut variables = variables.filter(|(name, _)| !is_set(name));
        variables.all(|(name, digest)| {
            let now = std::env::var_os(name);
            now.map(|value| VariableDigest::of(value.as_encoded_bytes())) == digest
        }) && record
            .outside
            .iter()
            .all(|(path, digest)| path_digest(path).0 == *digest)
            && self.harness_copies_are_whole()
    }

    fn harness_copies_are_whole(&self) -> bool {
        let repository = self.plan.repository;
        let root = repository.workdir().unwrap_or(repository.common_dir());
        harnesses(self.plan.definitions).all(|harness| {
            let original = root.join(harness).canonicalize().unwrap_or_default();
            let copy = self.plan.cache.harness(&original);
            copy.is_dir() && harness_data_digest(&original) == harness_data_digest(&copy)
        })
    }

    fn keep_side(&self, copies: &ProgramCopies, which: BaseOrHead, built: &BuiltSide) -> io::Result<()> {
        let suite = &built.side.suite;
        let Some(key) = self.key_of(which) else { return Ok(()) };
        let is_whole = built.side.unbuilt.is_none() && !suite.benchmarks.is_empty() && suite.outside.is_complete;
        // Settings and harnesses may have changed while it was built.
        if built.side.reused || !is_whole || self.key(which).as_ref() != Some(key) {
            return Ok(());
        }
        let Some((outside, places)) = self
            .outside_digests(&suite.outside)
            .zip(self.program_places(&copies.folder(which), suite))
        else {
            return Ok(());
        };
        let side_copies = copies.folder(which);
        let mut bytes = 0;
        for place in &places {
            bytes += fs::metadata(side_copies.join(place))?.len();
        }
        let target = self.folder.join(key);
        let _ = fs::remove_dir_all(&target);
        let has_space = free_space(self.plan.cache.root()).is_ok_and(|free| free > bytes + NEEDED_SPACE);
        if bytes > MOST_BYTES || !has_space {
            return Ok(());
        }
        self.remove_oldest(MOST_SIDES - 1, MOST_BYTES - bytes)?;
        let unfinished = self.folder.join(UNFINISHED);
        let written = write_side(&unfinished, &side_copies, built, key, (outside, places));
        written
            .and_then(|()| fs::rename(&unfinished, &target))
            .inspect_err(|_| {
                let _ = fs::remove_dir_all(&unfinished);
            })
    }

    /// The digests of the inputs outside the version; none if one of them changed after the comparison began.
    fn outside_digests(&self, outside: &OutsideInputs) -> Option<BTreeMap<PathBuf, String>> {
        let digest = |path: &PathBuf| {
            let (digest, changed) = path_digest(path);
            (changed < self.began).then(|| (path.clone(), digest))
        };
        outside.paths.iter().map(digest).collect()
    }

    /// The places of a side's programs; none if one of them can't be kept, or may read the build folder.
    fn program_places(&self, folder: &Path, suite: &BenchmarkSuite) -> Option<BTreeSet<PathBuf>> {
        let commands: BTreeSet<&str> = (self.plan.definitions.iter())
            .filter(|definition| definition.adapter == BenchmarkAdapter::Command && definition.build.is_none())
            .filter_map(|definition| definition.name.as_deref())
            .collect();
        let mut places = BTreeSet::new();
        for benchmark in &suite.benchmarks {
            match benchmark.program.strip_prefix(folder) {
                Ok(place) => drop(places.insert(place.to_owned())),
                // Nothing is built for it.
                Err(_) if commands.contains(benchmark.name.as_str()) => {}
                Err(_) => return None,
            }
        }
        let target = self.plan.cache.target();
        let is_free = suite
            .benchmarks
            .iter()
            .all(|benchmark| !build_folder_use::run_names(benchmark, &target))
            && places
                .iter()
                .all(|place| !build_folder_use::program_names(&folder.join(place), &target));
        is_free.then_some(places)
    }

    /// Removes the sides that were of no use for longest, until this many sides with this many bytes are left.
    fn remove_oldest(&self, sides: usize, bytes: u64) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let folder = entry?.path();
            // One without a description is older than all.
            let used = fs::metadata(folder.join(RECORD)).and_then(|file| file.modified());
            kept.push((used.unwrap_or(UNIX_EPOCH), bytes_below(&folder), folder));
        }
        kept.sort();
        let mut left: u64 = kept.iter().map(|(_, bytes, _)| bytes).sum();
        let mut count = kept.len();
        for (_, size, folder) in kept {
            if count <= sides && left <= bytes {
                break;
            }
            fs::remove_dir_all(folder)?;
            count -= 1;
            left -= size;
        }
        Ok(())
    }
}

/// Writes a side with its programs, which are below the folder `copies`.
fn write_side(
    unfinished: &Path,
    copies: &Path,
    built: &BuiltSide,
    key: &str,
    (outside, places): (BTreeMap<PathBuf, String>, BTreeSet<PathBuf>),
) -> io::Result<()> {
    let mut suite = built.side.suite.clone();
    for benchmark in &mut suite.benchmarks {
        if let Ok(place) = benchmark.program.strip_prefix(copies) {
            benchmark.program = place.to_owned();
        }
    }
    let mut programs = BTreeMap::new();
    for place in places {
        let kept = unfinished.join(PROGRAMS).join(&place);
        copy_into(&copies.join(&place), &kept)?;
        programs.insert(place, path_digest(&kept).0);
    }
    let record = SideRecord {
        key: key.to_owned(),
        comparison: built.comparison.clone(),
        suite,
        programs,
        outside,
    };
    let text = serde_json::to_vec(&record)?;
    let digest = blake3::hash(&text).to_hex();
    cache_files::write_atomically(&unfinished.join(RECORD), &[digest.as_bytes(), &text])
}

fn harnesses(definitions: &[BenchmarkDefinition]) -> impl Iterator<Item = &PathBuf> {
    definitions.iter().filter_map(|definition| definition.harness.as_ref())
}

/// True for a command that takes something from the build folder without building it.
fn runs_what_it_does_not_build(definition: &BenchmarkDefinition) -> bool {
    let of_run = definition.run.iter().flatten();
    definition.build.is_none() && of_run.into_iter().any(|part| part.starts_with("target/"))
}

fn read_record(file: &Path) -> Option<SideRecord> {
    let bytes = cache_files::read_bounded(file, LARGEST_RECORD)?;
    let (digest, text) = bytes.split_at_checked(2 * blake3::OUT_LEN)?;
    let is_whole = blake3::hash(text).to_hex().as_bytes() == digest;
    is_whole.then(|| serde_json::from_slice(text).ok()).flatten()
}

fn copy_into(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(drop)
}

fn copy_verified(from: &Path, to: &Path, digest: &str) -> io::Result<()> {
    copy_into(from, to)?;
    match path_digest(to).0 == digest {
        true => Ok(()),
        false => Err(io::Error::from(io::ErrorKind::InvalidData)),
    }
}

fn bytes_below(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| bytes_below(&entry.path())).sum()
        }
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests;
