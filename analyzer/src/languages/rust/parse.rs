//! Rust source → the model, by syn; by tree-sitter, with the reason, where syn cannot parse.

use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use super::function::RustScope;
use super::item_cache::{self, ItemCache};
use super::items::RustFileLowering;
use super::language::WORDS;
use super::lexer::{self, LexedSource};
use super::source_positions::SourcePositions;
use super::{is_excluded_from_build, silent_tokens};
use crate::syntax::limits::{DEEP_STACK_BYTES, ParseLimits, SHALLOW_DEPTH};
use crate::syntax::model::{LineRange, ParseProblem, SourceFile, SyntaxFunction, SyntaxItem};
use crate::syntax::tokens::{SyntaxToken, TokenizedSource};
use crate::syntax::tree_sitter::{self, LanguageGrammar};
use crate::syntax::{refusal, too_costly};

/// For sources that syn cannot parse.
static GRAMMAR: LazyLock<LanguageGrammar> = LazyLock::new(|| {
    LanguageGrammar::new(
        tree_sitter_rust::LANGUAGE,
        include_str!("../../../config/languages/rust/structure.scm"),
        include_str!("../../../config/languages/rust/language.toml"),
    )
});

/// Parses and lowers a source; `test_only` if its path says so. Items that are among those `known` are not
/// parsed again, and those that are new are added.
pub(super) fn parse(source: &str, test_only: bool, limits: &ParseLimits, known: Option<&ItemCache>) -> SourceFile {
    let lexed = lexer::lex(source);
    if lexed.depth > limits.depth {
        return unread(format!(
            "nested too deeply: {} levels, limit {}",
            lexed.depth, limits.depth
        ));
    }
    if lexed.depth <= SHALLOW_DEPTH {
        return lower(lexed, test_only, limits, known);
    }
    let limits = *limits;
    let deep = std::thread::Builder::new()
        .stack_size(DEEP_STACK_BYTES)
        .spawn(move || lower(lexed, test_only, &limits, None))
        .map(std::thread::JoinHandle::join);
    match deep {
        Ok(Ok(file)) => file,
        Ok(Err(_)) => unread("the parser failed".to_owned()),
        Err(error) => unread(format!("no thread for a deeply nested file: {error}")),
    }
}

/// A syntax tree in the shared model.
#[derive(Debug, Default)]
pub(super) struct LoweredFile {
    pub(super) functions: Vec<Arc<SyntaxFunction>>,
    pub(super) items: Vec<SyntaxItem>,
    pub(super) nodes: usize,
    /// True if something was left out because a limit was reached.
    pub(super) is_beyond_limits: bool,
}

impl LoweredFile {
    /// The file that stands for this one where it is beyond a limit.
    fn refusal(&self, limits: &ParseLimits) -> Option<SourceFile> {
        refusal(self.nodes, self.functions.len() + self.items.len(), limits)
            .or_else(|| self.is_beyond_limits.then(too_costly))
    }
}

fn lower(lexed: LexedSource, test_only: bool, limits: &ParseLimits, known: Option<&ItemCache>) -> SourceFile {
    // Spans live in a table of this thread that grows with each parse: start from an empty one, and leave
    // an empty one behind. No span outlives this function.
    proc_macro2::extra::invalidate_current_thread_spans();
    let LexedSource {
        tokens,
        blanked,
        unended_comment,
        ..
    } = lexed;
    let mut tokens = TokenizedSource::new(&blanked, tokens, limits);
    let by_item = known.and_then(|known| item_cache::parse_items(&tokens, test_only, limits, known));
    let parsed = match by_item {
        Some(parsed) => Ok(parsed),
        None if tokens.budget.is_spent() => return too_costly(),
        None => syntax_tree(&blanked).map(|tree| lower_tree(&tree, &mut tokens, test_only, limits)),
    };
    proc_macro2::extra::invalidate_current_thread_spans();
    match parsed {
        Ok(parsed) => match parsed.refusal(limits) {
            Some(refused) => refused,
            None => SourceFile {
                functions: parsed.functions,
                items: parsed.items,
                problems: unended_comment.map(comment_without_end).into_iter().collect(),
            },
        },
        Err(problem) => tolerant(&blanked, tokens.list, test_only, limits, problem),
    }
}

/// Nobody can tell what is code behind it.
fn comment_without_end(line: u32) -> ParseProblem {
    ParseProblem {
        why: format!("a comment without an end, from line {line} on"),
        lines: Some(LineRange {
            first: line,
            last: u32::MAX,
        }),
        text: None,
    }
}

/// Parses a source that syn refused with the error-tolerant front end; syn's problem comes first, because
/// it knows the language better.
fn tolerant(
    source: &str,
    tokens: Vec<SyntaxToken>,
    test_only: bool,
    limits: &ParseLimits,
    problem: ParseProblem,
) -> SourceFile {
    let mut file = tree_sitter::parse(&GRAMMAR, source, Some(tokens), test_only, limits);
    file.problems.insert(0, problem);
    file
}

/// The syntax tree of a source, for whoever edits it: its spans are offsets into the source, until the next source
/// is parsed on this thread. `None` if the source does not parse, or is nested too deeply for the caller's stack.
pub(crate) fn tree(source: &str) -> Option<syn::File> {
    // A byte order mark would not be part of the offsets.
    if source.starts_with('\u{feff}') || source.len() > ParseLimits::default().bytes {
        return None;
    }
    let lexed = lexer::lex(source);
    if lexed.depth > SHALLOW_DEPTH || lexed.unended_comment.is_some() {
        return None;
    }
    proc_macro2::extra::invalidate_current_thread_spans();
    syntax_tree(&lexed.blanked).ok()
}

pub(super) fn syntax_tree(source: &str) -> Result<syn::File, ParseProblem> {
    let problem = |span: proc_macro2::Span, why: &str| {
        let at = span.start();
        let line = u32::try_from(at.line).unwrap_or(u32::MAX);
        let why = format!("syntax error at {}:{}: {why}", at.line, at.column + 1);
        ParseProblem {
            why,
            lines: Some(LineRange {
                first: line,
                last: line,
            }),
            text: None,
        }
    };
    let tokens = proc_macro2::TokenStream::from_str(source)
        .map_err(|error| problem(error.span(), "not a token, or a bracket without its partner"))?;
    syn::parse2(tokens).map_err(|error| problem(error.span(), &error.to_string()))
}

fn lower_tree(
    tree: &syn::File,
    tokens: &mut TokenizedSource<'_>,
    test_only: bool,
    limits: &ParseLimits,
) -> LoweredFile {
    let positions = SourcePositions::new(tokens.source);
    silent_tokens::mark_silent_tokens(tree, &positions, tokens);
    let mut file = RustFileLowering {
        positions: &positions,
        tokens,
        words: &WORDS,
        functions: Vec::new(),
        items: Vec::new(),
        nodes: 0,
        limits,
        is_beyond_limits: false,
    };
    let place = RustScope {
        test_only: test_only || is_excluded_from_build(&tree.attrs),
        ..RustScope::default()
    };
    file.attribute_items(&tree.attrs, &place);
    for item in &tree.items {
        file.item(item, &place);
    }
    LoweredFile {
        functions: file.functions,
        items: file.items,
        nodes: file.nodes,
        is_beyond_limits: file.is_beyond_limits || tokens.budget.is_spent(),
    }
}

fn empty() -> SourceFile {
    SourceFile {
        functions: Vec::new(),
        items: Vec::new(),
        problems: Vec::new(),
    }
}

fn unread(why: String) -> SourceFile {
    SourceFile {
        problems: vec![ParseProblem {
            why,
            lines: None,
            text: None,
        }],
        ..empty()
    }
}

/// The error-tolerant front end's view of any source, to be compared with syn's.
#[cfg(test)]
pub(super) fn tolerant_for_comparison(source: &str) -> SourceFile {
    let lexed = lexer::lex(source);
    tree_sitter::parse(
        &GRAMMAR,
        &lexed.blanked,
        Some(lexed.tokens),
        false,
        &ParseLimits::default(),
    )
}
