//! A small function that gives another value, a field that gets one, or a step that works with one → the cost of the code
//! that works with the value: its loops and sizes may follow it.

use std::collections::{BTreeMap, BTreeSet};

use profile::ProfileFunctionId;

use crate::change::{ChangeKind, ExecutionEdit, FunctionPair, LocatedFunction, SourceChange};
use crate::cost::exposure::{CalleeInclusion, ExposedCost, everything};
use crate::cost::ledger::{BoundedEffect, CostEntry};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::name_reach::{CarryingName, HANDS_ON_BELOW, cost_decided_by, cost_reached_by, cost_reached_by_value};
use crate::cost::{ChangeClass, CostAccountKey, Estimate};
use crate::languages::{is_interpreted, language_of};
use crate::syntax::{
    BlockId, BlockKind, CallArguments, NormalisedText, OperationKind, SyntaxBlock, SyntaxCall, SyntaxCallForm,
    SyntaxFunction, SyntaxNode,
};

impl BenchmarkPricer<'_> {
    /// The values that a change of a function makes others.
    pub(super) fn other_values(&self, change: &SourceChange, pair: usize) -> Vec<CostEntry> {
        if self.starts_another_program(pair) {
            return Vec::new();
        }
        let result = self.other_result(change, pair);
        let mut entries: Vec<CostEntry> = result.into_iter().chain(self.other_bound(pair)).collect();
        if let Some(before) = &self.scene.changes.pairs[pair].before {
            let behind = self.cost_behind_swapped_call(change, pair);
            let touched = behind.max(self.cost_of_added_object(change, pair));
            entries.extend(self.value_entry(before.name.to_string(), touched, 1.0));
        }
        entries.extend(self.other_named_arguments(change, pair));
        // A compiler builds a constructor that only sets fields into its callers, and computes others itself.
        let leaves_no_trace = |after: &LocatedFunction| {
            let function = &after.function;
            function.is_precomputed || function.owner.as_deref() == Some(function.name())
        };
        if self.executions[pair].is_some()
            || self.scene.changes.pairs[pair]
                .after
                .as_ref()
                .is_some_and(leaves_no_trace)
        {
            entries.extend(self.other_fields(change, pair));
        }
        entries
    }

    /// True for a function that only the system calls, when it starts a program that the benchmark is not.
    fn starts_another_program(&self, pair: usize) -> bool {
        let is_start = |side: &LocatedFunction| {
            language_of(&side.file).is_some_and(|language| language.support().starts_a_program(&side.function))
        };
        let before = self.scene.changes.pairs[pair].before.as_ref();
        let standing = self.scene.standings[pair].as_ref();
        before.is_some_and(is_start) && standing.is_some_and(|standing| standing.sampled.ids(self.profile).is_empty())
    }

    /// A function that gives another value, or that works with one: its callers, and what it calls, may work with it.
    fn other_result(&self, change: &SourceChange, pair: usize) -> Option<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let (before, after) = sides.before.as_ref().zip(sides.after.as_ref())?;
        let ids = (self.scene.standings[pair].as_ref()).map_or_else(Vec::new, |of| of.sampled.ids(self.profile));
        let callers = || {
            ids.iter()
                .flat_map(|&id| self.profile.callers(id))
                .map(|site| site.caller)
        };
        let name = CarryingName::of_located(before, self.scene);
        let touched = if is_precomputed_otherwise(change, sides) {
            match is_of_literals(before.function.name()) {
                true => everything(self.profile),
                false => cost_reached_by_value(&name, callers().collect(), self.scene, self.profile),
            }
        } else if self.is_plain_with_another_result(change, pair, &ids) || self.starts_from_another(change, pair) {
            match is_interpreted(&after.file) {
                // The profile has every call.
                true => cost_decided_by(callers().collect(), self.profile),
                false => cost_reached_by_value(&name, callers().collect(), self.scene, self.profile),
            }
        } else if self.has_other_parts(change, pair) {
            match gives_a_value(&after.function) {
                true => cost_decided_by(ids.iter().copied().chain(callers()).collect(), self.profile),
                // It has nothing to hand on; of compiled code, the profile may show a part of it elsewhere.
                false if is_interpreted(&after.file) => ExposedCost::of(&ids, self.profile, CalleeInclusion::All),
                false => cost_decided_by(ids.clone(), self.profile),
            }
        } else {
            return None;
        };
        self.value_entry(before.name.to_string(), touched.cost, self.value_growth(pair))
    }

    /// Changed functions that the benchmark executes only while it sets up: everything may work with what they leave behind.
    pub(super) fn other_set_ups(&self) -> BTreeMap<usize, CostEntry> {
        (0..self.scene.changes.pairs.len())
            .filter_map(|pair| Some((pair, self.other_set_up(pair)?)))
            .collect()
    }

    fn other_set_up(&self, pair: usize) -> Option<CostEntry> {
        let standing = self.scene.standings[pair].as_ref()?;
        let ids = standing.sampled.ids_with_closures(self.profile);
        let is_of_set_up = |id: &ProfileFunctionId| self.profile.profile().function(*id).is_of_set_up();
        if ids.is_empty() || !ids.iter().all(is_of_set_up) || self.scene.changes.pairs[pair].regrouped {
            return None;
        }
        let before = self.scene.changes.pairs[pair].before.as_ref()?;
        self.value_entry(before.name.to_string(), self.profile.total(), self.value_growth(pair))
    }

    /// How many times larger the numbers of a function are after its change.
    fn value_growth(&self, pair: usize) -> f64 {
        let sides = &self.scene.changes.pairs[pair];
        let (Some(before), Some(after)) = (&sides.before, &sides.after) else {
            return 1.0;
        };
        match before.file == after.file {
            true => (self.scene).value_growth_between(&before.file, before.function.lines, after.function.lines),
            false => 1.0,
        }
    }

    /// True for a function that computes without a loop, and gives another value.
    fn is_plain_with_another_result(&self, change: &SourceChange, pair: usize, ids: &[ProfileFunctionId]) -> bool {
        let sides = &self.scene.changes.pairs[pair];
        let Some((before, after)) = sides.before.as_ref().zip(sides.after.as_ref()) else {
            return false;
        };
        let costs = || ids.iter().filter_map(|&id| self.profile.cost_per_call(id));
        let is_short = !ids.is_empty() && costs().all(|cost| cost <= HANDS_ON_BELOW);
        // A trait's method is called by code that does not name it, with what it is given to fill in.
        let is_called_unseen = before.function.of_trait.is_some() && is_short;
        // A call of a library that has a price is a step as any other: `wrapping_mul`.
        let library = self.scene.costs.library(&before.file);
        let is_step = |call: &SyntaxCall| {
            is_called_unseen || is_short && library.prior_by_name(None, &call.callee.name).is_some()
        };
        let is_plain = |function: &SyntaxFunction| {
            let is_long = |block: &SyntaxBlock| block.kind == BlockKind::Loop || !calls(block).all(is_step);
            (is_called_unseen || gives_a_value(function)) && !has_block(function, is_long)
        };
        gives_another_value(change, sides, is_called_unseen)
            && !only_adds_fields(&before.function, &after.function)
            && is_plain(&before.function)
            && is_plain(&after.function)
    }

    /// True for a change that gives a function another value to start from: one call that is given no value of its own took the
    /// place of another, as `HashMap::new()` that of `BTreeMap::new()`.
    fn starts_from_another(&self, change: &SourceChange, pair: usize) -> bool {
        let Some(runs) = &self.executions[pair] else {
            return false;
        };
        let is_alone = |call: &SyntaxCall| {
            let text = &call.arguments.text.0;
            call.callee.form == SyntaxCallForm::Path
                && call.callee.receiver.is_none()
                && !text.contains([NormalisedText::LOCAL, NormalisedText::HOLE])
        };
        let is_start = |edit: &ExecutionEdit| match edit.added_call() {
            Some((call, block)) => {
                is_alone(call) && runs.after.get(block.0 as usize).is_some_and(|runs| runs.expected > 0.0)
            }
            None => matches!(edit, ExecutionEdit::CallRemoved { call, .. } if is_alone(call)),
        };
        change.kind == ChangeKind::CallSwap && change.edits.iter().all(is_start)
    }

    /// True for a change, in code that runs, of a function that does the same steps with other values: other numbers, texts
    /// or names of what is not its own.
    fn has_other_parts(&self, change: &SourceChange, pair: usize) -> bool {
        let sides = &self.scene.changes.pairs[pair];
        let (Some(runs), Some(before), Some(after)) = (&self.executions[pair], &sides.before, &sides.after) else {
            return false;
        };
        let of_pair = (self.scene.changes.changes.iter()).filter(|other| other.subject == change.subject);
        let edits: Vec<&ExecutionEdit> = of_pair.flat_map(|change| &change.edits).collect();
        let mut others = sides.blocks.after_of.iter().chain(&sides.blocks.before_of);
        if edits.iter().any(|edit| is_other_step(edit)) || others.any(Option::is_none) {
            return false;
        }
        let runs_after = |block: &BlockId| runs.after.get(block.0 as usize).is_some_and(|runs| runs.expected > 0.0);
        let is_given_others = |edit: &&ExecutionEdit| {
            matches!(edit, ExecutionEdit::ArgumentsChanged { call, was, block }
                if runs_after(block) && gives_other_values(call, was))
        };
        let works = |edit: &&ExecutionEdit| matches!(edit, ExecutionEdit::WorkAdded { block, .. } if runs_after(block));
        let (old, new) = operations_that_differ(&before.function, &after.function);
        edits.iter().any(is_given_others) || edits.iter().any(works) && differ_in_values(&old, &new)
    }

    /// Fields that get another value: whoever reads them may work with it.
    fn other_fields(&self, change: &SourceChange, pair: usize) -> Vec<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let Some(after) = &sides.after else {
            return Vec::new();
        };
        let entry = |edit: &ExecutionEdit| {
            let field = if let ExecutionEdit::FieldChanged { field, .. } = edit {
                field
            } else if let ExecutionEdit::ArgumentsChanged { call, was, block } = edit
                && gives_other_values(call, was)
            {
                field_made_by(call, after.function.block(*block))?
            } else {
                return None;
            };
            let name = CarryingName::field_set_in(&after.function, field);
            let touched = cost_reached_by(&name, self.scene, self.profile).cost;
            let owner = after.function.owner.as_deref().unwrap_or_default();
            self.value_entry(format!("{owner}.{field}"), touched, self.value_growth(pair))
        };
        change.edits.iter().filter_map(entry).collect()
    }

    /// Arguments that are given by name and get another value: who is given it may keep it under that name.
    fn other_named_arguments(&self, change: &SourceChange, pair: usize) -> Vec<CostEntry> {
        let Some(runs) = &self.executions[pair] else {
            return Vec::new();
        };
        let named = |edit: &ExecutionEdit| {
            if let ExecutionEdit::ArgumentsChanged { call, was, block } = edit
                && call.callee.form != SyntaxCallForm::Macro
                && (runs.after.get(block.0 as usize)).is_some_and(|runs| runs.expected > 0.0)
            {
                return names_given_otherwise(was, &call.arguments);
            }
            BTreeSet::new()
        };
        let names: BTreeSet<String> = change.edits.iter().flat_map(named).collect();
        let entry = |name: String| {
            let touched = cost_reached_by(&CarryingName::field(&name), self.scene, self.profile).cost;
            self.value_entry(format!(".{name}"), touched, self.value_growth(pair))
        };
        names.into_iter().filter_map(entry).collect()
    }

    /// A value that is so many times larger, and the cost of the code that works with it.
    pub(super) fn value_entry(&self, of: String, touched: f64, growth: f64) -> Option<CostEntry> {
        let effect = BoundedEffect {
            account: CostAccountKey::Value { of },
            class: ChangeClass::Value,
            runs: Estimate::exactly(1.0),
            save: touched,
            add: touched,
        };
        (touched > 0.0).then(|| self.bounded(effect).grown(growth))
    }
}

/// True for a change of what compilers may compute: loops and calls in it need no code of their own.
fn is_precomputed_otherwise(change: &SourceChange, sides: &FunctionPair) -> bool {
    let is_precomputed =
        |side: &Option<LocatedFunction>| side.as_ref().is_some_and(|side| side.function.is_precomputed);
    let computes = |edit: &ExecutionEdit| !matches!(edit, ExecutionEdit::Recompiled);
    (is_precomputed(&sides.before) || is_precomputed(&sides.after)) && change.edits.iter().any(computes)
}

/// True for an operator that is called by the end of a literal.
fn is_of_literals(name: &str) -> bool {
    (name.strip_prefix("operator")).is_some_and(|rest| rest.trim_start().starts_with('"'))
}

/// True for a change of what a function computes, or hands to the functions that it fills in for its caller. A case of a
/// match that came or went leaves the others their values.
fn gives_another_value(change: &SourceChange, sides: &FunctionPair, hands_in: bool) -> bool {
    let computes = |edit: &ExecutionEdit| match edit {
        ExecutionEdit::WorkAdded { .. } | ExecutionEdit::WorkRemoved { .. } | ExecutionEdit::FieldChanged { .. } => {
            true
        }
        ExecutionEdit::ArgumentsChanged { .. } => hands_in,
        ExecutionEdit::CallAdded { .. }
        | ExecutionEdit::CallRemoved { .. }
        | ExecutionEdit::CallMoved { .. }
        | ExecutionEdit::Reconditioned { .. }
        | ExecutionEdit::Recompiled => false,
    };
    match change.kind {
        ChangeKind::ConditionalAddition | ChangeKind::ConditionalDeletion => has_other_condition(sides),
        ChangeKind::ConditionExpression => true,
        ChangeKind::CallAddition
        | ChangeKind::CallDeletion
        | ChangeKind::CallSwap
        | ChangeKind::CompleteChange
        | ChangeKind::LoopAddition
        | ChangeKind::LoopDeletion
        | ChangeKind::FieldValue
        | ChangeKind::CallScope
        | ChangeKind::Parameter
        | ChangeKind::Operation
        | ChangeKind::Attribute
        | ChangeKind::Constant
        | ChangeKind::Type
        | ChangeKind::Macro
        | ChangeKind::Dependency
        | ChangeKind::BuildSetting => change.edits.iter().any(computes),
    }
}

/// True for a function that gives its callers a value: its type says so, or a statement where no type is stated.
fn gives_a_value(function: &SyntaxFunction) -> bool {
    let returns = |node: &SyntaxNode| {
        matches!(node, SyntaxNode::Operation(operation)
            if operation.kind == OperationKind::Jump && operation.text.0.starts_with("return "))
    };
    function.returns.is_some() || has_block(function, |block| block.nodes.iter().any(returns))
}

/// The field that is set to what a call gives: `self.cache = Cache(60)`.
fn field_made_by<'f>(call: &SyntaxCall, block: &'f SyntaxBlock) -> Option<&'f String> {
    let is_call = |node: &SyntaxNode| matches!(node, SyntaxNode::Call(other) if other == call);
    let at = block.nodes.iter().position(is_call)?;
    // The operation around a call follows it.
    let around = block.nodes[at..].iter().find_map(|node| match node {
        SyntaxNode::Operation(operation) => Some(operation),
        SyntaxNode::Call(_) | SyntaxNode::Block(_) => None,
    })?;
    let OperationKind::FieldWrite(field) = &around.kind else {
        return None;
    };
    (around.text.holes() > 0).then_some(field)
}

/// The names of the arguments, of those given as `name = value`, that only one of two calls has so.
fn names_given_otherwise(was: &CallArguments, is: &CallArguments) -> BTreeSet<String> {
    let named = |arguments: &CallArguments| -> BTreeSet<(String, String)> {
        let each = arguments.each().into_iter();
        each.filter_map(|argument| argument.trim().split_once(" = "))
            .map(|(name, value)| (name.trim_start_matches(NormalisedText::LOCAL), value))
            .filter(|(name, _)| name.chars().all(|letter| letter == '_' || letter.is_alphanumeric()))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    };
    let (was, is) = (named(was), named(is));
    was.symmetric_difference(&is).map(|(name, _)| name.clone()).collect()
}

/// True for an edit that has a price of its own.
fn is_other_step(edit: &ExecutionEdit) -> bool {
    matches!(
        edit,
        ExecutionEdit::CallAdded { .. }
            | ExecutionEdit::CallRemoved { .. }
            | ExecutionEdit::CallMoved { .. }
            | ExecutionEdit::Reconditioned { .. }
    )
}

/// True if two versions of a function differ only in the fields of values that one of them sets besides: code that stays
/// as it is reads none of them.
fn only_adds_fields(before: &SyntaxFunction, after: &SyntaxFunction) -> bool {
    let (before, after) = operations_that_differ(before, after);
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

/// True if a call is given other numbers, literals or names of what is not local, or works something out for them. What a
/// macro is given may be any code.
fn gives_other_values(call: &SyntaxCall, was: &CallArguments) -> bool {
    let works = |word: &str| matches!(word, "+" | "-" | "/" | "%" | "<<" | ">>" | "^" | "!");
    let values = |text| {
        let mut words: Vec<&str> = (words_with_values(text))
            .filter(|(word, is_value)| *is_value || works(word))
            .map(|(word, _)| word)
            .collect();
        words.sort_unstable();
        words
    };
    match call.callee.form {
        SyntaxCallForm::Path | SyntaxCallForm::Method | SyntaxCallForm::Value => {
            values(&was.text.0) != values(&call.arguments.text.0)
        }
        SyntaxCallForm::Macro => differ_in_values(&[&was.text.0], &[&call.arguments.text.0]),
    }
}

/// The words of a text, and whether each is a number, a literal or a name of what is not local. What stands behind quotation marks is
/// a part of a literal.
fn words_with_values(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut last = "";
    text.split(' ').map(move |word| {
        let begins_as_one =
            word.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '_' | '"' | '\''));
        let is_value = begins_as_one || last.ends_with('"');
        last = word;
        (word, is_value)
    })
}

/// True if texts differ word by word, and in nothing but numbers, literals and names of what is not local.
fn differ_in_values(before: &[&str], after: &[&str]) -> bool {
    let [before, after] = [before, after].map(|texts| {
        texts
            .iter()
            .flat_map(|text| words_with_values(text))
            .collect::<Vec<_>>()
    });
    let mut differing = before.iter().zip(&after).filter(|(old, new)| old.0 != new.0).peekable();
    before.len() == after.len() && differing.peek().is_some() && differing.all(|((_, old), (_, new))| *old && *new)
}

/// The operations of two versions of a function that are not in both, in source order.
fn operations_that_differ<'f>(before: &'f SyntaxFunction, after: &'f SyntaxFunction) -> (Vec<&'f str>, Vec<&'f str>) {
    let (mut before, mut after) = (operations(before), operations(after));
    before.retain(|text| match after.iter().position(|other| other == text) {
        Some(at) => {
            after.remove(at);
            false
        }
        None => true,
    });
    (before, after)
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

fn calls(block: &SyntaxBlock) -> impl Iterator<Item = &SyntaxCall> {
    block.head.iter().chain(&block.nodes).filter_map(|node| match node {
        SyntaxNode::Call(call) => Some(call),
        SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_told_apart_by_their_names() {
        let of = |arguments: &[&str]| CallArguments {
            arity: arguments.len() as u16,
            text: NormalisedText(arguments.join(" , ")),
            weight: 0,
        };
        let differ = |was: &[&str], is: &[&str]| -> Vec<String> {
            names_given_otherwise(&of(was), &of(is)).into_iter().collect()
        };
        assert_eq!(differ(&["x", "deep = False"], &["x", "deep = True"]), ["deep"]);
        assert_eq!(differ(&[], &["deep = True", "size = 3"]), ["deep", "size"]);
        assert_eq!(differ(&["a = 1", "b = 2"], &["b = 2", "a = 1"]), [""; 0]);
        assert_eq!(differ(&["x == 1"], &["x == 2"]), [""; 0]);
    }

    #[test]
    fn a_literal_has_a_type_and_fields() {
        let found = literal("Row { a : 1 , b : [ 1 , 2 ] , c }");
        assert_eq!(found, Some(("Row", vec!["a : 1", "b : [ 1 , 2 ]", "c"])));
        assert_eq!(literal("a + b"), None);
    }

    #[test]
    fn other_values_are_numbers_literals_and_names_but_no_locals_and_signs() {
        let local = NormalisedText::LOCAL;
        for (one, other) in [
            ("f , 5", "f , 50"),
            ("Speed :: Fast", "Speed :: Slow"),
            ("true", "false"),
            ("r\" \\s+ \"", "r\" [a-z] \""),
        ] {
            assert!(differ_in_values(&[one], &[other]), "{one}");
        }
        let (old, new) = (format!("{local}a + 1"), format!("{local}b + 1"));
        assert!(!differ_in_values(&[&old], &[&new]));
        assert!(!differ_in_values(&["a + 1"], &["a - 1"]));
        assert!(!differ_in_values(&["a"], &["a"]));
    }
}
