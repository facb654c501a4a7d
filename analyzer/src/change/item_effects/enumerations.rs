//! An enumeration of two versions → whether its cases have other numbers, stated or by their place.

use std::collections::BTreeMap;

use crate::change::raw_tokens::words;

/// True if a case of an enumeration is on both sides with different numbers, which something may work with: those of an
/// enumeration whose cases hold nothing can be cast, others at most be ordered.
pub(super) fn has_other_discriminant(before: &str, after: &str, is_ordered: impl Fn() -> bool) -> bool {
    let (before, after) = (discriminants(before), discriminants(after));
    let differs = before
        .iter()
        .any(|(case, number)| after.get(case).is_some_and(|other| other.number != number.number));
    let holds_something = || before.values().chain(after.values()).any(|case| case.holds_something);
    differs && (!holds_something() || is_ordered())
}

/// A case of an enumeration.
#[derive(Debug, Default, PartialEq, Eq)]
struct EnumCase {
    /// The last number that is stated, here or before, and how many cases follow it up to this one.
    number: (String, usize),
    holds_something: bool,
}

/// The cases of an enumeration by name.
fn discriminants(text: &str) -> BTreeMap<&str, EnumCase> {
    let body = words(text)
        .skip_while(|word| *word != "enum")
        .skip_while(|word| *word != "{");
    let mut cases: BTreeMap<&str, EnumCase> = BTreeMap::new();
    let (mut last, mut previous) = ("", "");
    let mut depth = 0_u32;
    for word in body.skip(1) {
        let is_name = word.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let case = cases.get_mut(last);
        match word {
            "(" | "{" | "[" => {
                // What follows a case is its contents; an attribute stands before its case.
                if depth == 0
                    && word != "["
                    && let Some(case) = case
                {
                    case.holds_something = true;
                }
                depth += 1;
            }
            ")" | "}" | "]" => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => break,
            },
            "=" | "#" if depth == 0 => {
                if let Some(case) = case.filter(|_| word == "=") {
                    case.number = (String::new(), 0);
                }
            }
            _ if depth > 0 => {}
            _ if is_name && !is_unfinished(previous) && word != "as" => {
                let number = case.map_or_else(Default::default, |case| (case.number.0.clone(), case.number.1 + 1));
                cases.insert(
                    word,
                    EnumCase {
                        number,
                        holds_something: false,
                    },
                );
                last = word;
            }
            _ => {
                if let Some(case) = case {
                    case.number.0.push_str(word);
                }
            }
        }
        previous = word;
    }
    cases
}

/// True for the last word of an expression that goes on.
fn is_unfinished(word: &str) -> bool {
    matches!(
        word,
        "=" | "as" | ":" | "+" | "-" | "*" | "/" | "%" | "<" | ">" | "|" | "&" | "^" | "!"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(before: &str, after: &str) -> bool {
        has_other_discriminant(before, after, || false)
    }

    #[test]
    fn a_case_that_comes_between_two_gives_the_later_ones_other_numbers() {
        let before = "pub enum E {\n    A,\n    #[serde(rename = \"b\")]\n    B,\n}";
        assert!(other(before, "pub enum E { A, New, #[serde(rename = \"b\")] B }"));
        assert!(!other(before, "pub enum E { A, #[serde(rename = \"x\")] B, New }"));
        assert!(other("enum E { A = 1 << 3, B }", "enum E { A = 1 << 4, B }"));
        assert!(other("enum E { A = X as isize, B }", "enum E { A = Y as isize, B }"));
    }

    #[test]
    fn numbers_of_cases_that_hold_something_matter_where_they_are_ordered() {
        let (before, after) = ("enum E { A(u8), B { x: u8 } }", "enum E { A(u8), New, B { x: u8 } }");
        assert!(!other(before, after));
        assert!(has_other_discriminant(before, after, || true));
    }
}
