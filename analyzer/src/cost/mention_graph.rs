//! The sources before a change → which functions mention functions that the sampled version did not have.
//!
//! Everything that can stand for a call counts: a call, a path, a word in a macro's tokens, a table of functions.
//! Nothing is resolved here, but a method only counts as mentioned where its type or its trait is mentioned as well.

use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

use crate::change::FunctionPair;
use crate::cost::SampleMatch;
use crate::cost::scanned_files::{ScannedFile, ScannedFiles};
use crate::languages::{FOR_PEOPLE, Language};
use crate::sample::{Sample, SampledFunction};
use crate::syntax::{ItemKind, LineRange, ParseCache, SyntaxFunction};

/// Everything of the version before that can mention something or be mentioned.
#[derive(Debug, Default)]
pub(super) struct MentionGraph {
    /// By file and line.
    pub(super) places: Vec<MentionGraphNode>,
}

/// A function, macro or constant of the version before.
#[derive(Debug)]
pub(super) struct MentionGraphNode {
    pub(super) name: String,
    /// The function; `None` for a macro or constant, through which others are mentioned.
    pub(super) function: Option<Arc<SyntaxFunction>>,
    /// The sampled function that it corresponds to.
    pub(super) sampled: Option<SampledFunction>,
    /// Index of the changed pair whose side before it is.
    pub(super) pair: Option<usize>,
    /// The words of its source, if it was sampled.
    pub(super) words: HashSet<Box<str>>,
    /// The places that it mentions and that were not sampled, in ascending order.
    pub(super) mentions: Vec<usize>,
    /// Index of its file among those that are read.
    pub(super) file: usize,
    lines: LineRange,
}

impl MentionGraphNode {
    /// The type of a method that is called without its name: `==`, `for`, the end of a scope.
    pub(super) fn owner_of_trait_method(&self) -> Option<&String> {
        let function = self.function.as_ref()?;
        let of_trait = function.of_trait.as_ref()?;
        function
            .owner
            .as_ref()
            .filter(|_| !FOR_PEOPLE.contains(&of_trait.as_str()))
    }
}

impl MentionGraph {
    /// Reads the version before.
    #[must_use]
    pub(super) fn of(
        scanned: &ScannedFiles,
        (pairs, standings): (&[FunctionPair], &[Option<SampleMatch>]),
        sample: (&Sample, &ParseCache),
    ) -> Self {
        let files = &scanned.files;
        let mut pair_at: HashMap<(&str, LineRange), usize> = HashMap::new();
        for (index, pair) in pairs.iter().enumerate() {
            if let Some(located) = &pair.before {
                pair_at.insert((&located.file, located.function.lines), index);
            }
        }
        let mut places = Vec::new();
        for (file, read) in files.iter().enumerate() {
            let source = read.source(sample.1);
            for function in source.functions.iter().filter(|f| !f.test_only) {
                let pair = pair_at.get(&(&*read.path, function.lines)).copied();
                let sampled = match pair {
                    Some(pair) => standings[pair].as_ref().map(|s| s.sampled.clone()),
                    None => scanned.sampled(read, function, sample),
                };
                places.push(MentionGraphNode {
                    name: function.name().to_owned(),
                    function: Some(Arc::clone(function)),
                    sampled,
                    pair,
                    words: HashSet::new(),
                    mentions: Vec::new(),
                    file,
                    lines: function.lines,
                });
            }
            let through = |kind: &ItemKind| matches!(kind, ItemKind::Macro | ItemKind::Constant);
            for item in source.items.iter().filter(|item| through(&item.kind)) {
                places.push(MentionGraphNode {
                    name: item.name.clone(),
                    function: None,
                    sampled: None,
                    pair: None,
                    words: HashSet::new(),
                    mentions: Vec::new(),
                    file,
                    lines: item.lines,
                });
            }
        }
        connect(&mut places, files);
        Self { places }
    }
}

/// Connects the places that mention each other.
fn connect(places: &mut [MentionGraphNode], files: &[ScannedFile]) {
    let in_files: Vec<HashSet<&str>> = files.iter().map(|read| words(&read.bytes, read.language)).collect();
    let starts: Vec<Vec<usize>> = files.iter().map(|read| line_starts(&read.bytes)).collect();
    let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, place) in places.iter().enumerate() {
        if place.sampled.is_some() {
            continue;
        }
        by_word.entry(&place.name).or_default().push(index);
        if let Some(owner) = place.owner_of_trait_method() {
            by_word.entry(owner).or_default().push(index);
        }
    }
    let mut found: Vec<(Vec<usize>, HashSet<Box<str>>)> = Vec::with_capacity(places.len());
    for (index, place) in places.iter().enumerate() {
        let file = &files[place.file];
        let words = words(lines_of(&file.bytes, &starts[place.file], place.lines), file.language);
        let mut mentioned: Vec<usize> = words
            .iter()
            .filter_map(|word| by_word.get(word))
            .flatten()
            .copied()
            .filter(|&target| target != index)
            .filter(|&target| can_mean(place, &places[target], &in_files[place.file]))
            .collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        let words = match place.sampled {
            Some(_) => words.into_iter().map(Box::from).collect(),
            None => HashSet::new(),
        };
        found.push((mentioned, words));
    }
    drop(by_word);
    for (place, (mentions, words)) in places.iter_mut().zip(found) {
        place.mentions = mentions;
        place.words = words;
    }
}

/// True if a word in a place can refer to another one: a method's type, or its trait, must be known in that file.
fn can_mean(place: &MentionGraphNode, target: &MentionGraphNode, in_file: &HashSet<&str>) -> bool {
    let Some(function) = &target.function else {
        return true;
    };
    let Some(owner) = &function.owner else {
        return true;
    };
    let is_same = place
        .function
        .as_ref()
        .is_some_and(|function| function.owner.as_ref() == Some(owner));
    is_same
        || in_file.contains(owner.as_str())
        || function
            .of_trait
            .as_ref()
            .is_some_and(|of_trait| in_file.contains(of_trait.as_str()))
}

fn line_starts(bytes: &[u8]) -> Vec<usize> {
    std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1))
        .collect()
}

fn lines_of<'b>(bytes: &'b [u8], starts: &[usize], lines: LineRange) -> &'b [u8] {
    let start = |line: u32| starts.get(line as usize).copied().unwrap_or(bytes.len());
    let (first, end) = (start(lines.first.saturating_sub(1)), start(lines.last));
    bytes.get(first..end).unwrap_or_default()
}

/// The identifiers outside line comments.
fn words(bytes: &[u8], language: Language) -> HashSet<&str> {
    let comment = memchr::memmem::Finder::new(language.support().line_comment());
    let mut words = HashSet::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let code = &line[..comment.find(line).unwrap_or(line.len())];
        for word in code.split(|&byte| !(byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80)) {
            if word.first().is_some_and(|first| !first.is_ascii_digit())
                && let Ok(word) = std::str::from_utf8(word)
            {
                words.insert(word);
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::languages::language_of;

    fn language(path: &str) -> Language {
        language_of(path).unwrap()
    }

    #[test]
    fn words_are_identifiers_outside_of_comments() {
        let mut found: Vec<&str> = words(b"a.b_1(22, c!) // d\n\xc3\xa9t", language("m.rs"))
            .into_iter()
            .collect();
        found.sort_unstable();
        assert_eq!(found, ["a", "b_1", "c", "\u{e9}t"]);
        let mut found: Vec<&str> = words(b"a // b # c", language("m.py")).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["a", "b"]);
    }
}
