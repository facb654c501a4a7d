//! A place of the version before → the functions of the sampled version that it mentions: all of them, or those that it
//! did not mention at the sampled version.
//!
//! A function that the sample has and that a benchmark did not execute may be executed since: an executed function calls
//! it now, or a name that it uses means something else.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use crate::cost::ScoringContext;
use crate::cost::mention_graph::{MentionGraphNode, can_mean};
use crate::sample::{Word, WordSet};

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
    by_word: OnceCell<HashMap<Word, Vec<usize>>>,
    all: Cache<[NewerMention]>,
    since_the_sample: Cache<[NewerMention]>,
    /// By file.
    new_in_items: Cache<NewInItems>,
}

/// The words that some items did not hold at the sampled version.
#[derive(Debug, Default)]
struct NewInItems {
    words: WordSet,
    /// The items that they are from.
    visited: HashSet<usize>,
}

type Cache<T> = RefCell<HashMap<usize, Rc<T>>>;

/// The mentions that count.
enum WantedMentions<'w> {
    All,
    /// Those by a word that the place did not hold, or of a function with one of the new words around it.
    Since {
        then: &'w WordSet,
        new: WordSet,
    },
}

impl NewerMentions {
    /// The sampled functions, and the items, that a place mentions.
    pub(super) fn all_of(&self, place: usize, scene: &ScoringContext<'_>) -> Rc<[NewerMention]> {
        cached(&self.all, place, || {
            self.targets(place, &WordSet::default(), scene, &WantedMentions::All)
        })
    }

    /// Those among them that it did not mention at the sampled version, by the name that is written or by the module or
    /// type around it.
    pub(super) fn since_the_sample(&self, place: usize, scene: &ScoringContext<'_>) -> Rc<[NewerMention]> {
        let find = || {
            let mentioning = &scene.mentions().places[place];
            let file = &scene.scanned_files().files[mentioning.file];
            let new_in_items = self.new_in_items_of(place, scene);
            if file.is_as_sampled && new_in_items.words.is_empty() {
                return Rc::default();
            }
            let Some(then) = mentioning.words_then(file, scene.sample_and_parser(), &scene.later_files) else {
                return self.targets(place, &new_in_items.words, scene, &WantedMentions::All);
            };
            let now = mentioning.mentioned_words().iter().copied();
            let came = now.filter(|&word| !then.contains(word));
            let new = came.chain(new_in_items.words.as_slice().iter().copied()).collect();
            self.targets(place, &new_in_items.words, scene, &WantedMentions::Since { then, new })
        };
        cached(&self.since_the_sample, place, find)
    }

    /// The meanings that the words of a place may have. A function whose module or type is written in the place as well
    /// is more likely meant than others of its name. The types in `named_elsewhere` count as known in its file.
    fn targets(
        &self,
        place: usize,
        named_elsewhere: &WordSet,
        scene: &ScoringContext<'_>,
        wanted: &WantedMentions<'_>,
    ) -> Rc<[NewerMention]> {
        let places = &scene.mentions().places;
        let mentioning = &places[place];
        let files = &scene.scanned_files().files;
        let in_file = &scene.places_of(&files[mentioning.file]).words;
        let by_word = self.by_word.get_or_init(|| by_word(places));
        let is_known = |owner| in_file.contains(owner) || named_elsewhere.contains(owner);
        let may_be_meant = |target: usize| {
            let function = &places[target];
            target != place && files[function.file].is_compiled && can_mean(mentioning, function, is_known)
        };
        let is_named_in_full = |target: usize| {
            let around = places[target].names_around.last();
            around.is_none_or(|&around| mentioning.mentions(around))
        };
        let mut found: Vec<NewerMention> = Vec::new();
        for &word in mentioning.mentioned_words() {
            let Some(of_word) = by_word.get(&word) else {
                continue;
            };
            let is_wanted = |target: usize| match wanted {
                WantedMentions::All => true,
                WantedMentions::Since { then, new } => {
                    !then.contains(word) || places[target].names_around.iter().any(|&name| new.contains(name))
                }
            };
            let is_wanted = |target: usize| !places[target].is_new_function() && is_wanted(target);
            // Most words mean what they meant.
            if !of_word.iter().any(|&target| is_wanted(target)) {
                continue;
            }
            let meant = of_word.iter().copied().filter(|&target| may_be_meant(target));
            let (in_full, others): (Vec<usize>, Vec<usize>) = meant.partition(|&target| is_named_in_full(target));
            let all = in_full.len() + others.len();
            let in_full_share = 1.0 / in_full.len().max(1) as f64;
            let shares = (in_full.into_iter().map(|target| (target, in_full_share)))
                .chain(others.into_iter().map(|target| (target, 1.0 / all as f64)));
            let shares = shares.filter(|&(target, _)| is_wanted(target));
            found.extend(shares.map(|(target, share)| NewerMention { target, share }));
        }
        // Of several words that may mean one target, the likeliest counts.
        found.sort_unstable_by(|one, two| one.target.cmp(&two.target).then(two.share.total_cmp(&one.share)));
        found.dedup_by_key(|mention| mention.target);
        found.into()
    }

    /// The words that constants, types, macros and imports did not hold at the sampled version: those of the place's file,
    /// and those that it mentions, directly or through each other.
    fn new_in_items_of(&self, place: usize, scene: &ScoringContext<'_>) -> Rc<NewInItems> {
        let places = &scene.mentions().places;
        let file = places[place].file;
        let of_file = cached(&self.new_in_items, file, || {
            let first = places.partition_point(|place| place.file < file);
            let end = places.partition_point(|place| place.file <= file);
            Rc::new(new_in_items(first..end, &NewInItems::default(), scene))
        });
        let is_elsewhere = |&&item: &&usize| places[item].function().is_none() && !of_file.visited.contains(&item);
        let mut elsewhere = places[place].mentions.iter().filter(is_elsewhere).peekable();
        match elsewhere.peek() {
            Some(_) => Rc::new(new_in_items(elsewhere.copied(), &of_file, scene)),
            None => of_file,
        }
    }
}

/// The new words of some items, and of those that they mention, beside those that are known.
fn new_in_items(items: impl Iterator<Item = usize>, known: &NewInItems, scene: &ScoringContext<'_>) -> NewInItems {
    let places = &scene.mentions().places;
    let mut waiting: Vec<usize> = items.collect();
    let mut visited = known.visited.clone();
    let mut words = known.words.as_slice().to_vec();
    while let Some(item) = waiting.pop() {
        if places[item].function().is_some() || !visited.insert(item) {
            continue;
        }
        let file = &scene.scanned_files().files[places[item].file];
        let new = places[item].words_since(file, scene.sample_and_parser(), &scene.later_files);
        words.extend_from_slice(new.as_slice());
        waiting.extend(&places[item].mentions);
    }
    NewInItems {
        words: words.into_iter().collect(),
        visited,
    }
}

/// The value of a key, found once.
fn cached<T: ?Sized>(known: &Cache<T>, key: usize, find: impl FnOnce() -> Rc<T>) -> Rc<T> {
    if let Some(known) = known.borrow().get(&key) {
        return Rc::clone(known);
    }
    let found = find();
    known.borrow_mut().insert(key, Rc::clone(&found));
    found
}

fn by_word(places: &[MentionGraphNode]) -> HashMap<Word, Vec<usize>> {
    let mut by_word: HashMap<Word, Vec<usize>> = HashMap::new();
    for (index, place) in places.iter().enumerate() {
        for &word in &place.meaning_words {
            by_word.entry(word).or_default().push(index);
        }
    }
    by_word
}
