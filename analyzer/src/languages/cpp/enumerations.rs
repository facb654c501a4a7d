//! An enumeration of two versions → its cases that came, went or have another number.
//!
//! Code meets a case by its name alone. A number that is not the last of all may follow from the case before it.

use std::collections::{BTreeMap, BTreeSet};

use super::type_layout::TypeText;
use crate::change::ItemPresence;

/// A number beyond may give the whole enumeration another size.
const LARGEST_PLAIN: u32 = 0x7fff;
const FURTHEST_SHIFT: u32 = 14;

/// Signs between the numbers and names of which a case's number is made.
const SIGNS: [&str; 8] = ["(", ")", "+", "-", "|", "&", "*", "<"];

/// The cases that differ between two texts of one enumeration; `None` if something else differs, or if a number may be so large
/// that the enumeration has another size.
pub(super) fn changed_cases(before: &str, after: &str) -> Option<Vec<(String, ItemPresence)>> {
    let (before, after) = (TypeText::of(before)?, TypeText::of(after)?);
    let is_same_around = before.head == after.head && before.tail == after.tail;
    if !before.is_enumeration() || !is_same_around {
        return None;
    }
    let (then, now) = (numbers(&before)?, numbers(&after)?);
    let mut changed: BTreeMap<&str, ItemPresence> = BTreeMap::new();
    for (name, number) in &then {
        match now.get(name) {
            None => drop(changed.insert(name, ItemPresence::Gone)),
            Some(other) if other != number => drop(changed.insert(name, ItemPresence::Kept)),
            Some(_) => {}
        }
    }
    changed.extend(
        now.keys()
            .filter(|name| !then.contains_key(*name))
            .map(|&name| (name, ItemPresence::Added)),
    );
    // Numbers that are made of those of others change with them.
    loop {
        let uses_changed = |number: &CaseNumber<'_>| number.base.iter().any(|word| changed.contains_key(word));
        let more: BTreeSet<&str> = (now.iter())
            .filter(|(name, number)| uses_changed(number) && !changed.contains_key(*name))
            .map(|(&name, _)| name)
            .collect();
        if more.is_empty() {
            break;
        }
        changed.extend(more.into_iter().map(|name| (name, ItemPresence::Kept)));
    }
    Some(
        changed
            .into_iter()
            .map(|(name, presence)| (name.to_owned(), presence))
            .collect(),
    )
}

/// The number of a case: the words of the last one that is stated, and how many cases follow it up to this one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct CaseNumber<'t> {
    base: Vec<&'t str>,
    behind: usize,
}

/// The cases by name; `None` if one is written in another way.
fn numbers<'t>(text: &TypeText<'t>) -> Option<BTreeMap<&'t str, CaseNumber<'t>>> {
    let mut found = BTreeMap::new();
    let mut last = CaseNumber::default();
    for (index, member) in text.members.iter().enumerate() {
        let (name, number) = match member.as_slice() {
            [name] => (name, None),
            [name, "=", number @ ..] => (name, Some(number)),
            _ => return None,
        };
        last = match number {
            Some(number) if is_small(number) => CaseNumber {
                base: number.to_vec(),
                behind: 0,
            },
            Some(_) => return None,
            None if index == 0 => CaseNumber::default(),
            None => CaseNumber {
                behind: last.behind + 1,
                ..last
            },
        };
        found.insert(*name, last.clone());
    }
    Some(found)
}

/// True for a case that leaves its enumeration the size of an `int`.
pub(super) fn is_of_usual_size(case: &[&str]) -> bool {
    match case {
        [_] => true,
        [_, "=", number @ ..] => is_at_most(number, (u32::MAX, u32::BITS - 1)),
        _ => false,
    }
}

/// True for names, and numbers that leave an enumeration its usual size.
fn is_small(number: &[&str]) -> bool {
    is_at_most(number, (LARGEST_PLAIN, FURTHEST_SHIFT))
}

fn is_at_most(number: &[&str], (largest, furthest): (u32, u32)) -> bool {
    let is_shift = |index: usize| index >= 2 && number[index - 2..index] == ["<", "<"];
    number.iter().enumerate().all(|(index, token)| {
        let is_name = token.starts_with(|first: char| first.is_alphabetic() || first == '_');
        is_name
            || SIGNS.contains(token)
            || parsed(token).is_some_and(|value| value <= if is_shift(index) { furthest } else { largest })
    })
}

fn parsed(number: &str) -> Option<u32> {
    let digits = number.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ItemPresence, changed_cases};

    fn changed(before: &str, after: &str) -> Option<String> {
        let of = |cases: &str| format!("enum E {{ {cases} }};");
        let cases = changed_cases(&of(before), &of(after))?;
        let shown = cases.iter().map(|(name, presence)| match presence {
            ItemPresence::Added => format!("+{name}"),
            ItemPresence::Gone => format!("-{name}"),
            ItemPresence::Kept => name.clone(),
        });
        Some(shown.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_case_with_a_number_of_its_own_leaves_the_others() {
        assert_eq!(changed("A = 1, B = 2", "A = 1, C = 4, B = 2,").as_deref(), Some("+C"));
        assert_eq!(changed("A, B, C", "A, B").as_deref(), Some("-C"));
        assert_eq!(changed("A, B = 1 << 2", "A, B = (1 << 3)").as_deref(), Some("B"));
    }

    #[test]
    fn cases_behind_another_have_another_number() {
        assert_eq!(changed("A, B, C", "A, N, B, C").as_deref(), Some("B C +N"));
        assert_eq!(changed("A, B, C = 7, D", "B, C = 7, D").as_deref(), Some("-A B"));
        assert_eq!(
            changed("A = 1, B, C = B | 8, D = C, E", "A = 2, B, C = B | 8, D = C, E").as_deref(),
            Some("A B C D E")
        );
    }

    #[test]
    fn what_is_more_than_a_number_is_not_told() {
        for (before, after) in [
            ("A", "A = 70000"),
            ("A", "A = 1 << 31"),
            ("A", "A = sizeof(int[3])"),
            ("A", "A [[deprecated]]"),
            ("A", "A,\n#if X\nB\n#endif\n"),
        ] {
            assert_eq!(changed(before, after), None, "{after}");
        }
        assert_eq!(changed_cases("enum E { A };", "enum E : char { A, B };"), None);
        assert_eq!(changed_cases("struct E { int a; };", "struct E { int b; };"), None);
    }
}
