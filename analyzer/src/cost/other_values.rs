//! A small function that gives another value, or a field that gets one → the cost of the code that works with the value:
//! its loops and sizes may follow it.

use crate::change::{ChangeKind, ExecutionEdit, FunctionPair, LocatedFunction, SourceChange};
use crate::cost::ledger::{BoundedEffect, CostEntry};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::name_reach::{CarryingName, HANDS_ON_BELOW, cost_reached_by, cost_reached_by_value};
use crate::cost::{ChangeClass, CostAccountKey, Estimate};
use crate::syntax::{BlockId, BlockKind, SyntaxBlock, SyntaxFunction, SyntaxNode};

impl BenchmarkPricer<'_> {
    /// The values that a change of a function makes others.
    pub(super) fn other_values(&self, change: &SourceChange, pair: usize) -> Vec<CostEntry> {
        let mut entries: Vec<CostEntry> = self.other_result(change, pair).into_iter().collect();
        if self.executions[pair].is_some() {
            entries.extend(self.other_fields(change, pair));
        }
        entries
    }

    /// A function that computes without a loop, and gives another value: its callers may work with it.
    fn other_result(&self, change: &SourceChange, pair: usize) -> Option<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let (before, after) = sides.before.as_ref().zip(sides.after.as_ref())?;
        let ids = (self.scene.standings[pair].as_ref()).map_or_else(Vec::new, |of| of.sampled.ids(self.profile));
        let costs = || ids.iter().filter_map(|&id| self.profile.cost_per_call(id));
        // A trait's method is called by code that does not name it, with what it is given to fill in.
        let is_called_unseen =
            before.function.of_trait.is_some() && !ids.is_empty() && costs().all(|cost| cost <= HANDS_ON_BELOW);
        if !gives_another_value(change, sides, is_called_unseen) || only_adds_fields(&before.function, &after.function)
        {
            return None;
        }
        let is_plain = |function: &SyntaxFunction| match is_called_unseen {
            true => !has_block(function, |block| block.kind == BlockKind::Loop),
            false => {
                function.returns.is_some()
                    && !has_block(function, |block| block.kind == BlockKind::Loop || has_call(block))
            }
        };
        if !is_plain(&before.function) || !is_plain(&after.function) {
            return None;
        }
        let callers = ids
            .iter()
            .flat_map(|&id| self.profile.callers(id))
            .map(|site| site.caller);
        let name = CarryingName::of_function(&before.function);
        let touched = cost_reached_by_value(&name, callers.collect(), self.scene, self.profile).cost;
        self.value_entry(before.name.to_string(), touched)
    }

    /// Fields that get another value: whoever reads them may work with it.
    fn other_fields(&self, change: &SourceChange, pair: usize) -> Vec<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let Some(after) = &sides.after else {
            return Vec::new();
        };
        let fields = change.edits.iter().filter_map(|edit| match edit {
            ExecutionEdit::FieldChanged { field, .. } => Some(field),
            _ => None,
        });
        let entry = |field: &String| {
            let name = CarryingName::field_set_in(&after.function, field);
            let touched = cost_reached_by(&name, self.scene, self.profile).cost;
            let owner = after.function.owner.as_deref().unwrap_or_default();
            self.value_entry(format!("{owner}.{field}"), touched)
        };
        fields.filter_map(entry).collect()
    }

    fn value_entry(&self, of: String, touched: f64) -> Option<CostEntry> {
        let effect = BoundedEffect {
            account: CostAccountKey::Value { of },
            class: ChangeClass::Value,
            runs: Estimate::exactly(1.0),
            save: touched,
            add: touched,
        };
        (touched > 0.0).then(|| self.bounded(effect))
    }
}

/// True for a change of what a function computes, or hands to the functions that it fills in for its caller. A case of a
/// match that came or went leaves the others their values.
fn gives_another_value(change: &SourceChange, sides: &FunctionPair, hands_in: bool) -> bool {
    let computes = |edit: &ExecutionEdit| match edit {
        ExecutionEdit::WorkAdded { .. } | ExecutionEdit::WorkRemoved { .. } | ExecutionEdit::FieldChanged { .. } => {
            true
        }
        ExecutionEdit::ArgumentsChanged { .. } => hands_in,
        _ => false,
    };
    match change.kind {
        ChangeKind::ConditionalAddition | ChangeKind::ConditionalDeletion => has_other_condition(sides),
        ChangeKind::ConditionExpression => true,
        _ => change.edits.iter().any(computes),
    }
}

/// True if two versions of a function differ only in the fields of values that one of them sets besides: code that stays
/// as it is reads none of them.
fn only_adds_fields(before: &SyntaxFunction, after: &SyntaxFunction) -> bool {
    let (mut before, mut after) = (operations(before), operations(after));
    before.retain(|text| match after.iter().position(|other| other == text) {
        Some(at) => {
            after.swap_remove(at);
            false
        }
        None => true,
    });
    let extends = |old: &str, new: &str| {
        let (old, new) = (literal(old), literal(new));
        let holds = |(of_type, fields): (&str, Vec<&str>), (other, more): (&str, Vec<&str>)| {
            // The rest of a value is taken from another one.
            let is_whole = !more.iter().any(|field| field.starts_with(".."));
            of_type == other && is_whole && fields.iter().all(|field| more.contains(field))
        };
        old.zip(new)
            .is_some_and(|(old, new)| holds(old.clone(), new.clone()) || holds(new, old))
    };
    !before.is_empty() && before.len() == after.len() && before.iter().zip(&after).all(|(old, new)| extends(old, new))
}

fn operations(function: &SyntaxFunction) -> Vec<&str> {
    let nodes = function
        .blocks
        .iter()
        .flat_map(|block| block.head.iter().chain(&block.nodes));
    let texts = nodes.filter_map(|node| match node {
        SyntaxNode::Operation(operation) => Some(operation.text.0.as_str()),
        SyntaxNode::Call(_) | SyntaxNode::Block(_) => None,
    });
    texts.collect()
}

/// The type and the fields of a value that is written out.
fn literal(text: &str) -> Option<(&str, Vec<&str>)> {
    let (of_type, rest) = text.split_once(" {")?;
    let fields = rest.strip_suffix('}')?;
    let mut depth = 0_i32;
    let parts = fields.split(|letter: char| {
        depth += match letter {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        letter == ',' && depth == 0
    });
    Some((
        of_type,
        parts.map(str::trim).filter(|field| !field.is_empty()).collect(),
    ))
}

/// True if a condition, beside the cases of a match, came or went.
fn has_other_condition(sides: &FunctionPair) -> bool {
    let any = |side: Option<&LocatedFunction>, others: &[Option<BlockId>]| {
        let blocks = side.map_or(&[][..], |side| side.function.blocks.as_slice());
        let mut matched = blocks.iter().zip(others);
        matched.any(|(block, other)| block.kind == BlockKind::Conditional && other.is_none())
    };
    any(sides.before.as_ref(), &sides.blocks.after_of) || any(sides.after.as_ref(), &sides.blocks.before_of)
}

fn has_block(function: &SyntaxFunction, is_wanted: impl Fn(&SyntaxBlock) -> bool) -> bool {
    function.blocks.iter().any(is_wanted)
}

fn has_call(block: &SyntaxBlock) -> bool {
    let mut nodes = block.head.iter().chain(&block.nodes);
    nodes.any(|node| matches!(node, SyntaxNode::Call(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_has_a_type_and_fields() {
        let found = literal("Row { a : 1 , b : [ 1 , 2 ] , c }");
        assert_eq!(found, Some(("Row", vec!["a : 1", "b : [ 1 , 2 ]", "c"])));
        assert_eq!(literal("a + b"), None);
    }
}
