//! A misspelled name → the names of a program that it may have meant. Reads no file.

use std::collections::BTreeSet;

/// Most names suggested for a subject that was not found.
const MOST_SUGGESTIONS: usize = 5;

/// Largest edit distance between last parts of names that counts as a slip.
const LARGEST_SLIP: usize = 2;

/// Names close to a misspelled one, the nearest first.
pub(super) fn nearest_names(names: impl Iterator<Item = String>, wanted: &str) -> Vec<String> {
    let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
    let first = |name: &str| name.split("::").next().unwrap_or_default().to_owned();
    let (wanted_last, wanted_first) = (last(wanted), first(wanted));
    let names: BTreeSet<String> = names.filter(|name| name.contains("::")).collect();
    let mut ranked: Vec<(usize, bool, String)> = (names.into_iter())
        .filter_map(|name| {
            let slips = distance(&last(&name), &wanted_last);
            let other_crate = first(&name) != wanted_first;
            (slips <= LARGEST_SLIP).then_some((slips, other_crate, name))
        })
        .collect();
    ranked.sort();
    (ranked.into_iter())
        .take(MOST_SUGGESTIONS)
        .map(|(.., name)| name)
        .collect()
}

/// Levenshtein's edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{distance, nearest_names};

    #[test]
    fn a_slip_in_the_last_part_is_suggested_and_another_name_is_not() {
        let names = ["count::subject", "count::other", "subject"].map(str::to_owned);
        assert_eq!(nearest_names(names.into_iter(), "count::subjct"), ["count::subject"]);
    }

    proptest! {
        #[test]
        fn the_distance_is_symmetric_and_zero_for_the_same_name(a in "[a-z:]{0,12}", b in "[a-z:]{0,12}") {
            prop_assert_eq!(distance(&a, &a), 0);
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
        }
    }
}
