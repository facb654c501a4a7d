//! A sample whose programs were made of files behind symbolic links → the same sample, in which the paths lead to the files
//! themselves: a version that changes one of them names it so.
//!
//! Profiles have the path of the file alone. Records keep the path through the link beside it, for another link is another input.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::inputs::InputRecord;

use super::moved_sources::with_files_at;
use super::{IndexedProfile, Sample, SampleInputs};
use crate::sources::{folder_of, joined_path};

/// So many links may lead to each other.
const MOST_LINKS: usize = 16;

/// The path of each file itself, by a path through a link.
type Targets = BTreeMap<String, String>;

impl Sample {
    /// The same sample with the paths of the files themselves.
    #[must_use]
    pub fn with_links_followed(self) -> Self {
        let targets = self.targets();
        if targets.is_empty() {
            return self;
        }
        let benchmarks = self.benchmarks.iter().map(|indexed| with_files_at(indexed, &targets));
        let records = self.inputs.records();
        let records = records.map(|(benchmark, record)| {
            let record = with_targets(record.clone(), &targets);
            (benchmark.to_owned(), Arc::new(record))
        });
        let records = records.collect();
        Self::new(self.commit.clone(), benchmarks.collect(), Arc::clone(&self.tree))
            .with_inputs(SampleInputs::new(records))
            .with_unprofiled(self.unprofiled)
            .with_left_out(self.left_out)
    }

    fn targets(&self) -> Targets {
        let links = self.tree.links();
        if links.is_empty() {
            return Targets::new();
        }
        let records = || self.inputs.records().map(|(_, record)| record);
        let units = records().flat_map(|record| &record.compiled.units);
        let compiled = units.flat_map(|unit| unit.files.iter().chain(&unit.watched));
        let opened = records().flat_map(|record| record.opened.files.iter().chain(&record.opened.folders));
        let executed = self.benchmarks.iter().flat_map(IndexedProfile::files);
        let all: BTreeSet<&str> = compiled.chain(opened).map(String::as_str).chain(executed).collect();
        let target = |path: &str| Some((path.to_owned(), target(path, &links)?));
        all.into_iter().filter_map(target).collect()
    }
}

fn with_targets(mut record: InputRecord, targets: &Targets) -> InputRecord {
    let add = |paths: &mut BTreeSet<String>| {
        let behind: Vec<String> = paths.iter().filter_map(|path| targets.get(path)).cloned().collect();
        paths.extend(behind);
    };
    for unit in &mut record.compiled.units {
        add(&mut unit.files);
        add(&mut unit.watched);
    }
    add(&mut record.opened.files);
    add(&mut record.opened.folders);
    record
}

/// Links by their paths, with their targets.
type Links = BTreeMap<String, Arc<str>>;

/// The path of the file or folder that a path leads to; `None` if no link stands in it, or if it leads out of the version.
fn target(path: &str, links: &Links) -> Option<String> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        let ends = at.match_indices('/').map(|(end, _)| end).chain([at.len()]);
        let mut parts = ends.map(|end| at.split_at(end));
        let first = parts.find_map(|(link, rest)| Some((link, links.get(link)?, rest)));
        let Some((link, target, rest)) = first else {
            return (at != path).then_some(at);
        };
        if target.starts_with('/') {
            return None;
        }
        let parts = [folder_of(link), target, rest]
            .into_iter()
            .flat_map(|part| part.split('/'));
        at = joined_path(parts)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use profile::{CostUnit, Profile, ProfileFileId, ProfileFunction};

    use super::*;
    use crate::sources::{Blob, FileSource};

    /// A version of which only the links are known.
    struct LinkedVersion(Links);

    impl FileSource for LinkedVersion {
        fn file(&self, _path: &str) -> Option<Blob> {
            None
        }

        fn links(&self) -> Links {
            self.0.clone()
        }
    }

    fn links(all: &[(&str, &str)]) -> Links {
        all.iter()
            .map(|(link, target)| ((*link).to_owned(), Arc::from(*target)))
            .collect()
    }

    #[test]
    fn a_path_leads_through_links_of_files_and_folders_to_the_file() {
        let links = links(&[
            ("src/gen.rs", "../shared/gen.rs"),
            ("one", "two/"),
            ("two", "./deep/three"),
            ("round", "trip"),
            ("trip", "round"),
            ("away", "../other/a.rs"),
            ("root", "/etc/a.rs"),
        ]);
        let target = |path: &str| target(path, &links);
        assert_eq!(target("src/gen.rs").as_deref(), Some("shared/gen.rs"));
        assert_eq!(target("one/a/b.rs").as_deref(), Some("deep/three/a/b.rs"));
        for path in ["src/lib.rs", "round/a.rs", "away", "root"] {
            assert_eq!(target(path), None, "{path}");
        }
    }

    #[test]
    fn a_sample_names_the_file_itself_beside_the_link() {
        let tree = LinkedVersion(links(&[("src/gen.rs", "../shared/gen.rs"), ("data", "more/data")]));
        let mut record = InputRecord::default();
        record.opened.files = ["data/words.txt".to_owned(), "plain.txt".to_owned()].into();
        let records = [("b".to_owned(), Arc::new(record))].into();
        let profile = Profile {
            benchmark: "b".to_owned(),
            unit: CostUnit::Instructions,
            profiler: "callgrind".to_owned(),
            exact_counts: true,
            total: 1,
            files: vec!["src/gen.rs".to_owned(), "src/lib.rs".to_owned()],
            functions: vec![ProfileFunction {
                name: "k::gen::work".to_owned(),
                file: Some(ProfileFileId(0)),
                line: 1,
                external: false,
                calls: 1,
                inlined_calls: 0,
                inclusive: 1,
                self_cost: 1,
                estimated: false,
            }],
            sites: Vec::new(),
            lines: Vec::new(),
        };
        let sample = Sample::new("s".to_owned(), vec![IndexedProfile::new(profile)], Arc::new(tree))
            .with_inputs(SampleInputs::new(records))
            .with_links_followed();
        assert_eq!(sample.benchmarks[0].profile().files, ["shared/gen.rs", "src/lib.rs"]);
        let opened = &sample.inputs.of("b").expect("its record").opened.files;
        assert_eq!(
            Vec::from_iter(opened),
            ["data/words.txt", "more/data/words.txt", "plain.txt"]
        );
    }
}
