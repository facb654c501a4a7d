//! Step S3 as a whole: raw results → the content of all tables and figures.

use std::collections::BTreeMap;

use super::ablation::{AblationResult, ablation};
use super::accuracy_row::AccuracyRow;
use super::accuracy_table::{
    EvaluationContext, EvaluationScope, effective_k, rows, score_projects, studies, studies_and_halves,
};
use super::benchmark_evolution::{BenchmarkEvolution, benchmark_evolutions};
use super::budget::{self, BudgetPoint};
use super::change_kinds::{ChangeKindRow, kinds};
use super::folds::{CrossValidationFold, folds};
use super::measured_predicted::{EvaluatedProject, join_predictions};
use super::movements::{MovementDirections, compare_versions};
use super::policy_costs::{PolicyRow, policy_rows};
use super::prediction_outcomes::{ExplainedVersion, explain_errors, explain_named_cases};
use super::ranking::{RankPoint, curve};
use super::reliability::{ReliabilityDiagram, reliability};
use super::selection_models::{ChangeIndicator, SelectionModel, history_scores};
use super::tally::{EvaluationCriteria, EvaluationTally, ScoredProject, highest_score};
use super::{
    CodeAnswer, ComparisonBase, EvaluationOptions, MovementCriterion, ProjectResults, StudyKind, StudyStage,
    UnusableVersion,
};

/// The most points in a curve.
const POINTS: usize = 200;
/// The largest difference between counts of identical machine code: only variation of the run itself.
const STILL: f64 = 0.001;

/// The results of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The options.
    pub options: EvaluationOptions,
    /// Every project, by study and name, including dropped ones.
    pub projects: Vec<ProjectSummary>,
    /// The rows of the tables, by k, threshold, model, scope, stage, criterion.
    pub rows: Vec<AccuracyRow>,
    /// The learned parameters: first from all projects that are not held out (as shipped), then for each project from all others.
    pub folds: Vec<CrossValidationFold>,
    /// Ranking of the versions at the headline and the gate's threshold, for movements.
    pub curves: Vec<RankCurve>,
    /// Every pair at the headline, with its prediction and measurement.
    pub dots: Vec<PredictionPoint>,
    /// Predicted probabilities compared with observed frequencies.
    pub reliability: Vec<ReliabilityDiagram>,
    /// Movements found for a number of seconds.
    pub budgets: Vec<BudgetCurve>,
    /// Results without each class; empty if not requested.
    pub ablation: Vec<AblationResult>,
    /// Kinds of change.
    pub kinds: Vec<ChangeKindRow>,
    /// The cost of each policy, by scope; empty where builds and runs were not timed.
    pub policies: Vec<PolicyRow>,
    /// The accuracy of the code stage.
    pub code: Vec<CodeCheck>,
    /// Misses and false alarms.
    pub explained: Vec<ExplainedVersion>,
    /// The named cases.
    pub cases: Vec<ExplainedVersion>,
}

/// One project.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectSummary {
    /// Its study.
    pub study: StudyKind,
    /// Its name.
    pub name: String,
    /// The reason why it is in no table; `None` if it is in the tables.
    pub dropped: Option<String>,
    /// Whether it is only judged: nothing is learned from it.
    pub held_out: bool,
    /// Versions in its history.
    pub measured: usize,
    /// Versions that have a difference.
    pub usable: usize,
    /// All other versions except the first.
    pub unusable: Vec<UnusableVersion>,
    /// The k of the headline for this project; `None` if it has no predictions.
    pub k: Option<u32>,
    /// Versions that have a difference but no prediction at this k.
    pub unpredicted: usize,
    /// (benchmark × version) pairs that have a difference but no prediction at this k, in versions that have a
    /// prediction.
    pub pairs_unpredicted: usize,
    /// Versions whose dependencies differ from those of the version before.
    pub dependencies_changed: usize,
    /// Largest |D| of each version that is predicted, oldest first.
    pub movements: Vec<f64>,
    /// The counts of each benchmark over the history.
    pub evolutions: Vec<BenchmarkEvolution>,
}

/// How one model ranks the versions of one study.
#[derive(Debug, Clone, PartialEq)]
pub struct RankCurve {
    /// `commits` or `releases`.
    pub scope: String,
    /// The ranking model.
    pub model: SelectionModel,
    /// The points, from the highest score on.
    pub points: Vec<RankPoint>,
}

/// The movements that one model's ranking of the pairs finds for a number of seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetCurve {
    /// `commits` or `releases`.
    pub scope: String,
    /// The ranking model.
    pub model: SelectionModel,
    /// The points, from nothing run to everything run.
    pub points: Vec<BudgetPoint>,
}

/// One (benchmark × version) pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionPoint {
    /// Its study.
    pub study: StudyKind,
    /// Its project.
    pub project: String,
    /// The display name of the version.
    pub version: String,
    /// The benchmark.
    pub benchmark: String,
    /// Predicted median of |D|; 0 without any cost at risk.
    pub predicted: f64,
    /// Probability that |D| reaches the gate's threshold.
    pub probability: f64,
    /// D.
    pub change: f64,
}

/// The answers of the code stage, and how often counts contradict them.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeCheck {
    /// `commits` or `releases`.
    pub scope: String,
    /// Pairs whose reachable code is the same.
    pub same: usize,
    /// Pairs whose executed code is the same.
    pub same_executed: usize,
    /// Pairs whose executed code differs.
    pub different: usize,
    /// Pairs without an answer.
    pub unknown: usize,
    /// Pairs with the same code that moved by more than a thousandth.
    pub contradicted: usize,
    /// Pairs with different code that moved by the gate's threshold.
    pub different_moved: usize,
}

/// Runs step S3. Deterministic; takes seconds.
#[must_use]
pub fn evaluate(projects: &[ProjectResults], options: &EvaluationOptions) -> Evaluation {
    let mut kept: Vec<&ProjectResults> = projects.iter().filter(|p| p.dropped.is_none()).collect();
    kept.sort_by(|a, b| (a.study, &a.name).cmp(&(b.study, &b.name)));
    let headline: Vec<EvaluatedProject<'_>> = kept
        .iter()
        .filter_map(|project| join_predictions(project, effective_k(project, options.headline, options)?))
        .collect();
    let folds = folds(&headline, options, None);
    let setting = EvaluationContext {
        projects: &kept,
        headline: &headline,
        folds: &folds,
        options,
    };
    let figures = EvaluationCurves::of(setting);
    let gate = options.gate_threshold;
    let ours = score_projects(setting, &headline, SelectionModel::Lito, gate, &BTreeMap::new());
    let of_study = |scope: &EvaluationScope| headline.iter().filter(|j| scope.holds(j.project)).collect::<Vec<_>>();
    Evaluation {
        projects: summaries(projects, &ours, gate),
        rows: rows(setting),
        curves: figures.curves,
        budgets: figures.budgets,
        dots: dots(&ours, &folds),
        reliability: studies(&headline)
            .iter()
            .flat_map(|scope| reliabilities(scope, &ours, gate))
            .collect(),
        ablation: if options.ablate { ablation(setting) } else { Vec::new() },
        kinds: studies(&headline)
            .iter()
            .flat_map(|scope| kinds(&scope.name, of_study(scope).into_iter(), gate))
            .collect(),
        code: studies(&headline)
            .iter()
            .map(|scope| code_check(&scope.name, &of_study(scope), gate))
            .collect(),
        policies: studies_and_halves(&headline)
            .iter()
            .flat_map(|scope| {
                let here: Vec<&ScoredProject<'_, '_>> = ours.iter().filter(|s| scope.holds(s.joined.project)).collect();
                policy_rows(&scope.name, &here, gate)
            })
            .collect(),
        explained: explain_errors(&ours, gate, options.alarms),
        cases: explain_named_cases(&ours, gate, &options.cases),
        options: options.clone(),
        folds: folds.0,
    }
}

fn summaries(projects: &[ProjectResults], ours: &[ScoredProject<'_, '_>], gate: f64) -> Vec<ProjectSummary> {
    let mut summaries: Vec<ProjectSummary> = projects
        .iter()
        .map(|project| {
            let scored = ours.iter().find(|scored| std::ptr::eq(scored.joined.project, project));
            let joined = scored.map(|scored| scored.joined);
            let (usable, unusable) = compare_versions(project);
            ProjectSummary {
                study: project.study,
                name: project.name.clone(),
                dropped: project.dropped.clone(),
                held_out: project.held_out,
                measured: (project.measured.iter())
                    .filter(|version| version.against != ComparisonBase::Nothing)
                    .count(),
                usable: usable.len(),
                unusable,
                k: joined.map(|j| j.k),
                unpredicted: joined.map_or(usable.len(), |j| j.unpredicted),
                pairs_unpredicted: joined.map_or(0, |j| j.pairs_unpredicted),
                dependencies_changed: project
                    .measured
                    .iter()
                    .filter(|version| !version.dependencies.is_empty())
                    .count(),
                movements: joined.map_or_else(Vec::new, |j| {
                    j.versions
                        .iter()
                        .map(super::measured_predicted::EvaluatedVersion::largest)
                        .collect()
                }),
                evolutions: benchmark_evolutions(project, scored, gate),
            }
        })
        .collect();
    summaries.sort_by(|a, b| (a.study, &a.name).cmp(&(b.study, &b.name)));
    summaries
}

struct EvaluationCurves {
    curves: Vec<RankCurve>,
    budgets: Vec<BudgetCurve>,
}

impl EvaluationCurves {
    fn of(setting: EvaluationContext<'_>) -> Self {
        let gate = setting.options.gate_threshold;
        let histories = setting
            .projects
            .iter()
            .map(|p| ((p.study, &*p.name), history_scores(p, gate)))
            .collect();
        let (mut curves, mut budgets) = (Vec::new(), Vec::new());
        for scope in studies(setting.headline) {
            for model in SelectionModel::ALL {
                let all = score_projects(setting, setting.headline, model, gate, &histories);
                let here: Vec<&ScoredProject<'_, '_>> =
                    all.iter().filter(|scored| scope.holds(scored.joined.project)).collect();
                let mut tally = EvaluationTally::default();
                let question = EvaluationCriteria {
                    threshold: gate,
                    judged_by: MovementCriterion::AnyBenchmark,
                    stage: StudyStage::Source,
                };
                here.iter().for_each(|scored| tally.add(scored, question));
                if let Some(points) = curve(tally.ranked()) {
                    curves.push(RankCurve {
                        scope: scope.name.clone(),
                        model,
                        points: thinned(points),
                    });
                }
                let ranks_pairs = matches!(
                    model,
                    SelectionModel::Lito
                        | SelectionModel::Paper
                        | SelectionModel::Sign(ChangeIndicator::ChangedCost | ChangeIndicator::ChangedWork)
                );
                if ranks_pairs {
                    budgets.push(BudgetCurve {
                        scope: scope.name.clone(),
                        model,
                        points: budget::curve(&here, gate),
                    });
                }
            }
        }
        Self { curves, budgets }
    }
}

/// About [`POINTS`] of the points at most, including the first and the last.
fn thinned(points: Vec<RankPoint>) -> Vec<RankPoint> {
    let every = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    points
        .into_iter()
        .enumerate()
        .filter(|(index, _)| index % every == 0 || *index == last)
        .map(|(_, point)| point)
        .collect()
}

fn dots(ours: &[ScoredProject<'_, '_>], folds: &super::folds::CrossValidationFolds) -> Vec<PredictionPoint> {
    let mut dots = Vec::new();
    for scored in ours {
        let project = scored.joined.project;
        let calibration = &folds.of(scored.joined).calibration;
        for (joint, scores) in scored.joined.versions.iter().zip(&scored.scores) {
            for (pair, probability) in joint.pairs.iter().zip(scores) {
                dots.push(PredictionPoint {
                    study: project.study,
                    project: project.name.clone(),
                    version: joint.version().version.clone(),
                    benchmark: pair.movement.benchmark.to_owned(),
                    predicted: calibration.scale(&pair.predicted.terms),
                    probability: *probability,
                    change: pair.movement.change,
                });
            }
        }
    }
    dots
}

fn reliabilities(scope: &EvaluationScope, ours: &[ScoredProject<'_, '_>], gate: f64) -> Vec<ReliabilityDiagram> {
    let (mut versions, mut pairs) = (Vec::new(), Vec::new());
    for scored in ours.iter().filter(|s| scope.holds(s.joined.project)) {
        for (joint, scores) in scored.joined.versions.iter().zip(&scored.scores) {
            let moved = joint.moved(gate, MovementCriterion::AnyBenchmark).any();
            versions.push((highest_score(scores), moved));
            for (pair, score) in joint.pairs.iter().zip(scores) {
                pairs.push((*score, MovementDirections::of(pair.movement.change, gate).any()));
            }
        }
    }
    [("versions", versions), ("pairs", pairs)]
        .into_iter()
        .filter_map(|(of, predicted)| reliability(&scope.name, of, &predicted))
        .collect()
}

fn code_check(scope: &str, projects: &[&EvaluatedProject<'_>], gate: f64) -> CodeCheck {
    let mut check = CodeCheck {
        scope: scope.to_owned(),
        same: 0,
        same_executed: 0,
        different: 0,
        unknown: 0,
        contradicted: 0,
        different_moved: 0,
    };
    for pair in projects
        .iter()
        .flat_map(|joined| &joined.versions)
        .flat_map(|joint| &joint.pairs)
    {
        let change = pair.movement.change.abs();
        let moved = usize::from(change > STILL);
        match pair.movement.head.code {
            CodeAnswer::Same => {
                check.same += 1;
                check.contradicted += moved;
            }
            CodeAnswer::SameExecuted => {
                check.same_executed += 1;
                check.contradicted += moved;
            }
            CodeAnswer::Different => {
                check.different += 1;
                check.different_moved += usize::from(change >= gate);
            }
            CodeAnswer::Unknown => check.unknown += 1,
        }
    }
    check
}
