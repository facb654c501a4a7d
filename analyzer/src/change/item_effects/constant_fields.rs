//! A constant of two versions, built with fields by name → whether one of its fields has another value.

use std::collections::BTreeMap;

use crate::change::bracketed_text::{BracketedParts, split_at_top, without_comments};
use crate::change::raw_tokens::words;

/// True for two constants of one type that differ in fields which came or went: code that reads those has changed, too.
pub(super) fn has_same_values_in_shared_fields(before: &str, after: &str) -> bool {
    let (before, after) = (without_comments(before), without_comments(after));
    let (Some(old), Some(new)) = (NamedFields::of(&before), NamedFields::of(&after)) else {
        return false;
    };
    let mut shared = old
        .values
        .iter()
        .filter_map(|(name, was)| Some((was, new.values.get(name)?)));
    let came_or_went = old.values.len() != new.values.len();
    came_or_went && old.declaration == new.declaration && shared.all(|(was, is)| was == is)
}

/// The declaration of a constant, and the values of its fields.
struct NamedFields<'t> {
    declaration: Vec<&'t str>,
    values: BTreeMap<&'t str, Vec<&'t str>>,
}

impl<'t> NamedFields<'t> {
    /// `None` for a value that is not built with all its fields by name.
    fn of(text: &'t str) -> Option<Self> {
        let (declaration, value) = text.split_once('=')?;
        let (of_type, fields) = value.split_once('{')?;
        let BracketedParts { parts, rest } = split_at_top(fields, ',');
        let is_all = matches!(rest.trim_end().trim_end_matches(';').trim_end(), "}");
        let mut values = BTreeMap::new();
        for part in parts {
            let mut words = words(part);
            let name = words
                .next()
                .filter(|name| name.starts_with(|first: char| first.is_alphabetic() || first == '_'))?;
            values.insert(name, words.collect());
        }
        let is_path = words(of_type).all(|word| word == ":" || word.starts_with(char::is_alphabetic));
        (is_all && is_path).then(|| Self {
            declaration: words(declaration).chain(words(of_type)).collect(),
            values,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_came_gives_no_other_value_to_the_rest() {
        let before = "pub const PLAIN: Config = Config { set: Set::A, pad: true };";
        let is_same = |after: &str| has_same_values_in_shared_fields(before, after);
        assert!(is_same(
            "pub const PLAIN: Config = Config {\n    set: Set::A,\n    pad: true,\n    strip: None, // new\n};"
        ));
        assert!(is_same("pub const PLAIN: Config = Config { set: Set::A };"));
        for after in [
            "pub const PLAIN: Config = Config { set: Set::B, pad: true, strip: None };",
            "pub const PLAIN: Config = Config { set: Set::A, ..OTHER };",
            "pub const PLAIN: Config = Other { set: Set::A, pad: true, strip: None };",
            "pub const PLAIN: Config = Config { set: Set::A }.padded();",
            "pub const PLAIN: Config = if x { 1 } else { 2 };",
            "pub const PLAIN: Config = config(Set::A);",
        ] {
            assert!(!is_same(after), "{after}");
        }
    }
}
