//! A store in which something is damaged → everything that reads it: the lists of samples, verdicts and acknowledgements, the
//! check, the sample behind a prediction, and the merge into another store, from a ref and from a file.
//!
//! Must hold: an error or a finding, never a panic; whoever reads a part finds no defect that the check does not find; and
//! a merge loses nothing and brings nothing damaged.

mod seeds;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use engine::sample_loader::{SampleLoader, decodes};
use engine::skipping_audit::audit_of_verdicts;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::store::remote::{BundleImport, FILE_LIMIT, import};
use runner::store::{
    AcknowledgementPolicy, GoneCommitPolicy, MergeHistoryPolicy, ObjectKey, RetentionPolicy, SampleRecord, Store,
    StoreFinding, StoreMergeOptions,
};
use serde_json::Value;
use verdict::{Acknowledgement, SpentTotal, VerdictReport};

use super::git_objects::{GitObjects, ObjectId, ObjectKind, commit, file_of, hexadecimal};
use super::json_edits;
use super::mutation::mutate;
use super::random::Numbers;

/// The files of a store by path.
type StoreFiles = BTreeMap<Vec<u8>, Vec<u8>>;

/// The ref of the damaged store, and of the one that it is merged into.
const THEIRS: &str = "refs/lito/store";
const OURS: &str = "refs/lito/ours";

/// Time limit of each run of git.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Damages a store and reads all of it.
pub(crate) fn read_store(numbers: &mut Numbers) {
    let damage = StoreDamage::of(&seeds::theirs(), numbers);
    let bench = StoreBench::with(&damage);
    bench.read();
    bench.merge(if numbers.below(2) == 0 {
        MergeHistoryPolicy::Join
    } else {
        MergeHistoryPolicy::LeaveBehind
    });
    bench.collect(GoneCommitPolicy::Drop);
}

/// Damages a store, and merges it from a file; every other file is damaged itself.
pub(crate) fn read_bundle(numbers: &mut Numbers) {
    let damage = match numbers.below(2) {
        0 => StoreDamage::none(&seeds::theirs()),
        _ => StoreDamage::of(&seeds::theirs(), numbers),
    };
    let mut file = damage.objects.bundle(damage.tip).expect("memory takes any bytes");
    if numbers.below(2) == 0 {
        // The header is short: nearly all damage would miss it.
        let header = file.len().min(100);
        let rest = file.split_off(header);
        file = match numbers.below(4) {
            0 => [file, mutate(&rest, &rest, numbers)].concat(),
            _ => [mutate(&file, &rest, numbers), rest].concat(),
        };
    }
    StoreBench::with(&StoreDamage::none(&seeds::theirs())).import(&file);
}

/// The objects of a store, damaged or not.
struct StoreDamage {
    objects: GitObjects,
    /// The commit of the store's ref.
    tip: ObjectId,
    /// An object whose file is changed where it lies.
    changed_file: Option<(ObjectId, Numbers)>,
}

impl StoreDamage {
    fn none(files: &StoreFiles) -> Self {
        let mut objects = GitObjects::default();
        let tree = objects.add_files(files, &mut |folder| folder);
        let tip = objects.add(ObjectKind::Commit, commit(tree, &[]));
        Self {
            objects,
            tip,
            changed_file: None,
        }
    }

    /// The store with one to three damages: to its files, to a folder, to the commit, or to the file of an object.
    fn of(files: &StoreFiles, numbers: &mut Numbers) -> Self {
        let mut files = files.clone();
        let elsewhere = numbers.below(8);
        if elsewhere > 2 {
            for _ in 0..=numbers.below(3) {
                damage_file(&mut files, numbers);
            }
        }
        let mut objects = GitObjects::default();
        let mut left = if elsewhere == 0 { numbers.below(8) } else { usize::MAX };
        let tree = objects.add_files(&files, &mut |folder| {
            left = left.wrapping_sub(1);
            match left {
                0 => mutate(&folder, &folder, numbers),
                _ => folder,
            }
        });
        let mut content = commit(tree, &[]);
        if elsewhere == 1 {
            content = mutate(&content, &content, numbers);
        }
        let tip = objects.add(ObjectKind::Commit, content);
        let changed = [tip, tree][numbers.below(2)];
        let changed_file = (elsewhere == 2).then(|| (changed, numbers.clone()));
        Self {
            objects,
            tip,
            changed_file,
        }
    }
}

/// Damages one file of a store, or its path.
fn damage_file(files: &mut StoreFiles, numbers: &mut Numbers) {
    let Some(path) = files.keys().nth(numbers.below(files.len())).cloned() else {
        return;
    };
    let other = files.values().nth(numbers.below(files.len())).cloned();
    let (content, other) = (files[&path].clone(), other.unwrap_or_default());
    match numbers.below(8) {
        0 => drop(files.remove(&path)),
        1 => drop(files.insert(path, mutate(&content, &other, numbers))),
        2 => {
            files.remove(&path);
            let mut moved = mutate(&path, b"samples/../objects/format", numbers);
            moved
                .iter_mut()
                .filter(|byte| **byte == 0)
                .for_each(|byte| *byte = b'0');
            files.insert(moved, content);
        }
        3 if path.starts_with(b"objects/") => {
            let changed = mutate(&content, &other, numbers);
            let (old, new) = (ObjectKey::of(&content), ObjectKey::of(&changed));
            files.remove(&path);
            files.insert(seeds::object_path(new), changed);
            for content in files.values_mut() {
                if let Ok(text) = std::str::from_utf8(content) {
                    *content = text.replace(&old.to_string(), &new.to_string()).into_bytes();
                }
            }
        }
        _ => {
            let Ok(mut document) = serde_json::from_slice::<Value>(&content) else {
                return;
            };
            json_edits::edit(&mut document, numbers);
            let text = document.to_string().into_bytes();
            // To where it belongs by its new content.
            let place = match numbers.below(4) {
                0 => None,
                _ => seeds::path_of(&text),
            };
            files.remove(&path);
            files.insert(place.unwrap_or(path), text);
        }
    }
}

/// A repository with a damaged store and a good one.
struct StoreBench {
    folder: tempfile::TempDir,
    repository: Repository,
    /// The contents of the good store.
    ours: StoreFiles,
}

impl StoreBench {
    fn with(damage: &StoreDamage) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let repository = Repository::create_bare(folder.path()).expect("a repository can be made");
        let ours = seeds::ours();
        let mut objects = GitObjects::default();
        seeds::add_version(&mut objects);
        let tree = objects.add_files(&ours, &mut |folder| folder);
        let tip = objects.add(ObjectKind::Commit, commit(tree, &[]));
        let write = |objects: &GitObjects| objects.write(folder.path()).expect("objects can be written");
        write(&objects);
        write(&damage.objects);
        if let Some((id, mut numbers)) = damage.changed_file.clone() {
            let file = file_of(folder.path(), id);
            let bytes = fs::read(&file).expect("the object was written");
            fs::write(file, mutate(&bytes, &bytes, &mut numbers)).expect("the object can be written");
        }
        set_ref(folder.path(), OURS, tip);
        set_ref(folder.path(), THEIRS, damage.tip);
        Self {
            folder,
            repository,
            ours,
        }
    }

    fn store(&self, reference: &str) -> Store {
        Store::open(&self.repository, &format!("git:{reference}")).expect("the name is one of a ref")
    }

    /// Reads the damaged store in every way.
    fn read(&self) {
        let store = self.store(THEIRS);
        let mut known: Vec<StoreFinding> = Vec::new();
        let samples = store.samples();
        if let Ok(found) = &samples {
            known.extend(found.set_aside.iter().cloned());
            for sample in &found.samples {
                let of_one = store.sample(sample.commit).expect("the whole list can be read");
                assert!(of_one.samples.contains(sample));
            }
        }
        if let Ok(found) = store.verdicts() {
            known.extend(found.set_aside);
            let _ = SpentTotal::of(&found.verdicts);
            let _ = audit_of_verdicts(&found.verdicts);
        }
        if let Ok(found) = store.all_acknowledgements() {
            known.extend(found.set_aside);
            for given in &found.acknowledgements {
                let of_pull = store.acknowledgements(given.pull).expect("the whole list can be read");
                assert!(of_pull.acknowledgements.contains(given));
            }
        }
        match store.verify(&decodes) {
            Ok(findings) => known.iter().for_each(|finding| {
                assert!(findings.contains(finding), "{finding:?} is not among {findings:?}");
            }),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if let Ok(mut loader) = SampleLoader::new(&self.repository, &store) {
            let _ = loader.nearest(seeds::version());
            let _ = loader.at(seeds::version());
        }
    }

    /// Merges the damaged store into the good one.
    fn merge(&self, ancestors: MergeHistoryPolicy) {
        let (ours, theirs) = (self.store(OURS), self.store(THEIRS));
        let merging = StoreMergeOptions {
            decode: &decodes,
            accepted: AcknowledgementPolicy::Take,
            ancestors,
        };
        let _ = ours.merge(&theirs, merging);
        self.check_ours();
    }

    /// Merges a store from a file into the good one.
    fn import(&self, file: &[u8]) {
        let path = self.folder.path().join("file.store");
        fs::write(&path, file).expect("a file can be written");
        let importing = BundleImport {
            store: &self.store(OURS),
            decode: &decodes,
            accepted: AcknowledgementPolicy::Take,
            size_limit: FILE_LIMIT,
            time_limit: TIME_LIMIT,
            interruption: &InterruptionFlag::default(),
        };
        let _ = import(&importing, &path);
        self.check_ours();
    }

    /// Removes what the damaged store need not keep.
    fn collect(&self, gone_commits: GoneCommitPolicy) {
        let policy = RetentionPolicy {
            newest: None,
            since: None,
            gone_commits,
        };
        let theirs = self.store(THEIRS);
        let announced = theirs.garbage(&self.repository, policy);
        let removed = theirs.gc(&self.repository, policy);
        assert_eq!(announced.ok(), removed.ok());
        let _ = self.store(OURS).gc(&self.repository, policy);
        assert_eq!(self.store(OURS).verify(&decodes).ok(), Some(Vec::new()));
    }

    /// The good store holds what it held, and nothing damaged.
    fn check_ours(&self) {
        let ours = self.store(OURS);
        assert_eq!(ours.verify(&decodes).ok(), Some(Vec::new()));
        let samples = ours.samples().expect("it is good").samples;
        let verdicts = ours.verdicts().expect("it is good").verdicts;
        let acknowledgements = ours.all_acknowledgements().expect("it is good").acknowledgements;
        for (path, content) in &self.ours {
            let is_there = if path.starts_with(b"samples/") {
                let old = read::<SampleRecord>(content);
                samples.iter().any(|new| {
                    let kept = |name| new.benchmarks.contains_key(name);
                    (new.commit, &new.environment) == (old.commit, &old.environment) && old.benchmarks.keys().all(kept)
                })
            } else if path.starts_with(b"verdicts/") {
                let old = read::<VerdictReport>(content);
                verdicts
                    .iter()
                    .any(|new| (&new.head, &new.base) == (&old.head, &old.base))
            } else if path.starts_with(b"acknowledgements/") {
                let old = read::<Acknowledgement>(content);
                let place = |given: &Acknowledgement| (given.pull, given.head.clone(), given.benchmark.clone());
                acknowledgements.iter().any(|new| place(new) == place(&old))
            } else {
                true
            };
            assert!(is_there, "{} is gone", String::from_utf8_lossy(path));
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(content: &[u8]) -> T {
    serde_json::from_slice(content).expect("it is one of the good store")
}

fn set_ref(repository: &Path, reference: &str, id: ObjectId) {
    let file = repository.join(reference);
    fs::create_dir_all(file.parent().unwrap_or(repository)).expect("a folder can be made");
    fs::write(file, format!("{}\n", hexadecimal(id))).expect("a ref can be written");
}

/// The commit of this hash.
fn commit_id(id: ObjectId) -> CommitId {
    CommitId::from_str(&hexadecimal(id)).expect("it is a hash")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_damaged_is_a_store_without_findings_that_merges_wholly() {
        let bench = StoreBench::with(&StoreDamage::none(&seeds::theirs()));
        let theirs = bench.store(THEIRS);
        assert_eq!(theirs.verify(&decodes).ok(), Some(Vec::new()));
        let counts = |store: &Store| {
            [
                store.samples().expect("it is whole").samples.len(),
                store.verdicts().expect("it is whole").verdicts.len(),
                store
                    .all_acknowledgements()
                    .expect("it is whole")
                    .acknowledgements
                    .len(),
            ]
        };
        assert_eq!((counts(&theirs), counts(&bench.store(OURS))), ([3, 1, 2], [2, 1, 1]));
        let mut loader = SampleLoader::new(&bench.repository, &theirs).expect("it is whole");
        assert!(loader.nearest(seeds::version()).expect("it is whole").is_some());
        bench.merge(MergeHistoryPolicy::LeaveBehind);
        assert_eq!(counts(&bench.store(OURS)), [4, 1, 2]);
    }

    #[test]
    fn a_file_that_is_not_damaged_merges_wholly() {
        let damage = StoreDamage::none(&seeds::theirs());
        let bench = StoreBench::with(&damage);
        bench.import(&damage.objects.bundle(damage.tip).expect("memory takes any bytes"));
        assert_eq!(bench.store(OURS).samples().expect("it is whole").samples.len(), 4);
    }

    #[test]
    fn damage_is_found_and_leaves_much_to_read() {
        const TRIED: u64 = 100;
        let (mut whole, mut readable, mut with_findings) = (0, 0, 0);
        for number in 0..TRIED {
            let damage = StoreDamage::of(&seeds::theirs(), &mut Numbers::Seeded(number));
            match StoreBench::with(&damage).store(THEIRS).verify(&decodes) {
                Ok(findings) if findings.is_empty() => whole += 1,
                Ok(_) => with_findings += 1,
                Err(_) => continue,
            }
            readable += 1;
        }
        assert!(whole > TRIED / 20, "{whole} of {TRIED} are whole");
        assert!(with_findings > TRIED / 4, "{with_findings} of {TRIED} have findings");
        assert!(readable < TRIED, "no damage makes a store unreadable");
    }
}
