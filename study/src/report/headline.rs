//! What the study must reach, what the published model reached, and what was measured.

use crate::accuracy::{Area, Evaluation, JudgedBy, Model, Rate, Row, Stage};
use anstyle::Style;

use super::basis::{is_given, samples};
use super::figure;
use super::listing::{Cell, Listing, plain};
use report::number;
use report::style::{BAD, GOOD};
use report::table::Column;

/// What the published model reached over 1,125 versions of 17 projects at k = 20 and 5% (Sandoval et al., ICPE 2016,
/// Tables 7 and 8).
pub(super) struct Published;

impl Published {
    pub(super) const VERSIONS: u32 = 1125;
    pub(super) const SELECTED: u32 = 188;
    pub(super) const REGRESSIONS: u32 = 36;
    pub(super) const FOUND: u32 = 30;
    pub(super) const FALSE_POSITIVES: u32 = 158;
    pub(super) const TRUE_NEGATIVES: u32 = 931;
    /// 30 of 188, as it is printed.
    pub(super) const PRECISION: &'static str = "15.95%";
}

/// The row of one model at the headline, the gate's threshold, judged by any benchmark.
pub(super) fn row_of<'e>(evaluation: &'e Evaluation, model: Model, scope: &str, stage: Stage) -> Option<&'e Row> {
    evaluation.rows.iter().find(|row| {
        row.model == model
            && row.k == evaluation.options.headline
            && row.threshold == evaluation.options.gate_threshold
            && row.scope == scope
            && row.stage == stage
            && row.judged_by == JudgedBy::AnyBenchmark
    })
}

/// The studies that have rows.
pub(super) fn studies(evaluation: &Evaluation) -> Vec<&'static str> {
    ["commits", "releases"]
        .into_iter()
        .filter(|scope| row_of(evaluation, Model::Lito, scope, Stage::Source).is_some())
        .collect()
}

#[derive(Clone, Copy)]
enum Aim {
    None,
    AtLeast(f64),
    AtMost(f64),
}

struct Line {
    name: &'static str,
    published: String,
    commits: Aim,
    releases: Aim,
    shown: fn(f64) -> String,
    of: fn(&Row) -> Measured,
}

/// A figure, and how it is shown.
struct Measured {
    value: Option<f64>,
    shown: String,
}

fn rate(rate: &Rate) -> Measured {
    Measured {
        value: rate.value(),
        shown: figure::rate_between(rate),
    }
}

fn area(area: Option<Area>) -> Measured {
    Measured {
        value: area.map(|a| a.area),
        shown: figure::area(area),
    }
}

fn whole(figure: f64) -> String {
    format!("{figure:.0}")
}

fn two(figure: f64) -> String {
    format!("{figure:.2}")
}

fn lines() -> Vec<Line> {
    use Aim::{AtLeast, AtMost, None};
    let none = || String::from(figure::NONE);
    let line = |name, published, commits, releases, shown, of| Line {
        name,
        published,
        commits,
        releases,
        shown,
        of,
    };
    let share = |hits: u32, of: u32| figure::percent(f64::from(hits) / f64::from(of));
    vec![
        line(
            "versions",
            Published::VERSIONS.to_string(),
            AtLeast(1125.0),
            AtLeast(1125.0),
            whole,
            |row| Measured {
                value: Some(row.versions as f64),
                shown: row.versions.to_string(),
            },
        ),
        line(
            "regressions",
            Published::REGRESSIONS.to_string(),
            None,
            None,
            whole,
            |row| Measured {
                value: Some(row.recall.of),
                shown: figure::count(row.recall.of),
            },
        ),
        line(
            "recall",
            share(Published::FOUND, Published::REGRESSIONS),
            AtLeast(0.95),
            AtLeast(0.95),
            figure::percent,
            |row| rate(&row.recall),
        ),
        line(
            "recall, by a benchmark that regressed",
            none(),
            None,
            None,
            figure::percent,
            |row| rate(&row.recall_run),
        ),
        line(
            "recall of regressions ≥ 20%",
            none(),
            AtLeast(1.0),
            AtLeast(1.0),
            figure::percent,
            |row| rate(&row.recall_large[0]),
        ),
        line(
            "recall of regressions ≥ 50%",
            String::from("100%"),
            AtLeast(1.0),
            AtLeast(1.0),
            figure::percent,
            |row| rate(&row.recall_large[1]),
        ),
        line("recall of improvements", none(), None, None, figure::percent, |row| {
            rate(&row.recall_improved)
        }),
        line(
            "selected",
            share(Published::SELECTED, Published::VERSIONS),
            AtMost(0.10),
            AtMost(0.35),
            figure::percent,
            |row| rate(&row.selected),
        ),
        line(
            "precision (moved, either way)",
            none(),
            AtLeast(0.30),
            AtLeast(0.50),
            figure::percent,
            |row| rate(&row.precision_moved),
        ),
        line(
            "precision (regressed)",
            String::from(Published::PRECISION),
            None,
            None,
            figure::percent,
            |row| rate(&row.precision),
        ),
        line(
            "area under ROC (moved)",
            String::from("0.69"),
            AtLeast(0.97),
            AtLeast(0.92),
            two,
            |row| area(row.area_moved),
        ),
        line(
            "area under ROC (regressed)",
            none(),
            AtLeast(0.97),
            AtLeast(0.92),
            two,
            |row| area(row.area),
        ),
        line(
            "(benchmark × version) pairs run",
            none(),
            AtMost(0.05),
            AtMost(0.25),
            figure::percent,
            |row| rate(&row.pairs),
        ),
        line(
            "whole cost against exhaustive",
            none(),
            AtMost(0.10),
            None,
            figure::percent,
            |row| Measured {
                value: row.cost_ratio(),
                shown: figure::maybe_percent(row.cost_ratio()),
            },
        ),
        line(
            "the same, the version before taken as measured",
            String::from("25%"),
            AtMost(0.10),
            None,
            figure::percent,
            |row| Measured {
                value: row.cost_ratio_heads(),
                shown: figure::maybe_percent(row.cost_ratio_heads()),
            },
        ),
        line(
            "scoring, per version",
            String::from("12 s"),
            AtMost(0.02),
            AtMost(0.1),
            number::duration,
            |row| Measured {
                value: Some(row.scoring),
                shown: number::duration(row.scoring),
            },
        ),
    ]
}

/// Aim against measured, for each study that was made; a repository's own store is held against no aim.
pub(super) fn headline(evaluation: &Evaluation) -> Listing {
    let options = &evaluation.options;
    let studies: Vec<(Heads, Side, &Row)> = [(COMMITS, Side::Commits), (RELEASES, Side::Releases)]
        .into_iter()
        .filter_map(|(heads, side)| {
            let row = row_of(evaluation, Model::Lito, heads.study, Stage::Source)?;
            Some((heads, side, row))
        })
        .collect();
    let aims = !is_given(evaluation);
    let mut columns = vec![Column::Words("measure"), Column::Figures("published")];
    for (heads, ..) in &studies {
        if aims {
            columns.push(Column::Figures(heads.aim));
        }
        columns.push(Column::Figures(if aims { heads.study } else { "here" }));
    }
    let row_of_line = |line: &Line| {
        let mut cells = vec![plain(line.name), plain(line.published.clone())];
        for (_, side, row) in &studies {
            let aim = match side {
                _ if !aims => Aim::None,
                Side::Commits => line.commits,
                Side::Releases => line.releases,
            };
            if aims {
                cells.push(plain(aimed(line, aim)));
            }
            cells.push(measured(line, aim, row));
        }
        cells
    };
    Listing {
        title: String::from("The headline: regressions found against versions benchmarked"),
        about: format!(
            "Threshold {}; any benchmark; before anything is built; {}. Published: 17 Pharo projects, k = 20; the area is \
             that of the best published model that reads diffs only. Intervals at 95%.",
            figure::percent(options.gate_threshold),
            samples(evaluation)
        ),
        columns,
        rows: if studies.is_empty() {
            Vec::new()
        } else {
            lines().iter().map(row_of_line).collect()
        },
    }
}

/// A study's columns.
#[derive(Clone, Copy)]
struct Heads {
    study: &'static str,
    aim: &'static str,
}

const COMMITS: Heads = Heads {
    study: "commits",
    aim: "aim, commits",
};
const RELEASES: Heads = Heads {
    study: "releases",
    aim: "aim, releases",
};

#[derive(Clone, Copy)]
enum Side {
    Commits,
    Releases,
}

fn aimed(line: &Line, aim: Aim) -> String {
    match aim {
        Aim::None => String::new(),
        Aim::AtLeast(bound) if bound == 1.0 => (line.shown)(bound),
        Aim::AtLeast(bound) => format!("≥ {}", (line.shown)(bound)),
        Aim::AtMost(bound) => format!("≤ {}", (line.shown)(bound)),
    }
}

fn measured(line: &Line, aim: Aim, row: &Row) -> Cell {
    let Measured { value, shown } = (line.of)(row);
    let reached = match (aim, value) {
        (Aim::None, _) | (_, None) => return plain(shown),
        (Aim::AtLeast(bound), Some(value)) => value >= bound,
        (Aim::AtMost(bound), Some(value)) => value <= bound,
    };
    // Never by colour alone.
    let (style, mark): (Style, &str) = if reached { (GOOD, "✓") } else { (BAD, "✗") };
    (style, format!("{shown} {mark}"))
}
