//! A type of two versions → its constants that came, went or have another value.
//!
//! Code meets such a constant by its name alone: it takes no place in the values of the type.

use std::collections::BTreeMap;

use super::type_layout::{PLAIN_WORDS, TypeText, is_word};
use crate::change::ItemPresence;

/// Constants that the standard library asks of any type.
const ASKED_BY_THE_LIBRARY: [&str; 3] = ["is_specialized", "is_steady", "value"];

/// The constants that differ between two texts of one type; `None` if something else differs.
pub(super) fn changed_constants(before: &str, after: &str) -> Option<Vec<(String, ItemPresence)>> {
    let (before, after) = (TypeText::of(before)?, TypeText::of(after)?);
    let is_same_around = before.head == after.head && before.tail == after.tail;
    if before.is_enumeration() || !is_same_around || is_specialisation(&before.head) {
        return None;
    }
    let [(then, others), (now, others_now)] = [&before, &after].map(divided);
    if others != others_now {
        return None;
    }
    let mut changed: BTreeMap<&str, ItemPresence> = BTreeMap::new();
    for (name, constant) in &then {
        match now.get(name) {
            None => drop(changed.insert(name, ItemPresence::Gone)),
            Some(other) if other != constant => drop(changed.insert(name, ItemPresence::Kept)),
            Some(_) => {}
        }
    }
    let came = now.keys().filter(|name| !then.contains_key(*name));
    changed.extend(came.map(|&name| (name, ItemPresence::Added)));
    let found = changed.into_iter().map(|(name, presence)| (name.to_owned(), presence));
    Some(found.collect())
}

/// The constants of a type by name, and its other members.
type DividedMembers<'m, 't> = (BTreeMap<&'t str, &'m [&'t str]>, Vec<&'m [&'t str]>);

fn divided<'m, 't>(text: &'m TypeText<'t>) -> DividedMembers<'m, 't> {
    let mut constants = BTreeMap::new();
    let mut others = Vec::new();
    for member in &text.members {
        match constant_name(member) {
            Some(name) => drop(constants.insert(name, member.as_slice())),
            None => others.push(member.as_slice()),
        }
    }
    (constants, others)
}

/// The name of `static const int name = …`, of a plain type and a value that no function computes.
fn constant_name<'t>(member: &[&'t str]) -> Option<&'t str> {
    let at = member.iter().position(|token| *token == "=")?;
    let (name, of_type) = member[..at].split_last()?;
    let is_plain =
        |token: &&str| PLAIN_WORDS.contains(token) || matches!(*token, "static" | "constexpr" | "inline" | ":");
    let is_constant = of_type.contains(&"static") && (of_type.contains(&"const") || of_type.contains(&"constexpr"));
    let is_computed = member[at..].iter().any(|token| matches!(*token, "(" | "{" | "<"));
    (is_constant
        && is_word(name)
        && of_type.iter().all(is_plain)
        && !is_computed
        && !ASKED_BY_THE_LIBRARY.contains(name))
    .then_some(*name)
}

/// True for the head of a specialisation, which templates look for: `struct Traits<int>`.
fn is_specialisation(head: &[&str]) -> bool {
    let at = head
        .iter()
        .rposition(|token| matches!(*token, "class" | "struct" | "union"));
    let behind = at.map_or(head, |at| &head[at + 1..]);
    let own = behind.split(|token| *token == ":").next().unwrap_or_default();
    own.contains(&"<")
}

#[cfg(test)]
mod tests {
    use super::{ItemPresence, changed_constants};

    fn changed(before: &str, after: &str) -> Option<Vec<(String, ItemPresence)>> {
        let of = |members: &str| format!("class S : public T<int> {{ public: int f(); {members} int a; }};");
        changed_constants(&of(before), &of(after))
    }

    #[test]
    fn constants_that_come_go_or_change_are_named() {
        let one = |name: &str, presence| Some(vec![(name.to_owned(), presence)]);
        let deep = "static const size_t kDeep = 32;";
        assert_eq!(changed("", deep), one("kDeep", ItemPresence::Added));
        assert_eq!(changed(deep, ""), one("kDeep", ItemPresence::Gone));
        assert_eq!(
            changed(deep, "static constexpr int kDeep = 512;"),
            one("kDeep", ItemPresence::Kept)
        );
        let two = [
            format!("{deep} static constexpr std::size_t kWide = 4;"),
            format!("static constexpr std::size_t kWide = 4; private: {deep}"),
        ];
        assert_eq!(changed(&two[0], &two[1]), Some(Vec::new()));
    }

    #[test]
    fn what_is_more_than_a_constant_is_not_taken_for_one() {
        for member in [
            "static int count;",
            "static int count = 3;",
            "static const Table table = {};",
            "static constexpr int size = sizes(3);",
            "static constexpr bool value = true;",
            "const int most = 3;",
            "int b;",
        ] {
            assert_eq!(changed("", member), None, "{member}");
        }
        let traits = |value: u8| format!("struct Traits<char> {{ static const int size = {value}; }};");
        assert_eq!(changed_constants(&traits(1), &traits(2)), None);
    }
}
