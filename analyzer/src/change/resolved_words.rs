//! Words that two versions write → whether they mean the same types, by whatever paths.

use std::collections::BTreeSet;

use super::changed_sources::{ChangedSources, SourceSide};
use super::name_definitions::{Alternatives, have_same_alternatives, in_standard_library, is_same_definition};
use super::renames::RenameMap;

/// Where words are written.
#[derive(Clone, Copy)]
pub(super) struct WrittenPlace<'s, 'a> {
    pub(super) sources: &'s ChangedSources<'a>,
    pub(super) side: SourceSide,
    pub(super) file: usize,
    /// The modules inside the file.
    pub(super) inside: &'s [String],
}

/// A word, or a path of words.
enum ResolvedWord<'t> {
    Sign(&'t str),
    /// The ends of the path.
    Path(Alternatives),
}

impl WrittenPlace<'_, '_> {
    /// True if the words written here, before, mean the same as others after.
    pub(super) fn is_same_text(
        self,
        before: &[&str],
        (place, after): (WrittenPlace<'_, '_>, &[&str]),
        renames: &RenameMap,
    ) -> bool {
        let (before, after) = (self.resolved(before), place.resolved(after));
        before.len() == after.len()
            && before.iter().zip(&after).all(|pair| match pair {
                (ResolvedWord::Sign(old), ResolvedWord::Sign(new)) => old == new,
                (ResolvedWord::Path(old), ResolvedWord::Path(new)) => {
                    have_same_alternatives(old, new, |old, new| is_same_path(old, new, renames))
                }
                _ => false,
            })
    }

    /// A path that is written in both places, and leads to another definition from the second one.
    pub(super) fn other_path(
        (before, old): (WrittenPlace<'_, '_>, &[&str]),
        (after, new): (WrittenPlace<'_, '_>, &[&str]),
        renames: &RenameMap,
    ) -> Option<String> {
        let (old, new) = (looked_up_paths(old), looked_up_paths(new));
        let other = old.intersection(&new).find(|path| {
            let [old, new] = [before, after].map(|place| place.ends_of(path));
            !have_same_alternatives(&old, &new, |old, new| is_same_path(old, new, renames))
        });
        other.map(|path| path.join("::"))
    }

    fn ends_of(self, path: &[String]) -> Alternatives {
        let path = self.sources.resolve(self.side, self.file, self.inside, path);
        self.sources.behind_imports_of(self.side, self.file, self.inside, &path)
    }

    fn resolved<'t>(self, words: &[&'t str]) -> Vec<ResolvedWord<'t>> {
        let of = |part| match part {
            WrittenPart::Sign(sign) => ResolvedWord::Sign(sign),
            WrittenPart::Path(path) => ResolvedWord::Path(self.ends_of(&path)),
        };
        written_parts(words).into_iter().map(of).collect()
    }
}

/// A sign, or a path of words.
enum WrittenPart<'t> {
    Sign(&'t str),
    Path(Vec<String>),
}

fn written_parts<'t>(words: &[&'t str]) -> Vec<WrittenPart<'t>> {
    let is_name = |word: &str| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let mut parts = Vec::new();
    let mut at = 0;
    while at < words.len() {
        // `::` is two signs; a path may begin with them.
        let is_joint = |at: usize| words.get(at..at + 2) == Some([":", ":"].as_slice());
        let start = if is_joint(at) { at + 2 } else { at };
        match words.get(start).filter(|word| is_name(word)) {
            Some(first) => {
                let mut path = vec![(*first).to_owned()];
                at = start + 1;
                while is_joint(at) && words.get(at + 2).is_some_and(|word| is_name(word)) {
                    path.push(words[at + 2].to_owned());
                    at += 3;
                }
                parts.push(WrittenPart::Path(path));
            }
            None => {
                parts.push(WrittenPart::Sign(words[at]));
                at += 1;
            }
        }
    }
    parts
}

/// The paths among words that are looked up where they stand: no part of a value, and no name that the words bind themselves.
fn looked_up_paths(words: &[&str]) -> BTreeSet<Vec<String>> {
    let mut bound: BTreeSet<&str> = BTreeSet::from(["self", "Self", "super", "crate"]);
    let head = words.iter().position(|word| *word == "{").unwrap_or(words.len());
    for (at, window) in words.windows(4).enumerate() {
        let [first, word, next, second] = [window[0], window[1], window[2], window[3]];
        // A capital begins a constant or a type, also in a pattern and after `|` and `as`.
        let is_binding = match first {
            "let" | "mut" | "ref" | "for" | "as" | "lambda" | "fn" | "def" => true,
            "|" => matches!(next, "|" | "," | ":"),
            _ => at < head && next == ":" && second != ":" || next == "=" && !matches!(second, "=" | ">"),
        };
        if is_binding && first != "." && !word.starts_with(char::is_uppercase) {
            bound.insert(word);
        }
    }
    let mut is_of_value = false;
    let mut paths = BTreeSet::new();
    for part in written_parts(words) {
        let is_dot = matches!(part, WrittenPart::Sign("."));
        if let WrittenPart::Path(path) = part
            && !is_of_value
            && !matches!(&path[..], [name] if bound.contains(name.as_str()))
        {
            paths.insert(path);
        }
        is_of_value = is_dot;
    }
    paths
}

/// True for two paths to the same definition. A name alone may be the prelude's.
fn is_same_path(old: &[String], new: &[String], renames: &RenameMap) -> bool {
    let is_alone = old.len() == 1 || new.len() == 1;
    old == new
        || is_same_definition(old, new, renames)
            && (!is_alone || in_standard_library(old).or(in_standard_library(new)).is_some())
}
