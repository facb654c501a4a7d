//! The nodes that one version of a function has alone → the bounds that changed: how far the locals step that loops ask
//! for, which part of a whole is taken, calls that limit a number, and ways out of loops.
//!
//! Reads the text. Whether other bounds are reached is not known.

use std::collections::BTreeSet;

use super::assignment::Assignment;
use super::compare::{FunctionComparison, UnmatchedNode, executing_block};
use super::model::BoundChange;
use super::renames::RenameMap;
use super::text_tokens::{self, NameTranslation, TextToken};
use super::thresholds::THRESHOLDS;
use crate::syntax::{
    BlockId, BlockKind, CallReceiver, NormalisedText, OperationKind, SyntaxCall, SyntaxCallForm, SyntaxFunction,
    SyntaxNode,
};

/// Nodes of one side that set a bound, each with what it sets, in the names of the after side.
type Bounds<'c, 'f> = Vec<(&'c UnmatchedNode<'f>, Vec<String>)>;

/// Finds the bounds that changed between two versions of a function.
pub(super) fn find_bound_changes(comparison: &FunctionComparison<'_>, renames: &RenameMap) -> Vec<BoundChange> {
    let before = comparison.reading_of_before(renames);
    let after = NameTranslation::default();
    let sides = [
        (&comparison.removed, comparison.before.function, before),
        (&comparison.added, comparison.after.function, after),
    ];
    let [gone, new] = sides.map(|(nodes, function, reading)| steps(nodes, function, reading));
    let mut found = changed(comparison, (gone, new), false);
    let [gone, new] = sides.map(|(nodes, ..)| ranges(nodes));
    found.extend(changed(comparison, (gone, new), false));
    let [gone, new] = sides.map(|(nodes, _, reading)| limits(nodes, reading));
    found.extend(changed(comparison, (gone, new), true));
    found.extend(ways_out(comparison));
    for regiven in &comparison.regiven {
        let limits = (limit(regiven.was, before), limit(regiven.call, after));
        let is_limit = is_limiting(regiven.call) && differ_in_more_than_numbers(&limits.0, &limits.1);
        let texts = (&regiven.was.arguments.text, &regiven.call.arguments.text);
        if is_limit || shape_of_ranges(texts.0) != shape_of_ranges(texts.1) {
            let block = executing_block(comparison.after.function, regiven.block, regiven.part);
            found.push(BoundChange {
                before: comparison.blocks.map.before_of[block.0 as usize],
                block: Some(block),
            });
        }
    }
    found
}

/// The places that set another bound. One that only one side has counts if `alone` says so: the other side has no bound then.
fn changed(
    comparison: &FunctionComparison<'_>,
    (mut gone, mut new): (Bounds<'_, '_>, Bounds<'_, '_>),
    alone: bool,
) -> Vec<BoundChange> {
    gone.retain(|(_, bound)| match new.iter().position(|(_, other)| other == bound) {
        Some(at) => {
            new.remove(at);
            false
        }
        None => true,
    });
    if !alone && (gone.is_empty() || new.is_empty()) {
        return Vec::new();
    }
    let place = |function: &SyntaxFunction, bounds: &Bounds<'_, '_>, at: usize| {
        // The last one stands for all that the other side has besides.
        let (node, _) = bounds.get(at).or(bounds.last())?;
        Some(executing_block(function, node.block, node.part))
    };
    let places = (0..gone.len().max(new.len())).map(|at| BoundChange {
        before: place(comparison.before.function, &gone, at),
        block: place(comparison.after.function, &new, at),
    });
    places.collect()
}

/// Conditional ways out of loops that one version has besides: without one, a loop runs to its end.
fn ways_out(comparison: &FunctionComparison<'_>) -> Vec<BoundChange> {
    let map = &comparison.blocks.map;
    let (before, after) = (comparison.before.function, comparison.after.function);
    let alone = |function, other, matched: &[Option<BlockId>]| {
        let mut exits = exits_of_loops(function);
        exits.retain(|id| !matched[id.0 as usize].is_some_and(|there| is_exit_of_loop(other, there)));
        exits
    };
    let (gone, new) = (
        alone(before, after, &map.after_of),
        alone(after, before, &map.before_of),
    );
    // One that is written anew counts as the same.
    let lost = gone.iter().skip(new.len()).map(|&before| (Some(before), None));
    let came = new.iter().skip(gone.len()).map(|&block| (None, Some(block)));
    lost.chain(came)
        .map(|(before, block)| BoundChange { before, block })
        .collect()
}

fn exits_of_loops(function: &SyntaxFunction) -> Vec<BlockId> {
    let ids = (0..function.blocks.len()).filter_map(|index| u32::try_from(index).ok().map(BlockId));
    ids.filter(|&id| is_exit_of_loop(function, id)).collect()
}

/// True for a conditional block that ends with a `break` or `return` in a loop.
fn is_exit_of_loop(function: &SyntaxFunction, id: BlockId) -> bool {
    let block = function.block(id);
    let leaves = matches!(block.nodes.last(), Some(SyntaxNode::Operation(operation))
        if operation.kind == OperationKind::Jump && !operation.text.0.starts_with("continue"));
    let mut around = std::iter::successors(block.parent, |&id| function.block(id).parent);
    leaves && block.kind.is_conditional() && around.any(|id| function.block(id).kind == BlockKind::Loop)
}

/// Assignments of locals that decide how often a loop runs.
fn steps<'s, 'f>(
    nodes: &'s [UnmatchedNode<'f>],
    function: &'f SyntaxFunction,
    reading: NameTranslation<'_>,
) -> Bounds<'s, 'f> {
    let assignments: Vec<_> = nodes
        .iter()
        .filter_map(|node| Some((node, Assignment::or_declaration(text_of(node.node)?)?)))
        .collect();
    if assignments.is_empty() {
        return Vec::new();
    }
    let deciding = locals_that_decide_loops(function);
    assignments
        .into_iter()
        .filter(|(_, assignment)| assignment.targets.iter().any(|local| deciding.contains(local)))
        .map(|(node, assignment)| (node, assignment.step(reading)))
        .collect()
}

/// Operations that take a part of a whole.
fn ranges<'s, 'f>(nodes: &'s [UnmatchedNode<'f>]) -> Bounds<'s, 'f> {
    nodes
        .iter()
        .filter(|node| node.gap.is_some())
        .filter_map(|node| Some((node, shape_of_ranges(text_of(node.node)?))))
        .filter(|(_, shape)| !shape.is_empty())
        .collect()
}

/// Calls that limit a number.
fn limits<'s, 'f>(nodes: &'s [UnmatchedNode<'f>], reading: NameTranslation<'_>) -> Bounds<'s, 'f> {
    let limit = |node: &'s UnmatchedNode<'f>| match node.node {
        SyntaxNode::Call(call) if is_limiting(call) => Some((node, limit(call, reading))),
        SyntaxNode::Call(_) | SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
    };
    // A node of a block that came or went has the price of the block.
    (nodes.iter())
        .filter(|node| node.gap.is_some())
        .filter_map(limit)
        .collect()
}

fn is_limiting(call: &SyntaxCall) -> bool {
    let operands = usize::from(call.arguments.arity) + usize::from(call.callee.form == SyntaxCallForm::Method);
    let has_bound = match call.callee.form {
        // `vec![a, b]` is a list, and no size.
        SyntaxCallForm::Macro => call.arguments.text.0.contains(" ; "),
        // `mem::take(x)` and `x.take()` bound nothing.
        SyntaxCallForm::Path | SyntaxCallForm::Method | SyntaxCallForm::Value => operands > 1,
    };
    has_bound && THRESHOLDS.bounds.limiting.contains(&call.callee.name)
}

/// The name and the operands of a call, however it is written.
fn limit(call: &SyntaxCall, reading: NameTranslation<'_>) -> Vec<String> {
    let receiver = match &call.callee.receiver {
        Some(CallReceiver::Local(local)) => Some(reading.local(local).to_owned()),
        Some(CallReceiver::SelfField(field)) => Some(reading.word(field).to_owned()),
        Some(CallReceiver::SelfValue) => Some("self".to_owned()),
        Some(CallReceiver::Result { .. } | CallReceiver::Other(_)) => Some(NormalisedText::HOLE.to_string()),
        None => None,
    };
    let arguments = text_tokens::tokens(&call.arguments.text)
        .map(|token| reading.token(token).written())
        .filter(|word| word != ",");
    let mut operands: Vec<String> = receiver.into_iter().chain(arguments).collect();
    if THRESHOLDS.bounds.symmetric.contains(&call.callee.name) {
        operands.sort_unstable();
    }
    operands.insert(0, call.callee.name.clone());
    operands
}

/// True for operands that differ, and not only in numbers: of these the growth is known.
fn differ_in_more_than_numbers(was: &[String], is: &[String]) -> bool {
    let is_number = |word: &String| word.starts_with(|first: char| first.is_ascii_digit());
    let mut pairs = was.iter().zip(is);
    was.len() != is.len() || pairs.any(|(was, is)| was != is && !(is_number(was) && is_number(is)))
}

/// For each range in a text, which ends it has.
fn shape_of_ranges(text: &NormalisedText) -> Vec<String> {
    let tokens: Vec<TextToken<'_>> = text_tokens::tokens(text).collect();
    let mut open = Vec::new();
    let mut shape = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let TextToken::Word(word) = token else {
            continue;
        };
        let is_range = match *word {
            "[" | "(" | "{" => {
                open.push(*word);
                false
            }
            "]" | ")" | "}" => {
                open.pop();
                false
            }
            ".." | "..=" => open.last() != Some(&"{"),
            ":" => open.last() == Some(&"["),
            _ => false,
        };
        if is_range {
            let is_end = |token: Option<&TextToken<'_>>, ends: &[&str]| match token {
                Some(TextToken::Word(word)) => ends.contains(word),
                Some(TextToken::Local(_) | TextToken::Hole) => false,
                None => true,
            };
            let has_start = !is_end(at.checked_sub(1).map(|at| &tokens[at]), &["[", "(", ",", "="]);
            let has_end = !is_end(tokens.get(at + 1), &["]", ")", ",", ":", ";"]);
            shape.push(format!("{has_start} {has_end}"));
        }
    }
    shape
}

/// The locals that decide how often loops run, directly and through others.
fn locals_that_decide_loops(function: &SyntaxFunction) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let is_jump =
        |node: &SyntaxNode| matches!(node, SyntaxNode::Operation(operation) if operation.kind == OperationKind::Jump);
    for block in &function.blocks {
        let leaves = block.kind.is_conditional() && block.nodes.iter().any(is_jump);
        if block.kind == BlockKind::Loop || leaves {
            block
                .head
                .iter()
                .filter_map(text_of)
                .for_each(|text| found.extend(locals(text)));
        }
    }
    let nodes = (function.blocks.iter()).flat_map(|block| block.head.iter().chain(&block.nodes));
    let assignments: Vec<Assignment<'_>> = nodes
        .filter_map(|node| Assignment::or_declaration(text_of(node)?))
        .collect();
    loop {
        let known = found.len();
        for assignment in &assignments {
            if assignment.targets.iter().any(|local| found.contains(local)) {
                found.extend(assignment.value.iter().filter_map(|token| match token {
                    TextToken::Local(local) => Some(*local),
                    TextToken::Word(_) | TextToken::Hole => None,
                }));
            }
        }
        if found.len() == known {
            return found;
        }
    }
}

fn text_of(node: &SyntaxNode) -> Option<&NormalisedText> {
    match node {
        SyntaxNode::Operation(operation) => Some(&operation.text),
        SyntaxNode::Call(_) | SyntaxNode::Block(_) => None,
    }
}

fn locals(text: &NormalisedText) -> impl Iterator<Item = &str> {
    text_tokens::tokens(text).filter_map(|token| match token {
        TextToken::Local(local) => Some(local),
        TextToken::Word(_) | TextToken::Hole => None,
    })
}
