//! The aims of the study, the results of the published model, and the measured results.

use crate::accuracy::{
    AccuracyRow, Evaluation, EvaluationRate, MovementCriterion, RocArea, SelectionModel, StudyHalf, StudyStage,
};
use anstyle::Style;

use super::basis::{is_of_store, is_pretrained, sample_rule};
use super::cell_format;
use super::table_layout::{EvaluationTable, StyledCell, plain};
use report::number_format;
use report::style::{BAD, GOOD};
use report::table::TableColumn;

/// The results of the published model on 1,125 versions of 17 projects at k = 20 and 5% (Sandoval et al., ICPE 2016,
/// Tables 7 and 8).
pub(super) struct PublishedResults;

impl PublishedResults {
    pub(super) const VERSIONS: u32 = 1125;
    pub(super) const SELECTED: u32 = 188;
    pub(super) const REGRESSIONS: u32 = 36;
    pub(super) const FOUND: u32 = 30;
    pub(super) const FALSE_POSITIVES: u32 = 158;
    pub(super) const TRUE_NEGATIVES: u32 = 931;
    /// 30 of 188, as printed in the paper.
    pub(super) const PRECISION: &'static str = "15.95%";
}

/// The row of one model at the headline and the gate's threshold, judged by any benchmark.
pub(super) fn headline_row<'e>(
    evaluation: &'e Evaluation,
    model: SelectionModel,
    scope: &str,
    stage: StudyStage,
) -> Option<&'e AccuracyRow> {
    evaluation.rows.iter().find(|row| {
        row.model == model
            && row.k == evaluation.options.headline
            && row.threshold == evaluation.options.gate_threshold
            && row.scope == scope
            && row.stage == stage
            && row.judged_by == MovementCriterion::AnyBenchmark
    })
}

/// The studies that have rows.
pub(super) fn studies(evaluation: &Evaluation) -> Vec<&'static str> {
    ["commits", "releases"]
        .into_iter()
        .filter(|scope| headline_row(evaluation, SelectionModel::Lito, scope, StudyStage::Source).is_some())
        .collect()
}

#[derive(Clone, Copy)]
enum AccuracyTarget {
    None,
    AtLeast(f64),
    AtMost(f64),
}

struct HeadlineRow {
    name: &'static str,
    published: String,
    commits: AccuracyTarget,
    releases: AccuracyTarget,
    shown: fn(f64) -> String,
    of: fn(&AccuracyRow) -> HeadlineValue,
}

/// A figure and its text.
struct HeadlineValue {
    value: Option<f64>,
    shown: String,
}

fn rate(rate: &EvaluationRate) -> HeadlineValue {
    HeadlineValue {
        value: rate.value(),
        shown: cell_format::rate_with_interval(rate),
    }
}

fn area(area: Option<RocArea>) -> HeadlineValue {
    HeadlineValue {
        value: area.map(|a| a.area),
        shown: cell_format::area(area),
    }
}

fn whole(figure: f64) -> String {
    format!("{figure:.0}")
}

fn two(figure: f64) -> String {
    format!("{figure:.2}")
}

fn lines() -> Vec<HeadlineRow> {
    use AccuracyTarget::{AtLeast, AtMost, None};
    let none = || String::from(cell_format::NONE);
    let line = |name, published, commits, releases, shown, of| HeadlineRow {
        name,
        published,
        commits,
        releases,
        shown,
        of,
    };
    let share = |hits: u32, of: u32| cell_format::percent(f64::from(hits) / f64::from(of));
    vec![
        line(
            "versions",
            PublishedResults::VERSIONS.to_string(),
            AtLeast(1125.0),
            AtLeast(1125.0),
            whole,
            |row| HeadlineValue {
                value: Some(row.versions as f64),
                shown: row.versions.to_string(),
            },
        ),
        line(
            "regressions",
            PublishedResults::REGRESSIONS.to_string(),
            None,
            None,
            whole,
            |row| HeadlineValue {
                value: Some(row.recall.of),
                shown: cell_format::count(row.recall.of),
            },
        ),
        line(
            "recall",
            share(PublishedResults::FOUND, PublishedResults::REGRESSIONS),
            AtLeast(0.95),
            AtLeast(0.95),
            cell_format::percent,
            |row| rate(&row.recall),
        ),
        line(
            "recall, by a benchmark that regressed",
            none(),
            None,
            None,
            cell_format::percent,
            |row| rate(&row.recall_run),
        ),
        line(
            "recall of regressions ≥ 20%",
            none(),
            AtLeast(1.0),
            AtLeast(1.0),
            cell_format::percent,
            |row| rate(&row.recall_large[0]),
        ),
        line(
            "recall of regressions ≥ 50%",
            String::from("100%"),
            AtLeast(1.0),
            AtLeast(1.0),
            cell_format::percent,
            |row| rate(&row.recall_large[1]),
        ),
        line(
            "recall of improvements",
            none(),
            None,
            None,
            cell_format::percent,
            |row| rate(&row.recall_improved),
        ),
        line(
            "selected",
            share(PublishedResults::SELECTED, PublishedResults::VERSIONS),
            AtMost(0.10),
            AtMost(0.35),
            cell_format::percent,
            |row| rate(&row.selected),
        ),
        line(
            "precision (moved, either way)",
            none(),
            AtLeast(0.30),
            AtLeast(0.50),
            cell_format::percent,
            |row| rate(&row.precision_moved),
        ),
        line(
            "precision (regressed)",
            String::from(PublishedResults::PRECISION),
            None,
            None,
            cell_format::percent,
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
            cell_format::percent,
            |row| rate(&row.pairs),
        ),
        line(
            "whole cost against exhaustive",
            none(),
            AtMost(0.10),
            None,
            cell_format::percent,
            |row| HeadlineValue {
                value: row.cost_ratio(),
                shown: cell_format::maybe_percent(row.cost_ratio()),
            },
        ),
        line(
            "the same, the version before taken as measured",
            String::from("25%"),
            AtMost(0.10),
            None,
            cell_format::percent,
            |row| HeadlineValue {
                value: row.cost_ratio_heads(),
                shown: cell_format::maybe_percent(row.cost_ratio_heads()),
            },
        ),
        line(
            "scoring, per version",
            String::from("12 s"),
            AtMost(0.02),
            AtMost(0.1),
            number_format::duration,
            |row| HeadlineValue {
                value: Some(row.scoring),
                shown: number_format::duration(row.scoring),
            },
        ),
    ]
}

/// Aims and measured results for each study with data, for its halves where projects are held out, and for all of it. The
/// aims are those of lito's own study, whose weights are learned; nothing else has an aim.
pub(super) fn headline(evaluation: &Evaluation) -> EvaluationTable {
    let options = &evaluation.options;
    let aims = !is_pretrained(evaluation);
    let mut columns = vec![TableColumn::Words("measure"), TableColumn::Figures("published")];
    let mut studies = Vec::new();
    for study in [COMMITS, RELEASES] {
        let parts = study.parts(evaluation);
        if parts.is_empty() {
            continue;
        }
        if aims {
            columns.push(TableColumn::Figures(study.aim));
        }
        let heads = parts
            .iter()
            .map(|(head, _)| if is_of_store(evaluation) { "here" } else { *head });
        columns.extend(heads.map(TableColumn::Figures));
        studies.push((study, parts));
    }
    let row_of_line = |line: &HeadlineRow| {
        let mut cells = vec![plain(line.name), plain(line.published.clone())];
        for (study, parts) in &studies {
            let aim = if aims {
                (study.aim_of)(line)
            } else {
                AccuracyTarget::None
            };
            if aims {
                cells.push(plain(aimed(line, aim)));
            }
            cells.extend(parts.iter().map(|(_, row)| measured(line, aim, row)));
        }
        cells
    };
    let has_halves = studies.iter().any(|(_, parts)| parts.len() > 1);
    EvaluationTable {
        title: String::from("The headline: regressions found against versions benchmarked"),
        about: format!(
            "Threshold {}; any benchmark; before anything is built; {}. Published: 17 Pharo projects, k = 20; the area is \
             that of the best published model that reads diffs only. Intervals at 95%.{}",
            cell_format::percent(options.gate_threshold),
            sample_rule(evaluation),
            if has_halves { HALVES } else { "" }
        ),
        columns,
        rows: if studies.is_empty() {
            Vec::new()
        } else {
            lines().iter().map(row_of_line).collect()
        },
        drawn: None,
    }
}

/// The note on the columns of the halves.
const HALVES: &str = " Learned from: each project is scored with what was learned from the others. Held out: nothing was \
                      learned from these histories.";

/// A study's columns.
#[derive(Clone, Copy)]
struct HeadlineColumns {
    study: &'static str,
    learned: &'static str,
    held_out: &'static str,
    aim: &'static str,
    aim_of: fn(&HeadlineRow) -> AccuracyTarget,
}

const COMMITS: HeadlineColumns = HeadlineColumns {
    study: "commits",
    learned: "commits: learned from",
    held_out: "commits: held out",
    aim: "aim, commits",
    aim_of: |line| line.commits,
};
const RELEASES: HeadlineColumns = HeadlineColumns {
    study: "releases",
    learned: "releases: learned from",
    held_out: "releases: held out",
    aim: "aim, releases",
    aim_of: |line| line.releases,
};

impl HeadlineColumns {
    /// The heads and rows of the halves that there are, and of the whole study last. Empty without data.
    fn parts(self, evaluation: &Evaluation) -> Vec<(&'static str, &AccuracyRow)> {
        let row = |scope: &str| headline_row(evaluation, SelectionModel::Lito, scope, StudyStage::Source);
        let halves = StudyHalf::ALL.into_iter().filter_map(|half| {
            let head = match half {
                StudyHalf::Learned => self.learned,
                StudyHalf::HeldOut => self.held_out,
            };
            Some((head, row(&half.scope(self.study))?))
        });
        halves.chain(row(self.study).map(|row| (self.study, row))).collect()
    }
}

fn aimed(line: &HeadlineRow, aim: AccuracyTarget) -> String {
    match aim {
        AccuracyTarget::None => String::new(),
        AccuracyTarget::AtLeast(bound) if bound == 1.0 => (line.shown)(bound),
        AccuracyTarget::AtLeast(bound) => format!("≥ {}", (line.shown)(bound)),
        AccuracyTarget::AtMost(bound) => format!("≤ {}", (line.shown)(bound)),
    }
}

fn measured(line: &HeadlineRow, aim: AccuracyTarget, row: &AccuracyRow) -> StyledCell {
    let HeadlineValue { value, shown } = (line.of)(row);
    let reached = match (aim, value) {
        (AccuracyTarget::None, _) | (_, None) => return plain(shown),
        (AccuracyTarget::AtLeast(bound), Some(value)) => value >= bound,
        (AccuracyTarget::AtMost(bound), Some(value)) => value <= bound,
    };
    // The meaning never depends on colour alone.
    let (style, mark): (Style, &str) = if reached { (GOOD, "✓") } else { (BAD, "✗") };
    (style, format!("{shown} {mark}"))
}
