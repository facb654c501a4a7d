//! A sample and a later version → the same sample, its sources where that version has them.
//!
//! Only sources that programs load when they run, of packages that moved as they are: `tool/parse.py` that is `src/tool/parse.py` by
//! now is one module, and its functions keep their names. Where a version moves them itself, nothing is known of what it loads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::inputs::{InputRecord, OpenedFiles};

use super::{IndexedProfile, Sample, SampleInputs};
use crate::languages::is_interpreted;
use crate::sources::{self, Blob, ContentId, FileSource, ListedFile};

/// Parts of two paths that are the same where a module moved: its package and its file.
const KEPT_PARTS: usize = 2;

/// The present path of each source that moved, by its path at the sampled version.
type Moves = BTreeMap<String, String>;

/// The sources of the sampled version by their present paths.
struct MovedTree {
    sampled: Arc<dyn FileSource + Send + Sync>,
    moves: Moves,
    /// The other way round.
    sampled_of: Moves,
}

impl Sample {
    /// The same sample for a version that has loaded sources elsewhere; `None` if none moved.
    pub(crate) fn with_moved_sources(&self, version: &dyn FileSource) -> Option<Self> {
        let moves = self.moves(version);
        if moves.is_empty() {
            return None;
        }
        let benchmarks = self.benchmarks.iter().map(|indexed| with_files_at(indexed, &moves));
        let records = self.inputs.records();
        let records = records.map(|(benchmark, record)| {
            let record = InputRecord {
                opened: opened_by_now(&record.opened, &moves),
                ..record.clone()
            };
            (benchmark.to_owned(), Arc::new(record))
        });
        let tree = MovedTree {
            sampled: Arc::clone(&self.tree),
            sampled_of: moves.iter().map(|(then, now)| (now.clone(), then.clone())).collect(),
            moves: moves.clone(),
        };
        let moved = Self::new(self.commit.clone(), benchmarks.collect(), Arc::new(tree));
        Some(
            moved
                .with_inputs(SampleInputs::new(records.collect()))
                .with_unprofiled(self.unprofiled.clone())
                .with_left_out(self.left_out.clone()),
        )
    }

    fn moves(&self, version: &dyn FileSource) -> Moves {
        let opened = self.inputs.records().flat_map(|(_, record)| &record.opened.files);
        // Benchmarks open mostly the same.
        let opened: BTreeSet<&str> = opened.map(String::as_str).collect();
        let gone: Vec<&str> = (opened.into_iter())
            .filter(|path| is_interpreted(path) && version.id(path).is_none() && self.tree.id(path).is_some())
            .collect();
        if gone.is_empty() {
            return Moves::new();
        }
        let files = version.all_files().unwrap_or_default();
        let came: Vec<&str> = (files.iter().map(|file| &*file.path))
            .filter(|path| is_interpreted(path) && self.tree.id(path).is_none())
            .collect();
        let moved = gone.into_iter().filter_map(|then| {
            let mut ends_alike = came.iter().filter(|now| common_end(then, now) >= KEPT_PARTS);
            // Of two, nobody says which.
            let now = ends_alike.next().filter(|_| ends_alike.next().is_none())?;
            Some((then.to_owned(), (*now).to_owned()))
        });
        moved.collect()
    }
}

/// The same profile with other paths of some files.
pub(super) fn with_files_at(indexed: &IndexedProfile, paths: &BTreeMap<String, String>) -> IndexedProfile {
    let mut profile = indexed.profile().clone();
    for file in &mut profile.files {
        if let Some(path) = paths.get(file) {
            file.clone_from(path);
        }
    }
    IndexedProfile::new(profile)
}

/// The number of last parts that two paths share.
fn common_end(one: &str, other: &str) -> usize {
    let parts = one.rsplit('/').zip(other.rsplit('/'));
    parts.take_while(|(one, other)| one == other).count()
}

/// The files that a run opened at the sampled version, by present paths.
fn opened_by_now(opened: &OpenedFiles, moves: &Moves) -> OpenedFiles {
    let folder_of = |path: &str| sources::folder_of(path).to_owned();
    let folders: Moves = (moves.iter())
        .map(|(then, now)| (folder_of(then), folder_of(now)))
        .collect();
    let by_now = |paths: &BTreeSet<String>, moves: &Moves| -> BTreeSet<String> {
        let present = |path: &String| moves.get(path).unwrap_or(path).clone();
        paths.iter().map(present).collect()
    };
    let is_there_by_now = |missing: &String| {
        let below = format!("{missing}/");
        moves.values().any(|now| now == missing || now.starts_with(&below))
    };
    OpenedFiles {
        files: by_now(&opened.files, moves),
        folders: by_now(&opened.folders, &folders),
        missing: (opened.missing.iter())
            .filter(|missing| !is_there_by_now(missing))
            .cloned()
            .collect(),
        ..opened.clone()
    }
}

impl MovedTree {
    /// The path at the sampled version; `None` for one where nothing stands any longer.
    fn sampled_path<'p>(&'p self, path: &'p str) -> Option<&'p str> {
        match self.sampled_of.get(path) {
            Some(then) => Some(then),
            None => (!self.moves.contains_key(path)).then_some(path),
        }
    }
}

impl FileSource for MovedTree {
    fn file(&self, path: &str) -> Option<Blob> {
        self.sampled.file(self.sampled_path(path)?)
    }

    fn bytes(&self, path: &str) -> Option<Arc<[u8]>> {
        self.sampled.bytes(self.sampled_path(path)?)
    }

    fn id(&self, path: &str) -> Option<ContentId> {
        self.sampled.id(self.sampled_path(path)?)
    }

    fn all_files(&self) -> Option<Vec<ListedFile>> {
        let files = self.sampled.all_files()?.into_iter();
        let present = files.map(|file| match self.moves.get(&*file.path) {
            Some(now) => ListedFile {
                path: now.as_str().into(),
                ..file
            },
            None => file,
        });
        Some(present.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::SourceContent;

    struct Files(&'static [&'static str]);

    impl FileSource for Files {
        fn file(&self, path: &str) -> Option<Blob> {
            let blob = Blob {
                id: ContentId([0; 20]),
                content: SourceContent::Bytes(Arc::default()),
            };
            self.0.contains(&path).then_some(blob)
        }

        fn all_files(&self) -> Option<Vec<ListedFile>> {
            let listed = |path: &&str| ListedFile {
                path: (*path).into(),
                id: ContentId([0; 20]),
            };
            Some(self.0.iter().map(listed).collect())
        }
    }

    fn moved(then: &'static [&'static str], now: &'static [&'static str]) -> Option<Sample> {
        let record = InputRecord {
            opened: OpenedFiles {
                is_complete: true,
                files: then.iter().map(|path| (*path).to_owned()).collect(),
                folders: ["", "tool"].map(str::to_owned).into(),
                missing: ["src", "lib"].map(str::to_owned).into(),
                outside: false,
            },
            ..InputRecord::default()
        };
        let records = [("b".to_owned(), Arc::new(record))].into();
        let sample = Sample::new("s".to_owned(), Vec::new(), Arc::new(Files(then)));
        sample
            .with_inputs(SampleInputs::new(records))
            .with_moved_sources(&Files(now))
    }

    #[test]
    fn a_package_in_another_folder_is_where_it_is_by_now() {
        let then = &["tool/parse.py", "tool/sub/read.py", "run.py"];
        let now = &["src/tool/parse.py", "src/tool/sub/read.py", "run.py"];
        let sample = moved(then, now).expect("it moved");
        let opened = &sample.inputs.of("b").expect("its record").opened;
        assert_eq!(Vec::from_iter(&opened.files), ["run.py", now[0], now[1]]);
        assert_eq!(Vec::from_iter(&opened.folders), ["", "src/tool"]);
        assert_eq!(Vec::from_iter(&opened.missing), ["lib"]);
        assert!(sample.tree.id(now[0]).is_some() && sample.tree.id(then[0]).is_none());
    }

    #[test]
    fn a_file_that_may_have_moved_to_several_places_or_alone_is_not_followed() {
        for now in [
            &["src/tool/parse.py", "old/tool/parse.py"][..],
            &["src/parse.py"],
            &["src/tool/parse.rs"],
            &["tool/parse.py", "src/tool/parse.py"],
            &[],
        ] {
            assert!(moved(&["tool/parse.py"], now).is_none(), "{now:?}");
        }
    }
}
