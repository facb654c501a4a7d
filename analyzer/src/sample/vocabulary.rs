//! A word → a number that stands for it, so that sets of words are held against each other without reading their letters.

use std::sync::{PoisonError, RwLock};

use hashbrown::HashMap;

/// A word of a [`Vocabulary`]. Words of different vocabularies have nothing to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Word(u32);

/// The words that were met so far. Only grows.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: RwLock<HashMap<String, Word>>,
}

impl Vocabulary {
    /// The number of a word.
    pub(crate) fn word(&self, text: &str) -> Word {
        self.known(text).unwrap_or_else(|| {
            let mut words = self.words.write().unwrap_or_else(PoisonError::into_inner);
            let next = Word(u32::try_from(words.len()).expect("a vocabulary has fewer than 2^32 words"));
            *words.entry_ref(text).or_insert(next)
        })
    }

    /// The number of a word that was met.
    pub(crate) fn known(&self, text: &str) -> Option<Word> {
        // A map is whole at every moment a panic could leave it.
        let words = self.words.read().unwrap_or_else(PoisonError::into_inner);
        words.get(text).copied()
    }

    /// How many words there are.
    pub(crate) fn len(&self) -> usize {
        self.words.read().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Words, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WordSet(Box<[Word]>);

impl WordSet {
    pub(crate) fn contains(&self, word: Word) -> bool {
        self.0.binary_search(&word).is_ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn as_slice(&self) -> &[Word] {
        &self.0
    }

    /// The words that another set lacks.
    pub(crate) fn without<'s>(&'s self, others: &'s Self) -> impl Iterator<Item = Word> + 's {
        self.0.iter().copied().filter(|&word| !others.contains(word))
    }
}

impl FromIterator<Word> for WordSet {
    fn from_iter<I: IntoIterator<Item = Word>>(words: I) -> Self {
        let mut words: Vec<Word> = words.into_iter().collect();
        words.sort_unstable();
        words.dedup();
        Self(words.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_keeps_its_number() {
        let vocabulary = Vocabulary::default();
        assert_eq!(vocabulary.known("one"), None);
        let one = vocabulary.word("one");
        assert_ne!(vocabulary.word("other"), one);
        assert_eq!((vocabulary.word("one"), vocabulary.known("one")), (one, Some(one)));
        assert_eq!(vocabulary.len(), 2);
    }

    #[test]
    fn a_set_holds_each_word_once() {
        let vocabulary = Vocabulary::default();
        let set = |text: &str| -> WordSet { text.split(' ').map(|word| vocabulary.word(word)).collect() };
        let (some, others) = (set("a b c b"), set("b d"));
        assert_eq!(some.as_slice().len(), 3);
        assert!(some.contains(vocabulary.word("b")) && !some.contains(vocabulary.word("d")));
        assert_eq!(some.without(&others).collect::<WordSet>(), set("a c"));
    }
}
