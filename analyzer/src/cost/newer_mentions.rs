//! A place of the version before → the functions of the sampled version that it mentions: all of them, or those that it
//! did not mention at the sampled version.
//!
//! A function that the sample has and that a benchmark did not execute may be executed since: an executed function calls
//! it now, or a name that it uses means something else.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::cost::ScoringContext;
use crate::cost::mention_graph::{MentionGraphNode, MentionGraphNodeKind, can_mean, words};
use crate::cost::mentions::same_kind;
use crate::cost::scanned_files::ScannedFile;
use crate::sources::SourceContent;
use crate::syntax::{ItemKind, SyntaxBlock, SyntaxFunction, SyntaxItem};
use crate::text_search::LineStarts;

/// A mention of a function that was sampled, or of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NewerMention {
    /// The place that is mentioned.
    pub(super) target: usize,
    /// How likely this one is meant among those of its name, in 0..=1.
    pub(super) share: f64,
}

/// The mentions, looked up when first requested: most places need none.
#[derive(Debug, Default)]
pub(super) struct NewerMentions {
    /// The functions and items by the words that may mean them.
    by_word: OnceCell<HashMap<String, Vec<usize>>>,
    all: Cache<[NewerMention]>,
    since_the_sample: Cache<[NewerMention]>,
    /// The trait, the modules and the type that a function stands in, the innermost last; none for an item.
    around: Cache<[Box<str>]>,
    /// By file.
    words: Cache<HashSet<String>>,
    /// The words of an item that it did not hold at the sampled version.
    new_in_item: Cache<HashSet<String>>,
    sampled_texts: Cache<SampledText, Arc<str>>,
}

/// A file of the sampled version.
#[derive(Debug)]
struct SampledText {
    bytes: Arc<[u8]>,
    line_starts: LineStarts,
}

type Cache<T, K = usize> = RefCell<HashMap<K, Rc<T>>>;

impl NewerMentions {
    /// The sampled functions, and the items, that a place mentions.
    pub(super) fn all_of(&self, place: usize, scene: &ScoringContext<'_>) -> Rc<[NewerMention]> {
        cached(&self.all, place, || {
            self.targets(place, &HashSet::new(), scene, |_, _| true)
        })
    }

    /// Those among them that it did not mention at the sampled version, by the name that is written or by the module or
    /// type around it.
    pub(super) fn since_the_sample(&self, place: usize, scene: &ScoringContext<'_>) -> Rc<[NewerMention]> {
        let find = || {
            let mentioning = &scene.mentions().places[place];
            let file = &scene.scanned_files().files[mentioning.file];
            let new_in_items = self.new_in_items_of(place, scene);
            if scene.is_as_sampled(file) && new_in_items.is_empty() {
                return Rc::default();
            }
            let Some(then) = self.words_then(mentioning, file, scene) else {
                return self.targets(place, &new_in_items, scene, |_, _| true);
            };
            let now = mentioning.mentioned_words(file);
            let is_new = |word: &str| now.contains(word) && !then.contains(word) || new_in_items.contains(word);
            self.targets(place, &new_in_items, scene, |word, target| {
                !then.contains(word) || self.names_around(target, scene).iter().any(|name| is_new(name))
            })
        };
        cached(&self.since_the_sample, place, find)
    }

    /// The meanings that the words of a place may have. A function whose module or type is written in the place as well
    /// is more likely meant than others of its name. The types in `named_elsewhere` count as known in its file.
    fn targets(
        &self,
        place: usize,
        named_elsewhere: &HashSet<String>,
        scene: &ScoringContext<'_>,
        is_wanted: impl Fn(&str, usize) -> bool,
    ) -> Rc<[NewerMention]> {
        let places = &scene.mentions().places;
        let mentioning = &places[place];
        let files = &scene.scanned_files().files;
        let in_file = self.words_of(mentioning.file, scene);
        let by_word = self.by_word.get_or_init(|| by_word(places));
        let words = mentioning.mentioned_words(&files[mentioning.file]);
        let may_be_meant = |target: usize| {
            let function = &places[target];
            target != place
                && files[function.file].is_compiled
                && can_mean(mentioning, function, |owner| {
                    in_file.contains(owner) || named_elsewhere.contains(owner)
                })
        };
        let is_named_in_full = |target: usize| {
            let around = self.names_around(target, scene);
            around.last().is_none_or(|around| words.contains(&**around))
        };
        let mut found: BTreeMap<usize, f64> = BTreeMap::new();
        for &word in &words {
            let meant = by_word.get(word).into_iter().flatten().copied();
            let (in_full, others): (Vec<usize>, Vec<usize>) = meant
                .filter(|&target| may_be_meant(target))
                .partition(|&target| is_named_in_full(target));
            let all = in_full.len() + others.len();
            let in_full_share = 1.0 / in_full.len().max(1) as f64;
            let shares = (in_full.into_iter().map(|target| (target, in_full_share)))
                .chain(others.into_iter().map(|target| (target, 1.0 / all as f64)));
            for (target, share) in shares {
                if !places[target].is_new_function() && is_wanted(word, target) {
                    let known = found.entry(target).or_default();
                    *known = share.max(*known);
                }
            }
        }
        let found = found.into_iter();
        found.map(|(target, share)| NewerMention { target, share }).collect()
    }

    fn names_around(&self, place: usize, scene: &ScoringContext<'_>) -> Rc<[Box<str>]> {
        cached(&self.around, place, || {
            let place = &scene.mentions().places[place];
            let Some(function) = place.function() else {
                return Rc::default();
            };
            let name = scene.scanned_files().files[place.file].located(function).name;
            let around = name.rsplit_once("::").map_or("", |(around, _)| around);
            let of_trait = function.of_trait.as_deref();
            of_trait.into_iter().chain(around.split("::")).map(Box::from).collect()
        })
    }

    fn words_of(&self, file: usize, scene: &ScoringContext<'_>) -> Rc<HashSet<String>> {
        cached(&self.words, file, || {
            let file = &scene.scanned_files().files[file];
            let words: HashSet<&str> = file.words_in(&(0..file.bytes.len())).map(|(word, _)| word).collect();
            Rc::new(words.into_iter().map(str::to_owned).collect())
        })
    }

    /// The words that constants, types, macros and imports did not hold at the sampled version: those of the place's file,
    /// and those that it mentions, directly or through each other.
    fn new_in_items_of(&self, place: usize, scene: &ScoringContext<'_>) -> HashSet<String> {
        let places = &scene.mentions().places;
        let file = places[place].file;
        let first = places.partition_point(|place| place.file < file);
        let end = places.partition_point(|place| place.file <= file);
        let mut waiting: Vec<usize> = (first..end).chain(places[place].mentions.iter().copied()).collect();
        let mut visited = HashSet::new();
        let mut found = HashSet::new();
        while let Some(item) = waiting.pop() {
            if places[item].function().is_some() || !visited.insert(item) {
                continue;
            }
            found.extend(self.new_in_item(item, scene).iter().cloned());
            waiting.extend(&places[item].mentions);
        }
        found
    }

    fn new_in_item(&self, item: usize, scene: &ScoringContext<'_>) -> Rc<HashSet<String>> {
        cached(&self.new_in_item, item, || {
            let item = &scene.mentions().places[item];
            let file = &scene.scanned_files().files[item.file];
            if scene.is_as_sampled(file) {
                return Rc::default();
            }
            let then = self.words_then(item, file, scene).unwrap_or_default();
            let now = file.words_in(&item.text).map(|(word, _)| word);
            Rc::new(now.filter(|word| !then.contains(*word)).map(str::to_owned).collect())
        })
    }

    /// The words that a place mentioned at the sampled version; `None` if each of its words may mean something else since.
    fn words_then(
        &self,
        place: &MentionGraphNode,
        file: &ScannedFile,
        scene: &ScoringContext<'_>,
    ) -> Option<HashSet<String>> {
        let parser = scene.before.parser;
        let now = file.source(parser);
        let words_in = |path: &Arc<str>, lines| {
            let text = self.sampled_text(path, scene);
            let words = words(&text.bytes[text.line_starts.place(lines)], file.language);
            words.into_iter().map(str::to_owned).collect()
        };
        match &place.kind {
            MentionGraphNodeKind::Function { sampled, .. } => {
                let sampled = sampled.as_ref()?;
                let then = scene.sample.source(&sampled.file, parser)?;
                // A glob brings in names that nobody writes.
                let is_new = |glob: &SyntaxItem| is_glob(glob) && !then.items.iter().any(|item| item.kind == glob.kind);
                // A condition that did not hold at the sample may hold now.
                let is_decided_anew = now.items.iter().any(is_new)
                    || place
                        .function()
                        .is_some_and(|is| has_new_condition(&sampled.function, is));
                (!is_decided_anew).then(|| words_in(&sampled.file, sampled.function.lines))
            }
            MentionGraphNodeKind::Item(item) => {
                let item = &now.items[*item];
                let then = scene.sample.source(&file.path, parser)?;
                let is_same = |then: &&SyntaxItem| then.name == item.name && same_kind(&then.kind, &item.kind);
                Some(words_in(&file.path, then.items.iter().find(is_same)?.lines))
            }
            MentionGraphNodeKind::Import { item, .. } => {
                let item = &now.items[*item];
                let then = scene.sample.source(&file.path, parser)?;
                let is_same = |then: &&SyntaxItem| then.name == item.name && then.kind == item.kind;
                Some(words_in(&file.path, then.items.iter().find(is_same)?.lines))
            }
        }
    }

    /// A file of the sampled version; an empty one if it had none that can be read.
    fn sampled_text(&self, path: &Arc<str>, scene: &ScoringContext<'_>) -> Rc<SampledText> {
        cached(&self.sampled_texts, Arc::clone(path), || {
            let bytes = match scene.sample.tree.file(path).map(|blob| blob.content) {
                Some(SourceContent::Bytes(bytes)) => bytes,
                Some(
                    SourceContent::TooLarge(_)
                    | SourceContent::LfsPointer(_)
                    | SourceContent::SymbolicLink
                    | SourceContent::Submodule,
                )
                | None => Arc::default(),
            };
            let line_starts = LineStarts::of(&bytes);
            Rc::new(SampledText { bytes, line_starts })
        })
    }
}

/// The value of a key, found once.
fn cached<K: Eq + Hash, T: ?Sized>(known: &Cache<T, K>, key: K, find: impl FnOnce() -> Rc<T>) -> Rc<T> {
    if let Some(known) = known.borrow().get(&key) {
        return Rc::clone(known);
    }
    let found = find();
    known.borrow_mut().insert(key, Rc::clone(&found));
    found
}

fn by_word(places: &[MentionGraphNode]) -> HashMap<String, Vec<usize>> {
    let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, place) in places.iter().enumerate() {
        for word in place.meaning_words() {
            by_word.entry_ref(word.as_str()).or_default().push(index);
        }
    }
    by_word
}

/// True if a function decides by something that it did not decide by before.
fn has_new_condition(was: &SyntaxFunction, is: &SyntaxFunction) -> bool {
    let conditions = |function: &SyntaxFunction| -> Vec<String> {
        let blocks = function.blocks.iter().filter(|block| block.kind.is_conditional());
        blocks.map(SyntaxBlock::condition).collect()
    };
    let known = conditions(was);
    was.digest != is.digest && conditions(is).iter().any(|condition| !known.contains(condition))
}

fn is_glob(item: &SyntaxItem) -> bool {
    matches!(&item.kind, ItemKind::Import { target } if target.last().is_some_and(|last| last == "*"))
}
