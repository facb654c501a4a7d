//! A type of two versions → whether its parameters have other defaults: code that leaves a parameter out then has another
//! type.

use crate::change::bracketed_text::{parameters, split_at_top};
use crate::change::raw_tokens::words;

/// True if a parameter that has a default on both sides has another one. Code names a parameter that has none.
pub(super) fn has_other_default(before: &str, after: &str) -> bool {
    let (before, after) = (defaults(before), defaults(after));
    let is_on = |side: &[Parameter<'_>], name: &str| side.iter().any(|other| other.name == name);
    let differs = |old: &Parameter<'_>| {
        after
            .iter()
            .any(|new| new.name == old.name && new.default != old.default)
    };
    // Those that may have been renamed.
    let old = before.iter().filter(|old| !is_on(&after, old.name));
    let new = after.iter().filter(|new| !is_on(&before, new.name));
    before.iter().any(differs) || old.zip(new).any(|(old, new)| old.default != new.default)
}

/// A parameter that has a default.
struct Parameter<'t> {
    name: &'t str,
    default: Vec<&'t str>,
}

/// The parameters of a type that have a default.
fn defaults(text: &str) -> Vec<Parameter<'_>> {
    let mut found = Vec::new();
    for parameter in parameters(text).parts {
        if let Some((head, default)) = split_at_top(parameter, '=').parts.split_first()
            && let (Some(default), Some(name)) = (default.first(), words(head).find(|word| *word != "const"))
        {
            let default = words(default).collect();
            found.push(Parameter { name, default });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_is_another_one_where_both_sides_have_one() {
        let before = "pub struct Map<K, V, S = RandomState, A: Alloc + Clone = Global> {\n    x: K,\n}";
        for after in [
            "pub struct Map<K, V, S = Fast, A: Alloc + Clone = Global> {}",
            "pub struct Map<K, V, S = RandomState, A: Alloc = System> {}",
            "pub struct Map<K, V, B = Fast, A: Alloc = Global> {}",
        ] {
            assert!(has_other_default(before, after), "{after}");
            assert!(has_other_default(after, before), "{after}");
        }
        for after in [
            "pub struct Map<K, V, S = RandomState, A: Allocator = Global> {}",
            "pub struct Map<K, V, S = RandomState, A: Alloc = Global, F: Fn(u8) -> u8 = fn(u8) -> u8> {}",
            "pub struct Map<K, V, S, A: Alloc> {}",
            "pub struct Map(u8);",
        ] {
            assert!(!has_other_default(before, after), "{after}");
        }
    }

    #[test]
    fn numbers_and_bounds_are_no_defaults() {
        assert!(has_other_default(
            "struct S<const N: usize = 4>;",
            "struct S<const N: usize = 8>;"
        ));
        assert!(!has_other_default(
            "struct S<I: Iterator<Item = u8>>;",
            "struct S<I: Iterator<Item = u16>>;"
        ));
    }
}
