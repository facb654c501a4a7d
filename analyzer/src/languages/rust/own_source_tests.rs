//! Both Rust front ends over this crate's own sources, and the front ends over random and mutated sources.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::parse::tolerant_for_comparison;
use crate::syntax::{BlockKind, SourceFile, SourceParser, SyntaxNode};

fn rust(source: &str) -> SourceFile {
    SourceParser::default().parse("src/a.rs", source.as_bytes())
}

/// This crate's own sources.
fn own_sources() -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, sources: &mut Vec<(PathBuf, String)>) {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                collect(&path, sources);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                sources.push((path, text));
            }
        }
    }
    let mut sources = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut sources);
    sources
}

#[test]
fn all_own_sources_are_read_in_full() {
    for (path, text) in own_sources() {
        let file = rust(&text);
        assert!(file.problems.is_empty(), "{}: {:?}", path.display(), file.problems);
    }
}

/// The part of a model that both front ends should agree on: names of functions, calls in order, kinds of blocks.
fn outline(file: &SourceFile) -> Vec<String> {
    let mut lines = Vec::new();
    for function in &file.functions {
        lines.push(format!("fn {}", function.path.join("::")));
        for block in &function.blocks {
            lines.push(format!("{:?}", block.kind));
            lines.extend(block.head.iter().chain(&block.nodes).filter_map(|node| match node {
                SyntaxNode::Call(call) => Some(format!("call {} {:?}", call.callee.name, call.callee.form)),
                _ => None,
            }));
        }
    }
    lines
}

/// Lines in common, in order (longest common subsequence by imara-diff), and lines in all.
fn agreement(source: &str) -> (usize, usize) {
    let exact = outline(&rust(source)).join("\n") + "\n";
    let lexed = tolerant_for_comparison(source);
    let tolerant = outline(&lexed).join("\n") + "\n";
    let input = imara_diff::InternedInput::new(exact.as_str(), tolerant.as_str());
    let diff = imara_diff::Diff::compute(imara_diff::Algorithm::Histogram, &input);
    let (removed, added) = (diff.count_removals() as usize, diff.count_additions() as usize);
    (exact.lines().count() - removed, exact.lines().count() + added)
}

#[test]
fn both_rust_front_ends_agree_on_own_sources() {
    let (mut agreed, mut all) = (0, 0);
    for (_, text) in own_sources() {
        let (same, lines) = agreement(&text);
        agreed += same;
        all += lines;
    }
    assert!(agreed * 100 >= all * 95, "{agreed} of {all}");
}

/// Over any sources: `LITO_CORPUS=DIR cargo test -p lito-analyzer agreement_over_a_corpus -- --ignored --nocapture`.
#[test]
#[ignore = "needs a folder of sources"]
#[allow(clippy::print_stderr)]
fn agreement_over_a_corpus() {
    let folder = std::env::var("LITO_CORPUS").unwrap();
    let (mut agreed, mut all) = (0, 0);
    let mut worst = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        if !rust(&text).problems.is_empty() {
            continue;
        }
        let (same, lines) = agreement(&text);
        agreed += same;
        all += lines;
        worst.push((lines - same, lines, path));
    }
    worst.sort();
    eprintln!(
        "{agreed} of {all} lines agree; worst {:?}",
        &worst[worst.len().saturating_sub(5)..]
    );
    assert!(agreed * 100 >= all * 90);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = SourceParser::default().parse("a.rs", &bytes);
        let _ = SourceParser::default().parse("a.py", &bytes);
    }

    #[test]
    fn random_tokens_never_panic(words in prop::collection::vec(prop::sample::select(vec![
        "fn", "f", "(", ")", "{", "}", "[", "]", "<", ">", "if", "else", "match", "=>", ",", ";", "'", "\"", "r#\"",
        "/*", "*/", "//", "\n", "impl", "for", "in", "let", "=", "|", "||", "&&", "!", "#", "x", "1", ".", "..", "::",
        "def", "class", ":", "    ", "lambda", "return", "ä", "\0", "macro_rules", "$", "?", "'a", "b'", "0x", "1e",
    ]), 0..120), glue in prop::sample::select(vec!["", " "])) {
        let source = words.join(glue);
        let _ = SourceParser::default().parse("a.rs", source.as_bytes());
        let _ = SourceParser::default().parse("a.py", source.as_bytes());
    }

    #[test]
    fn mutated_sources_never_panic(pick in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), cut in 0_usize..200, insert in ".{0,6}") {
        let sources = own_sources();
        let mut bytes = pick.get(&sources).1.clone().into_bytes();
        let start = at.index(bytes.len() + 1);
        let end = (start + cut).min(bytes.len());
        bytes.splice(start..end, insert.bytes());
        let file = SourceParser::default().parse("a.rs", &bytes);
        for function in &file.functions {
            prop_assert!(function.lines.first <= function.lines.last);
            prop_assert_eq!(function.body().kind, BlockKind::Body);
        }
    }
}
