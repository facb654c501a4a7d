//! Rust source → the model, by syn; by tree-sitter, with the reason, where syn cannot parse.

mod calls;
mod cfg_conditions;
mod expression;
mod function;
mod implementations;
mod item_cache;
mod item_spans;
mod items;
pub(crate) mod language;
pub(crate) mod lexer;
mod macros;
pub(crate) mod method_chain;
mod silent_tokens;
pub(crate) mod source_positions;
pub(crate) mod syn_names;

use std::str::FromStr;
use std::sync::Arc;

pub(crate) use cfg_conditions::is_excluded_from_build;
use function::RustScope;
pub(crate) use item_cache::ItemCache;
use items::RustFileLowering;
use language::{WORDS, is_test_path};
use lexer::LexedSource;
use source_positions::SourcePositions;
pub(crate) use syn_names::type_name;

use super::limits::{DEEP_STACK_BYTES, ParseLimits, SHALLOW_DEPTH};
use super::model::{Language, LineRange, ParseProblem, SourceFile, SyntaxFunction, SyntaxItem};
use super::tokens::{SyntaxToken, TokenizedSource};
use super::tree_sitter;

/// True if a file's name is that of a Rust source.
pub(crate) fn is_source(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| WORDS.extensions.iter().any(|known| known == extension))
}

/// True if only tests see the file at a path.
pub(crate) fn is_for_tests(path: &str) -> bool {
    is_test_path(path, &WORDS)
}

/// Parses and lowers a source; `test_only` if its path says so. Items that are among those `known` are not
/// parsed again, and those that are new are added.
pub(crate) fn parse(source: &str, test_only: bool, limits: &ParseLimits, known: Option<&ItemCache>) -> SourceFile {
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

/// What a syntax tree became.
#[derive(Debug, Default)]
struct LoweredFile {
    functions: Vec<Arc<SyntaxFunction>>,
    items: Vec<SyntaxItem>,
    nodes: usize,
}

fn lower(lexed: LexedSource, test_only: bool, limits: &ParseLimits, known: Option<&ItemCache>) -> SourceFile {
    // Spans live in a table of this thread that grows with each parse: start from an empty one, and leave
    // an empty one behind. No span outlives this function.
    proc_macro2::extra::invalidate_current_thread_spans();
    let LexedSource { tokens, blanked, .. } = lexed;
    let mut tokens = TokenizedSource {
        source: &blanked,
        list: tokens,
    };
    let by_item = known.and_then(|known| item_cache::parse(&tokens, test_only, known));
    let parsed = match by_item {
        Some(parsed) => Ok(parsed),
        None => syntax_tree(&blanked).map(|tree| lower_tree(&tree, &mut tokens, test_only, limits)),
    };
    proc_macro2::extra::invalidate_current_thread_spans();
    match parsed {
        Ok(parsed) if parsed.nodes > limits.nodes => {
            unread(format!("more than {} calls, operations and blocks", limits.nodes))
        }
        Ok(parsed) => SourceFile {
            functions: parsed.functions,
            items: parsed.items,
            ..empty()
        },
        Err(problem) => tolerant(&blanked, tokens.list, test_only, limits, problem),
    }
}

/// What the error-tolerant front end makes of a source that syn refused; syn's problem comes first, because
/// it knows the language better.
fn tolerant(
    source: &str,
    tokens: Vec<SyntaxToken>,
    test_only: bool,
    limits: &ParseLimits,
    problem: ParseProblem,
) -> SourceFile {
    let mut file = tree_sitter::parse(&tree_sitter::RUST, source, Some(tokens), test_only, limits);
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
    if lexed.depth > SHALLOW_DEPTH {
        return None;
    }
    proc_macro2::extra::invalidate_current_thread_spans();
    syntax_tree(&lexed.blanked).ok()
}

fn syntax_tree(source: &str) -> Result<syn::File, ParseProblem> {
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
    };
    let place = RustScope {
        test_only: test_only || is_excluded_from_build(&tree.attrs),
        ..RustScope::default()
    };
    file.attribute_items(&tree.attrs, &place);
    for item in &tree.items {
        file.item(item, &place);
        if file.nodes > limits.nodes {
            break;
        }
    }
    LoweredFile {
        functions: file.functions,
        items: file.items,
        nodes: file.nodes,
    }
}

fn empty() -> SourceFile {
    SourceFile {
        language: Language::Rust,
        functions: Vec::new(),
        items: Vec::new(),
        problems: Vec::new(),
    }
}

fn unread(why: String) -> SourceFile {
    SourceFile {
        problems: vec![ParseProblem { why, lines: None }],
        ..empty()
    }
}

/// The error-tolerant front end's view of any source, to be compared with syn's.
#[cfg(test)]
pub(crate) fn tolerant_for_comparison(source: &str) -> SourceFile {
    let lexed = lexer::lex(source);
    tree_sitter::parse(
        &tree_sitter::RUST,
        &lexed.blanked,
        Some(lexed.tokens),
        false,
        &ParseLimits::default(),
    )
}
