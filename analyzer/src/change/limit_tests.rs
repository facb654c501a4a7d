//! Functions beyond the limits of `config/changes.toml`: what is still said of them.

#![allow(clippy::unwrap_used)]

use super::compare::match_blocks;
use super::property_tests::compared;
use super::*;
use crate::layout::TestFiles;
use crate::sources::{Blob, ContentId, SourceContent};
use crate::syntax::BlockId;

/// `one(a); one(b); …`, every call with an argument of its own.
fn calls(names: &[&str]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("{name}(a);")).collect();
    format!("fn f(a: A) {{ {} }}", all.join("\n"))
}

fn kinds(set: &ChangeSet) -> Vec<ChangeKind> {
    set.changes.iter().map(|change| change.kind).collect()
}

#[test]
fn a_sequence_too_long_for_a_table_still_shows_which_calls_were_exchanged() {
    let numbered: Vec<String> = (0..300).map(|number| format!("call_{number}")).collect();
    let before: Vec<&str> = numbered.iter().map(String::as_str).collect();
    let mut after = before.clone();
    (after[0], after[150], after[299]) = ("first", "middle", "last");
    for (one, two) in [(&before, &after), (&after, &before)] {
        let set = compared(&calls(one), &calls(two));
        assert_eq!(kinds(&set), [ChangeKind::CallSwap; 3]);
        let lines: Vec<u32> = set.changes.iter().map(|change| change.line).collect();
        assert_eq!(lines, [1, 151, 300]);
        let names: Vec<&str> = set
            .changes
            .iter()
            .map(|change| change.callee.as_ref().unwrap().name.as_str())
            .collect();
        assert_eq!(names, [two[0], two[150], two[299]]);
    }
}

#[test]
fn of_more_arms_than_fit_a_table_the_equal_ones_are_matched() {
    let arms = |from: u32, to: u32, last: &str| {
        let arms: Vec<String> = (from..to)
            .map(|number| format!("{number} => call_{number}(a),"))
            .collect();
        format!("fn f(a: u32) {{ match a {{ {} {last} }} }}", arms.join("\n"))
    };
    let (before, after) = (arms(0, 300, "_ => one(a),"), arms(1, 301, "_ => two(a),"));
    let set = compared(&before, &after);
    let blocks = &set.pairs[0].blocks;
    // Body and 299 of 301 arms: the first is gone and the last is another.
    assert_eq!(blocks.after_of.iter().flatten().count(), 300);
    assert_eq!(blocks.after_of[1], None);
    assert_eq!(blocks.after_of[2], Some(BlockId(1)));
    assert_eq!(blocks.after_of[300], Some(BlockId(299)));
    assert_eq!(blocks.after_of[301], None);
}

#[test]
fn more_calls_than_are_asked_whether_they_moved_are_added_and_removed() {
    let moved = |count: usize| {
        let all = "one(a);\n".repeat(count);
        let kept: String = (0..60).map(|number| format!("kept_{number}(a);")).collect();
        let with = |first: &str, second: &str| {
            format!("fn f(a: A) {{ if a {{ {kept} {first} }} while a {{ {kept} {second} }} }}")
        };
        compared(&with(&all, ""), &with("", &all))
    };
    assert_eq!(kinds(&moved(20)), [ChangeKind::CallScope; 20]);
    let beyond = moved(1001);
    assert!(
        beyond
            .changes
            .iter()
            .all(|change| change.edits.iter().all(|edit| matches!(
                edit,
                ExecutionEdit::CallAdded { .. } | ExecutionEdit::CallRemoved { .. }
            ))),
        "{:?}",
        kinds(&beyond)
    );
    let edits: usize = beyond.changes.iter().map(|change| change.edits.len()).sum();
    assert_eq!(edits, 2002);
}

#[test]
fn of_functions_nested_too_deeply_only_the_bodies_are_matched() {
    let nested = |depth: usize, last: &str| {
        format!(
            "fn f(a: A) {{ {} {last} {} }}",
            "if a { ".repeat(depth),
            "}".repeat(depth)
        )
    };
    let set = compared(&nested(201, "one(a);"), &nested(210, "two(a);"));
    let pair = &set.pairs[0];
    let (before, after) = (
        &pair.before.as_ref().unwrap().function,
        &pair.after.as_ref().unwrap().function,
    );
    for blocks in [&pair.blocks, &match_blocks(before, after)] {
        assert_eq!((blocks.after_of.len(), blocks.before_of.len()), (202, 211));
        for map in [&blocks.after_of, &blocks.before_of] {
            assert_eq!(map[0], Some(BlockId::BODY));
            assert_eq!(map.iter().flatten().count(), 1);
        }
    }
    // One level less, and all are matched.
    let set = compared(&nested(200, "one(a);"), &nested(200, "two(a);"));
    assert_eq!(set.pairs[0].blocks.after_of.iter().flatten().count(), 201);
}

#[test]
fn a_function_too_large_to_be_matched_is_not_known_in_full() {
    let large = |last: &str| calls(&["one"; 20_001]).replacen("one(a);", last, 1);
    let set = compared(&large("two(a);"), &large("three(a);"));
    assert_eq!(kinds(&set), [ChangeKind::CompleteChange]);
    assert_eq!(set.degraded.len(), 1);
    assert!(set.degraded[0].why.contains("too large"), "{:?}", set.degraded);
}

#[test]
fn deep_nests_of_other_blocks_are_compared_in_a_time_that_grows_with_the_limit_of_wrappers() {
    let nested = |head: &str, call: &str| {
        let open: String = (0..100)
            .map(|number| format!("{head} {{ {call}_{number}(a); "))
            .collect();
        format!("fn f(a: A) {{ {open} {} }}", "}".repeat(100))
    };
    // Without the limit: every path through a hundred times a hundred levels.
    let set = compared(&nested("if a", "one"), &nested("while a", "two"));
    assert_eq!(kinds(&set), [ChangeKind::CompleteChange]);
    assert_eq!(set.pairs[0].blocks.after_of.iter().flatten().count(), 1);
}

#[test]
fn a_file_that_was_not_read_is_never_an_unchanged_one() {
    let blob = |id: u8, content: SourceContent| {
        Some(Blob {
            id: ContentId([id; 20]),
            content,
        })
    };
    let text = || SourceContent::Bytes(b"pub fn f() { work(); }".as_slice().into());
    for path in ["src/lib.rs", "build.rs", "Cargo.toml", "Cargo.lock", "lib.py"] {
        for (before, after) in [
            (SourceContent::Unread(22), SourceContent::Unread(22)),
            (text(), SourceContent::Unread(22)),
            (SourceContent::Unread(22), text()),
        ] {
            let file = FileChange {
                path: path.into(),
                before: blob(1, before),
                after: blob(2, after),
            };
            let none = TestFiles(Vec::new());
            let set = find_changes(&[file], &none, &none, &ParseCache::default(), InliningMode::AsWritten);
            let mut reasons = set.degraded.iter().filter(|degraded| &*degraded.file == path);
            assert!(
                reasons.any(|degraded| degraded.why.contains("not read")),
                "{path}: {:?}",
                set.degraded
            );
        }
    }
}
