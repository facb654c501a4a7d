//! A bounded map that forgets the least recently used entry first. Does not
//! know what it keeps, and takes the caller's word for its size.

use hashbrown::HashMap;
use std::borrow::Borrow;
use std::collections::VecDeque;
use std::hash::Hash;

/// Uses remembered for each entry, on average, before those that no longer count are dropped.
const USES_PER_ENTRY: usize = 4;

/// A map of bounded size.
#[derive(Debug)]
pub(crate) struct LruCache<K, V> {
    capacity: usize,
    entries: HashMap<K, LruEntry<K, V>>,
    /// Oldest first. A key that was used again stands in it more than once; only its last place counts.
    order: VecDeque<(K, u64)>,
    clock: u64,
    bytes: usize,
}

#[derive(Debug)]
struct LruEntry<K, V> {
    key: K,
    value: V,
    bytes: usize,
    used: u64,
}

impl<K: Clone + Eq + Hash, V: Clone> LruCache<K, V> {
    /// Nothing yet, and never more than `capacity` bytes.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: HashMap::new(),
            order: VecDeque::new(),
            clock: 0,
            bytes: 0,
        }
    }

    /// The value of a key, which becomes the most recently used.
    pub(crate) fn find<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.used = self.clock;
        let value = entry.value.clone();
        self.order.push_back((entry.key.clone(), self.clock));
        if self.order.len() > USES_PER_ENTRY * self.entries.len() {
            self.forget_past_uses();
        }
        Some(value)
    }

    /// Keeps a value of so many bytes, instead of what was kept for its key.
    pub(crate) fn insert(&mut self, key: K, value: V, bytes: usize) {
        self.clock += 1;
        let entry = LruEntry {
            key: key.clone(),
            value,
            bytes,
            used: self.clock,
        };
        if let Some(old) = self.entries.insert(key.clone(), entry) {
            self.bytes -= old.bytes;
        }
        self.bytes += bytes;
        self.order.push_back((key, self.clock));
        while self.bytes > self.capacity {
            let Some((oldest, used)) = self.order.pop_front() else {
                break;
            };
            if self.entries.get(&oldest).is_some_and(|entry| entry.used == used)
                && let Some(entry) = self.entries.remove(&oldest)
            {
                self.bytes -= entry.bytes;
            }
        }
    }

    fn forget_past_uses(&mut self) {
        let entries = &self.entries;
        self.order
            .retain(|(key, used)| entries.get(key).is_some_and(|entry| entry.used == *used));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let mut recent: LruCache<u8, u8> = LruCache::new(3);
        for key in 0..3 {
            recent.insert(key, key, 1);
        }
        assert_eq!(recent.find(&0), Some(0));
        recent.insert(3, 3, 1);
        assert_eq!(recent.find(&1), None);
        assert_eq!([0, 2, 3].map(|key| recent.find(&key)), [Some(0), Some(2), Some(3)]);
    }

    #[test]
    fn a_value_takes_the_place_and_the_size_of_the_one_before_it() {
        let mut recent: LruCache<u8, char> = LruCache::new(4);
        recent.insert(0, 'a', 3);
        recent.insert(0, 'b', 1);
        recent.insert(1, 'c', 3);
        assert_eq!((recent.find(&0), recent.find(&1)), (Some('b'), Some('c')));
    }

    #[test]
    fn many_uses_of_one_entry_are_not_remembered_each() {
        let mut recent: LruCache<u8, ()> = LruCache::new(4);
        recent.insert(0, (), 1);
        recent.insert(1, (), 1);
        for _ in 0..1000 {
            recent.find(&0);
        }
        assert!(recent.order.len() <= USES_PER_ENTRY * 2);
        recent.insert(2, (), 3);
        assert_eq!((recent.find(&0), recent.find(&1)), (Some(()), None));
    }
}
