//! A name in a changed file → whether it is defined there, and whether two definitions are the same one.

use std::collections::BTreeSet;

use super::changed_sources::{ChangedSources, SourceSide};
use super::raw_tokens::words;
use super::renames::RenameMap;
use crate::syntax::{ItemKind, SyntaxItem};

/// True for a definition on one side of a file where the other side uses the name and does not define it: there, a glob,
/// the prelude or an import gives it.
pub(super) fn has_other_definition(sources: &ChangedSources<'_>, side: SourceSide, file: usize, name: &str) -> bool {
    let other = side.other();
    sources.is_on_both_sides(file) && !defines(sources, other, file, name) && uses_name(sources.text(other, file), name)
}

/// True if one side of a file defines a name, for more than its tests.
pub(super) fn defines(sources: &ChangedSources<'_>, side: SourceSide, file: usize, name: &str) -> bool {
    let is_definition = |item: &SyntaxItem| {
        let defines = match item.kind {
            ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Trait | ItemKind::Macro | ItemKind::Module => true,
            ItemKind::Implementation
            | ItemKind::Import { .. }
            | ItemKind::Invocation
            | ItemKind::Attribute
            | ItemKind::Prototype => false,
        };
        defines && item.name == name && !item.test_only
    };
    let mut functions = sources.functions(side, file).iter();
    functions.any(|function| function.owner.is_none() && function.name() == name && !function.test_only)
        || sources.items(side, file).iter().any(is_definition)
}

/// True if a file uses a name at the start of a path: what comes into the file under this name takes the place of what a
/// glob, the prelude or another definition gave it.
pub(super) fn uses_name(text: &str, name: &str) -> bool {
    let is_function = name.starts_with(|first: char| first.is_lowercase());
    let words: Vec<&str> = std::iter::once("").chain(words(text)).chain(["", ""]).collect();
    words.windows(4).any(|window| {
        let [before, word, next, second] = [window[0], window[1], window[2], window[3]];
        let is_definition = matches!(
            before,
            "fn" | "mod" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
        );
        let is_start = !matches!(before, ":" | "." | "'" | "$");
        // A variable may have the name of a function.
        let is_used = !is_function || matches!(next, "(" | "!") || (next == ":" && second == ":");
        word == name && is_start && is_used && !is_definition
    })
}

/// True for a longer path to the same definition, and for the place where it is now.
pub(super) fn is_same_definition(old: &[String], new: &[String], renames: &RenameMap) -> bool {
    old.ends_with(new)
        || new.ends_with(old)
        || matches!((in_standard_library(old), in_standard_library(new)), (Some(old), Some(new)) if is_same_in_library(old, new))
        || renames.follows(old, new)
}

/// The paths that a name may stand for: more than one where the build chooses.
pub(super) type Alternatives = BTreeSet<Vec<String>>;

/// True if each alternative of one version has one of the other that is the same.
pub(super) fn have_same_alternatives(
    old: &Alternatives,
    new: &Alternatives,
    is_same: impl Fn(&[String], &[String]) -> bool,
) -> bool {
    old.iter().all(|old| new.iter().any(|new| is_same(old, new)))
        && new.iter().all(|new| old.iter().any(|old| is_same(old, new)))
}

/// True for two paths below the standard library to one definition: it hands names on to the modules above them
/// (`collections::btree_map::BTreeMap`, `collections::BTreeMap`).
fn is_same_in_library(one: &[String], other: &[String]) -> bool {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let mut rest = long.iter();
    let is_part = short.iter().all(|segment| rest.any(|other| other == segment));
    is_part && short.first() == long.first() && short.last() == long.last()
}

/// The path below the standard library, which has three names and may be reached through the crate that says
/// which of them is meant: `std::vec`, `crate::alloc::vec`.
pub(super) fn in_standard_library(path: &[String]) -> Option<&[String]> {
    let root = path
        .iter()
        .take(2)
        .position(|segment| matches!(segment.as_str(), "std" | "core" | "alloc"))?;
    Some(&path[root + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_library_hands_names_on_to_the_modules_above_them() {
        let is_same = |old: &str, new: &str| {
            let path = |text: &str| text.split("::").map(str::to_owned).collect::<Vec<String>>();
            is_same_definition(&path(old), &path(new), &RenameMap::default())
        };
        assert!(is_same(
            "std::collections::BTreeMap",
            "std::collections::btree_map::BTreeMap"
        ));
        assert!(is_same("alloc::vec::Vec", "std::vec::Vec"));
        assert!(!is_same(
            "std::collections::hash_map::Iter",
            "std::collections::btree_map::Iter"
        ));
        assert!(!is_same("std::fmt::Result", "std::result::Result"));
        assert!(!is_same("std::net::SocketAddr", "std::os::unix::net::SocketAddr"));
    }

    #[test]
    fn a_name_is_used_where_a_path_starts_with_it() {
        assert!(uses_name("fn run() { turn(5) }", "turn"));
        assert!(uses_name("fn run(of: &Row) {}", "Row"));
        assert!(uses_name("fn run() { fast::turn(5) }", "fast"));
        for text in [
            "fn turn() {}",
            "a::turn(5)",
            "a.turn(5)",
            "let turn: u8 = 5;",
            "// turn(5)",
        ] {
            assert!(!uses_name(text, "turn"), "{text}");
        }
    }
}
