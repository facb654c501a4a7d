//! Source of any language with a grammar and a query → the model, as much of it as the tree holds: errors
//! in the source are reported and the rest is read.

mod body;
mod bounded_parse;
mod calls;
mod captures;
mod directives;
mod items;
pub(crate) mod language;
mod signature;

use std::ops::Range;

use tree_sitter::{Node, Tree};

use directives::is_directive;
pub(crate) use directives::{REFUSAL, all_attributes};

use captures::{NodePart, NodeRole, QueryCaptures};
use items::{ITEMS, TreeSitterFileLowering, TreeSitterScope};
pub(crate) use language::LanguageGrammar;

use super::digest::TokenDigester;
use super::limits::{DEEP_STACK_BYTES, ParseLimits, SHALLOW_DEPTH};
use super::model::{LineRange, ParseProblem, SourceFile, TokenDigest};
use super::tokens::{SyntaxToken, TokenKind, TokenizedSource};
use super::{refusal, too_costly, unread};

/// At most so many syntax errors of a file are told apart.
const MOST_ERRORS: usize = 1_000;

/// An error of more parts costs a query their square: it looks from each one for a later sibling that has a name.
const MOST_IN_ERROR: u32 = 50_000;

/// An error of more rows is divided where it holds definitions.
const LARGEST_WHOLE_ERROR: usize = 40;

/// Definitions beside [`ITEMS`], which are whole also inside an error.
const DEFINITIONS: [NodeRole; 5] = [
    NodeRole::Prototype,
    NodeRole::Function,
    NodeRole::Scope,
    NodeRole::Attribute,
    NodeRole::Comment,
];

/// Parses and lowers a source. `tokens` are the language's own, if it has a lexer; else the leaves of the
/// tree serve.
pub(crate) fn parse(
    grammar: &LanguageGrammar,
    source: &str,
    tokens: Option<Vec<SyntaxToken>>,
    test_only: bool,
    limits: &ParseLimits,
) -> SourceFile {
    let tree = match bounded_parse::parse(&grammar.parser, source, limits) {
        Ok(tree) => tree,
        Err(refused) => return refused,
    };
    if longest_error(&tree) > MOST_IN_ERROR {
        return too_costly();
    }
    let depth = depth(&tree);
    if depth > limits.depth {
        return unread(format!("nested too deeply: {depth} levels, limit {}", limits.depth));
    }
    if depth <= SHALLOW_DEPTH {
        return lower(grammar, &tree, source, tokens, test_only, limits);
    }
    std::thread::scope(|scope| {
        let deep = std::thread::Builder::new()
            .stack_size(DEEP_STACK_BYTES)
            .spawn_scoped(scope, || lower(grammar, &tree, source, tokens, test_only, limits));
        match deep.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(file)) => file,
            Ok(Err(_)) => unread("the parser failed".to_owned()),
            Err(error) => unread(format!("no thread for a deeply nested file: {error}")),
        }
    })
}

/// The tree of a source without errors; `None` for any other, and for one that is too large or nested too deeply.
pub(crate) fn parse_tree(grammar: &LanguageGrammar, source: &str, limits: &ParseLimits) -> Option<Tree> {
    parse_tree_with_errors(grammar, source, limits).filter(|tree| !tree.root_node().has_error())
}

/// The tree of a source; `None` for one that is too large or nested too deeply.
pub(crate) fn parse_tree_with_errors(grammar: &LanguageGrammar, source: &str, limits: &ParseLimits) -> Option<Tree> {
    let tree = bounded_parse::parse(&grammar.parser, source, limits).ok()?;
    (depth(&tree) <= limits.depth).then_some(tree)
}

fn lower(
    grammar: &LanguageGrammar,
    tree: &Tree,
    source: &str,
    tokens: Option<Vec<SyntaxToken>>,
    test_only: bool,
    limits: &ParseLimits,
) -> SourceFile {
    let root = tree.root_node();
    let structure = grammar.structure();
    let Some(captures) = QueryCaptures::new(&structure.query, &structure.meanings, root, source, limits) else {
        return too_costly();
    };
    let list = tokens.unwrap_or_else(|| {
        let mut list = Vec::new();
        leaves(root, None, &captures, source, &mut list);
        list
    });
    let tokens = TokenizedSource::new(source, list, limits);
    let mut file = TreeSitterFileLowering {
        captures: &captures,
        root: root.id(),
        words: &grammar.words,
        tokens: &tokens,
        functions: Vec::new(),
        items: Vec::new(),
        nodes: 0,
        limits,
        is_beyond_limits: false,
    };
    file.inside(
        root,
        &TreeSitterScope {
            test_only,
            ..TreeSitterScope::default()
        },
    );
    if let Some(refused) = refusal(file.nodes, file.functions.len() + file.items.len(), limits) {
        return refused;
    }
    if file.is_beyond_limits || tokens.budget.is_spent() {
        return too_costly();
    }
    let (functions, items) = (file.functions, file.items);
    let mut problems = Vec::new();
    if root.has_error() {
        errors(root, source, &captures, &mut problems);
    }
    SourceFile {
        functions,
        items,
        problems,
    }
}

/// The number of parts of the longest error.
fn longest_error(tree: &Tree) -> u32 {
    let mut longest = 0;
    let mut waiting = vec![tree.root_node()];
    let mut cursor = tree.walk();
    while let Some(node) = waiting.pop() {
        if node.is_error() {
            longest = longest.max(node.child_count());
        }
        if node.has_error() {
            waiting.extend(node.children(&mut cursor));
        }
    }
    longest
}

/// The height of a tree, without recursion.
fn depth(tree: &Tree) -> u32 {
    let mut cursor = tree.walk();
    // Counted here, because the cursor's own depth costs a walk along its stack.
    let (mut at, mut deepest) = (0_u32, 0);
    loop {
        deepest = deepest.max(at);
        if cursor.goto_first_child() {
            at += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return deepest;
            }
            at -= 1;
        }
    }
}

/// The leaves of a node, which stands in `parent`, as tokens; comments and documentation left out.
fn leaves<'t>(
    node: Node<'t>,
    parent: Option<Node<'t>>,
    captures: &QueryCaptures<'_>,
    source: &str,
    list: &mut Vec<SyntaxToken>,
) {
    if node.is_extra() && !node.is_error() || captures.is(node, NodeRole::Comment) {
        return;
    }
    let range = body::range_of(node);
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    if node.child_count() == 0 || captures.is(node, NodeRole::Token) {
        let kind = match node.kind() {
            _ if captures.is(node, NodeRole::Quote) => quotation_marks(source, range),
            "(" | "[" | "{" => TokenKind::Open,
            ")" | "]" | "}" => TokenKind::Close,
            "integer" | "float" | "number_literal" => TokenKind::Number,
            "string_content" | "raw_string_content" => TokenKind::Text,
            "preproc_arg" => TokenKind::Spaced,
            _ if node.is_named() => TokenKind::Word,
            word if word.starts_with(char::is_alphabetic) => TokenKind::Word,
            _ => TokenKind::Punctuation,
        };
        if kind == TokenKind::Close
            && let Some(last) = list.last_mut()
            && last.kind == TokenKind::Punctuation
            && last.end - last.start == 1
            && source.as_bytes().get(last.start as usize) == Some(&b',')
            && parent.is_some_and(|parent| !(parent.kind() == "tuple" && parent.named_child_count() == 1))
        {
            last.kind = TokenKind::TrailingComma;
        }
        if range.start < range.end {
            list.push(SyntaxToken {
                start: range.start,
                end: range.end,
                line: line(node.start_position().row),
                kind,
            });
        }
        return;
    }
    let mut cursor = node.walk();
    let below: Vec<Node<'_>> = node.children(&mut cursor).collect();
    below
        .into_iter()
        .for_each(|child| leaves(child, Some(node), captures, source, list));
    if captures.is(node, NodeRole::Layout) {
        // Without a width: no part of a text, but of a digest.
        let end = list.last().map_or(range.end, |last| last.end);
        list.push(SyntaxToken {
            start: end,
            end,
            line: line(node.end_position().row),
            kind: TokenKind::Close,
        });
    }
}

/// Quotation marks as others of their kind: what stands before them says how the text is read.
fn quotation_marks(source: &str, range: crate::syntax::tokens::ByteRange) -> TokenKind {
    let marks = source.get(range.start as usize..range.end as usize).unwrap_or_default();
    match marks.trim_end_matches(['"', '\'']) {
        "" => TokenKind::ReadAs("\""),
        "f" => TokenKind::ReadAs("f\""),
        "r" => TokenKind::ReadAs("r\""),
        "b" => TokenKind::ReadAs("b\""),
        _ => TokenKind::Word,
    }
}

/// The errors of a tree in source order. Beyond the most that are told apart, the last stands for those that follow.
fn errors<'t>(node: Node<'t>, source: &str, captures: &QueryCaptures<'t>, problems: &mut Vec<ParseProblem>) {
    if !node.has_error() {
        return;
    }
    if problems.len() >= MOST_ERRORS {
        if let Some(last) = problems.last_mut() {
            last.text = None;
        }
        return;
    }
    if node.is_missing() {
        problems.push(problem(source, node, node, &format!("{} is missing", node.kind())));
    } else if node.is_error() && node.end_position().row - node.start_position().row <= LARGEST_WHOLE_ERROR {
        problems.push(problem(source, node, node, "unexpected text"));
    } else if node.is_error() {
        around_definitions(node, source, captures, problems);
    } else {
        let below = body::children(node);
        below
            .into_iter()
            .for_each(|child| errors(child, source, captures, problems));
    }
}

/// An error of many lines may hold definitions that are whole: the others of its parts are unexpected, each row of them
/// an error of its own.
fn around_definitions<'t>(
    node: Node<'t>,
    source: &str,
    captures: &QueryCaptures<'t>,
    problems: &mut Vec<ParseProblem>,
) {
    let mut row: Option<(Node<'t>, Node<'t>)> = None;
    let unexpected = |(first, last)| problem(source, first, last, "unexpected text");
    for part in body::children(node) {
        if is_definition(part, captures) {
            problems.extend(row.take().map(unexpected));
            errors(part, source, captures, problems);
        } else {
            row = Some((row.map_or(part, |(first, _)| first), part));
        }
    }
    problems.extend(row.map(unexpected));
}

/// True for a definition, a directive, and what holds nothing but these: a condition, a template.
fn is_definition<'t>(node: Node<'t>, captures: &QueryCaptures<'t>) -> bool {
    let is_one = |roles: &[NodeRole]| captures.any(node, roles).is_some();
    if is_one(&DEFINITIONS) || is_one(&ITEMS) || is_directive(node) {
        return true;
    }
    let is_holder = is_one(&[NodeRole::Group, NodeRole::Guard]);
    let mut below = body::children(node).into_iter().filter(Node::is_named);
    is_holder
        && below.all(|child| captures.part(node, NodePart::Condition) == Some(child) || is_definition(child, captures))
}

fn problem(source: &str, first: Node<'_>, last: Node<'_>, what: &str) -> ParseProblem {
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    let (start, end) = (first.start_position(), last.end_position());
    ParseProblem {
        why: format!("syntax error at {}:{}: {what}", start.row + 1, start.column + 1),
        lines: Some(LineRange {
            first: line(start.row),
            last: line(end.row),
        }),
        text: Some(digest_of_lines(source, first.start_byte()..last.end_byte())),
    }
}

/// Of the whole lines that a range stands on.
fn digest_of_lines(source: &str, range: Range<usize>) -> TokenDigest {
    let before = source.get(..range.start).unwrap_or_default();
    let after = source.get(range.end..).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = range.end + after.find('\n').unwrap_or(after.len());
    let mut digester = TokenDigester::new();
    digester.token(source.get(start..end).unwrap_or_default());
    digester.finish()
}
