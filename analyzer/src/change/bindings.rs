//! Two versions of a function that seem to do the same → whether a name is bound more often in one of them: then a later
//! line may mean another local of that name.

use std::collections::BTreeMap;

use super::raw_tokens::words;
use crate::syntax::SyntaxParameter;

/// True if a name that both versions bind is bound another number of times. A name that only one of them has was given to
/// what had none, or another, and means nothing else.
pub(super) fn has_other_bindings(before: FunctionText<'_>, after: FunctionText<'_>) -> bool {
    let (before, after) = (bindings(before), bindings(after));
    before
        .iter()
        .any(|(name, count)| after.get(name).is_some_and(|other| other != count))
}

/// The source of a function, and its parameters.
pub(super) type FunctionText<'f> = (&'f str, &'f [SyntaxParameter]);

/// How often a function binds each name, as a parameter or by `let`.
fn bindings((text, parameters): FunctionText<'_>) -> BTreeMap<&str, u32> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for parameter in parameters {
        *counts.entry(&parameter.name).or_default() += 1;
    }
    let mut words = words(text);
    while words.any(|word| word == "let") {
        let mut depth = 0_u32;
        // Up to the type or the value.
        for word in words.by_ref() {
            match word {
                "(" | "[" | "{" | "<" => depth += 1,
                ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
                "=" | ";" => break,
                ":" if depth == 0 => break,
                "mut" | "ref" | "box" => {}
                name if name.starts_with(|first: char| first.is_lowercase()) => *counts.entry(name).or_default() += 1,
                _ => {}
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(before: &str, after: &str) -> bool {
        has_other_bindings((before, &[]), (after, &[]))
    }

    #[test]
    fn a_name_is_bound_more_often() {
        let before = "let n = limit; let n = n.min(5); run(n)";
        assert!(differ(before, "let n = limit; let _ = n.min(5); run(n)"));
        assert!(differ(before, "let n = limit; let m = n.min(5); run(n)"));
        assert!(differ(
            "let (a, mut b): (u8, u8) = x; let b = b + 1;",
            "let (a, mut b): (u8, u8) = x; let a = b + 1;"
        ));
    }

    #[test]
    fn a_name_that_came_or_went_is_another_matter() {
        assert!(!differ("run(limit())", "let n = limit(); run(n)"));
        assert!(!differ("let n = limit(); run(n)", "let m = limit(); run(m)"));
        assert!(!differ("if let Some(x) = y { x }", "if let Some(x) = y { x + 0 }"));
    }
}
