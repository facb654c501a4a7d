//! The problems of both readings of a changed file → those that may hide a change, and those that both versions have.

use super::changed_sources::{ChangedSources, SourceSide};
use super::function_matching::{FileFunction, FunctionMatch};
use super::model::{ChangeSet, KeptProblem};
use crate::syntax::{LineRange, ParseProblem, TokenDigest};

/// A problem that both versions of a file have with the same text.
#[derive(Debug)]
pub(super) struct ProblemOnBothSides {
    why: String,
    text: TokenDigest,
    lines: [Option<LineRange>; 2],
}

/// The problems of two readings: those that one side alone has, and those that both have.
pub(super) fn divide<'p>(
    before: &'p [ParseProblem],
    after: &'p [ParseProblem],
) -> (Vec<&'p ParseProblem>, Vec<ProblemOnBothSides>) {
    let mut left: Vec<&ParseProblem> = before.iter().collect();
    let (mut alone, mut on_both) = (Vec::new(), Vec::new());
    for problem in after {
        let place = (problem.text).and_then(|text| left.iter().position(|other| other.text == Some(text)));
        match (place, problem.text) {
            (Some(place), Some(text)) => on_both.push(ProblemOnBothSides {
                why: problem.why.clone(),
                text,
                lines: [left.remove(place).lines, problem.lines],
            }),
            _ => alone.push(problem),
        }
    }
    (left.into_iter().chain(alone).collect(), on_both)
}

/// Lists the problems that both versions have: one inside a function that is not the same may hide how it changed.
pub(super) fn list_kept_problems(
    sources: &ChangedSources<'_>,
    placed: &[Vec<FileFunction>; 2],
    matched: &[FunctionMatch],
    set: &mut ChangeSet,
) {
    if (0..sources.len()).all(|file| sources.problems_on_both_sides(file).is_empty()) {
        return;
    }
    let is_same = |(before, after): &FunctionMatch| match (before, after) {
        (Some(before), Some(after)) => placed[0][*before].function.digest == placed[1][*after].function.digest,
        _ => false,
    };
    let mut other = [Vec::new(), Vec::new()];
    for pair in matched.iter().filter(|pair| !is_same(pair)) {
        other[0].extend(pair.0.map(|before| &placed[0][before]));
        other[1].extend(pair.1.map(|after| &placed[1][after]));
    }
    for file in 0..sources.len() {
        for problem in sources.problems_on_both_sides(file) {
            let is_inside = |side: SourceSide| {
                let functions = other[side as usize].iter().filter(|function| function.file == file);
                functions
                    .map(|function| function.function.lines)
                    .any(|lines| problem.touches(side, lines))
            };
            let why = problem.why.clone();
            match is_inside(SourceSide::Before) || is_inside(SourceSide::After) {
                true => set.degrade(sources.file(file), why),
                false => set.kept_problems.push(KeptProblem {
                    file: sources.file(file).to_string(),
                    why,
                    text: problem.text,
                }),
            }
        }
    }
}

impl ProblemOnBothSides {
    /// True if it makes some of these lines unreliable.
    fn touches(&self, side: SourceSide, lines: LineRange) -> bool {
        let of_side = self.lines[side as usize];
        of_side.is_some_and(|own| own.first <= lines.last && lines.first <= own.last)
    }
}
