//! Small projects with figures computed by hand, and invariants of every evaluation.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use super::*;
use analyzer::cost::{ChangeClass, PredictionTerms};

/// A version of a project with one benchmark: its count, the cost at risk (Rebuilt), the published ΔC.
pub(super) struct StudyFixtureVersion {
    count: Option<u64>,
    touched: f64,
    paper: f64,
    code: CodeAnswer,
}

pub(super) fn line(count: u64, touched: f64, paper: f64) -> StudyFixtureVersion {
    StudyFixtureVersion {
        count: Some(count),
        touched,
        paper,
        code: CodeAnswer::Unknown,
    }
}

pub(super) fn project(study: StudyKind, name: &str, lines: &[StudyFixtureVersion]) -> ProjectResults {
    let commit = |index: usize| format!("{name}-{index}");
    let measured = lines
        .iter()
        .enumerate()
        .map(|(index, line)| MeasuredVersion {
            version: format!("0.{index}"),
            commit: commit(index),
            at: 0,
            against: ComparisonBase::LastCounted,
            unbuilt: line.count.is_none().then(|| String::from("no")),
            benchmarks: line
                .count
                .map(|count| {
                    BTreeMap::from([(
                        String::from("b"),
                        MeasuredBenchmark {
                            instructions: Some(count),
                            failed: None,
                            code: line.code,
                            seconds: 1.0,
                        },
                    )])
                })
                .unwrap_or_default(),
            dependencies: Vec::new(),
            build: 9.0,
        })
        .collect();
    let predicted = lines
        .iter()
        .enumerate()
        .skip(1)
        .map(|(index, line)| {
            let terms = PredictionTerms {
                expected: 0.0,
                touched: if line.touched > 0.0 {
                    BTreeMap::from([(ChangeClass::Rebuilt, line.touched)])
                } else {
                    BTreeMap::new()
                },
            };
            let benchmark = PredictedBenchmark {
                paper: line.paper,
                terms,
                indicators: BaselineIndicators {
                    changed_reached: u32::from(line.touched > 0.0),
                    changed_share: line.touched,
                    ..BaselineIndicators::default()
                },
            };
            let on = SamplePrediction {
                sample: commit(0),
                distance: u32::try_from(index).unwrap(),
                seconds: 0.1,
                benchmarks: BTreeMap::from([(String::from("b"), benchmark)]),
                why: vec![format!("touches {}", line.touched)],
                ..SamplePrediction::default()
            };
            let version = PredictedVersion {
                commit: commit(index),
                files: vec![format!("src/{}.rs", index % 2)],
                on: BTreeMap::from([(10, on)]),
            };
            (commit(index), version)
        })
        .collect();
    ProjectResults {
        name: name.to_owned(),
        study,
        dropped: None,
        held_out: false,
        measured,
        predicted,
        sampling: BTreeMap::from([(commit(0), 5.0)]),
    }
}

/// D of the versions from 0.1 on: +10%, 0, does not build, 0 (against 0.2), −10%, 0, +30%.
fn example() -> ProjectResults {
    let mut lines = vec![
        line(1000, 0.0, 0.0),
        line(1100, 0.5, 0.2),
        line(1100, 0.0, 0.08),
        line(1100, 0.4, 0.0),
        line(1100, 0.2, 0.0),
        line(990, 0.3, -0.1),
        line(990, 0.01, 0.0),
        line(1287, 0.9, 0.01),
    ];
    lines[3].count = None;
    lines[6].code = CodeAnswer::Same;
    project(StudyKind::Commits, "one", &lines)
}

pub(super) fn options() -> EvaluationOptions {
    EvaluationOptions {
        learning: LearningMode::Given(PretrainedCalibration {
            calibration: prior_calibration(),
            select_at: 0.001,
        }),
        ks: vec![10, 20],
        ..EvaluationOptions::default()
    }
}

pub(super) fn find(
    evaluation: &Evaluation,
    model: SelectionModel,
    threshold: f64,
    scope: &str,
    stage: StudyStage,
) -> AccuracyRow {
    evaluation
        .rows
        .iter()
        .find(|row| {
            row.model == model
                && row.k == 20
                && row.threshold == threshold
                && row.scope == scope
                && row.stage == stage
                && row.judged_by == MovementCriterion::AnyBenchmark
        })
        .unwrap()
        .clone()
}

#[test]
fn a_version_is_compared_with_the_last_one_before_it_that_has_counts() {
    let mut project = example();
    // Built, but every run failed: equivalent to a failed build.
    project.measured[2].benchmarks.get_mut("b").unwrap().instructions = None;
    project.measured[4].benchmarks.get_mut("b").unwrap().instructions = Some(2200);
    let evaluation = evaluate(&[project], &options());
    let summary = &evaluation.projects[0];
    assert_eq!((summary.measured, summary.usable), (8, 5));
    let broken: Vec<&str> = summary.unusable.iter().map(|u| &*u.version).collect();
    assert_eq!(broken, ["0.2", "0.3"]);
    let dot = |version: &str| {
        let mut dots = evaluation.dots.iter();
        dots.find(|dot| dot.version == version).map(|dot| dot.change)
    };
    // Version 0.4 compared with 0.1.
    assert_eq!((dot("0.3"), dot("0.4")), (None, Some(1.0)));
}

#[test]
fn what_has_nothing_before_it_to_be_compared_with_says_so() {
    let mut project = example();
    for version in &mut project.measured[..2] {
        version.unbuilt = Some(String::from("no"));
    }
    let evaluation = evaluate(&[project], &options());
    let unusable = &evaluation.projects[0].unusable;
    let told: Vec<(&str, bool)> = (unusable.iter())
        .map(|u| (&*u.version, u.why.contains("no count before it")))
        .collect();
    assert_eq!(told, [("0.1", false), ("0.2", true), ("0.3", false)]);
}

#[test]
fn a_version_may_name_what_it_is_compared_with() {
    let mut project = example();
    // Pairs as a store keeps them. 0.6 occurs a second time, as a base with another count, in another environment.
    let mut again = project.measured[6].clone();
    again.against = ComparisonBase::Nothing;
    again.benchmarks.get_mut("b").unwrap().instructions = Some(2574);
    project.measured[7].against = ComparisonBase::Commit(again.commit.clone());
    project.measured.insert(7, again);
    let evaluation = evaluate(&[project.clone()], &options());
    let summary = &evaluation.projects[0];
    assert_eq!((summary.measured, summary.usable), (8, 6));
    let last = evaluation.dots.last().unwrap();
    assert_eq!((&*last.version, last.change), ("0.7", -0.5));
    project.measured[8].against = ComparisonBase::Commit(String::from("elsewhere"));
    let evaluation = evaluate(&[project], &options());
    assert_eq!(evaluation.projects[0].unusable[1].version, "0.7");
}

#[test]
fn the_published_model_is_held_against_what_happened() {
    let evaluation = evaluate(&[example()], &options());
    // Versions 1, 2, 4, 5, 6, 7; selected 1 (0.2) and 2 (0.08); regressed 1 and 7.
    let row = find(&evaluation, SelectionModel::Paper, 0.05, "commits", StudyStage::Source);
    assert_eq!(row.versions, 6);
    assert_eq!((row.selected.hits, row.recall.of, row.recall.hits), (2.0, 2.0, 1.0));
    assert_eq!(row.precision.value(), Some(0.5));
    assert_eq!(row.true_negative, 3.0);
    assert_eq!((row.recall_improved.of, row.recall_improved.hits), (1.0, 0.0));
    assert_eq!((row.recall_moved.of, row.recall_moved.hits), (3.0, 1.0));
    // Scores in order: 0.2 0.08 0.01 0 0 −0.1. The hits are first and third; one of eight pairs is out of order.
    assert!((row.area.unwrap().area - 7.0 / 8.0).abs() < 1e-12);
    // At 15% only 0.2 is selected, and only 0.7 regressed.
    let row = find(&evaluation, SelectionModel::Paper, 0.15, "commits", StudyStage::Source);
    assert_eq!((row.selected.hits, row.recall.of, row.recall.hits), (1.0, 1.0, 0.0));
}

#[test]
fn each_version_is_paid_for_once_and_samples_by_who_uses_them() {
    let evaluation = evaluate(&[example()], &options());
    let always = find(&evaluation, SelectionModel::Always, 0.05, "commits", StudyStage::Source);
    // Versions 0, 1, 2, 4, 5, 6, 7: seven builds of 9 and runs of 1.
    assert!((always.exhaustive - 70.0).abs() < 1e-9);
    assert_eq!(always.cost_ratio(), Some(1.0));
    assert_eq!(always.recall.value(), Some(1.0));
    // 0, 1, 2 are built and run; one sample of 5; six versions scored.
    let paper = find(&evaluation, SelectionModel::Paper, 0.05, "commits", StudyStage::Source);
    assert!((paper.cost - (30.0 + 5.0 + 0.6)).abs() < 1e-9, "{}", paper.cost);
}

#[test]
fn later_stages_drop_what_cannot_have_moved_and_save_its_runs() {
    let evaluation = evaluate(&[example()], &options());
    let stage = |stage| find(&evaluation, SelectionModel::Lito, 0.05, "commits", stage);
    // All versions with cost at risk: 1, 4, 5, 6, 7.
    assert_eq!(stage(StudyStage::Source).selected.hits, 5.0);
    // 6 has the same machine code.
    assert_eq!(stage(StudyStage::Code).selected.hits, 4.0);
    assert_eq!(stage(StudyStage::Counts).selected.hits, 3.0);
    assert_eq!(stage(StudyStage::Counts).precision_moved.value(), Some(1.0));
    // Versions 0 1, 2 4, 4 5, 6 7 are built in any case, and all of them are run: 6 as the base of 7.
    assert!((stage(StudyStage::Source).cost - stage(StudyStage::Code).cost).abs() < 1e-9);
    assert_eq!(evaluation.code[0].same, 1);
    assert_eq!(evaluation.code[0].contradicted, 0);
}

#[test]
fn what_is_drawn_by_lot_finds_its_share() {
    let evaluation = evaluate(&[example()], &options());
    let random = find(&evaluation, SelectionModel::Random, 0.05, "commits", StudyStage::Source);
    // Five of six versions.
    assert!((random.selected.hits - 5.0).abs() < 1e-12);
    assert!((random.recall.value().unwrap() - 5.0 / 6.0).abs() < 1e-12);
    assert!((random.precision.value().unwrap() - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(random.area.unwrap().area, 0.5);
    // 0 and 7 have one role; 1, 2, 4, 5, 6 have two.
    let (one, two) = (5.0 / 6.0, 1.0 - 1.0 / 36.0);
    assert!((random.cost - 10.0 * (2.0 * one + 5.0 * two)).abs() < 1e-9);
}

#[test]
fn history_knows_only_what_came_before() {
    let evaluation = evaluate(&[example()], &options());
    // Odd versions touch src/1.rs, even ones src/0.rs. 1 moved; 2 did not. 4 follows 2: not selected. 5 follows 1 (and
    // 3, which is unmeasured): selected. 6 follows 2 and 4: not selected. 7 follows 1 and 5: selected.
    let row = find(
        &evaluation,
        SelectionModel::History,
        0.05,
        "commits",
        StudyStage::Source,
    );
    assert_eq!(row.selected.hits, 2.0);
    assert_eq!((row.recall.of, row.recall.hits), (2.0, 1.0));
}

#[test]
fn misses_and_false_alarms_are_told_with_their_reasons() {
    let mut options = options();
    options.learning = LearningMode::Given(PretrainedCalibration {
        calibration: prior_calibration(),
        select_at: 0.24,
    });
    options.cases = vec![NamedCase {
        project: String::from("one"),
        version: String::from("0.2"),
    }];
    let evaluation = evaluate(&[example()], &options);
    let told: Vec<(PredictionOutcome, &str)> = evaluation.explained.iter().map(|e| (e.outcome, &*e.version)).collect();
    // P = 1 / (1 + 0.05 / (0.05 · cost at risk)): 0.33 of 1, 0.17 of 4, 0.23 of 5, 0.47 of 7.
    assert_eq!(told, [(PredictionOutcome::MissedImprovement, "0.5")]);
    assert_eq!(evaluation.explained[0].why, ["touches 0.3"]);
    assert_eq!(evaluation.cases[0].outcome, PredictionOutcome::RightlySkipped);
}

/// A project whose movements are the cost at risk times a factor from a short list.
pub(super) fn simulated(study: StudyKind, name: &str, seed: u64, scale: f64) -> ProjectResults {
    let mut count = 1_000_000.0;
    let lines: Vec<StudyFixtureVersion> = (0..40u64)
        .map(|n| {
            let mixed = (n + 1).wrapping_mul(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let touched = if mixed % 3 == 0 {
                0.0
            } else {
                ((mixed >> 20) % 100) as f64 / 100.0
            };
            let factor = [0.02, 0.1, 0.3, 0.6, 0.05][(mixed >> 40) as usize % 5] * scale;
            count *= 1.0 + touched * factor;
            line(count as u64, touched, touched * 0.1)
        })
        .collect();
    project(study, name, &lines)
}

#[test]
fn nothing_of_a_project_is_learned_from_it_in_either_study() {
    let projects = |scale: f64| {
        vec![
            simulated(StudyKind::Commits, "own", 3, scale),
            simulated(StudyKind::Releases, "own", 5, scale),
            simulated(StudyKind::Commits, "other", 7, 1.0),
            simulated(StudyKind::Releases, "another", 11, 1.0),
        ]
    };
    let learn = EvaluationOptions {
        ks: vec![20],
        ablate: false,
        ..EvaluationOptions::default()
    };
    let of_own = |evaluation: &Evaluation| {
        evaluation
            .folds
            .iter()
            .filter(|fold| fold.project.as_deref() == Some("own"))
            .cloned()
            .collect::<Vec<_>>()
    };
    let (plain, moved) = (evaluate(&projects(1.0), &learn), evaluate(&projects(9.0), &learn));
    assert_eq!(of_own(&plain).len(), 2);
    assert_eq!(of_own(&plain), of_own(&moved));
    // The other projects do learn from it.
    assert_ne!(plain.folds, moved.folds);
    assert!(of_own(&plain).iter().all(|fold| fold.learned_from == 2));
}

#[test]
fn from_a_project_that_is_held_out_nothing_is_learned_and_it_is_counted_apart() {
    let projects = |scale: f64| {
        let mut held_out = simulated(StudyKind::Commits, "held", 3, scale);
        held_out.held_out = true;
        vec![
            held_out,
            simulated(StudyKind::Releases, "held", 5, 1.0),
            simulated(StudyKind::Commits, "one", 7, 1.0),
            simulated(StudyKind::Commits, "other", 11, 1.0),
        ]
    };
    let learn = EvaluationOptions {
        ks: vec![20],
        ..EvaluationOptions::default()
    };
    let (plain, moved) = (evaluate(&projects(1.0), &learn), evaluate(&projects(9.0), &learn));
    assert_eq!(plain.folds, moved.folds);
    assert_eq!(plain.ablation, moved.ablation);
    let learned_from = |name: Option<&str>| {
        let fold =
            (plain.folds.iter()).find(|fold| fold.project.as_deref() == name && fold.study == StudyKind::Commits);
        fold.map(|fold| fold.learned_from)
    };
    // Nothing of a project that has the same name, either: its releases are the same code.
    assert_eq!(
        [None, Some("held"), Some("one")].map(learned_from),
        [Some(3), Some(2), Some(2)]
    );
    for model in [SelectionModel::Lito, SelectionModel::Always] {
        let versions = ["commits", "commits:learned", "commits:held_out", "commits/held"]
            .map(|scope| find(&plain, model, 0.05, scope, StudyStage::Source).versions);
        assert_eq!(versions, [117, 78, 39, 39]);
    }
    // A baseline's cutoff is learned, too.
    let cutoff = |evaluation| {
        let sign = SelectionModel::Sign(ChangeIndicator::ChangedCost);
        find(evaluation, sign, 0.05, "commits:learned", StudyStage::Source).selected
    };
    assert_eq!(cutoff(&plain), cutoff(&moved));
    // Without such a project, there are no halves.
    assert!(plain.rows.iter().all(|row| !row.scope.starts_with("releases:")));
    assert!(plain.projects[0].held_out && !plain.projects[1].held_out);
}

#[test]
fn a_higher_threshold_never_finds_more_regressions_nor_selects_more() {
    let projects = [
        simulated(StudyKind::Commits, "a", 3, 1.0),
        simulated(StudyKind::Commits, "b", 5, 1.0),
        simulated(StudyKind::Commits, "c", 7, 1.0),
    ];
    let evaluation = evaluate(&projects, &EvaluationOptions::default());
    for model in [SelectionModel::Lito, SelectionModel::Paper] {
        let rows: Vec<AccuracyRow> = EvaluationOptions::default()
            .thresholds
            .iter()
            .map(|t| find(&evaluation, model, *t, "commits", StudyStage::Source))
            .collect();
        assert!(
            rows.windows(2).all(|pair| {
                pair[0].selected.hits >= pair[1].selected.hits && pair[0].recall.of >= pair[1].recall.of
            })
        );
    }
    // The histories are short, so half of k = 20 is used.
    assert_eq!(evaluation.projects[0].k, Some(10));
    assert_eq!(evaluation.ablation[0].without, "nothing");
    assert_eq!(
        evaluation.ablation[0].rows[0],
        find(&evaluation, SelectionModel::Lito, 0.05, "commits", StudyStage::Source)
    );
}

/// Each version of the project, with a second benchmark that moves like the first and has less cost at risk.
fn with_a_second_benchmark(mut project: ProjectResults) -> ProjectResults {
    for version in &mut project.measured {
        if let Some(first) = version.benchmarks.get("b").cloned() {
            version.benchmarks.insert(String::from("a"), first);
        }
        // The first benchmark does not move.
        for (name, benchmark) in &mut version.benchmarks {
            if name == "b" {
                benchmark.instructions = Some(77);
            }
        }
    }
    for version in project.predicted.values_mut() {
        for on in version.on.values_mut() {
            let mut less = on.benchmarks["b"].clone();
            less.terms.touched.values_mut().for_each(|share| *share /= 100.0);
            on.benchmarks.insert(String::from("a"), less);
        }
    }
    project
}

#[test]
fn running_another_benchmark_than_the_one_that_moved_finds_nothing() {
    let projects =
        [3, 5, 7].map(|seed| with_a_second_benchmark(simulated(StudyKind::Commits, &format!("p{seed}"), seed, 1.0)));
    let row = |found_by| {
        let options = EvaluationOptions {
            found_by,
            ks: vec![20],
            ablate: false,
            ..EvaluationOptions::default()
        };
        let evaluation = evaluate(&projects, &options);
        let missed = evaluation.explained.iter();
        let missed = missed.filter(|e| e.outcome == PredictionOutcome::MissedBenchmark);
        (
            missed.count() as f64,
            find(&evaluation, SelectionModel::Lito, 0.05, "commits", StudyStage::Source),
        )
    };
    let (missed, row_of_any) = row(DetectionCriterion::AnyBenchmark);
    assert!(row_of_any.recall_run.hits < row_of_any.recall.hits);
    assert_eq!(missed, row_of_any.recall.hits - row_of_any.recall_run.hits);
    let (_, row_of_moved) = row(DetectionCriterion::MovedBenchmark);
    assert!(row_of_any.recall_run.hits < row_of_moved.recall_run.hits);
}

#[test]
fn selection_may_be_learned_for_each_threshold() {
    let projects = [
        simulated(StudyKind::Commits, "a", 3, 1.0),
        simulated(StudyKind::Commits, "b", 5, 1.0),
        simulated(StudyKind::Commits, "c", 7, 1.0),
    ];
    let found = |selection| {
        let options = EvaluationOptions {
            selection,
            ks: vec![20],
            ablate: false,
            ..EvaluationOptions::default()
        };
        let evaluation = evaluate(&projects, &options);
        [0.05, 0.25].map(|t| {
            find(&evaluation, SelectionModel::Lito, t, "commits", StudyStage::Source)
                .recall
                .hits
        })
    };
    let (once, each) = (found(SelectionTuning::Gate), found(SelectionTuning::EachThreshold));
    assert_eq!(once[0], each[0]);
    assert!(once[1] < each[1], "{once:?} {each:?}");
}

#[test]
fn a_project_is_counted_once_in_its_study_and_dropped_ones_only_listed() {
    let mut dropped = simulated(StudyKind::Commits, "gone", 3, 1.0);
    dropped.dropped = Some(String::from("its old versions abort"));
    let projects = [example(), dropped];
    let evaluation = evaluate(&projects, &options());
    assert_eq!(evaluation.projects.len(), 2);
    assert_eq!(
        evaluation.projects[0].dropped.as_deref(),
        Some("its old versions abort")
    );
    assert_eq!(
        find(&evaluation, SelectionModel::Lito, 0.05, "commits", StudyStage::Source).versions,
        find(
            &evaluation,
            SelectionModel::Lito,
            0.05,
            "commits/one",
            StudyStage::Source
        )
        .versions
    );
}

#[test]
fn without_projects_there_is_nothing_to_tell() {
    let evaluation = evaluate(&[], &EvaluationOptions::default());
    assert!(evaluation.rows.is_empty() && evaluation.explained.is_empty());
}
