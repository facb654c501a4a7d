//! Two versions of one source → the changes between them, in both directions.

use std::collections::HashMap;
use std::sync::Arc;

use analyzer::change::{InliningMode, find_changes};
use analyzer::sources::{Blob, ContentId, FileChange, FileSource, ListedFile, SourceContent};
use analyzer::syntax::ParseCache;
use sha1::{Digest as _, Sha1};

use super::mutation::mutate_one_of;
use super::random::Numbers;
use super::source_edits::edit;

pub(crate) const RUST: &[&str] = &[
    include_str!("../../tests/data/syntax/rust/calls_in_evaluation_order.rs"),
    include_str!("../../tests/data/syntax/rust/closures.rs"),
    include_str!("../../tests/data/syntax/rust/items.rs"),
    include_str!("../../tests/data/syntax/rust/macros.rs"),
    include_str!("../../tests/data/syntax/rust/match_arms.rs"),
    include_str!("../../tests/data/syntax/rust/newer_syntax.rs"),
    include_str!("../../tests/data/syntax/rust/where_functions_stand.rs"),
];

pub(crate) const PYTHON: &[&str] = &[
    include_str!("../../tests/data/syntax/python/arms_and_jumps.py"),
    include_str!("../../tests/data/syntax/python/calls_and_receivers.py"),
    include_str!("../../tests/data/syntax/python/functions_and_classes.py"),
    include_str!("../../tests/data/syntax/python/loops_and_comprehensions.py"),
];

pub(crate) const CPP: &[&str] = &[
    include_str!("../../tests/data/syntax/cpp/classes.cpp"),
    include_str!("../../tests/data/syntax/cpp/conditions.c"),
    include_str!("../../tests/data/syntax/cpp/functions.c"),
    include_str!("../../tests/data/syntax/cpp/syntax_error.c"),
    include_str!("../../tests/data/syntax/cpp/words_of_cpp.h"),
    include_str!("../../tests/data/cpp/macro-in-a-header/before.h"),
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\nclass API Parser : public Base {\n    int next() { return 1; }\n};\n\
     static void CDECL release(void *at) { at = 0; }\n#ifdef __cplusplus\n}\n#endif\n",
];

pub(crate) const MANIFESTS: &[&str] = &[
    include_str!("../../Cargo.toml"),
    include_str!("../Cargo.toml"),
    "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\ndependencies = [\n \"b 1.2.3\",\n]\n",
];

/// Between the two versions of an input: no source that a compiler takes has it.
const END_OF_FIRST: u8 = 0;

/// A source and any bytes that are near one.
pub(crate) fn mutated(seeds: &[&str], numbers: &mut Numbers) -> Vec<u8> {
    let seed = seeds[numbers.below(seeds.len())].as_bytes();
    let after = mutate_one_of(seeds, numbers);
    [seed, &[END_OF_FIRST], &after].concat()
}

/// A source and one that is nearly always valid.
pub(crate) fn edited(seeds: &[&str], numbers: &mut Numbers) -> Vec<u8> {
    let seed = seeds[numbers.below(seeds.len())];
    let after = edit(seed, numbers);
    [seed.as_bytes(), &[END_OF_FIRST], after.as_bytes()].concat()
}

/// Finds the changes from each version to the other.
pub(crate) fn read(path: &str, versions: &[u8]) {
    let end = versions.iter().position(|byte| *byte == END_OF_FIRST);
    let (before, after) = versions.split_at(end.unwrap_or(versions.len()));
    let after = after.get(1..).unwrap_or_default();
    compare(path, before, after);
    compare(path, after, before);
}

/// Finds the changes between two versions. A version against itself has none.
fn compare(path: &str, before: &[u8], after: &[u8]) {
    let version = |bytes: &[u8]| FewFiles(HashMap::from([(path.to_owned(), blob(bytes))]));
    let (old, new) = (version(before), version(after));
    let file = FileChange {
        path: Arc::from(path),
        before: old.file(path),
        after: new.file(path),
    };
    let changes = |file: FileChange, old: &FewFiles, new: &FewFiles| {
        let set = find_changes(&[file], old, new, &ParseCache::default(), InliningMode::WrittenOut);
        set.changes.len()
    };
    let same = FileChange {
        after: file.before.clone(),
        ..file.clone()
    };
    assert_eq!(changes(same, &old, &old), 0);
    changes(file, &old, &new);
}

/// Files by path.
pub(crate) struct FewFiles(pub(crate) HashMap<String, Blob>);

impl FileSource for FewFiles {
    fn file(&self, path: &str) -> Option<Blob> {
        self.0.get(path).cloned()
    }

    fn all_files(&self) -> Option<Vec<ListedFile>> {
        let listed = self.0.iter().map(|(path, blob)| ListedFile {
            path: path.as_str().into(),
            id: blob.id,
        });
        Some(listed.collect())
    }
}

/// The content of a file.
pub(crate) fn blob(bytes: &[u8]) -> Blob {
    let id = Sha1::digest(bytes).into();
    Blob {
        id: ContentId(id),
        content: SourceContent::Bytes(bytes.into()),
    }
}
