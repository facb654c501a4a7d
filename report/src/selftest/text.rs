//! The tables of a self-test, for a terminal, as markdown and as JSON.

use anstyle::Style;

use super::model::{Cell, Identical, Measured, Power, Rate, Selftest, Trial};
use crate::number;
use crate::score::{Page, words};
use crate::style::{BAD, FAINT, STRONG, UNSURE, paint};
use crate::table::{Column, table};
use crate::text;

/// Failures of one sort that are listed; the JSON has all of them.
const LISTED: usize = 10;

/// A table before it is laid out: headings, and rows of words and figures.
struct Listing {
    title: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<(Style, String)>>,
}

/// The tables for a terminal.
#[must_use]
pub fn human(selftest: &Selftest, page: Page) -> String {
    let mut out = String::new();
    for listing in listings(selftest) {
        out.push_str(&paint(STRONG, listing.title));
        out.push_str("\n\n");
        out.push_str(&table(&listing.columns, listing.rows, page.width));
        out.push('\n');
    }
    for line in sentences(selftest) {
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// The tables as markdown.
#[must_use]
pub fn markdown(selftest: &Selftest) -> String {
    let mut out = String::new();
    for listing in listings(selftest) {
        let (mut heads, mut rules) = (String::from("|"), String::from("|"));
        for column in &listing.columns {
            let (name, rule) = match column {
                Column::Words(name) => (name, "---|"),
                Column::Figures(name) => (name, "---:|"),
            };
            heads.push_str(&format!(" {name} |"));
            rules.push_str(rule);
        }
        out.push_str(&format!("### {}\n\n{heads}\n{rules}\n", listing.title));
        for row in listing.rows {
            let cells: Vec<String> = row
                .iter()
                .map(|(_, cell)| text::markdown_prose(cell).to_string())
                .collect();
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        out.push('\n');
    }
    for line in sentences(selftest) {
        out.push_str(&format!("- {}\n", text::markdown_prose(&line)));
    }
    out
}

/// The contract `lito.selftest/1`, a newline at its end.
#[must_use]
pub fn json(selftest: &Selftest) -> String {
    let mut out = serde_json::to_string_pretty(selftest).expect("strings and numbers are always encoded");
    out.push('\n');
    out
}

fn listings(selftest: &Selftest) -> Vec<Listing> {
    let mut listings = Vec::new();
    if !selftest.identical.is_empty() {
        listings.push(identical(&selftest.identical));
    }
    if !selftest.cells.is_empty() {
        listings.push(planted(&selftest.cells));
    }
    if !selftest.power.is_empty() {
        listings.push(sized("Planted changes of known size", &selftest.power));
    }
    if !selftest.lengthened.is_empty() {
        let title = "Identical versions, the head's times made longer";
        listings.push(sized(title, &selftest.lengthened));
    }
    let all = || selftest.seeds.iter().chain(&selftest.sized);
    listings.extend(missed(
        "Missed by the score",
        all().filter(|trial| {
            trial
                .compared()
                .is_some_and(|compared| compared.moved && !compared.caught)
        }),
    ));
    listings.extend(missed(
        "Wrong verdicts",
        all().filter(|trial| trial.compared().is_some_and(|compared| !compared.right)),
    ));
    listings.extend(unmeasured(all()));
    listings
}

fn identical(identical: &[Identical]) -> Listing {
    Listing {
        title: "Identical versions",
        columns: vec![
            Column::Words("metric"),
            Column::Figures("comparisons"),
            Column::Figures("false alarms"),
            Column::Figures("95% interval"),
            Column::Figures("largest change"),
            Column::Figures("undecided"),
        ],
        rows: identical
            .iter()
            .map(|identical| {
                let alarms = identical.false_alarms();
                let style = if alarms.hits > 0 { BAD } else { Style::new() };
                vec![
                    (Style::new(), identical.metric.to_string()),
                    (Style::new(), alarms.of.to_string()),
                    (style, alarms.hits.to_string()),
                    (FAINT, interval(alarms)),
                    (Style::new(), number::change(identical.largest)),
                    (Style::new(), identical.undecided.to_string()),
                ]
            })
            .collect(),
    }
}

fn planted(cells: &[Cell]) -> Listing {
    Listing {
        title: "Planted changes",
        columns: vec![
            Column::Words("kind"),
            Column::Words("place"),
            Column::Figures("planted"),
            Column::Figures("compiled"),
            Column::Figures("moved"),
            Column::Figures("of these flagged"),
            Column::Figures("95% interval"),
            Column::Figures("flagged in vain"),
            Column::Figures("verdict right"),
        ],
        rows: cells
            .iter()
            .map(|cell| {
                let kind = cell.kind.map_or("all", words::kind);
                let place = cell.place.map_or("all", |place| place.name());
                let total = cell.kind.is_none();
                let style = if total { STRONG } else { Style::new() };
                vec![
                    (style, kind.to_owned()),
                    (style, place.to_owned()),
                    (style, cell.compiled.of.to_string()),
                    (complete(cell.compiled, UNSURE), cell.compiled.hits.to_string()),
                    (style, cell.moved.hits.to_string()),
                    (complete(cell.recall, BAD), share(cell.recall)),
                    (FAINT, interval(cell.recall)),
                    (Style::new(), share(cell.flagged_in_vain)),
                    (complete(cell.right, BAD), share(cell.right)),
                ]
            })
            .collect(),
    }
}

fn sized(title: &'static str, power: &[Power]) -> Listing {
    Listing {
        title,
        columns: vec![
            Column::Words("metric"),
            Column::Figures("made"),
            Column::Figures("found"),
            Column::Figures("95% interval"),
            Column::Figures("measured from"),
            Column::Figures("to"),
            Column::Figures("cost something else"),
        ],
        rows: power
            .iter()
            .map(|power| {
                let change = |value: Option<f64>| value.map_or_else(dash, number::change);
                vec![
                    (Style::new(), power.metric.to_string()),
                    (Style::new(), number::change(power.share)),
                    (complete(power.found, BAD), share(power.found)),
                    (FAINT, interval(power.found)),
                    (Style::new(), change(power.smallest)),
                    (Style::new(), change(power.largest)),
                    (FAINT, power.otherwise.to_string()),
                ]
            })
            .collect(),
    }
}

/// Planted changes with what was measured of them; nothing if there is none.
fn missed<'t>(title: &'static str, trials: impl Iterator<Item = &'t Trial>) -> Option<Listing> {
    let rows: Vec<_> = trials
        .take(LISTED)
        .filter_map(|trial| {
            let compared = trial.compared()?;
            Some(vec![
                (Style::new(), text::safe(&trial.function).into_owned()),
                (Style::new(), text::safe(&trial.description).into_owned()),
                (Style::new(), number::probability(trial.probability)),
                (Style::new(), text::safe(&compared.benchmark).into_owned()),
                (Style::new(), number::change(compared.change())),
            ])
        })
        .collect();
    (!rows.is_empty()).then(|| Listing {
        title,
        columns: vec![
            Column::Words("function"),
            Column::Words("planted"),
            Column::Figures("risk"),
            Column::Words("benchmark"),
            Column::Figures("measured"),
        ],
        rows,
    })
}

fn unmeasured<'t>(trials: impl Iterator<Item = &'t Trial>) -> Option<Listing> {
    let rows: Vec<_> = trials
        .filter_map(|trial| {
            let (what, why) = match &trial.measured {
                Measured::NotCompiled(why) => ("does not compile", why),
                Measured::Failed(why) => ("not measured", why),
                Measured::Changes(_) => return None,
            };
            let first = why.lines().next().unwrap_or_default();
            Some(vec![
                (Style::new(), text::safe(&trial.function).into_owned()),
                (Style::new(), text::safe(&trial.description).into_owned()),
                (UNSURE, what.to_owned()),
                (FAINT, text::safe(first).into_owned()),
            ])
        })
        .take(LISTED)
        .collect();
    (!rows.is_empty()).then(|| Listing {
        title: "Left out",
        columns: vec![
            Column::Words("function"),
            Column::Words("planted"),
            Column::Words("outcome"),
            Column::Words("why"),
        ],
        rows,
    })
}

fn sentences(selftest: &Selftest) -> Vec<String> {
    let trials = selftest.seeds.len() + selftest.sized.len();
    vec![format!(
        "{} planted in {}, places chosen by {}; a benchmark counts as moved from {} on. It took {}.",
        number::of(trials, "change"),
        selftest.commit.get(..10).unwrap_or(&selftest.commit),
        selftest.seed,
        number::share(selftest.threshold),
        number::duration(selftest.cost_seconds)
    )]
}

/// Plain where every trial is a hit.
fn complete(rate: Rate, else_style: Style) -> Style {
    if rate.hits < rate.of { else_style } else { Style::new() }
}

fn share(rate: Rate) -> String {
    if rate.of == 0 {
        return dash();
    }
    format!("{} of {}", rate.hits, rate.of)
}

fn interval(rate: Rate) -> String {
    if rate.of == 0 {
        return dash();
    }
    format!("{} to {}", number::share(rate.low), number::share(rate.high))
}

fn dash() -> String {
    String::from("-")
}
