//! Types, cases and fields that have another name after → the functions that write it out: what they write is longer or shorter.
//!
//! Reads the source as it is written. A value that is written in a file which did not change is not seen.

use super::changed_sources::{ChangedSources, SourceSide};
use super::function_matching::{FileFunction, FunctionMatch};
use super::item_effects::derives_debug;
use super::items::MatchedItems;
use super::raw_tokens::words;
use crate::syntax::{ItemKind, SyntaxItem};

/// Macros and functions that write the name of a type beside them.
const WRITES_TYPES: [&str; 2] = ["type_name", "type_name_of_val"];

/// Starts of macros that hardly ever run: they end in an error, or are for people who look for one.
const FOR_ERRORS: [&str; 11] = [
    "panic",
    "assert",
    "unreachable",
    "todo",
    "unimplemented",
    "bail",
    "error",
    "warn",
    "debug",
    "trace",
    "eprint",
];

/// The functions, by index after, that write out a name which is another one.
pub(super) fn writers_of_other_names(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    functions: &[FunctionMatch],
    items: &MatchedItems<'_>,
) -> Vec<usize> {
    let mut renamed_types = Vec::new();
    let mut is_printed = false;
    for (old, new) in items.kept() {
        let (ItemKind::Type { fields: was }, ItemKind::Type { fields: is }) = (&old.item.kind, &new.item.kind) else {
            continue;
        };
        let is_renamed = old.item.name != new.item.name;
        if is_renamed {
            renamed_types.push(new.item.name.as_str());
        }
        let has_other_names = || is_renamed || names(was).ne(names(is)) && was.len() == is.len();
        is_printed |= has_other_names() && prints(sources, new.file, new.item);
    }
    if renamed_types.is_empty() && !is_printed {
        return Vec::new();
    }
    let writes = |index: &usize| {
        let function = &placed[SourceSide::After as usize][*index];
        let text = sources.text_of_lines(SourceSide::After, function.file, function.function.lines);
        !function.function.test_only && (is_printed && prints_values(text) || writes_types(text, &renamed_types))
    };
    functions
        .iter()
        .filter_map(|pair| pair.0.and(pair.1))
        .filter(writes)
        .collect()
}

fn names(fields: &[(String, String)]) -> impl Iterator<Item = &str> {
    fields.iter().map(|(name, _)| name.as_str())
}

fn prints(sources: &ChangedSources<'_>, file: usize, item: &SyntaxItem) -> bool {
    !item.test_only && derives_debug(sources, SourceSide::After, file, item)
}

/// True if a text writes values with the names of their types and fields, where it does not end in an error.
fn prints_values(text: &str) -> bool {
    let is_for_errors = |line: &str| {
        let mut pairs = words(line).zip(words(line).skip(1));
        pairs.any(|(name, sign)| sign == "!" && FOR_ERRORS.iter().any(|start| name.starts_with(start)))
    };
    let prints = |line: &str| line.contains(":?}") || line.contains(":#?}") || line.contains("dbg!");
    text.lines().any(|line| prints(line) && !is_for_errors(line))
}

fn writes_types(text: &str, renamed: &[&str]) -> bool {
    WRITES_TYPES.iter().any(|writer| text.contains(writer)) && words(text).any(|word| renamed.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_where_no_error_is_told() {
        assert!(prints_values("out.push_str(&format!(\"{value:?}\"));"));
        assert!(prints_values("dbg!(value)"));
        assert!(prints_values("let debugged = format!(\"{value:?}\");"));
        assert!(!prints_values("panic!(\"{value:?}\")"));
        assert!(!prints_values("format!(\"{value}\")"));
    }
}
