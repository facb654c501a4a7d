//! What a profile store holds into a listing.

use anstyle::Style;
use serde::Serialize;

use crate::number;
use crate::style::{BAD, FAINT, GOOD, UNSURE};
use crate::table::{Column, table};
use crate::text;

/// One sampled version.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    /// The version.
    pub commit: String,
    /// The environment it was sampled in, shortened.
    pub environment: String,
    /// How it stands.
    pub state: State,
    /// Benchmarks with a profile.
    pub benchmarks: usize,
    /// Benchmarks without one, each with the reason.
    pub failures: Vec<String>,
    /// Size of the stored profiles, in bytes.
    pub bytes: u64,
    /// What taking it cost, in seconds, the build included; `None` where it was not recorded.
    pub seconds: Option<f64>,
}

/// How a sample stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Every benchmark has its profile.
    Complete,
    /// Some benchmarks failed or are still to be profiled; never a baseline.
    Incomplete,
    /// The version did not build.
    Unbuildable,
}

/// The listing for a terminal, newest first.
#[must_use]
pub fn human(samples: &[Sample], width: Option<usize>) -> String {
    let columns = [
        Column::Words("version"),
        Column::Words("state"),
        Column::Figures("benchmarks"),
        Column::Figures("size"),
        Column::Figures("cost"),
        Column::Words("environment"),
        Column::Words(""),
    ];
    let rows = samples.iter().map(|s| {
        let (style, state) = state(s.state);
        vec![
            (Style::new(), text::short_id(&s.commit).into_owned()),
            (style, state.to_owned()),
            (Style::new(), s.benchmarks.to_string()),
            (FAINT, number::bytes(s.bytes)),
            (
                FAINT,
                s.seconds
                    .map_or_else(|| String::from("-"), number::duration),
            ),
            (FAINT, text::short_id(&s.environment).into_owned()),
            (
                UNSURE,
                s.failures
                    .first()
                    .map(|why| text::cut_end(&text::safe(why), 60).into_owned())
                    .unwrap_or_default(),
            ),
        ]
    });
    table(&columns, rows.collect(), width)
}

/// The listing as a markdown table.
#[must_use]
pub fn markdown(samples: &[Sample]) -> String {
    let mut out = String::from(
        "| version | state | benchmarks | size | cost | environment | why |\n|---|---|---:|---:|---:|---|---|\n",
    );
    for s in samples {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            text::markdown_code(&text::short_id(&s.commit)),
            state(s.state).1,
            s.benchmarks,
            number::bytes(s.bytes),
            s.seconds
                .map_or_else(|| String::from("-"), number::duration),
            text::markdown_code(&text::short_id(&s.environment)),
            s.failures
                .first()
                .map(|why| text::markdown_prose(why))
                .unwrap_or_default()
        ));
    }
    out
}

/// The listing as a JSON array.
#[must_use]
pub fn json(samples: &[Sample]) -> String {
    let mut out =
        serde_json::to_string_pretty(samples).expect("strings and numbers are always encoded");
    out.push('\n');
    out
}

fn state(state: State) -> (Style, &'static str) {
    match state {
        State::Complete => (GOOD, "complete"),
        State::Incomplete => (UNSURE, "incomplete"),
        State::Unbuildable => (BAD, "not built"),
    }
}
