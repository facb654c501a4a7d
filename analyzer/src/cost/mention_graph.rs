//! The sources before a change → which functions mention functions that the sampled version did not have.
//!
//! Everything that can stand for a call counts: a call, a path, a word in a macro's tokens, a table of functions.
//! Nothing is resolved here, but a method only counts as mentioned where its type or its trait is mentioned as well.
//! Mentions of functions of the sampled version are in [`crate::cost::newer_mentions`].

use std::ops::Range;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::cost::ScoringContext;
use crate::cost::newer_mentions::NewerMentions;
use crate::cost::scanned_files::ScannedFile;
use crate::languages::{FOR_PEOPLE, Language};
use crate::sample::SampledFunction;
use crate::syntax::{ItemKind, LineRange, SyntaxFunction, SyntaxItem};

/// Everything of the version before that can mention something or be mentioned.
#[derive(Debug, Default)]
pub(super) struct MentionGraph {
    /// By file and line.
    pub(super) places: Vec<MentionGraphNode>,
    pub(super) newer: NewerMentions,
}

/// A function of the version before, or an item through which functions are mentioned.
#[derive(Debug)]
pub(super) struct MentionGraphNode {
    pub(super) name: String,
    pub(super) kind: MentionGraphNodeKind,
    /// Index of the changed pair whose side before it is.
    pub(super) pair: Option<usize>,
    /// The places that it mentions and that were not sampled, in ascending order.
    pub(super) mentions: Vec<usize>,
    /// Index of its file among those that are read.
    pub(super) file: usize,
    /// Its bytes in the file.
    pub(super) text: Range<usize>,
}

#[derive(Debug)]
pub(super) enum MentionGraphNodeKind {
    Function {
        function: Arc<SyntaxFunction>,
        /// The sampled function that it corresponds to.
        sampled: Option<SampledFunction>,
    },
    /// A macro, a constant or a type: index among the items of its file.
    Item(usize),
    /// An import.
    Import {
        /// Index among the items of its file.
        item: usize,
        /// The last part of the path that it brings in.
        means: String,
    },
}

impl MentionGraphNode {
    pub(super) fn function(&self) -> Option<&Arc<SyntaxFunction>> {
        match &self.kind {
            MentionGraphNodeKind::Function { function, .. } => Some(function),
            MentionGraphNodeKind::Item(_) | MentionGraphNodeKind::Import { .. } => None,
        }
    }

    pub(super) fn sampled(&self) -> Option<&SampledFunction> {
        match &self.kind {
            MentionGraphNodeKind::Function { sampled, .. } => sampled.as_ref(),
            MentionGraphNodeKind::Item(_) | MentionGraphNodeKind::Import { .. } => None,
        }
    }

    /// True for a function that the sampled version did not have.
    pub(super) fn is_new_function(&self) -> bool {
        self.function().is_some() && self.sampled().is_none()
    }

    /// The words that may mean it: its name, and the type of a method that is called without its name.
    pub(super) fn meaning_words(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(self.owner_of_trait_method())
    }

    /// The words that it mentions.
    pub(super) fn mentioned_words<'w>(&'w self, file: &'w ScannedFile) -> HashSet<&'w str> {
        match &self.kind {
            MentionGraphNodeKind::Import { means, .. } => HashSet::from([means.as_str()]),
            MentionGraphNodeKind::Function { .. } | MentionGraphNodeKind::Item(_) => {
                file.words_in(&self.text).map(|(word, _)| word).collect()
            }
        }
    }

    /// The type of a method that is called without its name: `==`, `for`, the end of a scope.
    pub(super) fn owner_of_trait_method(&self) -> Option<&String> {
        let function = self.function()?;
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
    pub(super) fn of(scene: &ScoringContext<'_>) -> Self {
        let mut pair_at: HashMap<(&str, LineRange), usize> = HashMap::new();
        for (index, pair) in scene.changes.pairs.iter().enumerate() {
            if let Some(located) = &pair.before {
                pair_at.insert((&located.file, located.function.lines), index);
            }
        }
        let files = &scene.scanned_files().files;
        let mut places = Vec::new();
        for (file, read) in files.iter().enumerate() {
            let line_starts = read.line_starts();
            let source = read.source(scene.before.parser);
            let node = |name: &str, kind, pair, lines| MentionGraphNode {
                name: name.to_owned(),
                kind,
                pair,
                mentions: Vec::new(),
                file,
                text: line_starts.place(lines),
            };
            for function in source.functions.iter().filter(|f| !f.test_only) {
                let pair = pair_at.get(&(&*read.path, function.lines)).copied();
                let sampled = match pair {
                    Some(pair) => scene.standings[pair].as_ref().map(|s| s.sampled.clone()),
                    None => scene.sampled_function(read, function),
                };
                let function_kind = MentionGraphNodeKind::Function {
                    function: Arc::clone(function),
                    sampled,
                };
                places.push(node(function.name(), function_kind, pair, function.lines));
            }
            let is_as_sampled = scene.is_as_sampled(read);
            for (index, item) in source.items.iter().enumerate() {
                let stands_for_functions = item_kind(item, index, is_as_sampled);
                places.extend(stands_for_functions.map(|kind| node(&item.name, kind, None, item.lines)));
            }
        }
        let mentions = mentions(&places, files);
        for (place, mentions) in places.iter_mut().zip(mentions) {
            place.mentions = mentions;
        }
        Self {
            places,
            newer: NewerMentions::default(),
        }
    }
}

/// An item through which functions are mentioned by another name.
fn item_kind(item: &SyntaxItem, index: usize, is_as_sampled: bool) -> Option<MentionGraphNodeKind> {
    match &item.kind {
        ItemKind::Macro | ItemKind::Constant => Some(MentionGraphNodeKind::Item(index)),
        // Where the file is as it was sampled, the profile shows what these names mean.
        ItemKind::Type { .. } if !is_as_sampled => Some(MentionGraphNodeKind::Item(index)),
        ItemKind::Import { target } if !is_as_sampled => Some(MentionGraphNodeKind::Import {
            item: index,
            means: target.last()?.clone(),
        }),
        ItemKind::Type { .. }
        | ItemKind::Import { .. }
        | ItemKind::Trait
        | ItemKind::Implementation
        | ItemKind::Invocation
        | ItemKind::Module
        | ItemKind::Attribute => None,
    }
}

/// For each place, the places that it mentions and that were not sampled.
fn mentions(places: &[MentionGraphNode], files: &[ScannedFile]) -> Vec<Vec<usize>> {
    let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, place) in places.iter().enumerate().filter(|(_, place)| place.sampled().is_none()) {
        for word in place.meaning_words() {
            by_word.entry(word).or_default().push(index);
        }
    }
    let owners = || {
        by_word
            .values()
            .flatten()
            .filter_map(|&target| places[target].function())
    };
    let owners: HashSet<&str> = owners().flat_map(|function| owner_and_trait(function)).collect();
    let mut mentions = vec![Vec::new(); places.len()];
    let mut first = 0;
    for (index, file) in files.iter().enumerate() {
        let end = first + places[first..].partition_point(|place| place.file == index);
        let words = || file.words_in(&(0..file.bytes.len()));
        let owners_there: HashSet<&str> = words()
            .map(|(word, _)| word)
            .filter(|word| owners.contains(word))
            .collect();
        let is_there = |word: &str| owners_there.contains(word);
        let mut mention = |place: usize, word: &str| {
            let targets = by_word.get(word).into_iter().flatten().copied();
            let targets = targets.filter(|&target| target != place);
            mentions[place].extend(targets.filter(|&target| can_mean(&places[place], &places[target], is_there)));
        };
        for (word, at) in words().filter(|(word, _)| by_word.contains_key(word)) {
            // Functions may lie in each other.
            for place in (first..end).filter(|&place| places[place].text.contains(&at)) {
                if !matches!(places[place].kind, MentionGraphNodeKind::Import { .. }) {
                    mention(place, word);
                }
            }
        }
        for (place, import) in (first..end).zip(&places[first..end]) {
            if let MentionGraphNodeKind::Import { means, .. } = &import.kind {
                mention(place, means);
            }
        }
        first = end;
    }
    for mentioned in &mut mentions {
        mentioned.sort_unstable();
        mentioned.dedup();
    }
    mentions
}

/// True if a word in a place can refer to another one: a method's type, or its trait, must be known in that file.
pub(super) fn can_mean(place: &MentionGraphNode, target: &MentionGraphNode, is_in_file: impl Fn(&str) -> bool) -> bool {
    let Some(function) = target.function().filter(|function| function.owner.is_some()) else {
        return true;
    };
    let is_same = place.function().is_some_and(|place| place.owner == function.owner);
    is_same || owner_and_trait(function).any(is_in_file)
}

fn owner_and_trait(function: &SyntaxFunction) -> impl Iterator<Item = &str> {
    function
        .owner
        .as_deref()
        .into_iter()
        .chain(function.of_trait.as_deref())
}

/// The identifiers outside line comments.
pub(super) fn words(bytes: &[u8], language: Language) -> HashSet<&str> {
    words_with_places(bytes, language).map(|(word, _)| word).collect()
}

/// The identifiers outside line comments, with the place of their first byte; in the order of the text.
pub(super) fn words_with_places(bytes: &[u8], language: Language) -> impl Iterator<Item = (&str, usize)> {
    let comment = memchr::memmem::Finder::new(language.support().line_comment());
    let code = move |line: &[u8]| comment.find(line).unwrap_or(line.len());
    let mut start = 0;
    let lines = bytes.split(|&byte| byte == b'\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        (at, &line[..code(line)])
    });
    lines.flat_map(|(at, line)| {
        let mut start = at;
        let words = line.split(|&byte| !(byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80));
        let placed = words.map(move |word| {
            let at = start;
            start += word.len() + 1;
            (word, at)
        });
        let identifiers = placed.filter(|(word, _)| word.first().is_some_and(|first| !first.is_ascii_digit()));
        identifiers.filter_map(|(word, at)| Some((std::str::from_utf8(word).ok()?, at)))
    })
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
