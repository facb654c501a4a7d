//! Two texts of one definition → how many times larger its numbers are after a change.
//!
//! A loop or a size may follow a number. Then code that costs little before the change may cost that much more after it.

use std::collections::BTreeSet;

use crate::cost::ScoringContext;
use crate::syntax::LineRange;

/// The largest number that came, as a multiple of the largest that went; at least 1. Numbers that are written in other ways
/// than in tens are taken for masks and codes.
pub(super) fn value_growth(before: &str, after: &str) -> f64 {
    let (old, new) = (numbers(before), numbers(after));
    let largest = |of: &BTreeSet<u64>, but: &BTreeSet<u64>| of.difference(but).max().copied();
    let Some(came) = largest(&new, &old) else {
        return 1.0;
    };
    let went = largest(&old, &new).unwrap_or(came);
    (came as f64 / went.max(1) as f64).max(1.0)
}

impl ScoringContext<'_> {
    /// The growth of the numbers in some lines of a file before the change, where they are other lines after it.
    pub(super) fn value_growth_between(&self, file: &str, before: LineRange, after: LineRange) -> f64 {
        let Some((old, new)) = self.texts_of(file) else {
            return 1.0;
        };
        value_growth(&lines(old, before), &lines(new, after))
    }

    /// The growth of the numbers of the items of a name in a changed file.
    pub(super) fn value_growth_of_items(&self, file: &str, name: &str) -> f64 {
        let Some((old, new)) = self.texts_of(file) else {
            return 1.0;
        };
        let [before, after] = [(&self.gone, old), (&self.new, new)].map(|(side, text)| {
            let items = side.source(file).into_iter().flat_map(|source| &source.items);
            let named = items.filter(|item| item.name == name);
            named.map(|item| lines(text, item.lines)).collect::<String>()
        });
        value_growth(&before, &after)
    }
}

/// Some lines of a text.
fn lines(text: &[u8], lines: LineRange) -> String {
    let (first, last) = (lines.first.max(1) as usize, lines.last as usize);
    let all = text.split(|&byte| byte == b'\n');
    let chosen: Vec<&[u8]> = all.skip(first - 1).take((last + 1).saturating_sub(first)).collect();
    String::from_utf8_lossy(&chosen.join(&b'\n')).into_owned()
}

/// The whole numbers of a text that are written in tens.
fn numbers(text: &str) -> BTreeSet<u64> {
    let is_part = |part: char| part.is_alphanumeric() || part == '_';
    text.split(|part: char| !is_part(part))
        .filter(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .filter_map(|word| {
            let digits: String = word.chars().filter(|part| *part != '_').collect();
            let end = digits.find(|part: char| !part.is_ascii_digit()).unwrap_or(digits.len());
            let (number, suffix) = digits.split_at(end);
            let is_in_tens = suffix.is_empty() || suffix.starts_with(['u', 'i']);
            is_in_tens.then(|| number.parse().ok())?
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_that_of_the_numbers_that_differ() {
        assert_eq!(value_growth("const A: u64 = 8;", "const A: u64 = 8_000;"), 1000.0);
        assert_eq!(value_growth("a[1000] + 2", "a[1000] + 6"), 3.0);
        assert_eq!(value_growth("f(0)", "f(50usize)"), 50.0);
        assert_eq!(value_growth("f(50)", "f(5)"), 1.0);
        assert_eq!(value_growth("f(x)", "f(50)"), 1.0, "nobody knows what it was");
    }

    #[test]
    fn masks_and_names_are_no_numbers() {
        assert_eq!(value_growth("x & 0x0f", "x & 0xffff_ffff"), 1.0);
        assert_eq!(value_growth("u8", "u64"), 1.0);
    }
}
