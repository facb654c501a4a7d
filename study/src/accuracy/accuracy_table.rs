//! Every combination of settings in the tables, each as an [`AccuracyRow`], in a stable order.
//!
//! Both studies, and their halves where projects are held out, have every model at every k and threshold. A single project has the two cost models along each of
//! these, and the baselines where they cross: all other combinations would be tens of thousands of rows of little
//! value.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::accuracy_row::{AccuracyRow, AccuracyRowKey, random_row, row};
use super::folds::CrossValidationFolds;
use super::measured_predicted::{EvaluatedProject, join_predictions};
use super::ranking::cutoff;
use super::selection_models::{ProjectScorer, SelectionModel, history_scores};
use super::tally::{EvaluationCriteria, EvaluationTally, RateIntervalCache, ScoredProject, highest_score};
use super::{EvaluationOptions, MovementCriterion, ProjectResults, StudyHalf, StudyKind, StudyStage};

/// A history must be this many times as long as k to be evaluated at the headline's k.
const LONG_ENOUGH: usize = 3;

/// The scores that [`SelectionModel::History`] gives to versions, by study and project.
pub(super) type HistoryScores<'e> = BTreeMap<(StudyKind, &'e str), BTreeMap<usize, f64>>;

/// The data and options from which rows are computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct EvaluationContext<'e> {
    pub(super) projects: &'e [&'e ProjectResults],
    pub(super) headline: &'e [EvaluatedProject<'e>],
    pub(super) folds: &'e CrossValidationFolds,
    pub(super) options: &'e EvaluationOptions,
}

/// The k at which a project is evaluated in the rows of the nominal k.
pub(super) fn effective_k(project: &ProjectResults, nominal: u32, options: &EvaluationOptions) -> Option<u32> {
    let mut available: Vec<u32> = project
        .predicted
        .values()
        .flat_map(|version| version.on.keys().copied())
        .collect();
    available.sort_unstable();
    available.dedup();
    if nominal != options.headline {
        return available.contains(&nominal).then_some(nominal);
    }
    let long = project.measured.len() >= LONG_ENOUGH * nominal as usize;
    let wanted = if long { nominal } else { nominal / 2 };
    available.iter().rfind(|k| **k <= wanted).or(available.first()).copied()
}

/// All rows.
pub(super) fn rows(setting: EvaluationContext<'_>) -> Vec<AccuracyRow> {
    let options = setting.options;
    let histories: Vec<HistoryScores<'_>> = options
        .thresholds
        .iter()
        .map(|threshold| {
            setting
                .projects
                .iter()
                .map(|p| ((p.study, &*p.name), history_scores(p, *threshold)))
                .collect()
        })
        .collect();
    let at = |&k: &u32| {
        let rates = RateIntervalCache::default();
        let mut rows = Vec::new();
        let at_k: Vec<EvaluatedProject<'_>> = setting
            .projects
            .iter()
            .filter_map(|project| join_predictions(project, effective_k(project, k, options)?))
            .collect();
        let k_rule = k_rule(k, options);
        for (threshold, histories) in options.thresholds.iter().zip(&histories) {
            rows.extend(rows_at(
                setting,
                &OperatingPoint {
                    joined: &at_k,
                    histories,
                    k,
                    k_rule: &k_rule,
                    threshold: *threshold,
                },
                &rates,
            ));
        }
        rows
    };
    options.ks.par_iter().flat_map_iter(at).collect()
}

struct OperatingPoint<'e> {
    joined: &'e [EvaluatedProject<'e>],
    histories: &'e HistoryScores<'e>,
    k: u32,
    k_rule: &'e str,
    threshold: f64,
}

fn rows_at(setting: EvaluationContext<'_>, at: &OperatingPoint<'_>, rates: &RateIntervalCache) -> Vec<AccuracyRow> {
    let options = setting.options;
    let scopes = scopes(at.joined);
    let mut rows = Vec::new();
    // The rows whose number of selected versions `random` matches, by scope and criterion.
    let mut ours: BTreeMap<(usize, MovementCriterion), AccuracyRow> = BTreeMap::new();
    for model in SelectionModel::ALL {
        let scored = score_projects(setting, at.joined, model, at.threshold, at.histories);
        for (index, scope) in scopes.iter().enumerate() {
            let projects: Vec<&ScoredProject<'_, '_>> = scored
                .iter()
                .filter(|scored| scope.holds(scored.joined.project))
                .collect();
            for stage in stages(model, scope, at, options) {
                for judged_by in [MovementCriterion::AnyBenchmark, MovementCriterion::SuiteTotal] {
                    let question = EvaluationCriteria {
                        threshold: at.threshold,
                        judged_by,
                        stage: *stage,
                    };
                    let mut tally = EvaluationTally::default();
                    projects.iter().for_each(|scored| tally.add(scored, question));
                    let heading = AccuracyRowKey {
                        model,
                        k: at.k,
                        k_rule: at.k_rule,
                        scope: &scope.name,
                        question,
                    };
                    let key = (index, judged_by);
                    let row = match ours.get(&key) {
                        Some(like) if model == SelectionModel::Random => {
                            random_row(&heading, &tally, &projects, like, rates)
                        }
                        _ => row(&heading, &tally, rates),
                    };
                    if model == SelectionModel::Lito && *stage == StudyStage::Source {
                        ours.insert(key, row.clone());
                    }
                    rows.push(row);
                }
            }
        }
    }
    rows
}

/// The versions that a row covers.
#[derive(Debug)]
pub(super) struct EvaluationScope {
    pub(super) name: String,
    study: StudyKind,
    half: Option<StudyHalf>,
    project: Option<String>,
}

impl EvaluationScope {
    pub(super) fn holds(&self, project: &ProjectResults) -> bool {
        project.study == self.study
            && self.half.is_none_or(|half| half == StudyHalf::of(project))
            && self.project.as_ref().is_none_or(|name| *name == project.name)
    }
}

/// Both studies, the halves of those with projects that are held out, then each of their projects, ordered by name.
fn scopes(joined: &[EvaluatedProject<'_>]) -> Vec<EvaluationScope> {
    let mut scopes = studies_and_halves(joined);
    let mut projects: Vec<(StudyKind, &str)> = joined.iter().map(|j| (j.project.study, &*j.project.name)).collect();
    projects.sort_unstable();
    scopes.extend(projects.into_iter().map(|(study, name)| EvaluationScope {
        name: format!("{}/{name}", study.name()),
        study,
        half: None,
        project: Some(name.to_owned()),
    }));
    scopes
}

/// Both studies, then the halves of those with projects that are held out.
pub(super) fn studies_and_halves(joined: &[EvaluatedProject<'_>]) -> Vec<EvaluationScope> {
    let mut scopes = studies(joined);
    let split: Vec<StudyKind> = (scopes.iter().map(|scope| scope.study))
        .filter(|study| (joined.iter()).any(|j| j.project.study == *study && j.project.held_out))
        .collect();
    for study in split {
        scopes.extend(StudyHalf::ALL.map(|half| half_of_study(study, half)));
    }
    scopes.retain(|scope| joined.iter().any(|j| scope.holds(j.project)));
    scopes
}

fn half_of_study(study: StudyKind, half: StudyHalf) -> EvaluationScope {
    EvaluationScope {
        name: half.scope(study.name()),
        study,
        half: Some(half),
        project: None,
    }
}

/// The projects of each study that something is learned from: the whole study if none of them is held out.
pub(super) fn learned_parts(joined: &[EvaluatedProject<'_>]) -> Vec<EvaluationScope> {
    let scopes = scopes(joined);
    let is_learned = |scope: &EvaluationScope| match scope.half {
        Some(half) => half == StudyHalf::Learned,
        None => scope.project.is_none() && !(joined.iter()).any(|j| scope.holds(j.project) && j.project.held_out),
    };
    scopes.into_iter().filter(is_learned).collect()
}

/// The studies that have a project.
pub(super) fn studies(joined: &[EvaluatedProject<'_>]) -> Vec<EvaluationScope> {
    [StudyKind::Commits, StudyKind::Releases]
        .into_iter()
        .filter(|study| joined.iter().any(|j| j.project.study == *study))
        .map(|study| EvaluationScope {
            name: study.name().to_owned(),
            study,
            half: None,
            project: None,
        })
        .collect()
}

fn stages(
    model: SelectionModel,
    scope: &EvaluationScope,
    at: &OperatingPoint<'_>,
    options: &EvaluationOptions,
) -> &'static [StudyStage] {
    const ALL: &[StudyStage] = &[StudyStage::Source, StudyStage::Code, StudyStage::Counts];
    const FIRST: &[StudyStage] = &[StudyStage::Source];
    let costed = matches!(model, SelectionModel::Lito | SelectionModel::Paper);
    let at_gate = at.threshold == options.gate_threshold;
    let at_headline = at.k == options.headline;
    let gate = at_gate && at_headline;
    match scope.project {
        None if costed => ALL,
        None => FIRST,
        Some(_) if gate && model == SelectionModel::Lito => ALL,
        // All thresholds at the headline's k, and all k at the gate's threshold.
        Some(_) if gate || costed && (at_gate || at_headline) => FIRST,
        Some(_) => &[],
    }
}

/// Each project's scores by one model, and its cutoff. Nothing is learned from the project itself.
pub(super) fn score_projects<'j, 'a>(
    setting: EvaluationContext<'_>,
    at_k: &'j [EvaluatedProject<'a>],
    model: SelectionModel,
    threshold: f64,
    histories: &HistoryScores<'_>,
) -> Vec<ScoredProject<'j, 'a>> {
    let none = BTreeMap::new();
    let scores = |joined: &EvaluatedProject<'_>| {
        let project = joined.project;
        ProjectScorer {
            model,
            threshold,
            calibration: &setting.folds.of(joined).calibration,
            history: histories.get(&(project.study, &*project.name)).unwrap_or(&none),
        }
        .scores(joined)
    };
    // Only the indicators need the other projects' versions: only their cutoffs are learned here.
    let learned: Vec<(&EvaluatedProject<'_>, Vec<(f64, bool)>)> = if matches!(model, SelectionModel::Sign(_)) {
        setting
            .headline
            .iter()
            .filter(|joined| !joined.project.held_out)
            .map(|joined| (joined, ranked(joined, &scores(joined), threshold)))
            .collect()
    } else {
        Vec::new()
    };
    at_k.iter()
        .map(|joined| {
            let cutoff = match model {
                SelectionModel::Lito => setting.folds.of(joined).select_at(threshold),
                SelectionModel::Paper => threshold,
                SelectionModel::Sign(_) => {
                    let name = Some(joined.project.name.as_str());
                    let other: Vec<(f64, bool)> = learned
                        .iter()
                        .filter(|(j, _)| Some(j.project.name.as_str()) != name)
                        .flat_map(|(_, ranked)| ranked.iter().copied())
                        .collect();
                    cutoff(&other, setting.options.wanted_recall).unwrap_or(0.0)
                }
                // Any score above 0.
                SelectionModel::Always
                | SelectionModel::Path
                | SelectionModel::Random
                | SelectionModel::Reachability
                | SelectionModel::History => 0.0,
            };
            ScoredProject {
                joined,
                scores: scores(joined),
                cutoff,
            }
        })
        .collect()
}

fn ranked(joined: &EvaluatedProject<'_>, scores: &[Vec<f64>], threshold: f64) -> Vec<(f64, bool)> {
    joined
        .versions
        .iter()
        .zip(scores)
        .map(|(joint, scores)| {
            (
                highest_score(scores),
                joint.moved(threshold, MovementCriterion::AnyBenchmark).any(),
            )
        })
        .collect()
}

/// One row for each scope at the headline and the gate's threshold, judged by any benchmark, at the source stage.
pub(super) fn headline_rows(
    setting: EvaluationContext<'_>,
    model: SelectionModel,
    scopes: &[EvaluationScope],
) -> Vec<AccuracyRow> {
    let options = setting.options;
    let threshold = options.gate_threshold;
    let scored = score_projects(setting, setting.headline, model, threshold, &BTreeMap::new());
    let question = EvaluationCriteria {
        threshold,
        judged_by: MovementCriterion::AnyBenchmark,
        stage: StudyStage::Source,
    };
    let k_rule = k_rule(options.headline, options);
    let rates = RateIntervalCache::default();
    scopes
        .iter()
        .map(|scope| {
            let mut tally = EvaluationTally::default();
            scored
                .iter()
                .filter(|scored| scope.holds(scored.joined.project))
                .for_each(|scored| tally.add(scored, question));
            let heading = AccuracyRowKey {
                model,
                k: options.headline,
                k_rule: &k_rule,
                scope: &scope.name,
                question,
            };
            row(&heading, &tally, &rates)
        })
        .collect()
}

fn k_rule(k: u32, options: &EvaluationOptions) -> String {
    if k != options.headline {
        return String::from("fixed");
    }
    format!(
        "{k}, or {} where a history has fewer than {} versions",
        k / 2,
        LONG_ENOUGH * k as usize
    )
}
