//! A program that is executed, and an edit of it that changes no token of a function → its score: a version that computes
//! something else is never said to be without risk.

use std::collections::BTreeMap;

use analyzer::syntax::{ParseCache, SyntaxFunction};

use super::prediction::{ExecutedFunction, Execution, is_without_risk, predict};
use super::programs::{Code, Language, Outcome, Program, Source};
use super::random::Numbers;
use super::sources::blob;

/// Scores a program and an edit of it.
///
/// # Panics
/// If the edit computes something else and is said to be no risk.
pub(crate) fn read(language: &Language, numbers: &mut Numbers) {
    if let Some(edit) = Edit::new(language, numbers) {
        assert!(!edit.is_skipped(language), "no risk:\n{}", edit.shown(language));
    }
}

struct Edit {
    before: Program,
    after: Program,
    /// The run of the program before.
    outcome: Outcome,
}

/// Edits that are tried until one computes something else.
const ATTEMPTS: usize = 200;

impl Edit {
    /// An edit that compiles and computes something else, if the numbers lead to one.
    fn new(language: &Language, numbers: &mut Numbers) -> Option<Self> {
        let before = Program::new(language, numbers);
        let outcome = language.outcome(&before)?;
        let after = (0..ATTEMPTS).find_map(|_| {
            let (edited, run) = before.edited(language, numbers)?;
            (run.value != outcome.value).then_some(edited)
        })?;
        Some(Self { before, after, outcome })
    }

    fn is_skipped(&self, language: &Language) -> bool {
        let (before, after) = (sources(language, &self.before), sources(language, &self.after));
        let executed = executed(language, &before, &self.outcome);
        is_without_risk(&predict(&texts(language, &before), &texts(language, &after), &executed))
    }

    fn shown(&self, language: &Language) -> String {
        let mut shown = String::new();
        for program in [&self.before, &self.after] {
            for (path, source) in language.paths.iter().zip(sources(language, program)) {
                shown.push_str(&format!("--- {path}\n{}", source.text));
            }
        }
        shown
    }
}

fn sources(language: &Language, program: &Program) -> [Source; 3] {
    [0, 1, 2].map(|module| language.source(program, module))
}

fn texts<'s>(language: &Language, sources: &'s [Source; 3]) -> Vec<(&'s str, &'s str)> {
    let texts = sources.iter().map(|source| source.text.as_str());
    language.paths.into_iter().zip(texts).collect()
}

/// The part of its sources that the program executes.
fn executed(language: &Language, sources: &[Source; 3], outcome: &Outcome) -> Execution<'static> {
    let mut executed = Execution::default();
    let mut numbers = BTreeMap::new();
    for (module, (path, source)) in language.paths.into_iter().zip(sources).enumerate() {
        let parsed = ParseCache::default().get(path, &blob(source.text.as_bytes()));
        assert!(parsed.problems.is_empty(), "{:?}: {}", parsed.problems, source.text);
        let code = |function: &SyntaxFunction| {
            let item = source.items.partition_point(|first| *first <= function.lines.first);
            let is_it = |code: &&Code| {
                let path = code.owner.into_iter().chain([code.name]);
                let around = function.path.iter().rev().map(String::as_str);
                code.at == (module, item.wrapping_sub(1)) && path.rev().zip(around).all(|(one, other)| one == other)
            };
            outcome.executed.iter().find(is_it).copied()
        };
        for function in &parsed.functions {
            let Some(code) = code(function) else { continue };
            numbers.insert(code, executed.functions.len());
            executed.functions.push(ExecutedFunction {
                file: path,
                name: language.name(module, &function.path),
                line: function.lines.first,
            });
            let lines = function.lines.first..=function.lines.last;
            executed.lines.extend(lines.map(|line| (path, line)));
        }
        if language.is_loaded && outcome.loaded[module] {
            executed.loaded.push((path, language.module(module)));
        }
    }
    assert_eq!(numbers.len(), outcome.executed.len(), "{:?}", outcome.executed);
    let calls = outcome.calls.iter();
    executed
        .calls
        .extend(calls.map(|(caller, called)| (numbers[caller], numbers[called])));
    executed
}

#[cfg(test)]
mod tests {
    use super::super::programs::{CPP, PYTHON, RUST};
    use super::*;

    /// Programs of each language.
    const PROGRAMS: u64 = 150;

    #[test]
    fn a_version_that_computes_something_else_is_never_without_risk() {
        for (name, language) in [("rust", &RUST), ("python", &PYTHON), ("cpp", &CPP)] {
            let mut edits = 0;
            for number in 0..PROGRAMS {
                if let Some(edit) = Edit::new(language, &mut Numbers::Seeded(number)) {
                    edits += 1;
                    assert!(!edit.is_skipped(language), "{name} {number}:\n{}", edit.shown(language));
                }
            }
            assert!(edits > PROGRAMS / 2, "{name}: {edits}");
        }
    }
}
