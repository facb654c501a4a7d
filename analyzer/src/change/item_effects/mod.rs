//! An item that changed, came or went → what that does to code that stays as it is.
//!
//! Reads the words of both sides; no grammar, so it serves every language.

mod constant_fields;
mod default_parameters;
mod enumerations;
mod type_contents;

use std::collections::{BTreeMap, BTreeSet};

use self::constant_fields::has_same_values_in_shared_fields;
use self::default_parameters::has_other_default;
use self::enumerations::has_other_discriminant;
use self::type_contents::{has_other_contents, has_other_order};
use super::changed_sources::{ChangedSources, SourceSide};
use super::model::ItemEffect;
use super::raw_tokens::words;
use super::renames::RenameMap;
use super::resolved_words::WrittenPlace;
use crate::languages::FOR_PEOPLE;
use crate::syntax::{ItemKind, LineRange, SyntaxItem};
use crate::text_search::LineStarts;

/// Traits whose methods the compiler calls by itself: code that names none of them does something else where one of
/// them comes or goes.
const CALLED_BY_THE_COMPILER: [&str; 3] = ["Drop", "Deref", "DerefMut"];

/// Derived traits that go through the fields of a struct in their order.
const IN_ORDER_OF_FIELDS: [&str; 3] = ["PartialOrd", "Ord", "Hash"];

/// A trait without methods that libraries choose another way by: many values of such a type are copied at once.
const CHOOSES_A_WAY: &str = "Copy";

/// The effect of an item that is on both sides and differs.
pub(super) fn effect_of_difference(
    sources: &ChangedSources<'_>,
    ((old_file, old), (new_file, new)): ((usize, &SyntaxItem), (usize, &SyntaxItem)),
    renames: &RenameMap,
) -> ItemEffect {
    match (&old.kind, &new.kind) {
        (ItemKind::Constant, _) => {
            let before = text(sources, SourceSide::Before, old_file, old);
            let after = text(sources, SourceSide::After, new_file, new);
            // With the same words, a name among them has another value where it stands now.
            let is_same = before != after && without_lifetimes(before).eq(without_lifetimes(after));
            match is_same || has_same_values_in_shared_fields(before, after) {
                true => ItemEffect::Layout,
                false => ItemEffect::Value,
            }
        }
        (ItemKind::Import { .. } | ItemKind::Macro | ItemKind::Invocation | ItemKind::Module, _) => {
            ItemEffect::Redefinition
        }
        (ItemKind::Type { fields: old_fields }, ItemKind::Type { fields: new_fields }) => {
            let before = text(sources, SourceSide::Before, old_file, old);
            let after = text(sources, SourceSide::After, new_file, new);
            let derives = |wanted: &[&str]| {
                let derived = derives(sources, SourceSide::After, new_file, new);
                derived.iter().any(|of_trait| wanted.contains(of_trait))
            };
            let is_ordered = || derives(&["PartialOrd", "Ord"]);
            let old_place = place(sources, SourceSide::Before, old_file, old);
            let new_place = place(sources, SourceSide::After, new_file, new);
            let is_another = match (keyword(before), keyword(after)) {
                (Some("type"), Some("type")) => {
                    let words =
                        [before, after].map(|text| words(text).filter(|word| *word != "pub").collect::<Vec<_>>());
                    !old_place.is_same_text(&words[0], (new_place, &words[1]), renames)
                }
                (Some("struct" | "enum" | "union"), Some("struct" | "enum" | "union")) => {
                    let old_layout = fixed_layout(sources, SourceSide::Before, old_file, old);
                    let new_layout = fixed_layout(sources, SourceSide::After, new_file, new);
                    has_other_contents((before, old_place), (after, new_place), renames)
                        || old_layout != new_layout
                        || (!new_layout.is_empty() && has_other_order(before, after))
                }
                _ => keyword(after) == Some("type") || has_field_of_other_type(old_fields, new_fields),
            };
            if is_another || has_other_default(before, after) {
                ItemEffect::Redefinition
            } else if default_case(before) != default_case(after)
                || has_other_discriminant(before, after, is_ordered)
                || has_other_order(before, after) && derives(&IN_ORDER_OF_FIELDS)
            {
                ItemEffect::Value
            } else {
                ItemEffect::Layout
            }
        }
        _ => ItemEffect::Layout,
    }
}

/// The associated types of an implementation that are other types now.
pub(super) fn other_associated_types<'a>(
    sources: &ChangedSources<'a>,
    ((old_file, old), (new_file, new)): ((usize, &SyntaxItem), (usize, &SyntaxItem)),
    renames: &RenameMap,
) -> Vec<&'a str> {
    if old.kind != ItemKind::Implementation || new.kind != ItemKind::Implementation {
        return Vec::new();
    }
    let before = associated_types(text(sources, SourceSide::Before, old_file, old));
    let after = associated_types(text(sources, SourceSide::After, new_file, new));
    let old_place = place(sources, SourceSide::Before, old_file, old);
    let new_place = place(sources, SourceSide::After, new_file, new);
    let is_other = |(name, of_type): (&&'a str, &Vec<&str>)| {
        let was = before.get(name).filter(|was| *was != of_type)?;
        (!old_place.is_same_text(was, (new_place, of_type), renames)).then_some(*name)
    };
    after.iter().filter_map(is_other).collect()
}

/// Where the words of an item are written.
fn place<'s, 'a>(
    sources: &'s ChangedSources<'a>,
    side: SourceSide,
    file: usize,
    item: &'s SyntaxItem,
) -> WrittenPlace<'s, 'a> {
    WrittenPlace {
        sources,
        side,
        file,
        inside: &item.path,
    }
}

/// What the associated types of an implementation stand for, by name.
fn associated_types(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut types = BTreeMap::new();
    let (mut depth, mut previous) = (0_u32, "");
    let mut words = words(text);
    while let Some(word) = words.next() {
        match word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            name if depth == 1 && previous == "type" => {
                types.insert(name, words.by_ref().take_while(|word| *word != ";").collect());
            }
            _ => {}
        }
        previous = word;
    }
    types
}

/// The effect of an import that now means something else. One that is visible from outside hands the name on.
pub(super) fn effect_of_import(
    sources: &ChangedSources<'_>,
    side: SourceSide,
    file: usize,
    import: &SyntaxItem,
) -> ItemEffect {
    let is_named = || {
        words(sources.text(side, file))
            .filter(|word| *word == import.name)
            .count()
            > 1
    };
    if words(text(sources, side, file, import)).any(|word| matches!(word, "pub" | "extern")) {
        ItemEffect::Redefinition
    } else if is_named() {
        ItemEffect::LocalRedefinition
    } else {
        ItemEffect::ScopeRedefinition
    }
}

/// The effect of an implementation that came or went, as `Trait for Type`.
pub(super) fn effect_of_implementation(of_trait: &str, has_other_derives: bool) -> ItemEffect {
    let is_measured = !FOR_PEOPLE.contains(&of_trait);
    match has_other_derives && is_measured || CALLED_BY_THE_COMPILER.contains(&of_trait) {
        true => ItemEffect::Redefinition,
        false => ItemEffect::Layout,
    }
}

/// The types that get methods or implementations from an invocation that came or went: the one around it, else those that
/// it is given. What they had before may be called no longer.
pub(super) fn types_of_invocation<'a>(
    sources: &'a ChangedSources<'_>,
    side: SourceSide,
    file: usize,
    invocation: &'a SyntaxItem,
) -> BTreeSet<&'a str> {
    let is_type = |word: &&str| word.starts_with(char::is_uppercase);
    match invocation.path.last().map(String::as_str).filter(is_type) {
        Some(around) => BTreeSet::from([around]),
        None => words(text(sources, side, file, invocation)).filter(is_type).collect(),
    }
}

/// The traits that a type derives.
pub(super) fn derived_traits<'a>(
    sources: &'a ChangedSources<'_>,
    side: SourceSide,
    file: usize,
    owner: &str,
) -> Vec<&'a str> {
    let is_owner = |item: &&SyntaxItem| matches!(item.kind, ItemKind::Type { .. }) && item.name == owner;
    let item = sources.items(side, file).iter().find(is_owner);
    item.map(|item| derives(sources, side, file, item)).unwrap_or_default()
}

/// The traits in the attributes of a type, by their last segments.
fn derives<'a>(sources: &'a ChangedSources<'_>, side: SourceSide, file: usize, item: &SyntaxItem) -> Vec<&'a str> {
    let mut traits = Vec::new();
    let (mut is_inside, mut previous) = (false, "");
    for word in words(attribute_text(sources, side, file, item)) {
        match word {
            "(" => is_inside = previous == "derive",
            ")" => is_inside = false,
            ":" if is_inside && previous != ":" => drop(traits.pop()),
            word if is_inside && word != ":" => traits.push(word),
            _ => {}
        }
        previous = word;
    }
    traits
}

/// True if the compiler writes how values of a type are printed, with the names in it.
pub(super) fn derives_debug(sources: &ChangedSources<'_>, side: SourceSide, file: usize, item: &SyntaxItem) -> bool {
    derives(sources, side, file, item).contains(&"Debug")
}

/// True if a type lets libraries choose another way on one side.
pub(super) fn lets_choose_another_way(
    sources: &ChangedSources<'_>,
    (old_file, old): (usize, &SyntaxItem),
    (new_file, new): (usize, &SyntaxItem),
) -> bool {
    let is_type = matches!(new.kind, ItemKind::Type { .. });
    let chooses = |side, file, item| derives(sources, side, file, item).contains(&CHOOSES_A_WAY);
    is_type && chooses(SourceSide::Before, old_file, old) != chooses(SourceSide::After, new_file, new)
}

/// True if the macros of a module hold behind it on one side alone: any may be another one there.
pub(super) fn hands_on_other_macros(
    sources: &ChangedSources<'_>,
    (old_file, old): (usize, &SyntaxItem),
    (new_file, new): (usize, &SyntaxItem),
) -> bool {
    let hands_on = |side, file, item| words(attribute_text(sources, side, file, item)).any(|word| word == "macro_use");
    new.kind == ItemKind::Module
        && hands_on(SourceSide::Before, old_file, old) != hands_on(SourceSide::After, new_file, new)
}

/// The words in a type's attributes about its layout in memory.
fn fixed_layout<'a>(
    sources: &'a ChangedSources<'_>,
    side: SourceSide,
    file: usize,
    item: &'a SyntaxItem,
) -> Vec<&'a str> {
    let lines = attribute_lines(sources, side, file, item);
    lines.filter(|line| line.contains("repr(")).flat_map(words).collect()
}

/// True for what works by being part of the program: a static that every allocation goes through, one that stands in a section
/// which others walk over, and a crate that is named only to be there.
pub(super) fn works_unnamed(sources: &ChangedSources<'_>, side: SourceSide, file: usize, item: &SyntaxItem) -> bool {
    let is_linked = |line: &str| LINKED.iter().any(|attribute| line.contains(attribute));
    match &item.kind {
        ItemKind::Constant => attribute_lines(sources, side, file, item).any(is_linked),
        ItemKind::Import { target } => item.name == "_" && target.len() == 1,
        _ => false,
    }
}

/// Attributes of statics that nobody has to name.
const LINKED: [&str; 3] = ["global_allocator", "#[used", "link_section"];

/// The lines of an item's attributes: above its own, and its own, which may begin with one.
fn attribute_lines<'a>(
    sources: &'a ChangedSources<'_>,
    side: SourceSide,
    file: usize,
    item: &SyntaxItem,
) -> impl Iterator<Item = &'a str> {
    attribute_text(sources, side, file, item).lines()
}

fn attribute_text<'a>(sources: &'a ChangedSources<'_>, side: SourceSide, file: usize, item: &SyntaxItem) -> &'a str {
    let first = sources.first_line_with_attributes(side, file, item.lines.first);
    let last = item.lines.first;
    sources.text_of_lines(side, file, LineRange { first, last })
}

/// The first line of an item's attributes, or of the item, 1-based. An attribute may go over several lines.
pub(crate) fn first_line_with_attributes(text: &[u8], starts: &LineStarts, first: u32) -> u32 {
    // A line that begins with `#` alone is the preprocessor's, or a comment.
    let is_attribute = |line: &[u8]| {
        line.starts_with(b"#[") || line.starts_with(b"//") || line.ends_with(b")]") || line.ends_with(b",")
    };
    let above = starts.above(first).map(|line| text[line].trim_ascii());
    let attributes = above.take_while(|line| is_attribute(line)).count();
    first - u32::try_from(attributes).unwrap_or(0)
}

fn text<'a>(sources: &ChangedSources<'a>, side: SourceSide, file: usize, item: &SyntaxItem) -> &'a str {
    sources.text_of_lines(side, file, item.lines)
}

/// The word that says what kind of type a declaration is of.
fn keyword(text: &str) -> Option<&str> {
    words(text).find(|word| !matches!(*word, "pub" | "(" | "crate" | "super" | ")"))
}

/// True if a field is on both sides with different types.
fn has_field_of_other_type(old: &[(String, String)], new: &[(String, String)]) -> bool {
    let mut types: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, of_type) in new {
        types.entry(name).or_default().insert(of_type);
    }
    old.iter().any(|(name, of_type)| {
        let others = types.get(name.as_str());
        others.is_some_and(|others| others.len() > 1 || !others.contains(of_type.as_str()))
    })
}

/// The words of a declaration; a constant's references live for ever, whether it says so or not.
fn without_lifetimes(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter(|word| !matches!(*word, "'" | "static" | "pub"))
}

/// The case that is an enumeration's default.
fn default_case(text: &str) -> Option<&str> {
    let words: Vec<&str> = words(text).collect();
    let mut marked = words
        .windows(5)
        .filter(|window| window[..4] == ["#", "[", "default", "]"]);
    marked.next().map(|window| window[4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_case_may_be_the_default() {
        assert_eq!(default_case("enum E { A, #[default] B }"), Some("B"));
        assert_eq!(default_case("enum E { A, B }"), None);
    }
}
