//! A table of which some entries came, went or have another value → the part of it that they are, if no benchmark looks one of
//! them up.
//!
//! Who goes through the table meets the entries in proportion to their number. Who looks an entry up has its key, as a text of
//! a source or of the data that a run reads.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::cost::ScoringContext;
use crate::languages::{LanguageSupport, TableEntry, language_of};
use crate::syntax::{LineRange, SourceFile};

/// Entries that a table has at least, so that one of them says little about what it costs to go through all.
const FEWEST_ENTRIES: usize = 20;

/// Bytes of sources and data that are searched for keys, at most.
const MOST_BYTES: usize = 64 << 20;

impl ScoringContext<'_> {
    /// The part of the entries, from 0 to 1, by which a table of a changed file differs; `None` where it differs otherwise, where a
    /// benchmark may look such an entry up, and where that is not known.
    pub(super) fn part_of_entries_that_differs(&self, file: &str, name: &str) -> Option<f64> {
        let support = language_of(file)?.support();
        let (old_text, new_text) = self.texts_of(file)?;
        let before = table(support, (old_text, self.gone.source(file)?), name)?;
        let after = table(support, (new_text, self.new.source(file)?), name)?;
        let keys = keys_of_others(&before.entries, &after.entries)?;
        let most = before.entries.len().max(after.entries.len());
        if most < FEWEST_ENTRIES {
            return None;
        }
        let rest = [(old_text, before.lines), (new_text, after.lines)].map(|(text, lines)| without_lines(text, lines));
        let texts = self.texts_that_runs_meet(file, rest)?;
        let stands_there = |word: &str| texts.iter().any(|text| text.contains(&word.to_lowercase()));
        // A key of several words is met if all of them are, as a run may put it together or look for it in a text. Numbers and signs
        // may stand anywhere.
        let is_met = |key: &&str| {
            let words = key.split(|sign: char| !sign.is_alphabetic());
            words.filter(|word| !word.is_empty()).all(stands_there)
        };
        (!keys.iter().any(&is_met)).then(|| keys.len() as f64 / most as f64)
    }

    /// The texts, in small letters, of all sources and data that runs read before and after the change; of the changed file those of
    /// `rest`. `None` if they are not known.
    fn texts_that_runs_meet(&self, changed: &str, rest: [Vec<u8>; 2]) -> Option<Vec<String>> {
        let scanned = self.scanned_files();
        if !scanned.is_complete || !self.sample.all_inputs(|record| record.opened.is_complete) {
            return None;
        }
        let mut contents: Vec<Arc<[u8]>> = rest.into_iter().map(Arc::from).collect();
        let others = scanned.files.iter().filter(|file| *file.path != *changed);
        contents.extend(others.clone().map(|file| Arc::clone(&file.bytes)));
        contents.extend(
            self.texts_after_the_change()
                .filter(|(path, _)| **path != *changed)
                .map(|(_, text)| text),
        );
        let is_scanned: BTreeSet<&str> = others.map(|file| &*file.path).chain([changed]).collect();
        let opened: BTreeSet<&str> = (self.sample.inputs.records())
            .flat_map(|(_, record)| record.opened.files.iter().map(String::as_str))
            .filter(|path| !is_scanned.contains(path))
            .collect();
        for path in opened.into_iter().filter(|path| self.before.tree.id(path).is_some()) {
            contents.push(self.before.tree.bytes(path)?);
        }
        for content in self.outside.as_deref()? {
            contents.push(Arc::clone(content.bytes()?));
        }
        if contents.iter().map(|content| content.len()).sum::<usize>() > MOST_BYTES {
            return None;
        }
        let text = |content: Arc<[u8]>| String::from_utf8_lossy(&content).to_lowercase();
        Some(contents.into_iter().map(text).collect())
    }
}

struct Table {
    lines: LineRange,
    entries: Vec<TableEntry>,
}

/// The one table of a name in a source.
fn table(support: &dyn LanguageSupport, (text, source): (&[u8], &SourceFile), name: &str) -> Option<Table> {
    let mut named = source.items.iter().filter(|item| item.name == name);
    let lines = named.next()?.lines;
    if named.next().is_some() {
        return None;
    }
    let skipped = lines.first.checked_sub(1)? as usize;
    let definition: Vec<&[u8]> = (text.split(|&byte| byte == b'\n'))
        .skip(skipped)
        .take((lines.last as usize).saturating_sub(skipped))
        .collect();
    let definition = definition.join(&b'\n');
    let entries = support.table_entries(std::str::from_utf8(&definition).ok()?)?;
    Some(Table { lines, entries })
}

/// A text with empty lines in place of some.
fn without_lines(text: &[u8], lines: LineRange) -> Vec<u8> {
    let kept = (1..).zip(text.split(|&byte| byte == b'\n'));
    let kept: Vec<&[u8]> = kept
        .map(|(at, line)| {
            if (lines.first..=lines.last).contains(&at) {
                &[][..]
            } else {
                line
            }
        })
        .collect();
    kept.join(&b'\n')
}

/// The keys of the entries that only one of two tables has. `None` if the others stand in another order, or an entry has a value
/// that no other one had: nobody knows what is done with it.
fn keys_of_others<'t>(before: &'t [TableEntry], after: &'t [TableEntry]) -> Option<BTreeSet<&'t str>> {
    let [old, new] = [before, after].map(|entries| entries.iter().collect::<HashSet<_>>());
    let kept = |entries: &'t [TableEntry], others: &HashSet<&TableEntry>| -> Vec<&'t TableEntry> {
        entries.iter().filter(|entry| others.contains(entry)).collect()
    };
    let (kept_before, kept_after) = (kept(before, &new), kept(after, &old));
    if kept_before != kept_after {
        return None;
    }
    let values: HashSet<&str> = kept_before.iter().map(|entry| entry.value.as_str()).collect();
    let others = old.symmetric_difference(&new);
    let keys: Option<BTreeSet<&str>> = others
        .map(|entry| values.contains(entry.value.as_str()).then_some(entry.key.as_str()))
        .collect();
    keys.filter(|keys| !keys.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(written: &[(&str, &str)]) -> Vec<TableEntry> {
        let entry = |(key, value): &(&str, &str)| TableEntry {
            key: (*key).to_owned(),
            value: (*value).to_owned(),
        };
        written.iter().map(entry).collect()
    }

    #[test]
    fn entries_like_the_others_are_told_by_their_keys() {
        let before = entries(&[("a", "X"), ("b", "Y"), ("c", "X")]);
        let keys = |after: &[(&str, &str)]| {
            let after = entries(after);
            keys_of_others(&before, &after).map(|keys| keys.into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        let came = [("a", "X"), ("d", "Y"), ("b", "Y"), ("c", "X")];
        assert_eq!(keys(&came), Some(vec!["d".to_owned()]));
        assert_eq!(keys(&came[..1]), None, "no other has the value of `b`");
        assert_eq!(keys(&[("a", "Y"), ("b", "Y"), ("c", "X")]), Some(vec!["a".to_owned()]));
        assert_eq!(keys(&[("a", "Z"), ("b", "Y"), ("c", "X")]), None, "another value");
        assert_eq!(keys(&[("c", "X"), ("b", "Y"), ("a", "X")]), None, "another order");
    }

    #[test]
    fn lines_are_left_out_where_they_stand() {
        let lines = LineRange { first: 2, last: 3 };
        assert_eq!(without_lines(b"a\nb\nc\nd", lines), b"a\n\n\nd");
    }
}
