//! What is planted is what was meant: in every kind, in one function, in text that parses.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::BTreeMap;

use profile::{CallSite, FileId, Function, Line, Profile, Unit};

use super::*;
use crate::change::{ChangeSet, changes};
use crate::sources::{Blob, Content, ContentId, FileChange};
use crate::syntax::ParseCache;

/// Something of everything that a change can be planted at. The numbers are executions of the lines.
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

struct Files(BTreeMap<Arc<str>, Arc<str>>);

impl Tree for Files {
    fn file(&self, path: &str) -> Option<Blob> {
        self.0.get(path).map(|text| blob(text))
    }
}

fn blob(text: &str) -> Blob {
    let mut digester = Digester::new();
    digester.token(text);
    let mut id = [0; 20];
    id[..8].copy_from_slice(&digester.finish().0.to_le_bytes());
    Blob {
        id: ContentId(id),
        content: Content::Bytes(text.as_bytes().into()),
    }
}

fn library(source: &str) -> Files {
    Files(BTreeMap::from([
        ("Cargo.toml".into(), MANIFEST.into()),
        ("src/lib.rs".into(), source.into()),
    ]))
}

fn sources(files: &Files) -> Vec<(Arc<str>, Arc<str>)> {
    let all = files.0.iter();
    all.map(|(path, text)| (Arc::clone(path), Arc::clone(text)))
        .collect()
}

/// 1-based line of the first line that contains a text.
fn line_of(text: &str) -> u32 {
    let before = SOURCE.lines().position(|line| line.contains(text)).unwrap();
    u32::try_from(before + 1).unwrap()
}

/// A benchmark of `Reader::sum` over 1,000 bytes, 10 times.
fn summing() -> IndexedProfile {
    let function = |name: &str, line: u32, calls, inclusive, self_cost| Function {
        name: name.to_owned(),
        file: Some(FileId(0)),
        line,
        external: false,
        calls,
        inlined_calls: 0,
        inclusive,
        self_cost,
        estimated: false,
    };
    let functions = vec![
        function(
            "reader::Reader::peek",
            line_of("fn peek"),
            10_010,
            40_040,
            40_040,
        ),
        function(
            "reader::Reader::sum",
            line_of("pub fn sum"),
            10,
            100_000,
            50_000,
        ),
        function(
            "reader::is_digit",
            line_of("fn is_digit"),
            10_000,
            9_960,
            9_960,
        ),
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
        unit: Unit::Instructions,
        profiler: "by hand".to_owned(),
        exact_counts: true,
        total: 2_000_000,
        files: vec!["src/lib.rs".to_owned()],
        functions,
        sites: Vec::<CallSite>::new(),
        lines: lines
            .into_iter()
            .map(|(text, executions)| Line {
                file: FileId(0),
                line: line_of(text),
                executions,
                self_cost: executions,
                estimated: false,
            })
            .collect(),
    })
}

fn all(each: usize, seed: u64) -> Wanted {
    Wanted {
        kinds: KINDS.to_vec(),
        places: Place::ALL.to_vec(),
        each,
        seed,
    }
}

fn planted(wanted: &Wanted) -> Vec<Seed> {
    let files = library(SOURCE);
    let profiles = [summing()];
    seeds(
        &Version {
            sources: &sources(&files),
            tree: &files,
            profiles: &profiles,
        },
        wanted,
    )
}

/// What the change analysis says of a seed.
fn analysed(seed: &Seed, given: &str) -> ChangeSet {
    let before = library(seed.before.as_deref().unwrap_or(given));
    let after = library(&seed.after);
    let file = FileChange {
        path: Arc::clone(&seed.file),
        before: before.file(&seed.file),
        after: after.file(&seed.file),
    };
    changes(&[file], &before, &after, &ParseCache::default())
}

#[test]
fn every_kind_is_seen_as_what_it_was_meant_to_be() {
    let seeds = planted(&all(usize::MAX, 1));
    for kind in KINDS {
        let of_kind: Vec<&Seed> = seeds.iter().filter(|seed| seed.kind == kind).collect();
        assert!(!of_kind.is_empty(), "nothing planted of {kind:?}");
        for seed in of_kind {
            let set = analysed(seed, SOURCE);
            let found: Vec<ChangeKind> = set.changes.iter().map(|change| change.kind).collect();
            eprintln!(
                "{kind:?}: {found:?} {} {}",
                seed.place.name(),
                seed.description
            );
            assert!(
                found.contains(&kind),
                "{kind:?}: {found:?}\n{}\n{}",
                seed.description,
                seed.after
            );
        }
    }
}
