//! A type of two versions → whether a field, or what a case holds, has another type.

use std::collections::BTreeSet;

use crate::change::bracketed_text::{parameters, split_at_top, without_comments};
use crate::change::raw_tokens::words;
use crate::change::renames::RenameMap;
use crate::change::resolved_words::WrittenPlace;

/// True if a field or a case is on both sides and holds something else. One that came or went is named by the code that
/// came or went with it. Parameters of the type itself, and lifetimes, are no other types.
pub(super) fn has_other_contents(
    (before, old): (&str, WrittenPlace<'_, '_>),
    (after, new): (&str, WrittenPlace<'_, '_>),
    renames: &RenameMap,
) -> bool {
    let (before, after) = (without_comments(before), without_comments(after));
    let (olds, news) = (contents(&before), contents(&after));
    let own: BTreeSet<&str> = [&before, &after]
        .into_iter()
        .flat_map(|text| own_parameters(text))
        .collect();
    olds.iter().any(|(name, was)| {
        news.iter().find(|(other, _)| other == name).is_some_and(|(_, is)| {
            let (was, is) = (without_own(was, &own), without_own(is, &own));
            was != is && !old.is_same_text(&was, (new, &is), renames)
        })
    })
}

/// True if fields that are on both sides stand in another order: where a declaration fixes its layout, that is another one.
pub(super) fn has_other_order(before: &str, after: &str) -> bool {
    let (before, after) = (without_comments(before), without_comments(after));
    let (olds, news) = (contents(&before), contents(&after));
    let shared = |these: &[(String, &str)], those: &[(String, &str)]| -> Vec<String> {
        let is_shared = |name: &String| those.iter().any(|(other, _)| other == name);
        these.iter().map(|(name, _)| name.clone()).filter(is_shared).collect()
    };
    shared(&olds, &news) != shared(&news, &olds)
}

/// The contents of a type's fields or an enumeration's cases, by name, in order; a tuple's fields by number.
fn contents(text: &str) -> Vec<(String, &str)> {
    // The parameters may have bounds with brackets, and so may the conditions after them.
    let body = parameters(text).rest;
    let is_conditions = |head: &str| head.contains(['{', ';']) || words(head).any(|word| word == "where");
    let tuple = body.find('(').filter(|&at| !is_conditions(&body[..at]));
    let Some(body) = tuple.or_else(|| body.find('{')).map(|at| &body[at..]) else {
        return Vec::new();
    };
    let is_enumeration = words(&text[..text.len() - body.len()]).any(|word| word == "enum");
    let parts = split_at_top(&body[1..], ',').parts;
    let mut found = Vec::new();
    for (index, part) in parts.into_iter().enumerate() {
        let part = without_attributes(part);
        let (name, contents) = match (is_enumeration, part.split_once(':')) {
            (true, _) => {
                let end = part
                    .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
                    .unwrap_or(part.len());
                (part[..end].to_owned(), without_number(&part[end..]))
            }
            (false, Some((name, of_type))) if body.starts_with('{') => {
                (words(name).last().unwrap_or_default().to_owned(), of_type)
            }
            (false, _) => (index.to_string(), part),
        };
        found.push((name, contents));
    }
    found
}

/// The contents of a case, without the number that is stated for it.
fn without_number(contents: &str) -> &str {
    match contents.trim_start().starts_with(['(', '{']) {
        true => split_at_top(contents, '=').parts.first().copied().unwrap_or_default(),
        false => "",
    }
}

/// A part without the attributes before it, and without what says who may see it.
fn without_attributes(part: &str) -> &str {
    let mut rest = part.trim_start();
    while let Some(attribute) = rest.strip_prefix("#[") {
        rest = split_at_top(attribute, ',').rest.trim_start_matches(']').trim_start();
    }
    let Some(seen) = rest.strip_prefix("pub").filter(|rest| rest.starts_with([' ', '('])) else {
        return rest;
    };
    match seen
        .trim_start()
        .strip_prefix('(')
        .and_then(|inside| inside.split_once(')'))
    {
        Some((by, rest)) if matches!(words(by).next(), Some("crate" | "super" | "self" | "in")) => rest.trim_start(),
        _ => seen.trim_start(),
    }
}

/// The names of a type's parameters.
fn own_parameters(text: &str) -> impl Iterator<Item = &str> {
    let name = |parameter| words(parameter).find(|word: &&str| !matches!(*word, "const" | "'"));
    parameters(text).parts.into_iter().filter_map(name)
}

/// The words without parameters of the type itself and lifetimes.
fn without_own<'t>(text: &'t str, own: &BTreeSet<&str>) -> Vec<&'t str> {
    let mut previous = "";
    let kept = words(text).filter(|word| {
        let is_lifetime = *word == "'" || previous == "'";
        previous = word;
        !is_lifetime && !own.contains(word)
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_changed_places_have_another_order() {
        let before = "struct S { a: u8, b: u64, c: u8 }";
        assert!(has_other_order(before, "struct S { b: u64, a: u8, c: u8 }"));
        assert!(!has_other_order(before, "struct S { a: u8, new: u8, c: u8 }"));
    }

    #[test]
    fn contents_are_told_apart_by_field_and_case() {
        let names = |text: &str| {
            contents(text)
                .into_iter()
                .map(|(name, part)| format!("{name}={}", part.trim()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(
                "pub struct S<T: Fn(u8) -> u8> where T: Copy { pub a: Vec<u8>, #[x(1, 2)] pub(crate) b: fn(u8) -> u8 }"
            ),
            ["a=Vec<u8>", "b=fn(u8) -> u8"]
        );
        assert_eq!(names("struct S<T>(pub Vec<T>, u8);"), ["0=Vec<T>", "1=u8"]);
        assert_eq!(
            names("enum E { A(u8, u16), #[default] B { x: u8 }, C = 4 }"),
            ["A=(u8, u16)", "B={ x: u8 }", "C="]
        );
        assert!(contents("struct S;").is_empty());
    }
}
