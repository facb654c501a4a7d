//! Two versions of a function → the places where something grows at another pace: a number that was multiplied or divided is
//! counted up or down now, or a value is copied whole where something was added to it. Each the other way round, too.
//!
//! Reads the text. What stands in square brackets is a place among others, and grows nothing.

use std::collections::BTreeMap;

use super::compare::{BlockPart, executing_block};
use super::model::BoundChange;
use super::text_tokens::{self, TextToken};
use super::thresholds::THRESHOLDS;
use crate::syntax::{BlockId, CallReceiver, NormalisedText, SyntaxCallForm, SyntaxFunction, SyntaxNode};

/// The places of one side, by what grows there.
type Places = BTreeMap<String, Vec<BlockId>>;

/// Numbers that grow by a factor on one side and by a summand on the other: `reserve(size * 2)`, `reserve(size + 1)`.
pub(super) fn other_paces(before: &SyntaxFunction, after: &SyntaxFunction) -> Vec<BoundChange> {
    let [before, after] = [before, after].map(Paces::of);
    exchanged((&before.factors, &before.summands), (&after.factors, &after.summands))
}

/// Values to which something was added, and which are made anew with it on the other side: `text += part`, `text = text + part`.
/// Of languages where a sum of two values is a third one.
pub(super) fn other_copies(before: &SyntaxFunction, after: &SyntaxFunction) -> Vec<BoundChange> {
    let [before, after] = [before, after].map(Additions::of);
    exchanged((&before.in_place, &before.copied), (&after.in_place, &after.copied))
}

/// Names that one version has more often in its first places, and the other one in its second.
fn exchanged(before: (&Places, &Places), after: (&Places, &Places)) -> Vec<BoundChange> {
    let is_more = |name: &String, one: &Places, other: &Places| {
        one.get(name).map_or(0, Vec::len) > other.get(name).map_or(0, Vec::len)
    };
    let place = |(first, second): (&Places, &Places), name: &String, is_first: bool| {
        let places = if is_first { first } else { second };
        places.get(name).and_then(|places| places.last().copied())
    };
    let names = before.0.keys().chain(before.1.keys());
    let mut found = Vec::new();
    for name in names {
        let is_first = is_more(name, before.0, after.0) && is_more(name, after.1, before.1);
        let is_second = is_more(name, before.1, after.1) && is_more(name, after.0, before.0);
        let change = BoundChange {
            before: place(before, name, is_first),
            block: place(after, name, is_second),
        };
        if (is_first || is_second) && !found.contains(&change) {
            found.push(change);
        }
    }
    found
}

/// The numbers that a function computes from others and constants.
#[derive(Default)]
struct Paces {
    factors: Places,
    summands: Places,
}

impl Paces {
    fn of(function: &SyntaxFunction) -> Self {
        let mut found = Self::default();
        for (node, block) in nodes(function) {
            let text = match node {
                SyntaxNode::Operation(operation) => &operation.text,
                SyntaxNode::Call(call) => &call.arguments.text,
                SyntaxNode::Block(_) => continue,
            };
            found.add(text, block);
        }
        found
    }

    fn add(&mut self, text: &NormalisedText, block: BlockId) {
        let tokens: Vec<TextToken<'_>> = text_tokens::tokens(text).collect();
        let mut open = 0_usize;
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TextToken::Word("[") => open += 1,
                TextToken::Word("]") => open = open.saturating_sub(1),
                _ => {}
            }
            let Some([TextToken::Word(sign), by]) = tokens.get(at + 1..at + 3) else {
                continue;
            };
            let is_computed = is_value(*token) && (is_value(*by) || is_number(*by));
            if open > 0 || !is_computed {
                continue;
            }
            let places = match *sign {
                "*" | "/" | "//" | "<<" | ">>" => &mut self.factors,
                "+" | "-" => &mut self.summands,
                _ => continue,
            };
            places.entry(token.written()).or_default().push(block);
        }
    }
}

/// The values to which a function adds something.
#[derive(Default)]
struct Additions {
    in_place: Places,
    copied: Places,
}

impl Additions {
    fn of(function: &SyntaxFunction) -> Self {
        let mut found = Self::default();
        for (node, block) in nodes(function) {
            match node {
                SyntaxNode::Call(call) => {
                    let receiver = match &call.callee.receiver {
                        Some(CallReceiver::Local(name) | CallReceiver::SelfField(name)) => name,
                        _ => continue,
                    };
                    if call.callee.form == SyntaxCallForm::Method
                        && THRESHOLDS.bounds.appending.contains(&call.callee.name)
                    {
                        found.in_place.entry(receiver.clone()).or_default().push(block);
                    }
                }
                SyntaxNode::Operation(operation) => found.add(&operation.text, block),
                SyntaxNode::Block(_) => {}
            }
        }
        let is_number = |name: &String| is_known_number(name, function);
        found.in_place.retain(|name, _| !is_number(name));
        found.copied.retain(|name, _| !is_number(name));
        found
    }

    /// `name += value` and `name = name + value`, where a path may lead to the name: it is known by its last word.
    fn add(&mut self, text: &NormalisedText, block: BlockId) {
        let tokens: Vec<TextToken<'_>> = text_tokens::tokens(text)
            .filter(|token| *token != TextToken::Word(";"))
            .collect();
        let Some(at) = tokens
            .iter()
            .position(|token| matches!(token, TextToken::Word("=" | "+=")))
        else {
            return;
        };
        let (target, value) = (&tokens[..at], &tokens[at + 1..]);
        let Some(name) = target.last().filter(|name| is_name(**name)) else {
            return;
        };
        let places = match (tokens[at], value.strip_prefix(target)) {
            (TextToken::Word("+="), _) if !begins_with_number(value) => &mut self.in_place,
            (TextToken::Word("="), Some([TextToken::Word("+"), by @ ..])) if !begins_with_number(by) => {
                &mut self.copied
            }
            _ => return,
        };
        places.entry(name.written()).or_default().push(block);
    }
}

/// All calls and operations, each with the block that executes it.
fn nodes(function: &SyntaxFunction) -> impl Iterator<Item = (&SyntaxNode, BlockId)> {
    let ids = (0..function.blocks.len()).filter_map(|at| u32::try_from(at).ok().map(BlockId));
    ids.flat_map(move |id| {
        let block = function.block(id);
        let parts = [(&block.head, BlockPart::Head), (&block.nodes, BlockPart::Nodes)];
        parts.into_iter().flat_map(move |(nodes, part)| {
            let executing = executing_block(function, id, part);
            nodes.iter().map(move |node| (node, executing))
        })
    })
}

/// True for a name whose stated type is one of plain numbers, or which is first given a number.
fn is_known_number(name: &str, function: &SyntaxFunction) -> bool {
    let stated = function.locals.iter().find(|(local, _)| local == name);
    let starts = || {
        nodes(function).any(|(node, _)| {
            let SyntaxNode::Operation(operation) = node else {
                return false;
            };
            let tokens: Vec<TextToken<'_>> = text_tokens::tokens(&operation.text).collect();
            let given = tokens.iter().position(|token| *token == TextToken::Word("="));
            given.is_some_and(|at| {
                let is_it = at
                    .checked_sub(1)
                    .is_some_and(|before| tokens[before] == TextToken::Local(name));
                is_it && begins_with_number(&tokens[at + 1..])
            })
        })
    };
    match stated {
        Some((_, of_type)) => THRESHOLDS.bounds.numbers.contains(of_type),
        None => starts(),
    }
}

fn begins_with_number(tokens: &[TextToken<'_>]) -> bool {
    tokens.first().is_some_and(|first| is_number(*first))
}

fn is_number(token: TextToken<'_>) -> bool {
    matches!(token, TextToken::Word(word) if word.starts_with(|first: char| first.is_ascii_digit()))
}

/// True for a name, and for the result of a call.
fn is_value(token: TextToken<'_>) -> bool {
    token == TextToken::Hole || is_name(token)
}

fn is_name(token: TextToken<'_>) -> bool {
    match token {
        TextToken::Local(_) => true,
        TextToken::Word(word) => word.starts_with(|first: char| first.is_alphabetic() || first == '_'),
        TextToken::Hole => false,
    }
}
