//! Two versions of a function with the same steps → whether steps that depend on each other are in another order.
//!
//! Reads the normalised texts, in which locals are marked. A step that only moved past others is no change of its own.

use std::collections::BTreeSet;

use super::model::BlockMap;
use crate::syntax::{CallReceiver, NormalisedText, SyntaxBlock, SyntaxCall, SyntaxFunction, SyntaxNode};

/// True if two steps of a block are in another order, and one of them works with what the other one writes or gives.
pub(super) fn has_other_order(before: &SyntaxFunction, after: &SyntaxFunction, blocks: &BlockMap) -> bool {
    let pairs = before.blocks.iter().zip(&blocks.after_of);
    pairs
        .filter_map(|(block, other)| Some((block, after.block((*other)?))))
        .any(|(old, new)| is_reordered(&steps(old), &steps(new)))
}

/// A call or operation with what it may write and read.
struct Step<'f> {
    /// What is the same on both sides.
    text: String,
    /// Locals, and fields after a dot.
    writes: BTreeSet<&'f str>,
    reads: BTreeSet<&'f str>,
    /// For a call: its name, and the call whose result it is a method of.
    call: Option<(&'f str, Option<&'f str>)>,
}

impl Step<'_> {
    fn depends_on(&self, other: &Self) -> bool {
        let touches = |one: &Self, another: &Self| {
            let mut shared = one.writes.iter();
            shared.any(|name| another.writes.contains(name) || another.reads.contains(name))
        };
        let is_method_of = |one: &Self, another: &Self| {
            let of = one.call.and_then(|(_, of)| of);
            of.is_some() && of == another.call.map(|(name, _)| name)
        };
        touches(self, other) || touches(other, self) || is_method_of(self, other) || is_method_of(other, self)
    }
}

fn steps(block: &SyntaxBlock) -> Vec<Step<'_>> {
    let steps = block.nodes.iter().filter_map(|node| match node {
        SyntaxNode::Call(call) => Some(call_step(call)),
        SyntaxNode::Operation(operation) => Some(Step {
            text: operation.text.0.clone(),
            writes: written(&operation.text),
            reads: names(&operation.text),
            call: None,
        }),
        SyntaxNode::Block(_) => None,
    });
    steps.collect()
}

fn call_step(call: &SyntaxCall) -> Step<'_> {
    let callee = &call.callee;
    let receiver = match &callee.receiver {
        Some(CallReceiver::Local(name) | CallReceiver::SelfField(name)) => Some(name.as_str()),
        Some(CallReceiver::SelfValue) => Some("self"),
        Some(CallReceiver::Result { .. } | CallReceiver::Other(_)) | None => None,
    };
    let of = match &callee.receiver {
        Some(CallReceiver::Result { callee, .. }) => Some(callee.as_str()),
        _ => None,
    };
    Step {
        text: format!("{} {receiver:?} {}", callee.name, call.arguments.text.0),
        // A method may change what it is called on.
        writes: receiver.into_iter().chain(lent(&call.arguments.text)).collect(),
        reads: names(&call.arguments.text),
        call: Some((callee.name.as_str(), of)),
    }
}

/// True if two steps that both sides have once are in another order and depend on each other.
fn is_reordered(old: &[Step<'_>], new: &[Step<'_>]) -> bool {
    let only = |steps: &[Step<'_>], text: &str| {
        let mut found = steps.iter().enumerate().filter(|(_, step)| step.text == text);
        let (at, _) = found.next()?;
        found.next().is_none().then_some(at)
    };
    let places: Vec<(usize, usize)> = (old.iter().enumerate())
        .filter_map(|(at, step)| {
            only(old, &step.text)
                .and(only(new, &step.text))
                .map(|other| (at, other))
        })
        .collect();
    places.iter().enumerate().any(|(index, (one, one_after))| {
        let mut later = places[index + 1..].iter();
        later.any(|(two, two_after)| {
            two_after < one_after && (old[*one].depends_on(&old[*two]) || new[*one_after].depends_on(&new[*two_after]))
        })
    })
}

/// The locals of a text, and the fields after its dots.
fn names(text: &NormalisedText) -> BTreeSet<&str> {
    let mut previous = "";
    let words = text.0.split(' ').filter_map(move |word| {
        let name = word.strip_prefix(NormalisedText::LOCAL);
        let field = (previous == ".").then_some(word);
        previous = word;
        name.or(field)
    });
    words.collect()
}

/// The locals and fields that a text assigns to or lends for writing.
fn written(text: &NormalisedText) -> BTreeSet<&str> {
    let words: Vec<&str> = text.0.split(' ').collect();
    let is_assignment =
        |word: &str| word == "=" || (word.ends_with('=') && !matches!(word, "==" | "!=" | "<=" | ">=" | "..="));
    let assigned = (words.windows(2))
        .filter(|pair| is_assignment(pair[1]))
        .map(|pair| without_mark(pair[0]));
    assigned.chain(lent(text)).collect()
}

/// The locals that a text lends for writing.
fn lent(text: &NormalisedText) -> impl Iterator<Item = &str> {
    let words = text.0.split(' ');
    words
        .clone()
        .zip(words.skip(1))
        .filter(|(word, _)| matches!(*word, "mut" | "&mut"))
        .map(|(_, local)| without_mark(local))
}

fn without_mark(word: &str) -> &str {
    word.strip_prefix(NormalisedText::LOCAL).unwrap_or(word)
}
