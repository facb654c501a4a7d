//! The tables of a self-test, for a terminal, as markdown and as JSON.

use anstyle::Style;

use super::model::{
    BinomialProportion, DetectionPower, IdenticalVersionsResult, MissingSite, SelftestCell, SelftestReport,
    SelftestTrial, TrialMeasurement,
};
use super::words;
use crate::json_document::json_document;
use crate::number_format;
use crate::score::PageLayout;
use crate::style::{BAD, FAINT, STRONG, UNSURE, paint};
use crate::table::{TableColumn, table};
use crate::text;

/// Failures of one sort that are listed; the JSON has all of them.
const LISTED: usize = 10;

/// A table before it is laid out: headings, and rows of words and figures.
struct SelftestTable {
    title: &'static str,
    columns: Vec<TableColumn>,
    rows: Vec<Vec<(Style, String)>>,
}

/// The tables for a terminal.
#[must_use]
pub fn human(selftest: &SelftestReport, page: PageLayout) -> String {
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

/// A planted change and its result on one line.
#[must_use]
pub fn trial_line(trial: &SelftestTrial) -> String {
    let result = match &trial.measured {
        TrialMeasurement::NotCompiled(_) => String::from("does not compile"),
        TrialMeasurement::Failed(_) => String::from("not measured"),
        TrialMeasurement::Changes(compared) => format!(
            "{} at {}, risk {}",
            number_format::change(compared.change()),
            text::safe(&compared.benchmark),
            number_format::probability(trial.probability)
        ),
    };
    let change = format!("{} in {}", trial.description, trial.function);
    format!("{}: {result}", text::safe(&change))
}

/// The tables as markdown.
#[must_use]
pub fn markdown(selftest: &SelftestReport) -> String {
    let mut out = String::new();
    for listing in listings(selftest) {
        let (mut heads, mut rules) = (String::from("|"), String::from("|"));
        for column in &listing.columns {
            let (name, rule) = match column {
                TableColumn::Words(name) => (name, "---|"),
                TableColumn::Figures(name) => (name, "---:|"),
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
pub fn json(selftest: &SelftestReport) -> String {
    json_document(selftest)
}

fn listings(selftest: &SelftestReport) -> Vec<SelftestTable> {
    let mut listings = Vec::new();
    if !selftest.identical.is_empty() {
        listings.push(identical(&selftest.identical));
    }
    if !selftest.cells.is_empty() {
        listings.push(planted_by_kind(&selftest.cells));
        listings.push(planted(&selftest.cells));
    }
    if !selftest.no_site.is_empty() {
        listings.push(no_site(&selftest.no_site));
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

fn identical(identical: &[IdenticalVersionsResult]) -> SelftestTable {
    SelftestTable {
        title: "Identical versions",
        columns: vec![
            TableColumn::Words("metric"),
            TableColumn::Figures("comparisons"),
            TableColumn::Figures("false alarms"),
            TableColumn::Figures("95% interval"),
            TableColumn::Figures("largest change"),
            TableColumn::Figures("undecided"),
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
                    (Style::new(), number_format::change(identical.largest)),
                    (Style::new(), identical.undecided.to_string()),
                ]
            })
            .collect(),
    }
}

/// Recall by kind, and in all.
fn planted_by_kind(cells: &[SelftestCell]) -> SelftestTable {
    SelftestTable {
        title: "Planted changes, by kind",
        columns: vec![
            TableColumn::Words("kind"),
            TableColumn::Figures("planted"),
            TableColumn::Figures("compiled"),
            TableColumn::Figures("moved"),
            TableColumn::Figures("of these found"),
            TableColumn::Figures("95% interval"),
            TableColumn::Figures("in code without a sample"),
            TableColumn::Figures("verdict right"),
        ],
        rows: cells
            .iter()
            .filter(|cell| cell.place.is_none())
            .map(|cell| {
                let style = if cell.kind.is_none() { STRONG } else { Style::new() };
                vec![
                    (style, cell.kind.map_or("all", words::kind).to_owned()),
                    (style, cell.compiled.of.to_string()),
                    (complete(cell.compiled, UNSURE), cell.compiled.hits.to_string()),
                    (style, cell.moved.hits.to_string()),
                    (complete(cell.recall, BAD), share(cell.recall)),
                    (FAINT, interval(cell.recall)),
                    (complete(cell.recall_prepared, BAD), share(cell.recall_prepared)),
                    (complete(cell.right, BAD), share(cell.right)),
                ]
            })
            .collect(),
    }
}

/// Kinds without a site.
fn no_site(missing: &[MissingSite]) -> SelftestTable {
    SelftestTable {
        title: "No site",
        columns: vec![
            TableColumn::Words("kind"),
            TableColumn::Words("place"),
            TableColumn::Words("needs"),
        ],
        rows: missing
            .iter()
            .map(|missing| {
                let names: Vec<&str> = missing.places.iter().map(|place| place.name()).collect();
                let places = if missing.anywhere {
                    String::from("any")
                } else {
                    names.join(", ")
                };
                vec![
                    (Style::new(), words::kind(missing.kind).to_owned()),
                    (Style::new(), places),
                    (FAINT, words::needs(missing.kind).to_owned()),
                ]
            })
            .collect(),
    }
}

fn planted(cells: &[SelftestCell]) -> SelftestTable {
    SelftestTable {
        title: "Planted changes, by place",
        columns: vec![
            TableColumn::Words("kind"),
            TableColumn::Words("place"),
            TableColumn::Figures("planted"),
            TableColumn::Figures("compiled"),
            TableColumn::Figures("moved"),
            TableColumn::Figures("of these found"),
            TableColumn::Figures("95% interval"),
            TableColumn::Figures("flagged in vain"),
            TableColumn::Figures("verdict right"),
        ],
        rows: cells
            .iter()
            .filter(|cell| cell.place.is_some() || cell.kind.is_none())
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

fn sized(title: &'static str, power: &[DetectionPower]) -> SelftestTable {
    SelftestTable {
        title,
        columns: vec![
            TableColumn::Words("metric"),
            TableColumn::Figures("made"),
            TableColumn::Figures("found"),
            TableColumn::Figures("95% interval"),
            TableColumn::Figures("measured from"),
            TableColumn::Figures("to"),
            TableColumn::Figures("cost something else"),
        ],
        rows: power
            .iter()
            .map(|power| {
                let change = |value: Option<f64>| value.map_or_else(dash, number_format::change);
                vec![
                    (Style::new(), power.metric.to_string()),
                    (Style::new(), number_format::change(power.share)),
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
fn missed<'t>(title: &'static str, trials: impl Iterator<Item = &'t SelftestTrial>) -> Option<SelftestTable> {
    let rows: Vec<_> = trials
        .take(LISTED)
        .filter_map(|trial| {
            let compared = trial.compared()?;
            Some(vec![
                (Style::new(), text::safe(&trial.function).into_owned()),
                (Style::new(), text::safe(&trial.description).into_owned()),
                (Style::new(), number_format::probability(trial.probability)),
                (Style::new(), text::safe(&compared.benchmark).into_owned()),
                (Style::new(), number_format::change(compared.change())),
            ])
        })
        .collect();
    (!rows.is_empty()).then(|| SelftestTable {
        title,
        columns: vec![
            TableColumn::Words("function"),
            TableColumn::Words("planted"),
            TableColumn::Figures("risk"),
            TableColumn::Words("benchmark"),
            TableColumn::Figures("measured"),
        ],
        rows,
    })
}

fn unmeasured<'t>(trials: impl Iterator<Item = &'t SelftestTrial>) -> Option<SelftestTable> {
    let rows: Vec<_> = trials
        .filter_map(|trial| {
            let (what, why) = match &trial.measured {
                TrialMeasurement::NotCompiled(why) => ("does not compile", why),
                TrialMeasurement::Failed(why) => ("not measured", why),
                TrialMeasurement::Changes(_) => return None,
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
    (!rows.is_empty()).then(|| SelftestTable {
        title: "Left out",
        columns: vec![
            TableColumn::Words("function"),
            TableColumn::Words("planted"),
            TableColumn::Words("outcome"),
            TableColumn::Words("why"),
        ],
        rows,
    })
}

fn sentences(selftest: &SelftestReport) -> Vec<String> {
    let trials = selftest.seeds.len() + selftest.sized.len();
    vec![format!(
        "{} planted in {}, places chosen by {}; a benchmark counts as moved from {} on. It took {}.",
        number_format::counted_noun(trials, "change"),
        selftest.commit.get(..10).unwrap_or(&selftest.commit),
        selftest.seed,
        number_format::share(selftest.threshold),
        number_format::duration(selftest.cost_seconds)
    )]
}

/// Plain where every trial is a hit.
fn complete(rate: BinomialProportion, else_style: Style) -> Style {
    if rate.hits < rate.of { else_style } else { Style::new() }
}

fn share(rate: BinomialProportion) -> String {
    if rate.of == 0 {
        return dash();
    }
    format!("{} of {}", rate.hits, rate.of)
}

fn interval(rate: BinomialProportion) -> String {
    if rate.of == 0 {
        return dash();
    }
    format!(
        "{} to {}",
        number_format::share(rate.low),
        number_format::share(rate.high)
    )
}

fn dash() -> String {
    String::from("-")
}
