//! The top-level items of a file → the model, each text parsed once: from one version of a file to the next
//! nearly all items stay as they are, and at most move to other lines. Gives up where the items taken one by one
//! do not parse; the whole file then says why.

use std::sync::{Arc, Mutex, PoisonError};

use super::function::RustScope;
use super::item_spans::{ItemSpans, begins_inner_attribute, chunks};
use super::items::RustFileLowering;
use super::language::WORDS;
use super::parse::{self, LoweredFile, syntax_tree};
use super::silent_tokens;
use super::source_positions::SourcePositions;
use crate::languages::IncrementalParser;
use crate::syntax::lru_cache::LruCache;
use crate::syntax::model::{LineRange, SourceFile, SyntaxBlock, SyntaxFunction, SyntaxItem, SyntaxNode};
use crate::syntax::tokens::{SyntaxToken, TokenizedSource};
use crate::syntax::{ParseLimits, WorkBudget};

/// Items of Rust files, lowered, by their text.
#[derive(Debug)]
pub(crate) struct ItemCache {
    /// Those that any build sees, and those of files that only tests see.
    kept: [Mutex<LruCache<Arc<str>, Arc<LoweredItem>>>; 2],
}

/// One lowered item. Its lines are those where it was last found.
#[derive(Debug)]
struct LoweredItem {
    first_line: u32,
    functions: Vec<Arc<SyntaxFunction>>,
    items: Vec<SyntaxItem>,
    nodes: usize,
    /// The steps that lowering took: known or new, it costs each file as much.
    steps: u64,
}

impl IncrementalParser for ItemCache {
    fn parse(&self, source: &str, test_only: bool, limits: &ParseLimits) -> SourceFile {
        parse::parse(source, test_only, limits, Some(self))
    }
}

impl ItemCache {
    /// Keeps the models of at most `capacity` bytes of source, for tests and for all else.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            kept: [capacity, capacity].map(|capacity| Mutex::new(LruCache::new(capacity))),
        }
    }

    fn kept(&self, for_tests: bool) -> std::sync::MutexGuard<'_, LruCache<Arc<str>, Arc<LoweredItem>>> {
        // A map is whole at every moment a panic could leave it.
        self.kept[usize::from(for_tests)]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The model of a file, item by item; `None` where that does not work out.
pub(super) fn parse_items(
    tokens: &TokenizedSource<'_>,
    test_only: bool,
    limits: &ParseLimits,
    items: &ItemCache,
) -> Option<LoweredFile> {
    let ItemSpans {
        attributes,
        items: spans,
    } = chunks(tokens);
    let mut parsed = LoweredFile::default();
    let mut test_only = test_only;
    if !attributes.is_empty() {
        let chunk = ItemSource::new(tokens, &tokens.list[attributes]);
        let tree = syntax_tree(chunk.text).ok()?;
        test_only |= super::is_excluded_from_build(&tree.attrs);
        parsed.add(
            &chunk.lower(&tree, test_only, limits, tokens.budget.left())?,
            &tokens.budget,
        );
    }
    if spans.iter().any(|span| begins_inner_attribute(tokens, span.start)) {
        return None;
    }
    let chunks: Vec<ItemSource<'_>> = spans
        .into_iter()
        .map(|span| ItemSource::new(tokens, &tokens.list[span]))
        .collect();
    let known: Vec<Option<Arc<LoweredItem>>> = {
        let mut kept = items.kept(test_only);
        chunks.iter().map(|chunk| kept.find(chunk.text)).collect()
    };
    let mut new = Vec::new();
    let share = tokens.budget.left();
    for (chunk, known) in chunks.iter().zip(known) {
        let lowered = match known {
            Some(lowered) if lowered.first_line == chunk.first_line => lowered,
            known => {
                let lowered = Arc::new(match known {
                    Some(elsewhere) => elsewhere.moved(chunk.first_line),
                    None => chunk.lower(&syntax_tree(chunk.text).ok()?, test_only, limits, share)?,
                });
                new.push((chunk.text, Arc::clone(&lowered)));
                lowered
            }
        };
        parsed.add(&lowered, &tokens.budget);
        if tokens.budget.is_spent() {
            return None;
        }
    }
    let mut kept = items.kept(test_only);
    for (text, lowered) in new {
        kept.insert(Arc::from(text), lowered, text.len());
    }
    Some(parsed)
}

impl LoweredFile {
    fn add(&mut self, lowered: &LoweredItem, budget: &WorkBudget) {
        budget.spend(usize::try_from(lowered.steps).unwrap_or(usize::MAX));
        self.functions.extend(lowered.functions.iter().cloned());
        self.items.extend(lowered.items.iter().cloned());
        self.nodes += lowered.nodes;
    }
}

/// One item of a file.
struct ItemSource<'s> {
    text: &'s str,
    first_line: u32,
    tokens: &'s [SyntaxToken],
}

impl<'s> ItemSource<'s> {
    fn new(whole: &'s TokenizedSource<'s>, tokens: &'s [SyntaxToken]) -> Self {
        let start = tokens.first().map_or(0, |token| token.start);
        let end = tokens.last().map_or(0, |token| token.end);
        Self {
            text: &whole.source[start as usize..end as usize],
            first_line: tokens.first().map_or(1, |token| token.line),
            tokens,
        }
    }

    /// The model of the item, parsed as a file of its own; `None` if that takes more than these steps.
    fn lower(&self, tree: &syn::File, test_only: bool, limits: &ParseLimits, steps: u64) -> Option<LoweredItem> {
        let start = self.tokens.first().map_or(0, |token| token.start);
        let list = self
            .tokens
            .iter()
            .map(|token| SyntaxToken {
                start: token.start - start,
                end: token.end - start,
                line: token.line - self.first_line + 1,
                kind: token.kind,
            })
            .collect();
        let mut tokens = TokenizedSource {
            source: self.text,
            list,
            budget: WorkBudget::new(steps),
        };
        let positions = SourcePositions::new(self.text);
        silent_tokens::mark_silent_tokens(tree, &positions, &mut tokens);
        let mut file = RustFileLowering {
            positions: &positions,
            tokens: &tokens,
            words: &WORDS,
            functions: Vec::new(),
            items: Vec::new(),
            nodes: 0,
            limits,
            is_beyond_limits: false,
        };
        let place = RustScope {
            test_only,
            ..RustScope::default()
        };
        file.attribute_items(&tree.attrs, &place);
        for item in &tree.items {
            file.item(item, &place);
        }
        let RustFileLowering {
            functions,
            items,
            nodes,
            is_beyond_limits,
            ..
        } = file;
        if is_beyond_limits || tokens.budget.is_spent() {
            return None;
        }
        let mut lowered = LoweredItem {
            first_line: 1,
            functions,
            items,
            nodes,
            steps: steps - tokens.budget.left(),
        };
        lowered.move_to(self.first_line);
        Some(lowered)
    }
}

impl LoweredItem {
    /// The same item on other lines.
    fn moved(&self, first_line: u32) -> Self {
        let mut moved = Self {
            first_line: self.first_line,
            functions: self.functions.clone(),
            items: self.items.clone(),
            nodes: self.nodes,
            steps: self.steps,
        };
        moved.move_to(first_line);
        moved
    }

    fn move_to(&mut self, first_line: u32) {
        let shift = LineShift {
            from: self.first_line,
            to: first_line,
        };
        self.first_line = first_line;
        if shift.from == shift.to {
            return;
        }
        for function in &mut self.functions {
            shift.function(Arc::make_mut(function));
        }
        for item in &mut self.items {
            shift.lines(&mut item.lines);
        }
    }
}

/// From which first line to which.
#[derive(Clone, Copy)]
struct LineShift {
    from: u32,
    to: u32,
}

impl LineShift {
    fn function(self, function: &mut SyntaxFunction) {
        self.lines(&mut function.lines);
        for block in &mut function.blocks {
            self.block(block);
        }
    }

    fn block(self, block: &mut SyntaxBlock) {
        self.lines(&mut block.lines);
        for node in block.head.iter_mut().chain(&mut block.nodes) {
            match node {
                SyntaxNode::Call(call) => self.line(&mut call.line),
                SyntaxNode::Operation(operation) => self.line(&mut operation.line),
                SyntaxNode::Block(_) => {}
            }
        }
    }

    fn lines(self, lines: &mut LineRange) {
        self.line(&mut lines.first);
        self.line(&mut lines.last);
    }

    fn line(self, line: &mut u32) {
        *line = (*line + self.to).saturating_sub(self.from);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::super::parse::parse as parse_file;
    use super::ItemCache;
    use crate::syntax::ParseLimits;
    use crate::syntax::model::SourceFile;

    fn parse(source: &str, known: Option<&ItemCache>) -> SourceFile {
        parse_file(source, false, &ParseLimits::default(), known)
    }

    /// Items that are cut in every way, with what stands between them.
    const PARTS: [&str; 16] = [
        "use std::{fmt, io::{self, Write as _}};\n",
        "// a comment }\n\n",
        "/* two\nlines */ ",
        "#[inline]\npub fn a(x: &str) -> usize {\n    x.len() + b(\n        x,\n    )\n}\n",
        "fn b(x: &str) -> usize { x.chars().map(|c| { c.len_utf8() }).sum() }\n",
        "impl<const N: usize> Kept<{ N }> {\n    /// Documented.\n    fn c(&self) { loop { d!(\"{}\", self.x); } }\n\n    const K: u8 = 1;\n}\n",
        "const A: u8 = if B { 1 } else { 2 };\n",
        "static S: [u8; { 3 }] = [0; { 3 }];\n",
        "macro_rules! d { ($x:expr) => { { $x } }; }\n",
        "thread_local! { static T: u8 = { 1 }; }\n",
        "m!(a b; c);\n",
        "#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn e() { let x = 1; assert_eq!(x, 1); }\n}\n",
        "pub(crate) struct Kept<const N: usize> { x: u8, }\n",
        "trait T where Self: Sized { fn f(&self) -> u8 { g(\"é\", '}') } fn h(); }\n",
        "unsafe extern \"C\" { fn i(x: u8); }\n",
        "async fn j() { let a = async { k().await }; if let Some(x) = a.await { x?; } }\n",
    ];

    proptest! {
        #[test]
        fn a_file_is_the_same_whatever_is_known(
            files in prop::collection::vec(
                (any::<bool>(), prop::collection::vec(0..PARTS.len(), 0..8)),
                1..5,
            )
        ) {
            let items = ItemCache::new(1 << 20);
            for (attribute, parts) in files {
                let head = if attribute { "#![no_std]\n" } else { "" };
                let body: String = parts.into_iter().map(|part| PARTS[part]).collect();
                let source = format!("{head}{body}");
                let alone = parse(&source, None);
                prop_assert_eq!(&alone.problems, &[]);
                prop_assert_eq!(parse(&source, Some(&items)), alone);
            }
        }
    }

    #[test]
    fn real_files_are_the_same_whatever_is_known() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/syntax");
        let items = ItemCache::new(1 << 20);
        let mut files = 0;
        for folder in [folder.to_owned(), format!("{folder}/../languages/rust")] {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    continue;
                }
                let source = std::fs::read_to_string(&path).unwrap();
                let moved = format!("\n\nuse first;\n{source}");
                for source in [source, moved] {
                    let alone = parse(&source, None);
                    assert_eq!(parse(&source, Some(&items)), alone, "{}", path.display());
                }
                files += 1;
            }
        }
        assert!(files > 10);
    }

    #[test]
    fn what_does_not_parse_is_told_of_the_whole_file() {
        let items = ItemCache::new(1 << 20);
        for source in [
            "fn a() {}\n\nfn b( {}\n",
            "fn a() {}\nfn b() { let ; }\nfn c() {}\n",
            "fn a() {}\n#![no_std]\nfn b() {}\n",
            "fn a() {} }\nfn b() {}\n",
            "fn a() {}\n#[inline]\n",
        ] {
            let alone = parse(source, None);
            assert_ne!(alone.problems, [], "{source}");
            assert_eq!(parse(source, Some(&items)), alone);
        }
    }

    #[test]
    fn an_item_is_parsed_once_and_shared_where_it_stays_on_its_line() {
        let items = ItemCache::new(1 << 20);
        let [one, two, moved] = [
            "fn a() { x() }\nfn b() { y() }\n",
            "fn a() { x() }\nfn b() { z() }\n",
            "\nfn a() { x() }\n",
        ]
        .map(|source| parse(source, Some(&items)));
        assert!(std::sync::Arc::ptr_eq(&one.functions[0], &two.functions[0]));
        assert_eq!(one.functions[0].lines.first, 1);
        assert_eq!(moved.functions[0].lines.first, 2);
    }

    #[test]
    fn a_file_that_only_tests_see_does_not_lend_its_items() {
        let items = ItemCache::new(1 << 20);
        let source = "fn a() { x() }\n";
        let limits = ParseLimits::default();
        assert!(parse_file(source, true, &limits, Some(&items)).functions[0].test_only);
        assert!(!parse_file(source, false, &limits, Some(&items)).functions[0].test_only);
        let attribute = format!("#![cfg(test)]\n{source}");
        assert!(parse(&attribute, Some(&items)).functions[0].test_only);
        assert!(!parse(source, Some(&items)).functions[0].test_only);
    }

    #[test]
    fn the_limit_of_a_file_holds_for_known_items_too() {
        let items = ItemCache::new(1 << 20);
        let limits = ParseLimits {
            nodes: 3,
            ..ParseLimits::default()
        };
        let source = "fn a() { x(); y(); }\nfn b() { x(); y(); }\n";
        let alone = parse_file(source, false, &limits, None);
        assert_ne!(alone.problems, []);
        for _ in 0..2 {
            assert_eq!(parse_file(source, false, &limits, Some(&items)), alone);
        }
    }
}
