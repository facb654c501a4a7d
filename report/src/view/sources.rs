//! Source texts of functions by version → the columns of `Sources`: each text once, and the line diffs between any two
//! texts of one function.

use std::collections::{BTreeMap, HashMap};

use analyzer::outline::{FunctionDefinition, SourceOutline};
use imara_diff::{Algorithm, Diff, InternedInput};
use serde::Serialize;

use super::functions::ViewFunctionTable;
use super::number_codes::LineKind;
use super::string_table::NONE;

/// Texts of one function between which all diffs are made; of those with more, only neighbours are.
const MOST_TEXTS: usize = 12;

/// Source texts of functions, by version. A row says: from `version` on, the text of `function` is `text`.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Sources"))]
pub(super) struct SourcesPayload {
    /// Each text once, lines separated by "\n".
    texts: Vec<String>,
    /// Language of highlighting: "rust", "python", …
    language: &'static str,
    function: Vec<u32>,
    version: Vec<usize>,
    /// Index into `texts`; -1 if there is no source from this version on.
    text: Vec<i64>,
    /// Line of the text's first line in the file.
    line: Vec<u32>,
    diffs: SourceDiffsPayload,
}

/// Line diffs of two texts.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SourceDiffs"))]
struct SourceDiffsPayload {
    before: Vec<i64>,
    after: Vec<i64>,
    /// Runs of lines, [[kind, count], …] flattened; `kind` is a `LineKind`.
    runs: Vec<Vec<u32>>,
}

/// Gathers the texts of functions. `outlines` are the sources of some versions, oldest first.
pub(super) fn sources_payload(
    outlines: &[(usize, SourceOutline)],
    functions: &ViewFunctionTable<'_>,
) -> SourcesPayload {
    let mut shown = SourcesPayload::default();
    let mut numbers: HashMap<String, i64> = HashMap::new();
    let mut languages: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (name, known) in functions.iter() {
        let Some(function) = functions.number(name).filter(|_| !known.external) else {
            continue;
        };
        let (mut last, mut texts) = (NONE, Vec::new());
        for (version, outline) in outlines {
            let definitions = outline.definitions_of(name);
            let (number, line) = match definitions.first() {
                None => (NONE, 0),
                Some(first) => {
                    *languages.entry(first.language.highlighter()).or_default() += 1;
                    let text = joined(definitions);
                    let next = i64::try_from(shown.texts.len()).unwrap_or(NONE);
                    let number = *numbers.entry(text).or_insert_with_key(|text| {
                        shown.texts.push(text.clone());
                        next
                    });
                    (number, first.lines.first)
                }
            };
            if number != last {
                shown.function.push(function);
                shown.version.push(*version);
                shown.text.push(number);
                shown.line.push(line);
                texts.push(number);
                last = number;
            }
        }
        texts.retain(|number| *number != NONE);
        shown.add_diffs(&texts);
    }
    let common = languages.into_iter().max_by_key(|(_, count)| *count);
    shown.language = common.map_or("", |(language, _)| language);
    shown
}

impl SourcesPayload {
    /// The versions after `before`, up to `after`, from which on a function has another text or none.
    pub(super) fn changes_of(&self, function: u32, before: usize, after: usize) -> Vec<usize> {
        let rows = self.function.iter().zip(&self.version);
        rows.filter(|(of, version)| **of == function && **version > before && **version <= after)
            .map(|(_, version)| *version)
            .collect()
    }

    /// Adds the diffs between the texts of one function, given in the order of versions.
    fn add_diffs(&mut self, texts: &[i64]) {
        let mut distinct = texts.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let pairs: Vec<(i64, i64)> = if distinct.len() <= MOST_TEXTS {
            let all = |&before: &i64| distinct.iter().map(move |&after| (before, after));
            distinct.iter().flat_map(all).collect()
        } else {
            texts.windows(2).map(|pair| (pair[0], pair[1])).collect()
        };
        for (before, after) in pairs {
            let text = |number: i64| usize::try_from(number).ok().and_then(|at| self.texts.get(at));
            if let (Some(old), Some(new)) = (text(before), text(after))
                && before != after
            {
                let runs = runs(old, new);
                self.diffs.before.push(before);
                self.diffs.after.push(after);
                self.diffs.runs.push(runs);
            }
        }
    }
}

/// The bodies of one name, one below the other.
fn joined(definitions: &[std::sync::Arc<FunctionDefinition>]) -> String {
    let texts: Vec<&str> = (definitions.iter()).map(|one| one.text.as_str()).collect();
    texts.join("\n\n")
}

/// Two texts into runs of lines, flattened: a kind, and how many.
fn runs(before: &str, after: &str) -> Vec<u32> {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let mut runs = Vec::new();
    let mut add = |kind: LineKind, count: u32| {
        if count > 0 {
            runs.extend([kind as u32, count]);
        }
    };
    let mut done = 0;
    for hunk in diff.hunks() {
        add(LineKind::Both, hunk.before.start - done);
        add(LineKind::OnlyBefore, hunk.before.end - hunk.before.start);
        add(LineKind::OnlyAfter, hunk.after.end - hunk.after.start);
        done = hunk.before.end;
    }
    let all = u32::try_from(input.before.len()).unwrap_or(u32::MAX);
    add(LineKind::Both, all - done);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_runs_of_lines() {
        assert_eq!(runs("a\nb\nc", "a\nx\ny\nc"), [0, 1, 1, 1, 2, 2, 0, 1]);
        assert_eq!(runs("a", "a"), [0, 1]);
        assert_eq!(runs("", "a\nb"), [2, 2]);
        assert_eq!(runs("a\nb", "b"), [1, 1, 0, 1]);
    }

    #[test]
    fn a_change_of_a_function_is_at_the_versions_that_begin_a_text() {
        let sources = SourcesPayload {
            function: vec![7, 7, 8, 7],
            version: vec![0, 2, 3, 5],
            ..SourcesPayload::default()
        };
        assert_eq!(sources.changes_of(7, 0, 5), [2, 5]);
        assert_eq!(sources.changes_of(7, 2, 4), [0; 0]);
        assert_eq!(sources.changes_of(8, 0, 3), [3]);
    }

    #[test]
    fn every_line_is_in_a_run() {
        let (before, after) = ("fn f() {\n    a();\n}", "fn f() {\n    b();\n    a();\n}");
        let runs = runs(before, after);
        let of = |kinds: [LineKind; 2]| -> u32 {
            let kinds = kinds.map(|kind| kind as u32);
            let pairs = runs.chunks(2).filter(|pair| kinds.contains(&pair[0]));
            pairs.map(|pair| pair[1]).sum()
        };
        assert_eq!(of([LineKind::Both, LineKind::OnlyBefore]), 3);
        assert_eq!(of([LineKind::Both, LineKind::OnlyAfter]), 4);
    }
}
