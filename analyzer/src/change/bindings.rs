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

/// How often a function binds each name: as a parameter of its own or of a closure, by `let`, or before an arrow.
fn bindings((text, parameters): FunctionText<'_>) -> BTreeMap<&str, u32> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut bind = |name| *counts.entry(name).or_default() += 1;
    parameters.iter().for_each(|parameter| bind(&parameter.name));
    let is_name = |word: &&str| word.starts_with(char::is_lowercase) && !matches!(*word, "mut" | "ref" | "box");
    let arms = text.lines().filter_map(|line| line.split_once("=>"));
    arms.flat_map(|(pattern, _)| words(pattern))
        .filter(is_name)
        .for_each(&mut bind);
    let mut words = words(text);
    let mut previous = "";
    while let Some(word) = words.next() {
        // A bar after a value is an operator.
        let is_value = previous.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | ')' | ']'));
        let is_closure = word == "|" && (!is_value || previous == "move");
        previous = word;
        if word != "let" && !is_closure {
            continue;
        }
        let mut depth = 0_u32;
        // Up to the type, the value, or the end of the closure's parameters.
        for word in words.by_ref() {
            previous = word;
            match word {
                "(" | "[" | "{" | "<" => depth += 1,
                ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
                "|" if is_closure => break,
                "=" | ";" => break,
                ":" if depth == 0 && !is_closure => break,
                name if is_name(&name) => bind(name),
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
    fn closures_and_arms_bind_names() {
        let closure = "let n = 1; xs.map(|n| run(n)).map(move |x| x | n) | n";
        assert!(differ(closure, "let n = 1; xs.map(|_| run(n)).map(move |x| x | n) | n"));
        let arms = "let n = 1; match x {\n    Some(n) => run(n),\n    None => n,\n}";
        assert!(differ(arms, &arms.replace("Some(n)", "Some(_)")));
        assert!(!differ("let n = 1; n | n", "let n = 1; n | m | n"));
        assert!(!differ("xs.map(|n| run(n))", "xs.map(|m| run(m))"));
    }

    #[test]
    fn a_name_that_came_or_went_is_another_matter() {
        assert!(!differ("run(limit())", "let n = limit(); run(n)"));
        assert!(!differ("let n = limit(); run(n)", "let m = limit(); run(m)"));
        assert!(!differ("if let Some(x) = y { x }", "if let Some(x) = y { x + 0 }"));
    }
}
