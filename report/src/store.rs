//! The contents of a profile store → a listing.

use anstyle::Style;
use serde::Serialize;
use verdict::SpentTotal;

use crate::json_document::json_document;
use crate::style::{BAD, FAINT, GOOD, UNSURE};
use crate::table::{TableColumn, table};
use crate::{number_format, text};

/// Columns of a reason before it is cut.
const REASON: usize = 60;

/// One sampled version.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SampleListEntry {
    /// The version.
    pub commit: String,
    /// Identifies the environment it was sampled in.
    pub environment: String,
    /// Its state.
    pub state: SampleListState,
    /// The profiler, with its version.
    pub profiler: String,
    /// Benchmarks with a profile.
    pub benchmarks: usize,
    /// Benchmarks without a profile, with the reason.
    pub problems: Vec<String>,
}

/// State of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleListState {
    /// Every benchmark was tried.
    Complete,
    /// Some benchmarks are still to be profiled; never a baseline.
    Incomplete,
    /// The version did not build.
    Unbuildable,
}

/// The costs of the kept verdicts together, in one sentence; `None` without a verdict. Skipped versions are not kept, so that
/// what was saved on them is not told.
#[must_use]
pub fn verdict_costs(total: SpentTotal, width: Option<usize>) -> Option<String> {
    let line = verdict_costs_line(total)?;
    Some(text::wrapped(&line, width.unwrap_or(usize::MAX)).join("\n"))
}

fn verdict_costs_line(total: SpentTotal) -> Option<String> {
    if total.judgements == 0 {
        return None;
    }
    let kept = number_format::counted_noun(total.judgements, "kept verdict");
    if total.compared == 0 {
        return Some(format!("{kept}; what counting everything takes is not known yet"));
    }
    let saved = total.everything - total.seconds;
    let direction = if saved >= 0.0 { "less" } else { "more" };
    let compared = match total.compared {
        all if all == total.judgements => String::new(),
        some => format!(" for {some} of them"),
    };
    Some(format!(
        "{kept}: {}{compared}, {} {direction} than counting every benchmark at both versions ({}, modelled); skipped \
         versions are not kept and not counted here",
        number_format::duration(total.seconds),
        number_format::duration(saved.abs()),
        number_format::duration(total.everything),
    ))
}

/// The listing for a terminal.
#[must_use]
pub fn human(samples: &[SampleListEntry], width: Option<usize>) -> String {
    let columns = [
        TableColumn::Words("version"),
        TableColumn::Words("state"),
        TableColumn::Figures("benchmarks"),
        TableColumn::Words("profiler"),
        TableColumn::Words("environment"),
        TableColumn::Words("problems"),
    ];
    let rows = samples.iter().map(|s| {
        let (style, state) = state(s.state);
        vec![
            (Style::new(), text::short_id(&s.commit).into_owned()),
            (style, state.to_owned()),
            (Style::new(), s.benchmarks.to_string()),
            (Style::new(), text::safe(&s.profiler).into_owned()),
            (FAINT, text::short_id(&s.environment).into_owned()),
            (UNSURE, problems(s)),
        ]
    });
    table(&columns, rows.collect(), width)
}

/// The listing as a markdown table.
#[must_use]
pub fn markdown(samples: &[SampleListEntry]) -> String {
    let mut out = String::from(
        "| version | state | benchmarks | profiler | environment | problems |\n|---|---|---:|---|---|---|\n",
    );
    for s in samples {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            text::markdown_code(&text::short_id(&s.commit)),
            state(s.state).1,
            s.benchmarks,
            text::markdown_prose(&s.profiler),
            text::markdown_code(&text::short_id(&s.environment)),
            text::markdown_prose(&problems(s))
        ));
    }
    out
}

/// A sample that a cleanup of the store removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleRemoval {
    /// The version.
    pub commit: String,
    /// Identifies the environment it was sampled in.
    pub environment: String,
    /// Benchmarks with a profile.
    pub benchmarks: usize,
    /// Why it goes.
    pub why: String,
}

/// The samples that go, for a terminal.
#[must_use]
pub fn removals(samples: &[SampleRemoval], width: Option<usize>) -> String {
    let columns = [
        TableColumn::Words("version"),
        TableColumn::Figures("benchmarks"),
        TableColumn::Words("environment"),
        TableColumn::Words("why it goes"),
    ];
    let rows = samples.iter().map(|sample| {
        vec![
            (Style::new(), text::short_id(&sample.commit).into_owned()),
            (Style::new(), sample.benchmarks.to_string()),
            (FAINT, text::short_id(&sample.environment).into_owned()),
            (Style::new(), text::safe(&sample.why).into_owned()),
        ]
    });
    table(&columns, rows.collect(), width)
}

/// The listing as a JSON array.
#[must_use]
pub fn json(samples: &[SampleListEntry]) -> String {
    json_document(samples)
}

/// The first line of the first problem, and how many more problems there are.
fn problems(sample: &SampleListEntry) -> String {
    let Some((first, more)) = sample.problems.split_first() else {
        return String::new();
    };
    let line = first.lines().next().unwrap_or_default();
    let reason = text::cut_end(&text::safe(line), REASON).into_owned();
    match more.len() {
        0 => reason,
        more => format!("{reason} (and {more} more)"),
    }
}

fn state(state: SampleListState) -> (Style, &'static str) {
    match state {
        SampleListState::Complete => (GOOD, "complete"),
        SampleListState::Incomplete => (UNSURE, "incomplete"),
        SampleListState::Unbuildable => (BAD, "not built"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_verdicts_tell_what_they_cost_and_against_what() {
        assert_eq!(verdict_costs(SpentTotal::default(), None), None);
        let total = SpentTotal {
            judgements: 3,
            compared: 2,
            seconds: 30.0,
            everything: 90.0,
        };
        let line = verdict_costs(total, None).unwrap_or_default();
        assert!(
            line.starts_with("3 kept verdicts: 30 s for 2 of them, 1 min 0 s less"),
            "{line}"
        );
        let unknown = SpentTotal { compared: 0, ..total };
        let line = verdict_costs(unknown, None).unwrap_or_default();
        assert!(line.contains("not known yet") && !line.contains("less"), "{line}");
    }

    #[test]
    fn a_sample_tells_its_first_problem() {
        let sample = SampleListEntry {
            commit: "a".repeat(40),
            environment: "b".repeat(32),
            profiler: String::from("probes-1"),
            state: SampleListState::Unbuildable,
            benchmarks: 0,
            problems: vec![String::from("error[E0432]: unresolved\nimport"), String::from("x")],
        };
        let text = human(std::slice::from_ref(&sample), None);
        assert!(text.contains("error[E0432]: unresolved (and 1 more)"), "{text}");
        assert_eq!(markdown(&[sample]).lines().count(), 3);
    }
}
