//! The evidence behind the predictions, and their errors: kinds of change, learned parameters, reliability of
//! probabilities, budgets, misses, and the projects themselves.

use crate::accuracy::{
    BudgetCurve, BudgetPoint, ChangeKindRow, Evaluation, ExplainedVersion, PredictionOutcome, StudyHalf,
    UnusableVersion,
};
use analyzer::change::ChangeKind;
use anstyle::Style;

use super::basis::{is_pretrained, without_held_out};
use super::cell_format::{self, NONE};
use super::table_layout::{EvaluationTable, StyledCell, plain};
use super::words;
use report::number_format;
use report::score;
use report::style::{BAD, FAINT, GOOD, UNSURE};
use report::table::TableColumn;

/// Shares of the exhaustive seconds in the rows of a budget's table.
const BUDGETS: [f64; 7] = [0.01, 0.02, 0.05, 0.10, 0.20, 0.35, 0.50];

/// The paper's Table 6.
pub(super) fn kinds(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    let row = |kind: &ChangeKindRow| {
        let moved = kind.regressed + kind.improved + kind.both;
        let share = (kind.versions > 0).then(|| moved as f64 / kind.versions as f64);
        vec![
            plain(score::labels::kind(kind.kind)),
            plain(kind.changes.to_string()),
            plain(kind.executed.to_string()),
            plain(kind.versions.to_string()),
            plain(kind.regressed.to_string()),
            plain(kind.improved.to_string()),
            plain(kind.both.to_string()),
            plain(cell_format::maybe_percent(share)),
            plain(published(kind.kind)),
        ]
    };
    EvaluationTable {
        title: format!("Kinds of change, and how often they come with a movement: {study} (as the paper's Table 6)"),
        about: format!(
            "Versions with a change of the kind in code that a benchmark executes, and of these those that moved by {}: only \
             regressed (R), only improved (I), or both in different benchmarks (R/I). A version has changes of many kinds: this \
             is company, not cause. Published: of single changes, by hand.",
            cell_format::percent(evaluation.options.gate_threshold)
        ),
        columns: vec![
            TableColumn::Words("kind"),
            TableColumn::Figures("changes"),
            TableColumn::Figures("executed"),
            TableColumn::Figures("versions"),
            TableColumn::Figures("R"),
            TableColumn::Figures("I"),
            TableColumn::Figures("R/I"),
            TableColumn::Figures("moved"),
            TableColumn::Figures("published"),
        ],
        rows: evaluation
            .kinds
            .iter()
            .filter(|kind| kind.scope == study)
            .map(row)
            .collect(),
        drawn: None,
    }
}

/// The entry of a kind in the paper's Table 6: the number of its changes that moved a benchmark.
fn published(kind: ChangeKind) -> String {
    String::from(match kind {
        ChangeKind::CallAddition => "24 of 231 (10.4%)",
        ChangeKind::CallDeletion => "14 of 119 (11.8%)",
        ChangeKind::CallSwap => "24 of 321 (7.5%)",
        ChangeKind::LoopAddition => "5 of 8 (62.5%)",
        _ => NONE,
    })
}

/// The learned parameters: from all projects, and their range when one project is left out.
pub(super) fn learned(evaluation: &Evaluation) -> EvaluationTable {
    let mut rows = Vec::new();
    let of = |figure: &dyn Fn(&crate::accuracy::CrossValidationFold) -> f64, name: String| {
        let whole = evaluation.folds.iter().find(|fold| fold.project.is_none()).map(figure);
        let others: Vec<f64> = evaluation
            .folds
            .iter()
            .filter(|fold| fold.project.is_some())
            .map(figure)
            .collect();
        let low = others.iter().copied().fold(f64::INFINITY, f64::min);
        let high = others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shown = |figure: f64| {
            if figure.is_finite() {
                format!("{figure:.4}")
            } else {
                String::from(NONE)
            }
        };
        vec![
            plain(name),
            plain(whole.map_or_else(|| String::from(NONE), shown)),
            plain(shown(low)),
            plain(shown(high)),
        ]
    };
    rows.push(of(&|fold| fold.select_at, String::from("select at")));
    rows.push(of(&|fold| fold.calibration.shape, String::from("shape")));
    rows.push(of(&|fold| fold.calibration.expected, String::from("the priced sum")));
    let classes = evaluation
        .folds
        .first()
        .map(|fold| fold.calibration.weights.keys().copied().collect::<Vec<_>>())
        .unwrap_or_default();
    for class in classes {
        rows.push(of(
            &|fold| fold.calibration.weights.get(&class).copied().unwrap_or(0.0),
            words::class(class).replace('_', " "),
        ));
    }
    EvaluationTable {
        title: String::from("What was learned"),
        about: format!(
            "How much of what a class of change touches moves in the median case, learned from all projects, and the least and \
             the most of it where a project is left out.{}",
            without_held_out(evaluation)
        ),
        columns: vec![
            TableColumn::Words("figure"),
            TableColumn::Figures("from all"),
            TableColumn::Figures("least"),
            TableColumn::Figures("most"),
        ],
        rows,
        drawn: None,
    }
}

/// Predicted probabilities compared with observed frequencies.
pub(super) fn reliability(evaluation: &Evaluation) -> EvaluationTable {
    let mut rows = Vec::new();
    let mut scores = Vec::new();
    for curve in &evaluation.reliability {
        scores.push(format!(
            "{} of {}: {:.4} (always the mean: {:.4})",
            curve.of, curve.scope, curve.brier, curve.brier_of_share
        ));
        for bin in &curve.bins {
            let believed = (bin.interval.low..=bin.interval.high).contains(&bin.predicted);
            rows.push(vec![
                plain(curve.scope.clone()),
                plain(curve.of),
                plain(format!(
                    "{} to {}",
                    cell_format::percent(bin.from),
                    cell_format::percent(bin.to)
                )),
                plain(bin.count.to_string()),
                plain(cell_format::percent(bin.predicted)),
                (
                    if believed { Style::new() } else { UNSURE },
                    cell_format::percent(bin.observed),
                ),
                plain(format!(
                    "{:.1} to {:.1}%",
                    bin.interval.low * 100.0,
                    bin.interval.high * 100.0
                )),
            ]);
        }
    }
    EvaluationTable {
        title: String::from("Predicted against observed frequency"),
        about: format!(
            "Of moving by {}, {}. Brier scores: {}.",
            cell_format::percent(evaluation.options.gate_threshold),
            if is_pretrained(evaluation) {
                "by what lito ships"
            } else {
                "each project by what was learned from the others"
            },
            scores.join("; ")
        ),
        columns: vec![
            TableColumn::Words("study"),
            TableColumn::Words("of"),
            TableColumn::Words("predicted between"),
            TableColumn::Figures("predictions"),
            TableColumn::Figures("mean predicted"),
            TableColumn::Figures("moved"),
            TableColumn::Figures("95% interval"),
        ],
        rows,
        drawn: None,
    }
}

/// Movements found under a budget of seconds.
pub(super) fn budgets(evaluation: &Evaluation) -> EvaluationTable {
    let at = |curve: &BudgetCurve, budget: f64| -> Option<BudgetPoint> {
        curve.points.iter().rfind(|point| point.spent <= budget).copied()
    };
    let mut rows = Vec::new();
    for curve in &evaluation.budgets {
        for budget in BUDGETS {
            let Some(point) = at(curve, budget) else {
                continue;
            };
            rows.push(vec![
                plain(curve.scope.clone()),
                plain(words::model(curve.model)),
                plain(cell_format::percent(budget)),
                plain(cell_format::percent(point.run)),
                plain(cell_format::percent(point.moved)),
                plain(cell_format::percent(point.regressed)),
            ]);
        }
    }
    EvaluationTable {
        title: String::from("Under a budget of seconds"),
        about: String::from(
            "Benchmarks of all versions in the order of their scores, until the budget (a share of building and running \
             everything) is spent: pairs run, pairs that moved found, versions that regressed found by a benchmark that did. \
             Sampling is not in the budget.",
        ),
        columns: vec![
            TableColumn::Words("study"),
            TableColumn::Words("in the order of"),
            TableColumn::Figures("budget"),
            TableColumn::Figures("pairs run"),
            TableColumn::Figures("moved found"),
            TableColumn::Figures("regressed found"),
        ],
        rows,
        drawn: None,
    }
}

/// Misses and the worst false alarms.
pub(super) fn explained(evaluation: &Evaluation) -> EvaluationTable {
    told(
        &evaluation.explained,
        String::from("Every miss, and the worst false alarms"),
        String::from("What moved most, and what the explanation of the score says."),
    )
}

/// The named cases.
pub(super) fn cases(evaluation: &Evaluation) -> EvaluationTable {
    told(
        &evaluation.cases,
        String::from("Known cases"),
        String::from("Versions that are known by name, and what became of them."),
    )
}

fn told(list: &[ExplainedVersion], title: String, about: String) -> EvaluationTable {
    EvaluationTable {
        title,
        about,
        columns: vec![
            TableColumn::Words("outcome"),
            TableColumn::Words("version"),
            TableColumn::Words("benchmark"),
            TableColumn::Figures("moved"),
            TableColumn::Figures("probability"),
            TableColumn::Figures("of this benchmark"),
            TableColumn::Figures("selected from"),
            TableColumn::Words("machine code"),
            TableColumn::Words("why"),
        ],
        rows: list.iter().map(one).collect(),
        drawn: None,
    }
}

fn one(each: &ExplainedVersion) -> Vec<StyledCell> {
    let style = match each.outcome {
        PredictionOutcome::MissedRegression | PredictionOutcome::MissedBenchmark => BAD,
        PredictionOutcome::MissedImprovement | PredictionOutcome::FalseAlarm => UNSURE,
        PredictionOutcome::Found => GOOD,
        PredictionOutcome::RightlySkipped => FAINT,
    };
    let mut why = each.why.clone();
    if !each.dependencies.is_empty() {
        why.push(format!("dependencies: {}", each.dependencies.join(", ")));
    }
    if each.degraded > 0 {
        why.push(format!(
            "{} not analysed",
            number_format::counted_noun(each.degraded as usize, "part")
        ));
    }
    if why.is_empty() {
        why.push(String::from("no change that the benchmark could notice was seen"));
    }
    vec![
        (style, words::outcome(each.outcome).to_owned()),
        plain(format!("{} {} ({})", each.project, each.version, each.study.name())),
        plain(each.benchmark.clone()),
        plain(number_format::change(each.change)),
        plain(number_format::probability(each.probability)),
        plain(number_format::probability(each.own_probability)),
        plain(number_format::probability(each.select_at)),
        plain(words::code(each.code)),
        plain(why.join("; ")),
    ]
}

/// The projects, including dropped ones.
pub(super) fn projects(evaluation: &Evaluation) -> EvaluationTable {
    EvaluationTable {
        title: String::from("What was studied"),
        about: String::from(
            "A version is usable where it and the one it is compared with, the last one before it that builds, have counts of a \
             benchmark.",
        ),
        columns: vec![
            TableColumn::Words("study"),
            TableColumn::Words("project"),
            TableColumn::Figures("versions"),
            TableColumn::Figures("usable"),
            TableColumn::Figures("k"),
            TableColumn::Figures("not predicted"),
            TableColumn::Figures("dependencies changed"),
            TableColumn::Words("dropped"),
        ],
        rows: evaluation
            .projects
            .iter()
            .map(|project| {
                let study = project.study.name();
                vec![
                    plain(match project.held_out {
                        true => format!("{study}, {}", words::half(StudyHalf::HeldOut)),
                        false => study.to_owned(),
                    }),
                    plain(project.name.clone()),
                    plain(project.measured.to_string()),
                    plain(project.usable.to_string()),
                    plain(project.k.map_or_else(|| String::from(NONE), |k| k.to_string())),
                    plain(project.unpredicted.to_string()),
                    plain(project.dependencies_changed.to_string()),
                    plain(project.dropped.clone().unwrap_or_default()),
                ]
            })
            .collect(),
        drawn: None,
    }
}

/// Versions without a difference, with the reason.
pub(super) fn unusable(evaluation: &Evaluation) -> EvaluationTable {
    EvaluationTable {
        title: String::from("Versions that are in no table"),
        about: String::from("One after the other with the same reason: the first and the last of them."),
        columns: vec![
            TableColumn::Words("study"),
            TableColumn::Words("project"),
            TableColumn::Figures("versions"),
            TableColumn::Words("which"),
            TableColumn::Words("why"),
        ],
        rows: evaluation
            .projects
            .iter()
            .flat_map(|project| {
                let alike = |a: &UnusableVersion, b: &UnusableVersion| in_short(a) == in_short(b);
                project.unusable.chunk_by(alike).map(|unusable| {
                    let which = match unusable {
                        [first, .., last] => format!("{} … {}", first.version, last.version),
                        _ => unusable[0].version.clone(),
                    };
                    vec![
                        plain(project.study.name()),
                        plain(project.name.clone()),
                        plain(unusable.len().to_string()),
                        plain(which),
                        plain(in_short(&unusable[0])),
                    ]
                })
            })
            .collect(),
        drawn: None,
    }
}

/// The reason without the place in the sources that compilers add.
fn in_short(unusable: &UnusableVersion) -> &str {
    let line = unusable.why.lines().next().unwrap_or_default();
    line.split_once(" --> ").map_or(line, |(what, _)| what)
}
