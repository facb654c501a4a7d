//! Properties of the change analysis over generated functions.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::sources::{Blob, ContentId, SourceContent};

struct EmptyFileSource;

impl FileSource for EmptyFileSource {
    fn file(&self, _: &str) -> Option<Blob> {
        None
    }
}

/// Two versions of one file, helpers as they are written.
pub(super) fn compared(before: &str, after: &str) -> ChangeSet {
    compared_with(before, after, InliningMode::AsWritten)
}

pub(super) fn compared_with(before: &str, after: &str, helpers: InliningMode) -> ChangeSet {
    let blob = |text: &str, side: u8| Blob {
        id: ContentId([side; 20]),
        content: SourceContent::Bytes(text.as_bytes().into()),
    };
    let file = FileChange {
        path: Arc::from("src/lib.rs"),
        before: Some(blob(before, 1)),
        after: Some(blob(after, 2)),
    };
    find_changes(
        &[file],
        &EmptyFileSource,
        &EmptyFileSource,
        &ParseCache::default(),
        helpers,
    )
}

/// Statements over three locals, nested up to three deep.
fn statement() -> impl Strategy<Value = String> {
    let name = || prop::sample::select(vec!["a", "b", "c"]);
    let call = || prop::sample::select(vec!["one", "two", "three", "Vec::with", "g", "h"]);
    let leaf = prop_oneof![
        (call(), name()).prop_map(|(call, name)| format!("{call}({name});")),
        (name(), call(), name()).prop_map(|(to, call, from)| format!("let {to} = {call}({from});")),
        (name(), name()).prop_map(|(to, from)| format!("{to} += {from} * 2;")),
        (name(), call(), name()).prop_map(|(on, call, given)| format!("{on}.push({call}({given}));")),
        name().prop_map(|name| format!("{name}.field = 1;")),
        (name(), call()).prop_map(|(on, call)| format!("{on}.iter().map(|x| {call}(x)).sum();")),
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        let body = move || prop::collection::vec(inner.clone(), 1..4).prop_map(|body| body.join(" "));
        prop_oneof![
            (name(), body()).prop_map(|(over, body)| format!("for x in {over} {{ {body} }}")),
            (name(), body()).prop_map(|(on, body)| format!("if {on} > 1 {{ {body} }}")),
            (call(), body(), body()).prop_map(|(call, one, two)| format!("if {call}(a) {{ {one} }} else {{ {two} }}")),
            (name(), body(), body())
                .prop_map(|(on, one, two)| format!("match {on} {{ 0 => {{ {one} }} _ => {{ {two} }} }}")),
        ]
    })
}

fn source() -> impl Strategy<Value = String> {
    let function = prop::collection::vec(statement(), 0..5).prop_map(|body| body.join(" "));
    let name = prop::sample::select(vec!["f", "g", "h"]);
    prop::collection::vec((name, function), 1..4).prop_map(|functions| {
        let texts: Vec<String> = functions
            .iter()
            .map(|(name, body)| format!("fn {name}(a: A, b: B, c: C) {{ {body} }}"))
            .collect();
        texts.join("\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_version_does_not_differ_from_itself(text in source()) {
        let set = compared(&text, &text);
        prop_assert_eq!(set.changes, vec![]);
        prop_assert_eq!(set.pairs, vec![]);
    }

    #[test]
    fn swapped_sides_give_the_mirror_image(before in source(), after in source()) {
        for helpers in [InliningMode::AsWritten, InliningMode::WrittenOut] {
            let there = fixture_tests::mirrored(&compared_with(&before, &after, helpers), false);
            let back = fixture_tests::mirrored(&compared_with(&after, &before, helpers), true);
            prop_assert_eq!(there, back);
        }
    }

    #[test]
    fn matched_blocks_have_matched_ancestors_and_one_partner(before in source(), after in source()) {
        let as_written = compared(&before, &after).pairs;
        for pair in as_written.into_iter().chain(compared_with(&before, &after, InliningMode::WrittenOut).pairs) {
            let (Some(old), Some(new)) = (&pair.before, &pair.after) else { continue };
            prop_assert_eq!(pair.blocks.after_of.len(), old.function.blocks.len());
            prop_assert_eq!(pair.blocks.before_of.len(), new.function.blocks.len());
            for (index, other) in pair.blocks.after_of.iter().enumerate() {
                let Some(other) = other else { continue };
                prop_assert_eq!(pair.blocks.before_of[other.0 as usize].unwrap().0 as usize, index);
                prop_assert_eq!(old.function.blocks[index].kind, new.function.block(*other).kind);
                let mut above = old.function.blocks[index].parent;
                while let Some(at) = above {
                    if let Some(there) = pair.blocks.after_of[at.0 as usize] {
                        let mut up = new.function.block(*other).parent;
                        while up.is_some_and(|id| id != there) {
                            up = new.function.block(up.unwrap()).parent;
                        }
                        prop_assert!(up.is_some(), "a matched ancestor is not above the match");
                    }
                    above = old.function.block(at).parent;
                }
            }
        }
    }

    #[test]
    fn renaming_every_local_is_no_change(text in source()) {
        let renamed = text.replace("(a", "(first").replace(" a:", " first:").replace("a.", "first.");
        // Only where nothing but names of the same local differ; `a` inside words does not occur above.
        let renamed = renamed
            .split(' ')
            .map(|word| match word {
                "a" => "first",
                other => other,
            })
            .collect::<Vec<_>>()
            .join(" ");
        let set = compared(&text, &renamed);
        prop_assert_eq!(set.changes, vec![]);
    }
}

#[test]
fn a_function_nested_too_deeply_is_a_complete_change() {
    let nested = |last: &str| format!("fn f(a: A) {{ {} {last} {} }}", "if a { ".repeat(260), "}".repeat(260));
    let set = compared(&nested("one(a);"), &nested("two(a);"));
    let kinds: Vec<ChangeKind> = set.changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [ChangeKind::CompleteChange]);
}
