//! A version → the folders of the packages that the sample's benchmarks are compiled from, and of those that they can lead
//! to there. Versions that have the same manifests share them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::Sample;
use crate::languages::Language;
use crate::sources::{Blob, ContentId, FileSource};

/// So many sets of manifests are kept: those of versions beside each other are mostly the same.
const KEPT: usize = 8;

/// Packages that were found in some manifests, the latest first.
#[derive(Debug, Default)]
pub(super) struct KnownPackages(Mutex<VecDeque<PackagesWithinReach>>);

#[derive(Debug, Clone)]
struct PackagesWithinReach {
    language: Language,
    /// The files that decide it, absent ones as well.
    read: FilesRead,
    folders: Arc<BTreeSet<String>>,
}

/// Contents by path; `None` for a file that was not there.
type FilesRead = BTreeMap<String, Option<ContentId>>;

impl Sample {
    /// The folders of the packages that benchmarks of the sample were compiled from, and of those that they can lead to in
    /// a version.
    pub(crate) fn packages_within_reach(&self, language: Language, tree: &dyn FileSource) -> Arc<BTreeSet<String>> {
        // A list is whole at every moment a panic could leave it.
        let known = || self.packages.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |known: &&PackagesWithinReach| {
            let mut read = known.read.iter();
            known.language == language && read.all(|(path, id)| tree.id(path) == *id)
        };
        if let Some(known) = known().iter().find(is_known) {
            return Arc::clone(&known.folders);
        }
        let recording = RecordingFiles {
            tree,
            read: RefCell::default(),
        };
        let compiled = self.compiled_packages(language);
        let folders = Arc::new(language.support().packages_within_reach(&compiled, &recording));
        let mut known = known();
        known.push_front(PackagesWithinReach {
            language,
            read: recording.read.into_inner(),
            folders: Arc::clone(&folders),
        });
        known.truncate(KEPT);
        folders
    }

    /// The folders of the packages that benchmarks of the sample were compiled from.
    fn compiled_packages(&self, language: Language) -> BTreeSet<String> {
        let files = self.inputs.units().flat_map(|unit| &unit.files);
        // One file of each folder will do.
        let files: BTreeMap<&str, &String> = files
            .map(|file| (file.rsplit_once('/').map_or("", |(folder, _)| folder), file))
            .collect();
        let then = self.tree.as_ref();
        let packages = files
            .into_values()
            .filter_map(|file| language.support().package_folder(file, then));
        packages.map(str::to_owned).collect()
    }
}

/// A version that keeps in mind which of its files were asked for.
struct RecordingFiles<'t> {
    tree: &'t dyn FileSource,
    read: RefCell<FilesRead>,
}

impl FileSource for RecordingFiles<'_> {
    fn file(&self, path: &str) -> Option<Blob> {
        let file = self.tree.file(path);
        // By the id that later versions are asked for: a file that cannot be read has one.
        self.id(path);
        file
    }

    fn id(&self, path: &str) -> Option<ContentId> {
        let id = self.tree.id(path);
        self.read.borrow_mut().insert(path.to_owned(), id);
        id
    }
}
