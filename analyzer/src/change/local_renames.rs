//! Two functions → which local of one is which local of the other, from where they stand in texts that are
//! equal but for the names of locals. Does not know scopes: one name is one local.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::renames::RenameMap;
use super::sequence_alignment;
use super::text_tokens::{self, LocalRenames, NameTranslation, TokenHasher};
use crate::syntax::{CallReceiver, NormalisedText, OperationKind, SyntaxFunction, SyntaxNode};

/// Weight of standing at the same place in the signature, against one for each place in a text.
const SAME_PARAMETER: u32 = 2;
/// Weight of having the same name: decides ties.
const SAME_NAME: u32 = 1;

/// The locals that have another name after; swapped sides give the inverse.
pub(super) fn infer(before: &SyntaxFunction, after: &SyntaxFunction, renames: &RenameMap, flip: bool) -> LocalRenames {
    let old_names = names(before);
    let new_names = names(after);
    if old_names == new_names {
        return LocalRenames::default();
    }
    let renamed = NameTranslation {
        renames: Some(renames),
        locals: None,
    };
    let old = places(before, renamed);
    let new = places(after, NameTranslation::default());
    let (old_shapes, new_shapes): (Vec<u64>, Vec<u64>) = (
        old.iter().map(|place| place.0).collect(),
        new.iter().map(|place| place.0).collect(),
    );
    let aligned = if flip {
        let pairs = sequence_alignment::align_by_hash(&new_shapes, &old_shapes);
        pairs.into_iter().map(|(i, j)| (j, i)).collect()
    } else {
        sequence_alignment::align_by_hash(&old_shapes, &new_shapes)
    };
    let mut votes: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for (i, j) in aligned {
        for pair in old[i].1.iter().zip(&new[j].1) {
            *votes.entry((pair.0, pair.1)).or_default() += 1;
        }
    }
    for (one, two) in before.parameters.iter().zip(&after.parameters) {
        if renames.word(&one.type_name) == two.type_name && !one.name.is_empty() && !two.name.is_empty() {
            *votes.entry((&one.name, &two.name)).or_default() += SAME_PARAMETER;
        }
    }
    for name in old_names.intersection(&new_names) {
        *votes.entry((name, name)).or_default() += SAME_NAME;
    }
    let mut ranked: Vec<((&str, &str), u32)> = votes.into_iter().collect();
    ranked.sort_by_key(|((one, two), count)| (Reverse(*count), one != two, *one.min(two), *one.max(two)));
    let mut taken_after: BTreeSet<&str> = BTreeSet::new();
    let mut locals = LocalRenames::default();
    for ((one, two), _) in ranked {
        if !locals.0.contains_key(one) && !taken_after.contains(two) {
            locals.0.insert(one.to_owned(), two.to_owned());
            taken_after.insert(two);
        }
    }
    for name in old_names {
        if !locals.0.contains_key(name) && new_names.contains(name) {
            // Its name now belongs to another local: it is like none of them.
            locals
                .0
                .insert(name.to_owned(), format!("{name}{}", NormalisedText::LOCAL));
        }
    }
    locals
}

fn names(function: &SyntaxFunction) -> BTreeSet<&str> {
    let mut names: BTreeSet<&str> = function
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    for block in &function.blocks {
        for node in block.head.iter().chain(&block.nodes) {
            match node {
                SyntaxNode::Call(call) => {
                    names.extend(text_tokens::locals(&call.arguments.text));
                    names.extend(receiver(call.callee.receiver.as_ref()));
                }
                SyntaxNode::Operation(operation) => names.extend(text_tokens::locals(&operation.text)),
                SyntaxNode::Block(_) => {}
            }
        }
    }
    names
}

/// Calls, operations and blocks: shape, and the locals in order.
fn places<'f>(function: &'f SyntaxFunction, reading: NameTranslation<'_>) -> Vec<(u64, Vec<&'f str>)> {
    let mut places = Vec::new();
    for block in &function.blocks {
        places.push((TokenHasher::new().number(block.kind as u64).finish(), Vec::new()));
        for node in block.head.iter().chain(&block.nodes) {
            match node {
                SyntaxNode::Call(call) => {
                    let on_local = receiver(call.callee.receiver.as_ref());
                    let hash = TokenHasher::new().word(reading.word(&call.callee.name));
                    let hash = hash.number(u64::from(on_local.is_some()));
                    let hash = hash.number(reading.shape(&call.arguments.text));
                    let locals = on_local.into_iter().chain(text_tokens::locals(&call.arguments.text));
                    places.push((hash.finish(), locals.collect()));
                }
                SyntaxNode::Operation(operation) => {
                    let pattern = u64::from(operation.kind == OperationKind::Pattern);
                    let hash = TokenHasher::new()
                        .number(pattern)
                        .number(reading.shape(&operation.text));
                    places.push((hash.finish(), text_tokens::locals(&operation.text).collect()));
                }
                SyntaxNode::Block(_) => {}
            }
        }
    }
    places
}

fn receiver(receiver: Option<&CallReceiver>) -> Option<&str> {
    match receiver {
        Some(CallReceiver::Local(name)) => Some(name),
        _ => None,
    }
}
