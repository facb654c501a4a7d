//! A small example in every format.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::accuracy::{
    BaselineIndicators, CodeAnswer, ComparisonBase, Evaluation, EvaluationOptions, EvolutionRegression, LearningMode,
    MeasuredBenchmark, MeasuredVersion, NamedCase, PredictedBenchmark, PredictedVersion, PretrainedCalibration,
    ProjectResults, SamplePrediction, StudyKind, evaluate, prior_calibration,
};
use analyzer::change::ChangeKind;
use analyzer::cost::{ChangeClass, PredictionTerms};
use serde_json::Value;
use verdict::SkipAudit;

use super::*;
use report::score::PageLayout;

/// Versions whose movement is their cost at risk times a factor from a short list.
fn project(study: StudyKind, name: &str, seed: u64, versions: u64) -> ProjectResults {
    let mut count = 1_000_000.0;
    let mut project = ProjectResults {
        name: name.to_owned(),
        study,
        dropped: None,
        held_out: false,
        measured: Vec::new(),
        predicted: BTreeMap::new(),
        sampling: BTreeMap::from([(format!("{name}-0"), 30.0)]),
    };
    for n in 0..versions {
        let mixed = (n + 1).wrapping_mul(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let touched = if mixed.is_multiple_of(3) {
            0.0
        } else {
            ((mixed >> 20) % 100) as f64 / 100.0
        };
        let factor = [0.0, 0.02, 0.3, -0.2, 0.01][(mixed >> 40) as usize % 5];
        count *= 1.0 + touched * factor;
        let commit = format!("{name}-{n}");
        let benchmark = MeasuredBenchmark {
            instructions: Some(count as u64),
            failed: None,
            code: if touched == 0.0 {
                CodeAnswer::Same
            } else {
                CodeAnswer::Different
            },
            seconds: 1.0,
        };
        project.measured.push(MeasuredVersion {
            version: format!("0.{n}.0"),
            commit: commit.clone(),
            at: 0,
            against: ComparisonBase::LastCounted,
            unbuilt: (n == 7).then(|| String::from("error[E0433]: no <such> thing")),
            benchmarks: if n == 7 {
                BTreeMap::new()
            } else {
                BTreeMap::from([(String::from("parse/<large>"), benchmark)])
            },
            dependencies: Vec::new(),
            build: 4.0,
        });
        let mut terms = PredictionTerms::default();
        if touched > 0.0 {
            terms.touched.insert(ChangeClass::Rebuilt, touched);
        }
        let predicted = PredictedBenchmark {
            paper: touched * 0.1,
            terms,
            indicators: BaselineIndicators {
                changed_reached: u32::from(touched > 0.0),
                changed_share: touched,
                ..BaselineIndicators::default()
            },
        };
        let on = SamplePrediction {
            sample: format!("{name}-0"),
            distance: u32::try_from(n).unwrap(),
            seconds: 0.01,
            benchmarks: BTreeMap::from([(String::from("parse/<large>"), predicted)]),
            kinds: BTreeMap::from([(ChangeKind::Operation, [3, u32::from(touched > 0.0)])]),
            why: vec![format!("operations changed in `a::b|c` <{touched}>")],
            ..SamplePrediction::default()
        };
        if n > 0 {
            let version = PredictedVersion {
                commit: commit.clone(),
                files: vec![String::from("src/lib.rs")],
                on: BTreeMap::from([(10, on)]),
            };
            project.predicted.insert(commit, version);
        }
    }
    project
}

fn example() -> Evaluation {
    let mut dropped = project(StudyKind::Releases, "gone", 13, 12);
    dropped.dropped = Some(String::from("its old versions abort"));
    evaluate(
        &[
            project(StudyKind::Commits, "one", 3, 40),
            project(StudyKind::Commits, "<two>|x", 5, 40),
            project(StudyKind::Releases, "three", 7, 40),
            dropped,
        ],
        &EvaluationOptions {
            ks: vec![10, 20],
            thresholds: vec![0.05, 0.10],
            alarms: 3,
            cases: vec![NamedCase {
                project: String::from("one"),
                version: String::from("0.3.0"),
            }],
            ..EvaluationOptions::default()
        },
    )
}

#[test]
fn markdown_has_every_table() {
    insta::assert_snapshot!(markdown(&example(), &EvaluationBasis::Study(StudyBasis::LeftOut)));
}

#[test]
fn a_terminal_sees_the_headline_and_each_project() {
    insta::assert_snapshot!(plain(&human(
        &example(),
        &EvaluationBasis::Study(StudyBasis::LeftOut),
        PageLayout { width: Some(140) }
    )));
}

fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('\x1b') {
        out.push_str(&rest[..start]);
        rest = rest[start..].split_once('m').map_or("", |(_, rest)| rest);
    }
    out + rest
}

#[test]
fn the_contract_has_a_row_for_every_combination_once() {
    let document: Value =
        serde_json::from_str(&json(&example(), &EvaluationBasis::Study(StudyBasis::LeftOut))).unwrap();
    assert_eq!(document["schema"], "lito.evaluation/1");
    let rows = document["rows"].as_array().unwrap();
    let keys: std::collections::BTreeSet<String> = rows
        .iter()
        .map(|row| {
            ["model", "k", "threshold", "scope", "stage", "judged_by"]
                .map(|name| row[name].to_string())
                .join(" ")
        })
        .collect();
    assert_eq!(keys.len(), rows.len());
    let row = rows
        .iter()
        .find(|row| {
            row["model"] == "lito"
                && row["k"] == 20
                && row["threshold"] == 0.05
                && row["scope"] == "commits"
                && row["stage"] == "source"
                && row["judged_by"] == "any_benchmark"
        })
        .unwrap();
    for name in [
        "versions",
        "selected",
        "regressions",
        "found",
        "true_positive",
        "false_positive",
        "true_negative",
        "false_negative",
    ] {
        assert!(row[name].is_u64(), "{name}: {}", row[name]);
    }
    for name in [
        "precision",
        "recall",
        "recall_low",
        "recall_high",
        "auc",
        "pairs_run",
        "cost_ratio",
    ] {
        assert!(row[name].is_number(), "{name}: {}", row[name]);
    }
    let sum = |names: &[&str]| -> u64 { names.iter().filter_map(|n| row[*n].as_u64()).sum() };
    assert_eq!(sum(&["true_positive", "false_positive"]), sum(&["selected"]));
    assert_eq!(
        sum(&["true_positive", "false_positive", "true_negative", "false_negative"]),
        sum(&["versions"])
    );
}

#[test]
fn what_is_held_out_has_columns_and_rows_of_its_own() {
    let mut held_out = project(StudyKind::Commits, "three", 7, 40);
    held_out.held_out = true;
    let evaluation = evaluate(
        &[
            project(StudyKind::Commits, "one", 3, 40),
            project(StudyKind::Commits, "two", 5, 40),
            project(StudyKind::Releases, "one", 7, 40),
            held_out,
        ],
        &EvaluationOptions {
            ks: vec![20],
            thresholds: vec![0.05],
            ..EvaluationOptions::default()
        },
    );
    let text = markdown(&evaluation, &EvaluationBasis::Study(StudyBasis::LeftOut));
    for line in [
        "| measure | published | aim, commits | commits: learned from | commits: held out | commits | aim, releases | releases |",
        "| versions | 1125 | ≥ 1125 | 76 ✗ | 38 ✗ | 114 ✗ | ≥ 1125 | 38 ✗ |",
        "| **learned from** | **76** |",
        "| **held out** | **38** |",
        "| **total** | **114** |",
        "| commits, held out | three | 40 |",
        "Projects that are held out are not among them.",
        "Held out: nothing was learned from these histories.",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let page = PageLayout { width: Some(140) };
    assert!(human(&evaluation, &EvaluationBasis::Study(StudyBasis::LeftOut), page).contains("held out"));
    let document: Value =
        serde_json::from_str(&json(&evaluation, &EvaluationBasis::Study(StudyBasis::LeftOut))).unwrap();
    let scopes = document["rows"].as_array().unwrap();
    assert!(scopes.iter().any(|row| row["scope"] == "commits:held_out"));
    let held_out = document["projects"].as_array().unwrap().iter();
    let held_out: Vec<&Value> = held_out.filter(|project| project["held_out"] == true).collect();
    assert_eq!(held_out.len(), 1);
    assert_anchors(&html(&evaluation, &EvaluationBasis::Study(StudyBasis::LeftOut)));
}

#[test]
fn what_has_no_value_is_null() {
    // Nothing moves, so recall has no value.
    let mut still = project(StudyKind::Commits, "still", 3, 12);
    for version in &mut still.measured {
        for benchmark in version.benchmarks.values_mut() {
            benchmark.instructions = Some(5);
        }
    }
    let document: Value = serde_json::from_str(&json(
        &evaluate(&[still], &EvaluationOptions::default()),
        &EvaluationBasis::Study(StudyBasis::LeftOut),
    ))
    .unwrap();
    let row = &document["rows"][0];
    assert!(row["recall"].is_null() && row["auc"].is_null());
    assert_eq!(row["regressions"], 0);
}

#[test]
fn the_page_loads_and_runs_nothing_and_escapes_names() {
    let page = html(&example(), &EvaluationBasis::Study(StudyBasis::LeftOut));
    for forbidden in ["<script", "http:", "https:", "<link", "url(", " on", "<two>", "<large>"] {
        let found = page.find(forbidden).map(|at| &page[at..page.len().min(at + 60)]);
        // ` on` is only forbidden as an attribute.
        if forbidden == " on" {
            assert!(!page.contains(" onload=") && !page.contains(" onclick="));
        } else {
            assert_eq!(found, None, "{forbidden}");
        }
    }
    assert!(page.contains("&lt;two&gt;|x"));
}

#[test]
fn figure_5_begins_with_a_sample_of_every_version_where_there_is_one() {
    let mut one = project(StudyKind::Commits, "one", 3, 40);
    for version in one.predicted.values_mut() {
        let on = version.on[&10].clone();
        version.on.extend([(1, on.clone()), (5, on)]);
    }
    let options = EvaluationOptions {
        thresholds: vec![0.05],
        ablate: false,
        ..EvaluationOptions::default()
    };
    let (evaluation, basis) = (evaluate(&[one], &options), EvaluationBasis::Study(StudyBasis::LeftOut));
    let text = markdown(&evaluation, &basis);
    let table = text
        .split("(as the paper's Figure 5)")
        .nth(1)
        .unwrap()
        .split("###")
        .next()
        .unwrap();
    let ks: Vec<&str> = (table.lines())
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .collect();
    assert_eq!(ks, ["k", "1", "5", "10", "20"]);
    let page = html(&evaluation, &basis);
    let figure = page
        .split("<figure id=\"figure-found-and-selected-against-the-distance")
        .nth(1)
        .unwrap();
    let ticks: Vec<&str> = (figure
        .split("</figure>")
        .next()
        .unwrap()
        .split("text-anchor=\"middle\">"))
    .filter_map(|rest| rest.split('<').next())
    .filter(|label| label.parse::<u32>().is_ok())
    .collect();
    assert_eq!(ticks, ["1", "5", "10", "20"]);
}

/// The drawing in the row of a project in Table 7 of the page.
fn sparkline<'p>(page: &'p str, project: &str) -> &'p str {
    let row = page.split(&format!("<th scope=\"row\">{project}</th>")).nth(1).unwrap();
    row.split("<td class=\"drawn\">")
        .nth(1)
        .unwrap()
        .split("</td>")
        .next()
        .unwrap()
}

#[test]
fn table_7_draws_each_benchmark_of_a_project_and_where_it_regressed() {
    let example = example();
    let page = html(&example, &EvaluationBasis::Study(StudyBasis::LeftOut));
    let drawn = sparkline(&page, "one");
    let name = "parse/&lt;large&gt;: ";
    assert!(drawn.contains(&format!("<title>{name}")), "{drawn}");
    assert!(drawn.contains(&format!("aria-label=\"{name}")), "{drawn}");
    // Version 7 does not build: the line opens there.
    let line = drawn.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(line.matches('M').count(), 2, "{line}");
    let one = example.projects.iter().find(|project| project.name == "one").unwrap();
    let regressions = &one.evolutions[0].regressions;
    let found = regressions.iter().filter(|regression| regression.found).count();
    assert!(!regressions.is_empty());
    assert_eq!(drawn.matches("class=\"ring").count(), found);
    assert_eq!(drawn.matches("class=\"cross").count(), regressions.len() - found);
    // Totals have no drawing, and the drawings are in the page only.
    assert!(sparkline(&page, "published (17 Pharo projects)").is_empty());
    assert!(!markdown(&example, &EvaluationBasis::Study(StudyBasis::LeftOut)).contains("evolution"));
    let (store, basis) = of_a_store();
    assert!(!html(&store, &basis).contains("class=\"drawn\""));
}

#[test]
fn a_sparkline_has_a_cross_for_a_miss_and_is_flat_for_a_tremble() {
    let mut example = example();
    let one = example
        .projects
        .iter_mut()
        .find(|project| project.name == "one")
        .unwrap();
    let evolution = &mut one.evolutions[0];
    evolution.counts = vec![Some(1000), Some(1001), None, Some(1000)];
    evolution.regressions = vec![EvolutionRegression {
        version: 3,
        found: false,
    }];
    let page = html(&example, &EvaluationBasis::Study(StudyBasis::LeftOut));
    let drawn = sparkline(&page, "one");
    assert!(drawn.contains("0%, 1 regression, 1 missed"), "{drawn}");
    assert_eq!(
        (
            drawn.matches("class=\"cross").count(),
            drawn.matches("class=\"ring").count()
        ),
        (1, 0)
    );
    // Level with the middle, but for a tenth of a pixel or two; a version without a count ends the line.
    assert!(drawn.contains("d=\"M5.0 15.1h0L81.7 14.9M235.0 15.1h0\""), "{drawn}");
}

#[test]
fn every_anchor_of_the_page_leads_somewhere_and_only_once() {
    let (of_a_store, basis) = of_a_store();
    assert_anchors(&html(&example(), &EvaluationBasis::Study(StudyBasis::LeftOut)));
    assert_anchors(&html(&of_a_store, &basis));
}

fn assert_anchors(page: &str) {
    let ids: Vec<&str> = page
        .split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let distinct: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(distinct.len(), ids.len());
    for target in page.split("href=\"#").skip(1) {
        let target = target.split('"').next().unwrap();
        assert!(distinct.contains(target), "{target}");
    }
}

#[test]
fn the_outcome_is_the_same_every_time() {
    let (one, other) = (example(), example());
    assert_eq!(
        json(&one, &EvaluationBasis::Study(StudyBasis::LeftOut)),
        json(&other, &EvaluationBasis::Study(StudyBasis::LeftOut))
    );
    assert_eq!(
        html(&one, &EvaluationBasis::Study(StudyBasis::LeftOut)),
        html(&other, &EvaluationBasis::Study(StudyBasis::LeftOut))
    );
}

/// A repository's own store: one project, without learning from it.
fn of_a_store() -> (Evaluation, EvaluationBasis) {
    let options = EvaluationOptions {
        learning: LearningMode::Given(PretrainedCalibration {
            calibration: prior_calibration(),
            select_at: 0.05,
        }),
        ks: vec![20],
        thresholds: vec![0.05],
        ablate: false,
        ..EvaluationOptions::default()
    };
    let mut own = project(StudyKind::Commits, "own", 3, 12);
    for version in &mut own.measured {
        version.build = 0.0;
        for benchmark in version.benchmarks.values_mut() {
            benchmark.seconds = 0.0;
        }
    }
    let rests_on = StoreBasis {
        flagged: 6,
        audited: 3,
        sampled: 2,
        unpredicted: 1,
        audit: Some(SkipAudit::of(4, 1)),
    };
    (evaluate(&[own], &options), EvaluationBasis::Store(rests_on))
}

#[test]
fn of_a_store_a_terminal_sees_first_what_it_rests_on() {
    let (evaluation, basis) = of_a_store();
    insta::assert_snapshot!(plain(&human(&evaluation, &basis, PageLayout { width: Some(100) })));
}

#[test]
fn of_a_store_no_cost_is_told_and_nothing_that_was_learned() {
    let (evaluation, basis) = of_a_store();
    let document: Value = serde_json::from_str(&json(&evaluation, &basis)).unwrap();
    assert_eq!(document["options"]["rests_on"]["audited"], 3);
    assert_eq!(document["options"]["rests_on"]["gated"], 9);
    assert!(document["rows"][0]["cost_ratio"].is_null());
    for text in [markdown(&evaluation, &basis), html(&evaluation, &basis)] {
        assert!(text.contains("an estimate over what was measured"));
        assert!(!text.contains("What was learned") && !text.contains("NaN"));
    }
}
