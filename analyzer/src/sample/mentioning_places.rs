//! A content of a source file → its functions, and the items through which functions are mentioned by another name, with
//! the words in them now and at the sampled version.

use std::ops::Range;
use std::slice;
use std::sync::{Arc, OnceLock};

use super::later_files::{LaterFile, LaterFiles, PlacedFile};
use super::vocabulary::{Vocabulary, Word, WordSet};
use super::{LaterVersion, Sample, SampledFunction};
use crate::languages::FOR_PEOPLE;
use crate::syntax::{
    ItemKind, LineRange, ParseCache, SourceFile, SyntaxBlock, SyntaxFunction, SyntaxItem, is_called_unwritten,
};

/// The places of one file.
#[derive(Debug)]
pub(crate) struct MentioningPlaces {
    /// Functions in the order of the file, then items in it.
    pub(crate) places: Vec<Arc<MentioningPlace>>,
    /// All words of the file.
    pub(crate) words: WordSet,
}

/// A function, or an item through which functions are mentioned.
#[derive(Debug)]
pub(crate) struct MentioningPlace {
    pub(crate) name: String,
    pub(crate) kind: MentioningPlaceKind,
    /// Its bytes in the file.
    pub(crate) text: Range<usize>,
    /// The words that may mean it: its name, and the type of a method that is called without its name.
    pub(crate) meaning_words: Box<[Word]>,
    /// The type of a method.
    pub(crate) owner: Option<Word>,
    /// The type of a method, and its trait.
    pub(crate) owner_and_trait: Box<[Word]>,
    /// The trait, the modules and the type that a function stands in, the innermost last; none for an item.
    pub(crate) names_around: Box<[Word]>,
    /// The words in it.
    words: WordSet,
    then: OnceLock<Option<WordSet>>,
}

#[derive(Debug, Clone)]
pub(crate) enum MentioningPlaceKind {
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
        means: Word,
    },
}

impl MentioningPlaces {
    /// Reads a file.
    pub(super) fn of(
        (file, placed): (&LaterFile, &PlacedFile),
        (sample, parser): (&Sample, &ParseCache),
        vocabulary: &Vocabulary,
    ) -> Self {
        let source = file.source(parser);
        let words = file.words_in(0..file.bytes.len(), vocabulary);
        let words_within = |text: &Range<usize>| -> WordSet {
            let first = words.partition_point(|&(at, _)| at < text.start);
            let end = words.partition_point(|&(at, _)| at < text.end);
            words[first..end.max(first)].iter().map(|&(_, word)| word).collect()
        };
        let mut places = Vec::new();
        for function in source.functions.iter().filter(|function| !function.test_only) {
            let text = file.line_starts().place(function.lines);
            let around = names_around(&placed.located(file, function).name, function);
            let numbers = |texts: &mut dyn Iterator<Item = &str>| texts.map(|text| vocabulary.word(text)).collect();
            let owner_and_trait = || (function.owner.iter().chain(&function.of_trait)).map(String::as_str);
            let owner_of_unwritten_call = owner_of_unwritten_call(function).map(String::as_str);
            places.push(Arc::new(MentioningPlace {
                name: function.name().to_owned(),
                meaning_words: numbers(&mut std::iter::once(function.name()).chain(owner_of_unwritten_call)),
                owner: function.owner.as_deref().map(|owner| vocabulary.word(owner)),
                owner_and_trait: numbers(&mut owner_and_trait()),
                names_around: numbers(&mut around.iter().map(|name| &**name)),
                words: words_within(&text),
                text,
                then: OnceLock::new(),
                kind: MentioningPlaceKind::Function {
                    function: Arc::clone(function),
                    sampled: placed.sampled(file, function, (sample, parser)),
                },
            }));
        }
        for (index, item) in source.items.iter().enumerate() {
            let Some(kind) = item_kind((index, item), file.is_as_sampled, vocabulary) else {
                continue;
            };
            let text = file.line_starts().place(item.lines);
            places.push(Arc::new(MentioningPlace {
                name: item.name.clone(),
                kind,
                meaning_words: Box::from([vocabulary.word(&item.name)]),
                owner: None,
                owner_and_trait: Box::default(),
                names_around: Box::default(),
                words: words_within(&text),
                text,
                then: OnceLock::new(),
            }));
        }
        Self {
            places,
            words: words.iter().map(|&(_, word)| word).collect(),
        }
    }
}

impl MentioningPlace {
    pub(crate) fn function(&self) -> Option<&Arc<SyntaxFunction>> {
        match &self.kind {
            MentioningPlaceKind::Function { function, .. } => Some(function),
            MentioningPlaceKind::Item(_) | MentioningPlaceKind::Import { .. } => None,
        }
    }

    pub(crate) fn sampled(&self) -> Option<&SampledFunction> {
        match &self.kind {
            MentioningPlaceKind::Function { sampled, .. } => sampled.as_ref(),
            MentioningPlaceKind::Item(_) | MentioningPlaceKind::Import { .. } => None,
        }
    }

    /// The same for a function that corresponds to another sampled one.
    pub(crate) fn with_sampled(&self, sampled: Option<SampledFunction>) -> Self {
        let kind = match &self.kind {
            MentioningPlaceKind::Function { function, .. } => MentioningPlaceKind::Function {
                function: Arc::clone(function),
                sampled,
            },
            item @ (MentioningPlaceKind::Item(_) | MentioningPlaceKind::Import { .. }) => item.clone(),
        };
        Self {
            name: self.name.clone(),
            kind,
            text: self.text.clone(),
            meaning_words: self.meaning_words.clone(),
            owner: self.owner,
            owner_and_trait: self.owner_and_trait.clone(),
            names_around: self.names_around.clone(),
            words: self.words.clone(),
            then: OnceLock::new(),
        }
    }

    /// True for a function that the sampled version did not have.
    pub(crate) fn is_new_function(&self) -> bool {
        self.function().is_some() && self.sampled().is_none()
    }

    /// The type of a method that is called without its name: `==`, `for`, the end of a scope.
    pub(crate) fn owner_of_unwritten_call(&self) -> Option<&String> {
        owner_of_unwritten_call(self.function()?)
    }

    /// The words that it mentions, each once.
    pub(crate) fn mentioned_words(&self) -> &[Word] {
        match &self.kind {
            MentioningPlaceKind::Import { means, .. } => slice::from_ref(means),
            MentioningPlaceKind::Function { .. } | MentioningPlaceKind::Item(_) => self.words.as_slice(),
        }
    }

    /// True if it mentions a word.
    pub(crate) fn mentions(&self, word: Word) -> bool {
        match &self.kind {
            MentioningPlaceKind::Import { means, .. } => *means == word,
            MentioningPlaceKind::Function { .. } | MentioningPlaceKind::Item(_) => self.words.contains(word),
        }
    }

    /// The words of an item that it did not hold at the sampled version.
    pub(crate) fn words_since(
        &self,
        file: &LaterFile,
        (sample, parser): (&Sample, &ParseCache),
        files: &LaterFiles,
    ) -> WordSet {
        if file.is_as_sampled {
            return WordSet::default();
        }
        match self.words_then(file, (sample, parser), files) {
            Some(then) => self.words.without(then).collect(),
            None => self.words.clone(),
        }
    }

    /// The words that it held at the sampled version; `None` if each of its words may mean something else since.
    pub(crate) fn words_then(
        &self,
        file: &LaterFile,
        (sample, parser): (&Sample, &ParseCache),
        files: &LaterFiles,
    ) -> Option<&WordSet> {
        let find = || {
            let (path, lines) = self.lines_then(file, (sample, parser))?;
            Some(words_at_the_sample((&path, lines), file, (sample, parser), files))
        };
        self.then.get_or_init(find).as_ref()
    }

    /// Where it stood at the sampled version; `None` if each of its words may mean something else since.
    fn lines_then(&self, file: &LaterFile, (sample, parser): (&Sample, &ParseCache)) -> Option<(Arc<str>, LineRange)> {
        let now = file.source(parser);
        let item_then = |is_same: &dyn Fn(&SyntaxItem) -> bool| {
            let then = sample.source(&file.path, parser)?;
            let item = then.items.iter().find(|then| is_same(then))?;
            Some((Arc::clone(&file.path), item.lines))
        };
        match &self.kind {
            MentioningPlaceKind::Function { function, sampled } => {
                let sampled = sampled.as_ref()?;
                let then = sample.source(&sampled.file, parser)?;
                let is_decided_anew = has_new_glob(&then, now) || has_new_condition(&sampled.function, function);
                (!is_decided_anew).then(|| (Arc::clone(&sampled.file), sampled.function.lines))
            }
            MentioningPlaceKind::Item(item) => {
                let item = &now.items[*item];
                item_then(&|then| then.name == item.name && then.kind.is_like(&item.kind))
            }
            MentioningPlaceKind::Import { item, .. } => {
                let item = &now.items[*item];
                item_then(&|then| then.name == item.name && then.kind == item.kind)
            }
        }
    }
}

/// The words in some lines of the sampled version; none if it had no such file that can be read.
fn words_at_the_sample(
    (path, lines): (&Arc<str>, LineRange),
    file: &LaterFile,
    (sample, parser): (&Sample, &ParseCache),
    files: &LaterFiles,
) -> WordSet {
    let sampled = LaterVersion {
        tree: sample.tree.as_ref(),
        parser,
    };
    let Some(Ok(then)) = files.get(path, file.language, (sample, sampled)) else {
        return WordSet::default();
    };
    let words = then.words_in(then.line_starts().place(lines), &files.vocabulary);
    words.into_iter().map(|(_, word)| word).collect()
}

/// An item through which functions are mentioned by another name.
fn item_kind(
    (index, item): (usize, &SyntaxItem),
    is_as_sampled: bool,
    vocabulary: &Vocabulary,
) -> Option<MentioningPlaceKind> {
    match &item.kind {
        ItemKind::Macro | ItemKind::Constant => Some(MentioningPlaceKind::Item(index)),
        // Where the file is as it was sampled, the profile shows what these names mean.
        ItemKind::Type { .. } if !is_as_sampled => Some(MentioningPlaceKind::Item(index)),
        ItemKind::Import { target } if !is_as_sampled => Some(MentioningPlaceKind::Import {
            item: index,
            means: vocabulary.word(target.last()?),
        }),
        ItemKind::Type { .. }
        | ItemKind::Import { .. }
        | ItemKind::Trait
        | ItemKind::Implementation
        | ItemKind::Invocation
        | ItemKind::Module
        | ItemKind::Attribute
        | ItemKind::Prototype => None,
    }
}

fn owner_of_unwritten_call(function: &SyntaxFunction) -> Option<&String> {
    let is_of_code = |of_trait: &String| !FOR_PEOPLE.contains(&of_trait.as_str());
    let is_unwritten = is_called_unwritten(function.name()) || function.of_trait.as_ref().is_some_and(is_of_code);
    function.owner.as_ref().filter(|_| is_unwritten)
}

fn names_around(full_name: &str, function: &SyntaxFunction) -> Vec<Box<str>> {
    let around = full_name.rsplit_once("::").map_or("", |(around, _)| around);
    let of_trait = function.of_trait.as_deref();
    of_trait.into_iter().chain(around.split("::")).map(Box::from).collect()
}

/// True if a file has a glob that it did not have: it brings in names that nobody writes.
fn has_new_glob(was: &SourceFile, is: &SourceFile) -> bool {
    let is_glob = |item: &&SyntaxItem| matches!(&item.kind, ItemKind::Import { target } if target.last().is_some_and(|last| last == "*"));
    let mut globs = is.items.iter().filter(is_glob);
    globs.any(|glob| !was.items.iter().any(|item| item.kind == glob.kind))
}

/// True if a function decides by something that it did not decide by before: a condition that did not hold at the sample
/// may hold now.
fn has_new_condition(was: &SyntaxFunction, is: &SyntaxFunction) -> bool {
    let conditions = |function: &SyntaxFunction| -> Vec<String> {
        let blocks = function.blocks.iter().filter(|block| block.kind.is_conditional());
        blocks.map(SyntaxBlock::condition).collect()
    };
    if was.digest == is.digest {
        return false;
    }
    let known = conditions(was);
    conditions(is).iter().any(|condition| !known.contains(condition))
}
