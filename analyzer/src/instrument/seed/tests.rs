//! Planted changes match the request: in every kind, in one function, in text that parses.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use profile::{CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileLine};

use super::*;
use crate::change::{ChangeKind, ChangeSet, InliningMode, find_changes};
use crate::sources::{Blob, ContentId, FileChange, SourceContent};
use crate::syntax::ParseCache;

/// A source with an example of every place where a change can be planted. The numbers are executions of the lines.
const SOURCE: &str = r#"//! A library.
#![no_std]

use core::fmt;

/// Reads numbers.
pub struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    last: Option<u8>,
}

impl<'a> Reader<'a> {
    /// A reader of a text.
    pub const fn new(text: &'a [u8]) -> Self {
        Reader { text, at: 0, last: None }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    /// The sum of all numbers.
    pub fn sum(&mut self) -> u64 {
        let mut sum = 0;
        while let Some(byte) = self.peek(0) {
            if is_digit(byte) {
                sum += u64::from(byte - b'0');
            }
            self.at += 1;
            self.last = Some(byte);
        }
        self.at = 0;
        sum
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Reader")
    }
}

fn is_digit(byte: u8) -> bool {
    byte.wrapping_sub(b'0') < 10
}

/// Not executed by any benchmark.
pub fn unused(values: &[u64], limit: u64) -> u64 {
    let mut most = limit;
    for value in values {
        if *value > most && values.len() > 1 {
            most = larger(*value, most);
        }
    }
    most
}

fn larger(one: u64, two: u64) -> u64 {
    if one > two { one } else { two }
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_are_digits() {
        assert!(super::is_digit(b'7'));
    }
}
"#;

const MANIFEST: &str = "[package]\nname = \"reader\"\n";

pub(super) struct SeedFixtureFiles(pub(super) BTreeMap<Arc<str>, Arc<str>>);

impl FileSource for SeedFixtureFiles {
    fn file(&self, path: &str) -> Option<Blob> {
        self.0.get(path).map(|text| blob(text))
    }
}

fn blob(text: &str) -> Blob {
    let mut digester = TokenDigester::new();
    digester.token(text);
    let mut id = [0; 20];
    id[..8].copy_from_slice(&digester.finish().0.to_le_bytes());
    Blob {
        id: ContentId(id),
        content: SourceContent::Bytes(text.as_bytes().into()),
    }
}

pub(super) fn library(source: &str) -> SeedFixtureFiles {
    SeedFixtureFiles(BTreeMap::from([
        ("Cargo.toml".into(), MANIFEST.into()),
        ("src/lib.rs".into(), source.into()),
    ]))
}

pub(super) fn sources(files: &SeedFixtureFiles) -> Vec<(Arc<str>, Arc<str>)> {
    let all = files.0.iter();
    all.map(|(path, text)| (Arc::clone(path), Arc::clone(text))).collect()
}

/// 1-based line of the first line that contains a text.
fn line_of(text: &str) -> u32 {
    let before = SOURCE.lines().position(|line| line.contains(text)).unwrap();
    u32::try_from(before + 1).unwrap()
}

/// A benchmark of `Reader::sum` over 1,000 bytes, 10 times.
fn summing() -> IndexedProfile {
    let function = |name: &str, line: u32, calls, inclusive, self_cost| ProfileFunction {
        name: name.to_owned(),
        file: Some(ProfileFileId(0)),
        line,
        external: false,
        calls,
        inlined_calls: 0,
        inclusive,
        self_cost,
        estimated: false,
    };
    let functions = vec![
        function("reader::Reader::peek", line_of("fn peek"), 10_010, 40_040, 40_040),
        function("reader::Reader::sum", line_of("pub fn sum"), 10, 100_000, 50_000),
        function("reader::is_digit", line_of("fn is_digit"), 10_000, 9_960, 9_960),
    ];
    let lines = [
        ("let mut sum", 10),
        ("while let", 10_010),
        ("if is_digit", 10_000),
        ("sum += u64", 5_000),
        ("self.at += 1", 10_000),
        ("self.last = Some", 10_000),
        ("self.at = 0", 10),
    ];
    IndexedProfile::new(Profile {
        benchmark: "sum".to_owned(),
        unit: CostUnit::Instructions,
        profiler: "by hand".to_owned(),
        exact_counts: true,
        total: 2_000_000,
        files: vec!["src/lib.rs".to_owned()],
        functions,
        sites: Vec::<ProfileCallSite>::new(),
        lines: lines
            .into_iter()
            .map(|(text, executions)| ProfileLine {
                file: ProfileFileId(0),
                line: line_of(text),
                executions,
                self_cost: executions,
                estimated: false,
            })
            .collect(),
    })
}

pub(super) fn all(each: usize, seed: u64) -> SeedRequest {
    SeedRequest {
        kinds: PUBLISHED.to_vec(),
        places: SeedHotness::ALL.to_vec(),
        each,
        seed,
    }
}

fn planted(wanted: &SeedRequest) -> Vec<SeededChange> {
    let files = library(SOURCE);
    let profiles = [summing()];
    plant_changes(
        &SeedBaseVersion {
            sources: &sources(&files),
            tree: &files,
            profiles: &profiles,
        },
        wanted,
    )
}

/// The result of the change analysis for a planted change.
fn analysed(seed: &SeededChange, given: &str) -> ChangeSet {
    let before = library(seed.before.as_deref().unwrap_or(given));
    let after = library(&seed.after);
    let file = FileChange {
        path: Arc::clone(&seed.file),
        before: before.file(&seed.file),
        after: after.file(&seed.file),
    };
    find_changes(
        &[file],
        &before,
        &after,
        &ParseCache::default(),
        InliningMode::AsWritten,
    )
}

#[test]
fn every_kind_is_seen_as_what_it_was_meant_to_be_and_in_its_function_alone() {
    let seeds = planted(&all(usize::MAX, 1));
    for kind in PUBLISHED {
        let of_kind: Vec<&SeededChange> = seeds.iter().filter(|seed| seed.kind == kind).collect();
        assert!(!of_kind.is_empty(), "nothing planted of {kind:?}");
        for seed in of_kind {
            let set = analysed(seed, SOURCE);
            let found: Vec<ChangeKind> = set.changes.iter().map(|change| change.kind).collect();
            let shown = format!("{found:?} {}\n{}", seed.description, seed.after);
            let is_meant = |found: &ChangeKind| PlantedKind::of_change(*found).is_ok_and(|kinds| kinds.contains(&kind));
            assert!(found.iter().any(is_meant), "{kind:?}: {shown}");
            // A field's new value comes from a call. Every other change is the intended one or a part of it.
            let beside = match kind {
                PlantedKind::FieldValue => vec![ChangeKind::CallAddition],
                PlantedKind::ConditionExpression => {
                    vec![ChangeKind::ConditionalAddition, ChangeKind::Operation]
                }
                _ => Vec::new(),
            };
            let others = found.iter().find(|other| !is_meant(other) && !beside.contains(other));
            assert_eq!(others, None, "{kind:?}: {shown}");
            for pair in &set.pairs {
                match (&pair.before, &pair.after) {
                    (Some(before), Some(_)) => assert_eq!(before.name, seed.function, "{shown}"),
                    (None, Some(new)) | (Some(new), None) => {
                        assert!(new.name.contains("extra_work"), "{shown}");
                    }
                    (None, None) => unreachable!("a pair has a side"),
                }
            }
        }
    }
}

#[test]
fn a_place_is_hot_by_how_often_it_runs_and_not_by_its_function() {
    let seeds = planted(&all(usize::MAX, 1));
    let place = |function: &str, line: u32| {
        let found: BTreeSet<SeedHotness> = seeds
            .iter()
            .filter(|seed| *seed.function == *function && seed.line == line)
            .map(|seed| seed.place)
            .collect();
        found.into_iter().collect::<Vec<_>>()
    };
    // Before the loop, and as part of its head.
    assert_eq!(
        place("reader::Reader::sum", line_of("while let")),
        [SeedHotness::Hot, SeedHotness::Cold]
    );
    assert_eq!(place("reader::Reader::sum", line_of("if is_digit")), [SeedHotness::Hot]);
    assert_eq!(
        place("reader::Reader::sum", line_of("self.at = 0;")),
        [SeedHotness::Cold]
    );
    assert_eq!(
        place("reader::Reader::peek", line_of("self.text.get")),
        [SeedHotness::Hot]
    );
    assert_eq!(
        place("reader::unused", line_of("let mut most")),
        [SeedHotness::Unreached]
    );
    // The profile does not show how often the sum is returned.
    assert_eq!(place("reader::Reader::sum", line_of("self.at = 0;") + 1), []);
}

#[test]
fn tests_and_constant_functions_are_left_alone() {
    for seed in planted(&all(usize::MAX, 1)) {
        assert!(!seed.function.contains("tests"), "{}", seed.function);
        assert_ne!(*seed.function, *"reader::Reader::new");
    }
}

#[test]
fn the_same_number_plants_the_same_and_another_one_something_else() {
    let few = planted(&all(1, 5));
    assert_eq!(few, planted(&all(1, 5)));
    assert_ne!(few, planted(&all(1, 6)));
}

#[test]
fn no_more_are_planted_than_wanted_and_in_different_functions_first() {
    let two = planted(&SeedRequest {
        kinds: vec![PlantedKind::LoopAddition],
        places: vec![SeedHotness::Hot, SeedHotness::Unreached],
        each: 2,
        seed: 3,
    });
    let functions: BTreeSet<&str> = two.iter().map(|seed| &*seed.function).collect();
    assert_eq!((two.len(), functions.len()), (4, 4), "{functions:?}");
}

#[test]
fn additions_take_nothing_away_and_keep_the_line_ends() {
    let source = SOURCE.replace('\n', "\r\n");
    let files = library(&source);
    let version = SeedBaseVersion {
        sources: &sources(&files),
        tree: &files,
        profiles: &[],
    };
    let wanted = SeedRequest {
        kinds: vec![PlantedKind::CallAddition, PlantedKind::LoopAddition],
        ..all(usize::MAX, 2)
    };
    let seeds = plant_changes(&version, &wanted);
    assert!(seeds.len() > 5);
    for seed in seeds {
        let mut planted = seed.after.chars();
        let is_kept = source.chars().all(|kept| planted.any(|other| other == kept));
        assert!(is_kept, "{}", seed.after);
        assert!(!seed.after.replace("\r\n", "").contains('\n'), "line ends differ");
    }
}

#[test]
fn a_crate_with_a_module_called_core_is_told_so() {
    let source = format!("{SOURCE}\nmod core {{}}\n");
    let files = library(&source);
    let version = SeedBaseVersion {
        sources: &sources(&files),
        tree: &files,
        profiles: &[],
    };
    let every = SeedRequest {
        kinds: KINDS.to_vec(),
        ..all(1, 1)
    };
    for seed in plant_changes(&version, &every) {
        let planted = seed.before.unwrap_or_default() + &seed.after;
        for (at, _) in planted.match_indices("core::") {
            if planted[at..].starts_with("core::fmt") {
                continue;
            }
            assert!(planted[..at].ends_with("::"), "{planted}");
        }
    }
}

#[test]
fn a_sized_seed_costs_the_share_it_was_made_for() {
    let files = library(SOURCE);
    let profiles = [summing()];
    let sources = sources(&files);
    let version = SeedBaseVersion {
        sources: &sources,
        tree: &files,
        profiles: &profiles,
    };
    let seeds = plant_sized_changes(&version, &[0.01, 0.10], usize::MAX, 1);
    assert!(!seeds.is_empty());
    for seed in seeds {
        let aim = seed.aim.unwrap();
        let cost = f64::from(aim.rounds) * 4.0 * aim.executions as f64;
        let off = cost / (aim.share * 2_000_000.0) - 1.0;
        assert!(off.abs() < 0.02, "{aim:?} costs {cost}");
        assert!(aim.rounds >= 200, "{aim:?}");
        let head = format!("for round in 0..{} {{", aim.rounds);
        assert!(seed.after.contains(&head), "{}", seed.after);
    }
}

/// The workspace's own sources and fixtures, or every folder in `LITO_CORPUS` (separated by `:`), for example all
/// published packages in cargo's cache.
#[test]
fn real_sources_never_panic_and_give_sources_that_parse() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders: Vec<PathBuf> = match std::env::var("LITO_CORPUS") {
        Ok(corpus) => corpus.split(':').flat_map(|folder| inside(Path::new(folder))).collect(),
        Err(_) => ["src", "../profile/src", "../runner/src", "../src", "../tests/data/rust"]
            .iter()
            .map(|folder| root.join(folder))
            .collect(),
    };
    let mut planted = 0;
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let mut files = SeedFixtureFiles(BTreeMap::new());
        collect(folder, folder, &mut files.0);
        let version = SeedBaseVersion {
            sources: &sources(&files),
            tree: &files,
            profiles: &[],
        };
        let every = SeedRequest {
            kinds: KINDS.to_vec(),
            ..all(3, 1)
        };
        for seed in plant_changes(&version, &every) {
            planted += 1;
            for side in [seed.before.as_ref(), Some(&seed.after)].into_iter().flatten() {
                let parsed = crate::syntax::SourceParser::default().parse(&seed.file, side.as_bytes());
                let place = format!("{}/{}", folder.display(), seed.file);
                assert!(parsed.problems.is_empty(), "{place}: {:?}", parsed.problems);
            }
        }
    }
    assert!(planted > 100, "only {planted} changes were planted");
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    found
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<Arc<str>, Arc<str>>) {
    for path in inside(folder) {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            let name = path.strip_prefix(root).unwrap().to_string_lossy();
            found.insert(Arc::from(&*name), text.into());
        }
    }
}
