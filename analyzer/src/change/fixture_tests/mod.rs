//! Every folder of `tests/data/<language>/` is one commit with one right answer: `before.*` and `after.*` (or
//! folders of these names, for several files) and `expect`, one line for each expected change:
//! `kind function callee` (`-` for none, functions by their last segments), `none`, `only` (nothing beyond the
//! lines), `not kind`, `degraded`, and `declaration name` for what differs between functions and is not followed. What
//! only tests run is left out, as in a score. Beside it `edits`, everything that is listed: see [`listing`].
//!
//! Every case also runs before against before, with sides swapped, and with its files in another order.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod expected_edits;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::languages::languages;
use crate::sources::{Blob, ContentId, SourceContent};

type ChangeCaseFiles = BTreeMap<String, Vec<u8>>;

struct ChangeCaseVersion<'a>(&'a ChangeCaseFiles);

impl FileSource for ChangeCaseVersion<'_> {
    fn file(&self, path: &str) -> Option<Blob> {
        self.0.get(path).map(|bytes| blob(bytes, 0))
    }
}

fn blob(bytes: &[u8], side: u64) -> Blob {
    let text = String::from_utf8_lossy(bytes);
    let digest = text_tokens::TokenHasher::new().word(&text).number(side).finish();
    let mut id = [0; 20];
    id[..8].copy_from_slice(&digest.to_le_bytes());
    Blob {
        id: ContentId(id),
        content: SourceContent::Bytes(bytes.into()),
    }
}

struct ChangeCase {
    name: String,
    folder: PathBuf,
    before: ChangeCaseFiles,
    after: ChangeCaseFiles,
    expect: Vec<Vec<String>>,
}

fn cases() -> Vec<ChangeCase> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    let mut cases = Vec::new();
    for language in languages() {
        let language = language.support().name();
        let folder = root.join(language);
        let mut found: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        found.sort();
        for path in found.into_iter().filter(|path| path.join("expect").exists()) {
            let expect = std::fs::read_to_string(path.join("expect")).unwrap();
            cases.push(ChangeCase {
                name: format!("{language}/{}", path.file_name().unwrap().to_string_lossy()),
                before: texts(&path, "before"),
                after: texts(&path, "after"),
                expect: expect
                    .lines()
                    .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
                    .map(|line| line.split_whitespace().map(str::to_owned).collect())
                    .collect(),
                folder: path,
            });
        }
    }
    cases
}

fn texts(case: &Path, side: &str) -> ChangeCaseFiles {
    let mut texts = ChangeCaseFiles::new();
    let extensions = languages().flat_map(|language| language.support().extensions());
    let sources = extensions.map(|extension| match extension.as_str() {
        "rs" => (extension.as_str(), "src/lib.rs".to_owned()),
        other => (other, format!("m.{other}")),
    });
    let builds = [("toml", "Cargo.toml".to_owned()), ("lock", "Cargo.lock".to_owned())];
    for (ending, path) in sources.chain(builds) {
        if let Ok(bytes) = std::fs::read(case.join(format!("{side}.{ending}"))) {
            texts.insert(path, bytes);
        }
    }
    let folder = case.join(side);
    if folder.is_dir() {
        walk(&folder, "", &mut texts);
    }
    texts
}

fn walk(folder: &Path, below: &str, texts: &mut ChangeCaseFiles) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            walk(&entry.path(), &format!("{name}/"), texts);
        } else {
            texts.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
}

fn files(before: &ChangeCaseFiles, after: &ChangeCaseFiles) -> Vec<FileChange> {
    let paths: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    paths
        .into_iter()
        .map(|path| FileChange {
            path: Arc::from(path.as_str()),
            before: before.get(path).map(|bytes| blob(bytes, 0)),
            after: after
                .get(path)
                .map(|bytes| blob(bytes, u64::from(before.get(path) != Some(bytes)))),
        })
        .collect()
}

fn run(before: &ChangeCaseFiles, after: &ChangeCaseFiles) -> ChangeSet {
    run_with(before, after, InliningMode::AsWritten)
}

fn run_with(before: &ChangeCaseFiles, after: &ChangeCaseFiles, helpers: InliningMode) -> ChangeSet {
    find_changes(
        &files(before, after),
        &ChangeCaseVersion(before),
        &ChangeCaseVersion(after),
        &ParseCache::default(),
        helpers,
    )
}

fn listed(set: &ChangeSet) -> Vec<(String, String, String)> {
    let shown = (set.changes.iter()).filter(|change| !change.is_test_only(set) && !change.needs_mention());
    let declarations = (set.declarations.iter())
        .map(|declaration| ("declaration".to_owned(), declaration.name.clone(), String::new()));
    shown
        .map(|change| {
            let kind = serde_json::to_value(change.kind).unwrap().as_str().unwrap().to_owned();
            let (function, mut callee) = match &change.subject {
                ChangeSubject::Function(pair) => {
                    let pair = &set.pairs[*pair];
                    (
                        pair.after.as_ref().or(pair.before.as_ref()).unwrap().name.to_string(),
                        String::new(),
                    )
                }
                ChangeSubject::Item { name, .. } => (name.to_string(), String::new()),
                ChangeSubject::Dependency { package, .. } => (String::new(), package.to_string()),
                ChangeSubject::Build { setting } => (String::new(), setting.to_string()),
                ChangeSubject::Data { file, .. } => (file.to_string(), String::new()),
            };
            if let Some(called) = &change.callee {
                callee.clone_from(&called.name);
            }
            (kind, function, callee)
        })
        .chain(declarations)
        .collect()
}

fn ends(actual: &str, wanted: &str) -> bool {
    let segments = |name: &str| -> Vec<String> {
        name.replace('.', "::")
            .split("::")
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    wanted == "-" || segments(actual).ends_with(&segments(wanted))
}

#[test]
fn every_case_lists_what_it_expects() {
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 40, "only {} cases found", cases.len());
    for case in &cases {
        let set = run(&case.before, &case.after);
        let listed = listed(&set);
        let fits = |(kind, function, callee): &(String, String, String), words: &[String]| {
            let word = |at: usize| words.get(at).map_or("-", String::as_str);
            *kind == words[0] && ends(function, word(1)) && ends(callee, word(2))
        };
        let mut wanted = Vec::new();
        for words in &case.expect {
            match words[0].as_str() {
                "none" => {
                    if !listed.is_empty() {
                        wrong.push(format!("{}: nothing expected, listed {listed:?}", case.name));
                    }
                }
                "degraded" => {
                    if set.degraded.is_empty() {
                        wrong.push(format!("{}: nothing degraded", case.name));
                    }
                }
                "not" => {
                    if listed.iter().any(|change| change.0 == words[1]) {
                        wrong.push(format!("{}: {} in {listed:?}", case.name, words[1]));
                    }
                }
                "only" => {}
                _ => {
                    if !listed.iter().any(|change| fits(change, words)) {
                        wrong.push(format!("{}: {words:?} missing in {listed:?}", case.name));
                    }
                    wanted.push(words);
                }
            }
        }
        if case.expect.iter().any(|words| words[0] == "only") {
            for change in &listed {
                if !wanted.iter().any(|words| fits(change, words)) {
                    wrong.push(format!("{}: unexpected {change:?}", case.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_changes_between_a_version_and_itself() {
    for case in cases() {
        for side in [&case.before, &case.after] {
            let mut same = files(side, side);
            for file in &mut same {
                // Another id: the contents have to be compared.
                file.after = file.after.take().map(|mut blob| {
                    blob.id.0[19] = 1;
                    blob
                });
            }
            let set = find_changes(
                &same,
                &ChangeCaseVersion(side),
                &ChangeCaseVersion(side),
                &ParseCache::default(),
                InliningMode::AsWritten,
            );
            assert_eq!(set.changes, [], "{}", case.name);
            assert_eq!(set.pairs, [], "{}", case.name);
        }
    }
}

#[test]
fn swapped_sides_give_the_mirror_image() {
    let mut wrong = Vec::new();
    for case in cases() {
        for helpers in [InliningMode::AsWritten, InliningMode::WrittenOut] {
            let there = mirrored(&run_with(&case.before, &case.after, helpers), false);
            let back = mirrored(&run_with(&case.after, &case.before, helpers), true);
            if there != back {
                wrong.push(format!("{}, {helpers:?}:\n  {there:?}\n  {back:?}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    for case in cases() {
        let mut backwards = files(&case.before, &case.after);
        backwards.reverse();
        let set = find_changes(
            &backwards,
            &ChangeCaseVersion(&case.before),
            &ChangeCaseVersion(&case.after),
            &ParseCache::default(),
            InliningMode::AsWritten,
        );
        assert_eq!(set, run(&case.before, &case.after), "{}", case.name);
    }
}

#[test]
fn every_call_that_came_or_went_is_in_one_edit_only() {
    for case in cases() {
        let set = run_with(&case.before, &case.after, InliningMode::WrittenOut);
        for (index, pair) in set.pairs.iter().enumerate() {
            let (Some(before), Some(after)) = (&pair.before, &pair.after) else {
                continue;
            };
            let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
            for block in &after.function.blocks {
                count(&block.head, 1, &mut balance);
                count(&block.nodes, 1, &mut balance);
            }
            for block in &before.function.blocks {
                count(&block.head, -1, &mut balance);
                count(&block.nodes, -1, &mut balance);
            }
            for change in set
                .changes
                .iter()
                .filter(|change| change.subject == ChangeSubject::Function(index))
            {
                for edit in &change.edits {
                    match edit {
                        ExecutionEdit::CallAdded { call, .. } => {
                            *balance.entry(&call.callee.name).or_default() -= 1;
                        }
                        ExecutionEdit::CallRemoved { call, .. } => {
                            *balance.entry(&call.callee.name).or_default() += 1;
                        }
                        _ => {}
                    }
                }
            }
            // Renamed calls are left over: one name less, another more.
            assert_eq!(balance.values().sum::<i64>(), 0, "{}: {balance:?}", case.name);
        }
    }
}

fn count<'f>(nodes: &'f [crate::syntax::SyntaxNode], by: i64, balance: &mut BTreeMap<&'f str, i64>) {
    for node in nodes {
        if let crate::syntax::SyntaxNode::Call(call) = node {
            *balance.entry(&call.callee.name).or_default() += by;
        }
    }
}

/// Kinds and edits without what differs by right between the sides: lines, shown names, which of two calls
/// of a swap is the new one.
pub(super) fn mirrored(set: &ChangeSet, flip: bool) -> Vec<(ChangeKind, Vec<String>)> {
    let mut all: Vec<(ChangeKind, Vec<String>)> = set
        .changes
        .iter()
        .map(|change| {
            let mut edits: Vec<String> = change.edits.iter().map(|edit| shown(edit, flip)).collect();
            edits.sort();
            (if flip { flipped(change.kind) } else { change.kind }, edits)
        })
        .collect();
    all.sort();
    all
}

fn shown(edit: &ExecutionEdit, flip: bool) -> String {
    let sign = |added: bool| if added != flip { "+" } else { "-" };
    match edit {
        ExecutionEdit::CallAdded { call, block } => {
            format!("{}{} {}", sign(true), call.callee.name, block.0)
        }
        ExecutionEdit::CallRemoved { call, before } => {
            format!("{}{} {}", sign(false), call.callee.name, before.0)
        }
        ExecutionEdit::CallMoved { before, block, .. } if flip => format!("moved {} {}", block.0, before.0),
        ExecutionEdit::CallMoved { before, block, .. } => format!("moved {} {}", before.0, block.0),
        ExecutionEdit::WorkAdded { operations, block } => format!("{}{operations} {}", sign(true), block.0),
        ExecutionEdit::WorkRemoved { operations, before } => {
            format!("{}{operations} {}", sign(false), before.0)
        }
        ExecutionEdit::Reconditioned {
            before,
            block,
            is_negated,
        } => {
            let (before, block) = if flip { (block, before) } else { (before, block) };
            format!("head {} {} {is_negated}", before.0, block.0)
        }
        ExecutionEdit::ArgumentsChanged { .. } => "arguments".to_owned(),
        ExecutionEdit::FieldChanged { .. } => "field".to_owned(),
        ExecutionEdit::Recompiled => "recompiled".to_owned(),
    }
}

fn flipped(kind: ChangeKind) -> ChangeKind {
    match kind {
        ChangeKind::CallAddition => ChangeKind::CallDeletion,
        ChangeKind::CallDeletion => ChangeKind::CallAddition,
        ChangeKind::LoopAddition => ChangeKind::LoopDeletion,
        ChangeKind::LoopDeletion => ChangeKind::LoopAddition,
        ChangeKind::ConditionalAddition => ChangeKind::ConditionalDeletion,
        ChangeKind::ConditionalDeletion => ChangeKind::ConditionalAddition,
        same => same,
    }
}

#[test]
fn another_commit_of_a_submodule_is_not_analysed_and_says_so() {
    let at = |commit: u8| {
        Some(Blob {
            id: ContentId([commit; 20]),
            content: SourceContent::Submodule,
        })
    };
    let moved = FileChange {
        path: "vendored".into(),
        before: at(1),
        after: at(2),
    };
    let nothing = ChangeCaseFiles::new();
    let found = find_changes(
        &[moved],
        &ChangeCaseVersion(&nothing),
        &ChangeCaseVersion(&nothing),
        &ParseCache::default(),
        InliningMode::AsWritten,
    );
    assert_eq!(found.changes, []);
    assert_eq!(found.degraded.len(), 1);
    assert_eq!(found.degraded[0].file, "vendored");
}
