//! The sources before a change → which functions mention functions that the sampled version did not have.
//!
//! Everything that can stand for a call counts: a call, a path, a word in a macro's tokens, a table of functions.
//! Nothing is resolved here, but a method only counts as mentioned where its type or its trait is mentioned as well.
//! Mentions of functions of the sampled version are in [`crate::cost::newer_mentions`].

use std::sync::Arc;

use hashbrown::HashMap;

use crate::cost::ScoringContext;
use crate::cost::newer_mentions::NewerMentions;
use crate::sample::{MentioningPlace, Word};
use crate::syntax::{LineRange, SyntaxFunction};

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
    pub(super) place: Arc<MentioningPlace>,
    /// Index of the changed pair whose side before it is.
    pub(super) pair: Option<usize>,
    /// The places that it mentions and that were not sampled, in ascending order.
    pub(super) mentions: Vec<usize>,
    /// Index of its file among those that are read.
    pub(super) file: usize,
}

impl std::ops::Deref for MentionGraphNode {
    type Target = MentioningPlace;

    fn deref(&self) -> &MentioningPlace {
        &self.place
    }
}

impl MentionGraph {
    /// Reads the version before. All that follows from the content of one file is shared with other versions that have it.
    #[must_use]
    pub(super) fn of(scene: &ScoringContext<'_>) -> Self {
        let mut pair_at: HashMap<(&str, LineRange), usize> = HashMap::new();
        for (index, pair) in scene.changes.pairs.iter().enumerate() {
            if let Some(located) = &pair.before {
                pair_at.insert((&located.file, located.function.lines), index);
            }
        }
        let mut places = Vec::new();
        for (file, read) in scene.scanned_files().files.iter().enumerate() {
            let is_changed = scene.is_changed(&read.path);
            for place in &scene.places_of(read).places {
                let pair_of = |function: &Arc<SyntaxFunction>| pair_at.get(&(&*read.path, function.lines)).copied();
                let pair = place.function().filter(|_| is_changed).and_then(pair_of);
                let sampled = |pair: usize| scene.standings[pair].as_ref().map(|standing| standing.sampled.clone());
                places.push(MentionGraphNode {
                    place: match pair {
                        Some(pair) => Arc::new(place.with_sampled(sampled(pair))),
                        None => Arc::clone(place),
                    },
                    pair,
                    mentions: Vec::new(),
                    file,
                });
            }
        }
        let mentions = mentions(&places, scene);
        for (place, mentions) in places.iter_mut().zip(mentions) {
            place.mentions = mentions;
        }
        Self {
            places,
            newer: NewerMentions::default(),
        }
    }
}

/// For each place, the places that it mentions and that were not sampled.
fn mentions(places: &[MentionGraphNode], scene: &ScoringContext<'_>) -> Vec<Vec<usize>> {
    let files = &scene.scanned_files().files;
    let mut by_word: HashMap<Word, Vec<usize>> = HashMap::new();
    for (index, place) in places.iter().enumerate().filter(|(_, place)| place.sampled().is_none()) {
        for &word in &place.meaning_words {
            by_word.entry(word).or_default().push(index);
        }
    }
    let mentioned = |(index, place): (usize, &MentionGraphNode)| {
        let in_file = &scene.places_of(&files[place.file]).words;
        let meant = place.mentioned_words().iter().filter_map(|word| by_word.get(word));
        let targets = meant.flatten().copied().filter(|&target| target != index);
        let mut mentioned: Vec<usize> = targets
            .filter(|&target| can_mean(place, &places[target], |owner| in_file.contains(owner)))
            .collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        mentioned
    };
    places.iter().enumerate().map(mentioned).collect()
}

/// True if a word in a place can refer to another one: a method's type, or its trait, must be known in that file.
pub(super) fn can_mean(place: &MentioningPlace, target: &MentioningPlace, is_in_file: impl Fn(Word) -> bool) -> bool {
    let Some(owner) = target.owner else {
        return true;
    };
    place.owner == Some(owner) || target.owner_and_trait.iter().any(|&name| is_in_file(name))
}
