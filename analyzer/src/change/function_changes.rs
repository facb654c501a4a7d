//! Matched functions → pairs and their changes: body, signature, attributes, and methods that change what is
//! dispatched to.

use hashbrown::HashSet;
use std::sync::Arc;

use super::bindings::has_other_bindings;
use super::body_changes::{self, BodyChanges, FunctionChange};
use super::changed_sources::{ChangedSources, SourceSide};
use super::compare::FunctionVersion;
use super::compare::is_beyond_matching;
use super::function_matching::{FileFunction, FunctionMatch};
use super::items::{MatchedItems, presence_of};
use super::model::{
    BlockMap, ChangeKind, ChangeSet, ChangeSubject, ExecutionEdit, FunctionPair, ItemEffect, ItemPresence,
    LocatedFunction, SameFunction, SourceChange,
};
use super::name_definitions::has_other_definition;
use super::printed_names::writers_of_other_names;
use super::quiet_words::{has_line_with_other_quiet_words, has_other_quiet_words};
use super::raw_tokens::{self, words};
use super::renames::{CallerScope, PathRename, RenameMap};
use super::{
    InliningMode, computed_values, growth_changes, line_diff, local_renames, source_inlining, statement_order,
};
use crate::syntax::{LineRange, OperationKind, SyntaxFunction, SyntaxNode};

/// The functions of all changed files of one side.
pub(super) fn collect_functions(sources: &ChangedSources<'_>, side: SourceSide) -> Vec<FileFunction> {
    let mut placed = Vec::new();
    for file in 0..sources.len() {
        placed.extend(sources.functions(side, file).iter().map(|function| FileFunction {
            file,
            function: Arc::clone(function),
        }));
    }
    placed
}

/// Collects the definitions that have another name or place after the change.
pub(super) fn collect_renames(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    matched: &[FunctionMatch],
    mut renamed: Vec<PathRename>,
) -> RenameMap {
    for pair in matched {
        let (Some(before), Some(after)) = *pair else {
            continue;
        };
        let (old, new) = (&placed[0][before], &placed[1][after]);
        if old.file != new.file || old.function.path != new.function.path {
            renamed.push((
                sources.path(SourceSide::Before, old.file, &old.function.path),
                sources.path(SourceSide::After, new.file, &new.function.path),
            ));
        }
    }
    if renamed.is_empty() {
        return RenameMap::default();
    }
    let vocabulary = |side: SourceSide| -> HashSet<&str> {
        (0..sources.len())
            .flat_map(|file| words(sources.text(side, file)))
            .collect()
    };
    let (old_words, new_words) = (vocabulary(SourceSide::Before), vocabulary(SourceSide::After));
    RenameMap::new(renamed, |old, new| !new_words.contains(old) && !old_words.contains(new))
}

/// Lists the changes of all functions.
pub(super) fn list_function_changes(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    matched: &[FunctionMatch],
    (renames, items): (&RenameMap, &MatchedItems<'_>),
    helpers: InliningMode,
    set: &mut ChangeSet,
) {
    let alone = match helpers {
        InliningMode::AsWritten => Default::default(),
        InliningMode::WrittenOut => [
            source_inlining::InlinableFunctions::from_unmatched(&placed[0], alone(matched, |pair| (pair.0, pair.1))),
            source_inlining::InlinableFunctions::from_unmatched(&placed[1], alone(matched, |pair| (pair.1, pair.0))),
        ],
    };
    let mut written = [HashSet::new(), HashSet::new()];
    for pair in matched {
        match *pair {
            (Some(before), Some(after)) => {
                let (old, new) = (&placed[0][before], &placed[1][after]);
                let is_equal = old.function.digest == new.function.digest;
                let is_listed = !is_equal && list_pair(sources, (old, new), (renames, &alone), &mut written, set);
                let is_at_its_place = old.file == new.file && old.function.path == new.function.path;
                if !is_at_its_place {
                    list_moved_method(sources, (old, new), items, set);
                }
                // A method of a trait that its type has by itself now hides those of all traits.
                if old.function.of_trait.is_some() && new.function.of_trait.is_none() && new.function.has_receiver {
                    let located = located(sources, SourceSide::After, new.file, &new.function);
                    list_other_meaning(&located, (ItemPresence::Added, ItemEffect::Shadowing), set);
                }
                if !is_listed && (!is_equal || !is_at_its_place) {
                    let located = |side, placed: &FileFunction| located(sources, side, placed.file, &placed.function);
                    set.same.push(SameFunction {
                        before: located(SourceSide::Before, old),
                        after: located(SourceSide::After, new),
                    });
                }
            }
            (Some(alone), None) => list_alone(sources, SourceSide::Before, &placed[0][alone], items, set),
            (None, Some(alone)) => list_alone(sources, SourceSide::After, &placed[1][alone], items, set),
            (None, None) => {}
        }
    }
    for writer in writers_of_other_names(sources, placed, matched, items) {
        set.changes
            .push(value_change(sources, &placed[SourceSide::After as usize][writer]));
    }
    for pair in &mut set.pairs {
        let (side, function) = match (&pair.before, &pair.after) {
            (Some(before), None) => (0, &before.function),
            (None, Some(after)) => (1, &after.function),
            _ => continue,
        };
        pair.regrouped = written[side].contains(function.name());
    }
}

/// The functions that are on one side only, by index.
fn alone(
    matched: &[FunctionMatch],
    side: impl Fn(&FunctionMatch) -> (Option<usize>, Option<usize>),
) -> impl Iterator<Item = usize> {
    (matched.iter().map(side)).filter_map(|(here, there)| here.filter(|_| there.is_none()))
}

/// Lists the changes of a function that both sides have; false if there are none.
fn list_pair(
    sources: &ChangedSources<'_>,
    (old, new): (&FileFunction, &FileFunction),
    (renames, helpers): (&RenameMap, &[source_inlining::InlinableFunctions<'_>; 2]),
    written: &mut [HashSet<String>; 2],
    set: &mut ChangeSet,
) -> bool {
    let out = [
        helpers[0].inline_into(&old.function, &new.function),
        helpers[1].inline_into(&new.function, &old.function),
    ];
    let [old_function, new_function] = [(old, &out[0]), (new, &out[1])]
        .map(|(placed, out)| out.as_ref().map_or(&placed.function, |out| &out.function));
    let before = FunctionVersion {
        function: old_function,
        caller: CallerScope {
            scope: sources.scope(SourceSide::Before, old.file),
            owner: old.function.owner.as_deref(),
        },
    };
    let after = FunctionVersion {
        function: new_function,
        caller: CallerScope {
            scope: sources.scope(SourceSide::After, new.file),
            owner: new.function.owner.as_deref(),
        },
    };
    let is_beyond_matching = [old_function, new_function]
        .into_iter()
        .any(|side| is_beyond_matching(side));
    if is_beyond_matching {
        let why = "a function too large, or nested too deeply, to be compared in parts";
        set.degrade(sources.file(new.file), why.to_owned());
    }
    let BodyChanges {
        changes: mut listed,
        blocks,
        mut bounds,
    } = body_changes::list_body_changes(before, after, renames);
    bounds.extend(growth_changes::other_paces(old_function, new_function));
    if sources.language(new.file).support().sums_are_copies() {
        bounds.extend(growth_changes::other_copies(old_function, new_function));
    }
    if let Some(out) = &out[1] {
        for change in &mut listed {
            change.line = out.display_line(change.line);
        }
    }
    let line = new.function.lines.first;
    let recompiled = |kind| FunctionChange {
        kind,
        line,
        callee: None,
        edits: vec![ExecutionEdit::Recompiled],
    };
    if old.function.attributes != new.function.attributes {
        listed.push(recompiled(ChangeKind::Attribute));
    }
    if old.function.signature != new.function.signature && !is_renamed_signature(sources, (old, new), renames) {
        let same_parameters =
            parameter_types(&old.function, |name| renames.word(name)) == parameter_types(&new.function, |name| name);
        listed.push(recompiled(if same_parameters {
            ChangeKind::Type
        } else {
            ChangeKind::Parameter
        }));
    }
    let text =
        |side: SourceSide, placed: &FileFunction| sources.text_of_lines(side, placed.file, placed.function.lines);
    let texts = (text(SourceSide::Before, old), text(SourceSide::After, new));
    let ends_in_value = sources.language(new.file).support().ends_blocks_in_a_value();
    let has_unlisted = listed.is_empty()
        && (has_other_numbers(texts)
            || has_other_branches(texts)
            || has_other_quiet_words(texts)
            || has_other_bindings((texts.0, &old.function.parameters), (texts.1, &new.function.parameters))
            || is_beyond_matching
            || !computed_values::are_same(old_function, new_function, renames, ends_in_value));
    let has_other_values = has_unlisted
        || has_line_with_other_quiet_words(texts)
        || statement_order::has_other_order(old_function, new_function, &blocks);
    // Where a front end may leave something out of its model, other tokens are a change, whatever they are.
    let is_unexplained = || {
        !sources.follows_declarations(new.file)
            && out.iter().all(Option::is_none)
            && !has_other_names_only(texts, (&old.function, &new.function), renames)
    };
    if listed.is_empty() && (has_other_values || is_unexplained()) {
        listed.push(recompiled(ChangeKind::Operation));
    }
    // Another instance of a template is called, of which no declaration tells.
    let has_other_turbofish = !sources.follows_declarations(new.file) && {
        let mut edits = listed.iter().flat_map(|change| &change.edits);
        edits.any(|edit| {
            matches!(edit, ExecutionEdit::ArgumentsChanged { call, was, .. }
                if call.arguments.each_of_turbofish() != was.each_of_turbofish())
        })
    };
    let regrouped = listed.is_empty();
    if regrouped && out.iter().all(Option::is_none) {
        return false;
    }
    let subject = set.pairs.len();
    let file = sources.file(new.file);
    if has_other_values || has_other_turbofish || given_values(&old.function) != given_values(&new.function) {
        set.changes.push(value_change(sources, new));
    }
    set.changes.extend(listed.into_iter().map(|change| SourceChange {
        kind: change.kind,
        subject: ChangeSubject::Function(subject),
        file: Arc::clone(file),
        line: change.line,
        callee: change.callee,
        edits: change.edits,
    }));
    set.pairs.push(FunctionPair {
        before: Some(located(sources, SourceSide::Before, old.file, old_function)),
        after: Some(located(sources, SourceSide::After, new.file, new_function)),
        blocks,
        bounds,
        regrouped,
    });
    for (written, out) in written.iter_mut().zip(out) {
        written.extend(out.into_iter().flat_map(|out| out.helpers));
    }
    true
}

/// True if two versions of a function are written alike but for the names of locals, and of what has another name by now.
fn has_other_names_only(
    (before, after): (&str, &str),
    (old, new): (&SyntaxFunction, &SyntaxFunction),
    renames: &RenameMap,
) -> bool {
    let locals = local_renames::infer(old, new, renames, false);
    let renamed = raw_tokens::words(before).map(|word| match locals.0.get(word) {
        Some(local) => local,
        None => renames.word(word),
    });
    renamed.eq(raw_tokens::words(after))
}

/// True if two versions of a function that seem to do the same are written with different numbers.
fn has_other_numbers((before, after): (&str, &str)) -> bool {
    let numbers = |text: &str| {
        let mut numbers: Vec<String> = raw_tokens::numbers(text).collect();
        numbers.sort_unstable();
        numbers
    };
    numbers(before) != numbers(after)
}

/// True if two versions of a function ask the same conditions, and one of them asks some only where others failed; or if code
/// that runs after an error runs in one of them alone.
fn has_other_branches((before, after): (&str, &str)) -> bool {
    let branches = |text: &str| {
        let pairs = words(text).zip(words(text).skip(1));
        pairs
            .filter(|pair| matches!(pair, ("else", "if") | ("elif" | "finally", _)))
            .count()
    };
    branches(before) != branches(after)
}

/// The values that the compiler puts into a function, as they are written.
fn given_values(function: &SyntaxFunction) -> Vec<&str> {
    let nodes = (function.blocks.iter()).flat_map(|block| block.head.iter().chain(&block.nodes));
    let given = nodes.filter_map(|node| match node {
        SyntaxNode::Operation(operation) if operation.kind == OperationKind::Given => Some(operation.text.0.as_str()),
        SyntaxNode::Operation(_) | SyntaxNode::Call(_) | SyntaxNode::Block(_) => None,
    });
    given.collect()
}

/// A function that computes with another value.
fn value_change(sources: &ChangedSources<'_>, placed: &FileFunction) -> SourceChange {
    let function = &placed.function;
    SourceChange {
        kind: ChangeKind::Constant,
        subject: ChangeSubject::Item {
            name: sources.name(SourceSide::After, placed.file, &function.path),
            test_only: function.test_only,
            presence: ItemPresence::Kept,
            effect: ItemEffect::Value,
        },
        file: Arc::clone(sources.file(placed.file)),
        line: function.lines.first,
        callee: None,
        edits: Vec::new(),
    }
}

/// Types of parameters in order; a receiver is one, too.
fn parameter_types<'f>(function: &'f SyntaxFunction, read: impl Fn(&'f str) -> &'f str) -> Vec<&'f str> {
    let receiver = function.has_receiver.then_some("self");
    receiver
        .into_iter()
        .chain(function.parameters.iter().map(|parameter| read(&parameter.type_name)))
        .collect()
}

/// True if two signatures differ by what was renamed elsewhere or by a formatter's commas, and by nothing else.
fn is_renamed_signature(
    sources: &ChangedSources<'_>,
    (old, new): (&FileFunction, &FileFunction),
    renames: &RenameMap,
) -> bool {
    let head = |side: SourceSide, placed: &FileFunction| {
        let lines = LineRange {
            first: placed.function.lines.first,
            last: placed.function.body().lines.first,
        };
        let text = sources.text_of_lines(side, placed.file, lines);
        let from = text.find("fn ").unwrap_or(0);
        let qualifiers: Vec<&str> = words(&text[..from])
            .filter(|word| matches!(*word, "async" | "extern") || word.starts_with('"'))
            .collect();
        let text = &text[from..];
        (qualifiers, text.split_once('{').map_or(text, |(head, _)| head))
    };
    let ((old_before, old_head), (new_before, new_head)) =
        (head(SourceSide::Before, old), head(SourceSide::After, new));
    let (old_name, new_name) = (old.function.name(), new.function.name());
    let old_words = words(old_head).map(|word| if word == old_name { new_name } else { renames.word(word) });
    !old_head.is_empty() && old_before == new_before && old_words.eq(words(new_head))
}

/// The head of the implementation of a trait that a method stands in.
fn head_of_implementation(function: &SyntaxFunction) -> Option<String> {
    let (of_trait, owner) = (function.of_trait.as_ref()?, function.owner.as_ref()?);
    Some(format!("{of_trait} for {owner}"))
}

/// A method that an implementation had or gets in place of that of its trait, while the implementation stays.
fn list_method_of_trait(
    sources: &ChangedSources<'_>,
    (side, placed): (SourceSide, &FileFunction),
    items: &MatchedItems<'_>,
    effect: ItemEffect,
    set: &mut ChangeSet,
) {
    let Some(head) = head_of_implementation(&placed.function) else {
        return;
    };
    if sources.is_on_both_sides(placed.file) && !items.is_head_alone(side, placed.file, &head) {
        let located = located(sources, side, placed.file, &placed.function);
        set.changes.push(SourceChange {
            kind: ChangeKind::Type,
            subject: ChangeSubject::Item {
                name: located.name,
                test_only: placed.function.test_only,
                presence: presence_of(side),
                effect,
            },
            file: located.file,
            line: placed.function.lines.first,
            callee: None,
            edits: Vec::new(),
        });
    }
}

/// A method that moved from one implementation of a trait to another leaves the trait's own in its place, and takes the place of
/// that there.
fn list_moved_method(
    sources: &ChangedSources<'_>,
    (old, new): (&FileFunction, &FileFunction),
    items: &MatchedItems<'_>,
    set: &mut ChangeSet,
) {
    let heads = [old, new].map(|placed| head_of_implementation(&placed.function).map(|head| (placed.file, head)));
    if let [Some(from), Some(to)] = &heads
        && items.is_kept_implementation(from, to)
    {
        return;
    }
    for (place, effect) in [
        ((SourceSide::Before, old), ItemEffect::Redefinition),
        ((SourceSide::After, new), ItemEffect::Overriding),
    ] {
        list_method_of_trait(sources, place, items, effect, set);
    }
}

/// Types of libraries on which the methods of other types can be called.
const STAND_FOR_OTHERS: [&str; 7] = ["Arc", "Box", "Cow", "Rc", "String", "Vec", "VecDeque"];

/// A function on one side only costs nothing by itself: its callers changed, too. Two things may be wrong
/// with that: the other side could not be read, or the function is found by dispatch.
fn list_alone(
    sources: &ChangedSources<'_>,
    side: SourceSide,
    placed: &FileFunction,
    items: &MatchedItems<'_>,
    set: &mut ChangeSet,
) {
    let located = located(sources, side, placed.file, &placed.function);
    if sources.is_unsure(placed.file) && sources.is_on_both_sides(placed.file) {
        let touched = line_diff::changed_lines(sources, side, placed.file);
        if touched
            .iter()
            .any(|lines| line_diff::overlap(*lines, placed.function.lines))
        {
            list_unread(located, set);
        }
        return;
    }
    // A method that went was executed under its own name, if it was executed.
    let effect = match side {
        SourceSide::Before => ItemEffect::Layout,
        SourceSide::After => ItemEffect::Overriding,
    };
    list_method_of_trait(sources, (side, placed), items, effect, set);
    let function = &placed.function;
    let is_method = function.has_receiver && (function.owner.is_some() || function.written_by().is_some());
    let is_new_method = side == SourceSide::After && function.of_trait.is_none() && is_method;
    // A method of such a type is found before that of the type which it stands for.
    let is_found_first = || {
        function
            .owner
            .as_deref()
            .is_some_and(|owner| STAND_FOR_OTHERS.contains(&owner))
    };
    let other_meaning = if is_new_method || function.of_trait.is_some() && is_method && is_found_first() {
        Some(ItemEffect::Shadowing)
    } else if function.owner.is_none() && has_other_definition(sources, side, placed.file, function.name()) {
        Some(ItemEffect::LocalRedefinition)
    } else {
        None
    };
    if let Some(effect) = other_meaning {
        list_other_meaning(&located, (presence_of(side), effect), set);
    }
    let blocks = placed.function.blocks.len();
    let (before, after, map) = match side {
        SourceSide::Before => (Some(located), None, (blocks, 0)),
        SourceSide::After => (None, Some(located), (0, blocks)),
    };
    set.pairs.push(FunctionPair {
        before,
        after,
        blocks: BlockMap {
            after_of: vec![None; map.0],
            before_of: vec![None; map.1],
        },
        bounds: Vec::new(),
        regrouped: false,
    });
}

/// A function that calls in other code may mean from now on, or no longer.
fn list_other_meaning(located: &LocatedFunction, (presence, effect): (ItemPresence, ItemEffect), set: &mut ChangeSet) {
    set.changes.push(SourceChange {
        kind: ChangeKind::CallSwap,
        subject: ChangeSubject::Item {
            name: Arc::clone(&located.name),
            test_only: located.function.test_only,
            presence,
            effect,
        },
        file: Arc::clone(&located.file),
        line: located.function.lines.first,
        callee: None,
        edits: Vec::new(),
    });
}

/// Lines changed, and one side is all there is to see: the function stands for both.
fn list_unread(located: LocatedFunction, set: &mut ChangeSet) {
    let blocks: Vec<_> = (0..located.function.blocks.len())
        .map(|index| u32::try_from(index).ok().map(crate::syntax::BlockId))
        .collect();
    set.changes.push(SourceChange {
        kind: ChangeKind::CompleteChange,
        subject: ChangeSubject::Function(set.pairs.len()),
        file: Arc::clone(&located.file),
        line: located.function.lines.first,
        callee: None,
        edits: vec![ExecutionEdit::Recompiled],
    });
    set.pairs.push(FunctionPair {
        before: Some(located.clone()),
        after: Some(located),
        blocks: BlockMap {
            after_of: blocks.clone(),
            before_of: blocks,
        },
        bounds: Vec::new(),
        regrouped: false,
    });
}

fn located(
    sources: &ChangedSources<'_>,
    side: SourceSide,
    file: usize,
    function: &Arc<SyntaxFunction>,
) -> LocatedFunction {
    LocatedFunction {
        file: Arc::clone(sources.file(file)),
        name: sources.name(side, file, &function.path),
        function: Arc::clone(function),
    }
}

#[cfg(test)]
mod tests {
    use crate::change::property_tests::compared;

    #[test]
    fn functions_that_moved_or_write_other_names_are_the_same_and_no_change() {
        let before = "mod a {\n pub struct T;\n impl T {\n pub fn f(&self) -> u8 { 1 }\n }\n}\n\
                      fn user(t: &a::T) -> u8 { t.f() }\nfn other() {}\n";
        let after = "mod b {\n pub struct U;\n impl U {\n pub fn f(&self) -> u8 { 1 }\n }\n}\n\
                     fn user(t: &b::U) -> u8 { t.f() }\nfn other() {}\n";
        let set = compared(before, after);
        let same: Vec<(&str, &str)> = set
            .same
            .iter()
            .map(|same| (&*same.before.name, &*same.after.name))
            .collect();
        let ends = |name: &str, end: &str| name.ends_with(end);
        assert!(
            same.iter()
                .any(|(old, new)| ends(old, "a::T::f") && ends(new, "b::U::f")),
            "{same:?}"
        );
        assert!(
            same.iter().any(|(old, new)| old == new && ends(old, "user")),
            "{same:?}"
        );
        assert!(!same.iter().any(|(old, _)| ends(old, "other")), "{same:?}");
        assert!(set.pairs.is_empty(), "{:?}", set.pairs);
        let changed = compared(before, &after.replace("{ 1 }", "{ (0..9).sum() }"));
        assert!(
            !changed.same.iter().any(|same| ends(&same.before.name, "a::T::f")),
            "{:?}",
            changed.same
        );
    }
}
