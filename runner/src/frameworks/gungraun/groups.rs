//! The bytes that a program hands to gungraun's runner → its benchmarks, in the order of their indices.
//!
//! The bytes are a tree of groups, functions and benchmarks between settings that differ from version to version, in
//! bincode: eight bytes of length before each text, a byte 0 or 1 before each optional value. Settings are not decoded.
//! Texts are recognised by their length, groups and functions by the program's own symbols, and a benchmark by the
//! optional name that adjoins the name of its function.

use std::collections::BTreeSet;

/// Longest text that is taken for one.
const LONGEST: u64 = 1 << 16;

/// Bytes before a text that state its length.
const LENGTH: usize = 8;

/// The names that a program has functions for.
#[derive(Debug, Default)]
pub(super) struct ProgramFunctions {
    pub(super) groups: BTreeSet<String>,
    pub(super) functions: BTreeSet<String>,
}

/// The place of the optional name of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdPlace {
    BeforeFunction,
    BehindFunction,
}

/// A benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GroupBenchmark {
    pub(super) group: String,
    pub(super) function: String,
    /// Position of the group.
    pub(super) group_index: usize,
    /// Position of the function in the group.
    pub(super) function_index: usize,
    /// Its own position among those of the function.
    pub(super) index: usize,
    /// Its name, if the function has more than one.
    pub(super) id: Option<String>,
}

impl GroupBenchmark {
    /// `group::function::id`, as the library names it.
    pub(super) fn name(&self) -> String {
        let Self {
            group, function, id, ..
        } = self;
        match id {
            Some(id) => format!("{group}::{function}::{id}"),
            None => format!("{group}::{function}"),
        }
    }
}

/// The benchmarks; an error if the bytes hold a function outside of a group, or the same benchmark twice.
pub(super) fn benchmarks(
    bytes: &[u8],
    place: IdPlace,
    known: &ProgramFunctions,
) -> Result<Vec<GroupBenchmark>, String> {
    let texts = texts(bytes);
    let mut found: Vec<GroupBenchmark> = Vec::new();
    let mut group: Option<&str> = None;
    let mut groups = 0;
    for (at, text) in texts.iter().enumerate() {
        // A function's name is never optional, as an argument and the name of a benchmark are.
        let is_function = known.functions.contains(text.content) && !is_some(bytes, text);
        let id = is_function.then(|| match place {
            IdPlace::BehindFunction => (texts.get(at + 1))
                .filter(|next| next.start == text.end + 1 + LENGTH && bytes[text.end] == 1)
                .map(|next| next.content),
            IdPlace::BeforeFunction => (at.checked_sub(1).map(|at| &texts[at]))
                .filter(|last| last.end + LENGTH == text.start && is_some(bytes, last))
                .map(|last| last.content),
        });
        let (Some(id), Some(group)) = (id, group) else {
            // Where the name of a benchmark stands behind its function, that of a group is not optional.
            let is_argument = place == IdPlace::BehindFunction && is_some(bytes, text);
            if known.groups.contains(text.content) && !is_argument {
                group = Some(text.content);
                groups += 1;
            }
            continue;
        };
        let last = found.last().filter(|last| last.group == group);
        let id = id.map(str::to_owned);
        let (function_index, index) = match last {
            Some(last) if last.function == text.content && id.is_some() => (last.function_index, last.index + 1),
            Some(last) => (last.function_index + 1, 0),
            None => (0, 0),
        };
        let benchmark = GroupBenchmark {
            group: group.to_owned(),
            group_index: groups - 1,
            function: text.content.to_owned(),
            function_index,
            index,
            id,
        };
        if found.iter().any(|other| other.name() == benchmark.name()) {
            return Err(format!("`{}` is in it twice", benchmark.name()));
        }
        found.push(benchmark);
    }
    if found.is_empty() {
        return Err("no function of the program is in what it hands to its runner".to_owned());
    }
    Ok(found)
}

/// A text, with the place of its bytes.
struct Text<'a> {
    start: usize,
    end: usize,
    content: &'a str,
}

/// Everything that may be a text, from the first byte to the last.
fn texts(bytes: &[u8]) -> Vec<Text<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(length) = bytes.get(at..at + LENGTH) {
        let length = u64::from_le_bytes(length.try_into().expect("these are eight bytes"));
        let start = at + LENGTH;
        let content = (1..=LONGEST)
            .contains(&length)
            .then(|| bytes.get(start..start + usize::try_from(length).ok()?))
            .flatten()
            .and_then(|content| std::str::from_utf8(content).ok())
            .filter(|content| !content.contains(char::is_control));
        match content {
            Some(content) => {
                let end = start + content.len();
                found.push(Text { start, end, content });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// True if the text is the value of an option.
fn is_some(bytes: &[u8], text: &Text<'_>) -> bool {
    (text.start.checked_sub(LENGTH + 1)).is_some_and(|tag| bytes[tag] == 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn text(bytes: &mut Vec<u8>, content: &str) {
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(content.bytes());
    }

    fn option(bytes: &mut Vec<u8>, content: Option<&str>) {
        bytes.push(u8::from(content.is_some()));
        if let Some(content) = content {
            text(bytes, content);
        }
    }

    fn count(bytes: &mut Vec<u8>, count: u64) {
        bytes.extend(count.to_le_bytes());
    }

    /// The benchmarks of one function: name, argument and id.
    type Function<'a> = &'a [(&'a str, Option<&'a str>, Option<&'a str>)];

    fn written(place: IdPlace, groups: &[(&str, &[Function<'_>])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        count(&mut bytes, 1);
        text(&mut bytes, "--bench");
        bytes.extend([0; 40]);
        count(&mut bytes, groups.len() as u64);
        for (group, functions) in groups {
            bytes.extend([0; 4]);
            text(&mut bytes, group);
            count(&mut bytes, functions.len() as u64);
            for function in *functions {
                count(&mut bytes, function.len() as u64);
                for (name, argument, id) in *function {
                    match place {
                        IdPlace::BeforeFunction => {
                            option(&mut bytes, *id);
                            text(&mut bytes, name);
                            option(&mut bytes, *argument);
                            bytes.push(0);
                        }
                        IdPlace::BehindFunction => {
                            option(&mut bytes, *argument);
                            bytes.push(0);
                            text(&mut bytes, name);
                            option(&mut bytes, *id);
                        }
                    }
                }
                bytes.push(0);
            }
        }
        bytes
    }

    fn known() -> ProgramFunctions {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        ProgramFunctions {
            groups: set(&["ga", "gb"]),
            functions: set(&["plain", "fib", "sum"]),
        }
    }

    #[test]
    fn benchmarks_are_named_and_numbered_in_both_layouts() {
        for place in [IdPlace::BeforeFunction, IdPlace::BehindFunction] {
            let fib: Function<'_> = &[("fib", Some("10"), Some("short")), ("fib", Some("sum"), Some("long"))];
            let groups: &[(&str, &[Function<'_>])] = &[
                ("ga", &[&[("plain", None, None)], fib]),
                ("gb", &[&[("sum", Some("x"), Some("one"))]]),
            ];
            let found = benchmarks(&written(place, groups), place, &known()).unwrap();
            let told: Vec<(String, usize, usize)> = (found.iter())
                .map(|found| (found.name(), found.function_index, found.index))
                .collect();
            let expected = [
                ("ga::plain", 0, 0),
                ("ga::fib::short", 1, 0),
                ("ga::fib::long", 1, 1),
                ("gb::sum::one", 0, 0),
            ];
            assert_eq!(
                told,
                expected.map(|(name, function, index)| (name.to_owned(), function, index)),
                "{place:?}"
            );
        }
    }

    #[test]
    fn bytes_without_a_known_function_are_refused() {
        assert!(benchmarks(b"", IdPlace::BehindFunction, &known()).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_their_end(bytes: Vec<u8>) {
            let _ = benchmarks(&bytes, IdPlace::BeforeFunction, &known());
        }
    }
}
