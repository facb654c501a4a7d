//! Names that code makes up when it runs → whether a given name may be one of them.
//!
//! A sample records the names that its runs made up. Where all of them that the project has were put together from texts of its
//! sources, so is a new one, while the code that asks for them is as it was: a source that changed since may hand it other texts.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use super::side::{LoadedSide, NamesOfSources};
use crate::languages::{AskedNames, BoundName, NameHolder};

/// Methods that make other letters of a text.
const OTHER_LETTERS: [&str; 6] = ["capitalize", "casefold", "lower", "swapcase", "title", "upper"];

/// The names that code which a benchmark loads may make up.
pub(super) enum MadeUpNames<'s> {
    /// Any.
    Unknown,
    /// Those that the sampled run asked for, and what stands in a text: the code is what was sampled.
    Recorded(&'s BTreeSet<String>),
    /// Also those that are put together from texts of the sources.
    FromTexts(&'s BTreeSet<String>),
}

impl MadeUpNames<'_> {
    /// True if the sources of a side may ask for a name that they make up.
    pub(super) fn may_be(&self, bound: &BoundName, side: &LoadedSide<'_>) -> bool {
        let name = &bound.name;
        let is_member = bound.holder == NameHolder::Class;
        let makes_up = |names: &AskedNames| names.makes_up_names || is_member && names.makes_up_members;
        if !side.all().any(makes_up) {
            return false;
        }
        let is_in_a_text = || side.all().any(|names| names.words_of_texts.contains(name));
        match self {
            Self::Unknown => true,
            Self::Recorded(recorded) => recorded.contains(name) || is_in_a_text(),
            Self::FromTexts(recorded) => recorded.contains(name) || side.words_of_texts().make(name),
        }
    }
}

/// True if all names of sources that a run made up were put together from their texts. Who imports a name from a package, and who looks
/// through a class, asks for names that stand there.
pub(super) fn are_from_texts(recorded: &BTreeSet<String>, sources: &NamesOfSources) -> bool {
    let words = TextWords::of(sources);
    // For names like `__call__` the language asks.
    let is_made_up = |name: &&String| {
        let any = |holds: fn(&AskedNames, &str) -> bool| sources.iter().any(|(_, names)| holds(names, name));
        !name.starts_with("__")
            && any(|names, name| names.bound.contains(name))
            && !any(|names, name| names.imported.contains_key(name) || names.looked_through.contains(name))
    };
    recorded.iter().filter(is_made_up).all(|name| words.make(name))
}

/// The words in the texts of sources.
pub(super) struct TextWords<'s> {
    words: HashSet<Cow<'s, str>>,
    /// True if a part of a name may get other letters: then the words are in small ones.
    in_any_letters: bool,
    /// True if a text joins others by `_`, as `'%s_%s'` does.
    are_joined: bool,
}

impl<'s> TextWords<'s> {
    pub(super) fn of(sources: &'s NamesOfSources) -> Self {
        let names = || sources.iter().map(|(_, names)| names);
        let in_any_letters = names().any(|names| OTHER_LETTERS.iter().any(|method| names.attributes.contains(*method)));
        let written = names().flat_map(|names| names.texts.iter().chain(&names.words_of_texts));
        let are_joined = written.clone().any(|word| word.len() <= 2 && word.ends_with('_'));
        let words = written.map(|word| match in_any_letters {
            true => Cow::Owned(word.to_lowercase()),
            false => Cow::Borrowed(word.as_str()),
        });
        Self {
            words: words.collect(),
            in_any_letters,
            are_joined,
        }
    }

    /// True if a name consists of the words, at most one of them of a single letter: nobody puts a name together letter by letter.
    fn make(&self, name: &str) -> bool {
        let name = match self.in_any_letters {
            true => Cow::Owned(name.to_lowercase()),
            false => Cow::Borrowed(name),
        };
        let ends: Vec<usize> = name.char_indices().map(|(at, _)| at).chain([name.len()]).collect();
        // Whether the name up to there is one, with no word of a single letter and with one.
        let mut reached = vec![[false; 2]; ends.len()];
        reached[0][0] = true;
        for to in 1..ends.len() {
            for from in 0..to {
                let word = &name[ends[from]..ends[to]];
                let is_sign = word == "_" && self.are_joined;
                if !is_sign && !self.words.contains(word) {
                    continue;
                }
                match to - from {
                    1 if !is_sign => reached[to][1] |= reached[from][0],
                    _ => reached[to] = [0, 1].map(|letters| reached[to][letters] || reached[from][letters]),
                }
            }
        }
        reached.last().is_some_and(|reached| reached.contains(&true))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn makes(texts: &[&str], attributes: &[&str], name: &str) -> bool {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let names = AskedNames {
            texts: owned(texts),
            attributes: owned(attributes),
            ..AskedNames::default()
        };
        TextWords::of(&vec![(None, Arc::new(names))]).make(name)
    }

    #[test]
    fn a_name_is_put_together_from_words_of_texts() {
        assert!(makes(&["visit_", "call"], &[], "visit_call"));
        assert!(makes(&["visit_call"], &[], "visit_call"));
        assert!(makes(&["call", "s"], &[], "calls"));
        assert!(!makes(&["visit_"], &[], "visit_call"));
        assert!(!makes(&["c", "a", "l"], &[], "call"));
        assert!(!makes(&[], &[], "call"));
    }

    #[test]
    fn words_are_joined_and_get_other_letters_where_code_does_that() {
        assert!(!makes(&["visit", "call"], &[], "visit_call"));
        assert!(makes(&["visit", "call", "_"], &[], "visit_call"));
        assert!(makes(&["visit", "call", "s_"], &[], "visit_call"));
        assert!(!makes(&["CALL"], &["join"], "call"));
        assert!(makes(&["CALL"], &["lower"], "call"));
        assert!(makes(&["call"], &["upper"], "CALL"));
    }
}
