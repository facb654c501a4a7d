//! Sources in a language whose declarations are not followed → what differs between their functions.

use std::sync::Arc;

use hashbrown::HashMap;

use super::changed_sources::{ChangedSources, SourceSide};
use super::declaration_order::reordered_declarations;
use super::model::{ChangedDeclaration, ItemPresence};
use crate::languages::DirectiveRole;
use crate::syntax::{ItemKind, SyntaxItem, TokenDigest};
use crate::text_search::holds_word;

/// The declarations that one side of a file does not have, or has otherwise or in another order. A file that came or went has
/// none: what sees it says so itself.
pub(super) fn changed_declarations(sources: &ChangedSources<'_>) -> Vec<ChangedDeclaration> {
    (0..sources.len())
        .filter(|&file| sources.is_on_both_sides(file))
        .flat_map(|file| of_file(sources, file))
        .collect()
}

fn of_file(sources: &ChangedSources<'_>, file: usize) -> Vec<ChangedDeclaration> {
    let before = sources.declarations(SourceSide::Before, file);
    let after = sources.declarations(SourceSide::After, file);
    let (mut gone, mut came) = (beyond(before, after), beyond(after, before));
    gone.retain(|item| !belongs_to_new_function(sources, (SourceSide::Before, file), item));
    came.retain(|item| !belongs_to_new_function(sources, (SourceSide::After, file), item));
    let defines = |items: &[SyntaxItem], announced: &SyntaxItem, name: &str| {
        let is_it = |item: &SyntaxItem| matches!(item.kind, ItemKind::Type { .. }) && item.name == name;
        items.iter().any(|item| is_it(item) && item.path == announced.path)
    };
    let is_of_known_type = |item: &&SyntaxItem| {
        let announced = sources.language(file).support().announced_type(&item.name);
        announced.is_some_and(|name| defines(before, item, name) && defines(after, item, name))
    };
    gone.retain(|item| !is_of_known_type(item));
    came.retain(|item| !is_of_known_type(item));
    if gone.is_empty() && came.is_empty() {
        return reordered_declarations(sources, file);
    }
    let [use_before, use_after] = [SourceSide::Before, SourceSide::After].map(|side| {
        let language = sources.language(file).support();
        language
            .preprocessor_use(sources.whole_text(side, file))
            .unwrap_or_default()
    });
    // By a macro or a directive: it is the same.
    let is_read_once = use_before.is_read_once && use_after.is_read_once;
    let reads_once = |item: &&SyntaxItem| {
        let role = || sources.language(file).support().role_of_directive(&item.name);
        item.kind == ItemKind::Attribute && role() == DirectiveRole::ReadsOnce
    };
    gone.retain(|item| !is_read_once || !reads_once(item));
    came.retain(|item| !is_read_once || !reads_once(item));
    let guard_of = |side: SourceSide| match side {
        SourceSide::Before => use_before.guard.as_deref(),
        SourceSide::After => use_after.guard.as_deref(),
    };
    let text = |side: SourceSide, item: &SyntaxItem| sources.text_of_lines(side, file, item.lines);
    let of = |(side, item): (SourceSide, &SyntaxItem), others: &[&SyntaxItem], alone: ItemPresence| {
        let same: Vec<&&SyntaxItem> = others.iter().filter(|other| is_of_same_name(item, other)).collect();
        let texts: Vec<&str> = same.iter().map(|other| text(side.other(), other)).collect();
        // A type and its name by `typedef` may stand in the same lines.
        let is_layout_alone = matches!(item.kind, ItemKind::Type { .. })
            && texts.split_first().is_some_and(|(other, more)| {
                let language = sources.language(file).support();
                more.iter().all(|text| text == other) && language.differs_in_layout_alone(other, text(side, item))
            });
        ChangedDeclaration {
            file: Arc::clone(sources.file(file)),
            line: item.lines.first,
            name: item.name.clone(),
            is_value: item.kind == ItemKind::Constant,
            is_used_by_name: match item.kind {
                ItemKind::Macro | ItemKind::Prototype => true,
                ItemKind::Constant => texts.iter().copied().chain([text(side, item)]).all(is_plain_value),
                _ => false,
            },
            is_definition: matches!(
                item.kind,
                ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Prototype
            ),
            has_effects: has_effects(sources, (side, file), item),
            presence: match same.is_empty() {
                true => alone,
                false => ItemPresence::Kept,
            },
            is_layout_alone,
            is_guard: is_read_once
                && item.kind == ItemKind::Macro
                && same.is_empty()
                && guard_of(side) == Some(&*item.name),
        }
    };
    // The cases or constants that differ between a type and the only one of its name before.
    let constants_of = |item: &SyntaxItem| -> Option<Vec<ChangedDeclaration>> {
        let same = gone.iter().filter(|other| is_of_same_name(item, other));
        let texts: Vec<&str> = same.map(|other| text(SourceSide::Before, other)).collect();
        let (before, more) = texts.split_first()?;
        let language = sources.language(file).support();
        let is_one = matches!(item.kind, ItemKind::Type { .. }) && more.iter().all(|text| text == before);
        let constants = language
            .changed_constants(before, text(SourceSide::After, item))
            .filter(|_| is_one)?;
        let declared = constants.into_iter().map(|(name, presence)| ChangedDeclaration {
            file: Arc::clone(sources.file(file)),
            line: item.lines.first,
            name,
            is_value: false,
            is_used_by_name: true,
            is_definition: true,
            has_effects: false,
            presence,
            is_layout_alone: false,
            is_guard: false,
        });
        Some(declared.collect())
    };
    let after_only = came.iter().flat_map(|item| {
        let whole = || vec![of((SourceSide::After, item), &gone, ItemPresence::Added)];
        constants_of(item).unwrap_or_else(whole)
    });
    let before_only = gone
        .iter()
        .map(|item| of((SourceSide::Before, item), &came, ItemPresence::Gone));
    after_only
        .chain(before_only.filter(|declaration| declaration.presence == ItemPresence::Gone))
        .chain(reordered_declarations(sources, file))
        .collect()
}

/// True for a variable that may do more than to hold its value. One that looks like a function without a body is given a function
/// of its file.
pub(super) fn has_effects(sources: &ChangedSources<'_>, (side, file): (SourceSide, usize), item: &SyntaxItem) -> bool {
    let text = sources.text_of_lines(side, file, item.lines);
    let is_given_a_function = || {
        let given = text.split_once('(').map_or("", |(_, given)| given);
        let mut functions = sources.functions(side, file).iter();
        functions.any(|function| holds_word(given.as_bytes(), function.name()))
    };
    let is_variable = match item.kind {
        ItemKind::Constant => true,
        ItemKind::Prototype => is_given_a_function(),
        _ => false,
    };
    is_variable && (sources.language(file).support()).may_have_effects(sources.file(file), text)
}

/// True for an attribute that says how one function is compiled, of a function that the other side does not have: what calls
/// the function changed as well.
fn belongs_to_new_function(sources: &ChangedSources<'_>, (side, file): (SourceSide, usize), item: &SyntaxItem) -> bool {
    item.kind == ItemKind::Attribute
        && sources.language(file).support().is_of_one_function(&item.name)
        && sources
            .functions(side, file)
            .iter()
            .any(|function| function.path == item.path)
        && !sources
            .functions(side.other(), file)
            .iter()
            .any(|function| function.path == item.path)
}

/// The items of one side that the other does not have.
fn beyond<'a>(items: &'a [SyntaxItem], others: &[SyntaxItem]) -> Vec<&'a SyntaxItem> {
    let mut known: HashMap<(&[String], &str, TokenDigest), usize> = HashMap::new();
    for other in others {
        *known.entry((&other.path, &other.name, other.digest)).or_default() += 1;
    }
    let mut found = Vec::new();
    for item in items {
        match known.get_mut(&(&*item.path, &*item.name, item.digest)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => found.push(item),
        }
    }
    found
}

/// Words of types whose values are computed when the program is compiled, or lie there.
const PLAIN_TYPES: [&str; 16] = [
    "bool", "char", "double", "float", "int", "long", "short", "unsigned", "int8_t", "int16_t", "int32_t", "int64_t",
    "uint8_t", "uint16_t", "uint32_t", "uint64_t",
];

/// True for a variable that nothing but its name leads to: of a plain type, computed by no function, and placed by no
/// instruction to the linker.
fn is_plain_value(text: &str) -> bool {
    let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
    !text.contains('(')
        && text
            .split(|letter| !is_part(letter))
            .any(|word| PLAIN_TYPES.contains(&word))
}

fn is_of_same_name(one: &SyntaxItem, other: &SyntaxItem) -> bool {
    one.kind.is_like(&other.kind) && one.path == other.path && one.name == other.name
}
