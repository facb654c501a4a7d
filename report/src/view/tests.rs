#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use profile::call_tree::{
    CostNoise, DifferentialFlameGraph, EvolutionBlueprint, FunctionRenames, folded_stacks, hot_leaves,
};
use profile::{CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId};
use serde_json::{Value, json};

use super::*;
use crate::comparison::{ComparedExecution, SourceDifference};
use crate::track::{
    ChangeDetectionMethod, TrackChange, TrackPoint, TrackedBenchmark, TrackedVersionState, VersionPrediction,
};

/// Executed functions with their inclusive costs; the first calls all others. `core::` is external.
fn profile(costs: &[(&str, u64)]) -> Profile {
    let function = |(name, inclusive): &(&str, u64)| ProfileFunction {
        name: (*name).to_owned(),
        file: Some(ProfileFileId(u32::from(name.starts_with("core::")))),
        line: 1,
        external: name.starts_with("core::"),
        calls: 1,
        inlined_calls: 0,
        inclusive: *inclusive,
        self_cost: 0,
        estimated: false,
    };
    let site = |callee: usize| ProfileCallSite {
        caller: ProfileFunctionId(0),
        callee: ProfileFunctionId(u32::try_from(callee).unwrap()),
        file: None,
        line: 0,
        calls: 3,
        inclusive: 0,
        inlined: false,
        estimated: false,
    };
    Profile {
        benchmark: "parse".to_owned(),
        unit: CostUnit::Instructions,
        profiler: "callgrind".to_owned(),
        exact_counts: true,
        total: costs[0].1,
        files: vec!["src/lib.rs".to_owned(), "core/src/slice/mod.rs".to_owned()],
        functions: costs.iter().map(function).collect(),
        sites: (1..costs.len()).map(site).collect(),
        lines: Vec::new(),
    }
}

fn track() -> CostTrack {
    let version = |index: u8| crate::track::TrackedVersion {
        commit: format!("{index}").repeat(40),
        summary: format!("version {index}"),
        time: 0,
        state: TrackedVersionState::Measured,
        reason: None,
        prediction: (index > 1).then(|| VersionPrediction {
            is_flagged: index == 3,
            risk: 0.25,
            left_out: Vec::new(),
        }),
    };
    CostTrack {
        unit: "instructions",
        threshold: 0.05,
        versions: vec![version(1), version(2), version(3)],
        benchmarks: vec![TrackedBenchmark {
            name: "parse".to_owned(),
            points: vec![
                TrackPoint::Measured(1000),
                TrackPoint::Gap(0),
                TrackPoint::Measured(2000),
            ],
            changes: vec![TrackChange {
                since: 1,
                at: 2,
                before: 1000.0,
                after: 2000.0,
                method: ChangeDetectionMethod::Jump,
            }],
            rewritten: vec![2],
        }],
        reasons: vec!["it does not build".to_owned()],
    }
}

fn comparison() -> ExecutionComparison {
    let [old, new] = [
        "k::run;k::next 100\n",
        "k::run;k::next 100\nk::run;k::next;k::at_end 90\n",
    ]
    .map(|stacks| folded_stacks::read(stacks.as_bytes()).unwrap().tree);
    let evolution = EvolutionBlueprint::of(&old, &new, &FunctionRenames::new(), CostNoise::Counted);
    let execution = |index: u8| ComparedExecution {
        benchmark: "parse".to_owned(),
        label: format!("v{index}"),
        commit: Some(format!("{index}").repeat(40)),
    };
    ExecutionComparison {
        before: execution(1),
        after: execution(3),
        hot_leaves: hot_leaves(&evolution),
        flames: DifferentialFlameGraph::of(&old, &new, &evolution),
        evolution,
        changed: BTreeMap::from([("k::next".to_owned(), SourceDifference::Changed)]),
        moved: BTreeMap::new(),
        changing_commits: BTreeMap::new(),
        notes: Vec::new(),
    }
}

/// A page of two measured versions, one gap, and a comparison, below a title that tries to break out.
fn shown(check: impl FnOnce(&str, &Value)) {
    shown_with(&track(), check);
}

fn shown_with(track: &CostTrack, check: impl FnOnce(&str, &Value)) {
    let comparisons = [comparison()];
    let old = profile(&[
        ("k::run", 1000),
        ("k::lex::Lexer::next", 600),
        ("core::slice::sort", 900),
    ]);
    let new = profile(&[("k::run", 2000), ("k::lex::Lexer::next", 1500), ("k::lex::tiny", 1)]);
    let column = |version, profile, modified: &[&str]| MatrixColumn {
        version,
        profile,
        modified: modified.iter().map(|name| (*name).into()).collect(),
        timeline: None,
    };
    let view = HtmlReport {
        project: "k</title><script>alert(1)</script>".to_owned(),
        title: "1 benchmark of 3 versions".to_owned(),
        unit: "instructions",
        better: BetterDirection::Less,
        made_by: "lito track".to_owned(),
        compare_by: String::new(),
        compare_benchmarks_by: String::new(),
        versions: (1..=3u8)
            .map(|index| ViewVersion {
                commit: format!("{index}").repeat(40),
                label: format!("v{index}\u{202e}\u{1b}[31m"),
                summary: String::new(),
                time: 0,
            })
            .collect(),
        headline: ReportHeadline {
            tone: CostTrend::Slower,
            text: "slower".to_owned(),
            lines: Vec::new(),
        },
        track: Some(track),
        matrices: vec![EvolutionMatrix {
            benchmark: "parse",
            columns: vec![
                column(0, &old, &[]),
                column(
                    2,
                    &new,
                    &["k::lex::Lexer::next", "k::lex::Lexer::never_run", "k::unused"],
                ),
            ],
        }],
        comparisons: &comparisons,
        outlines: Vec::new(),
        earlier_names: EarlierNames::new(),
    };
    let page = html(&view);
    let payload = page.split("id=\"payload\">").nth(1).unwrap();
    let payload = decoded(payload.split('<').next().unwrap());
    check(&page, &payload);
}

fn decoded(text: &str) -> Value {
    let bytes = STANDARD.decode(text).unwrap();
    let mut json = String::new();
    ZlibDecoder::new(&bytes[..]).read_to_string(&mut json).unwrap();
    serde_json::from_str(&json).unwrap()
}

#[test]
fn nothing_that_a_name_says_becomes_a_part_of_the_page() {
    shown(|page, _| {
        assert!(!page.contains("<script>alert"));
        assert_eq!(page.matches("<script>").count(), 1, "the page's own");
    });
}

#[test]
fn without_scripts_the_page_has_contents_figures_at_the_right_and_tones() {
    shown(|page, _| {
        let document = page.split("<body>").nth(1).unwrap();
        let document = document.split("</main>").next().unwrap();
        let links = document.matches("<li><a href=\"#table-").count();
        assert_eq!(links, document.matches("<table>").count());
        assert!(links > 1, "{document}");
        for at in 1..=links {
            assert!(document.contains(&format!("<section id=\"table-{at}\">")));
        }
        assert!(document.contains("<th scope=\"col\" class=\"figure\">before</th>"));
        assert!(document.contains("<th scope=\"col\">what</th>"));
        assert!(document.contains("<td class=\"figure\" data-tone=\"worse\">+"));
    });
}

#[test]
fn without_scripts_the_page_has_first_and_last_costs_of_many_benchmarks_and_their_largest_changes() {
    let mut track = track();
    let one = track.benchmarks.remove(0);
    track.benchmarks = (1..=50u32)
        .map(|at| TrackedBenchmark {
            name: format!("bench {at}"),
            points: [1000, 1000, 1000 + 10 * u64::from(at)]
                .map(TrackPoint::Measured)
                .to_vec(),
            changes: vec![TrackChange {
                after: f64::from(1000 + 10 * at),
                ..one.changes[0]
            }],
            rewritten: Vec::new(),
        })
        .collect();
    shown_with(&track, |page, _| {
        let rows = |caption: &str| {
            let section = page.split(&format!("\">{caption}</h2>")).nth(1).expect(caption);
            let body = section
                .split("<tbody>")
                .nth(1)
                .unwrap()
                .split("</tbody>")
                .next()
                .unwrap();
            body.trim().lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let changes = rows("Where costs change most: 40 of 50 changes");
        assert!(changes[0].contains("bench 50<") && changes[39].contains("bench 11<"));
        let ends = rows("First and last cost of each benchmark, in instructions");
        assert_eq!(ends.len(), 50);
        for cell in ["bench 50", "1.00 k", "1.50 k", "+50.0%"] {
            assert!(ends[49].contains(&format!(">{cell}<")), "{}", ends[49]);
        }
    });
}

#[test]
fn no_character_of_a_name_reorders_or_controls_what_is_shown() {
    shown(|page, payload| {
        let shell = page.split("id=\"payload\"").next().unwrap();
        let text = shell.split("<body>").nth(1).unwrap();
        for part in [text, &payload.to_string()] {
            assert!(
                part.contains("u{202e}") && part.contains("u{1b}"),
                "the names are there"
            );
            assert!(!part.contains(['\u{202e}', '\u{1b}']) && !part.contains("\\u001b"));
        }
    });
}

#[test]
fn the_policy_allows_the_page_s_own_script_and_style_and_nothing_else() {
    shown(|page, _| {
        let between = |start: &str, end: &str| {
            let from = page.find(start).unwrap() + start.len();
            &page[from..from + page[from..].find(end).unwrap()]
        };
        let hash = |text: &str| {
            let digest = <sha2::Sha256 as sha2::Digest>::digest(text);
            format!("'sha256-{}'", STANDARD.encode(digest))
        };
        let policy = between("Content-Security-Policy\" content=\"", "\"");
        // attributes are escaped
        let policy = policy.replace("&#39;", "'");
        let (script, style) = (between("<script>", "</script>"), between("<style>", "</style>"));
        assert_eq!(
            policy,
            format!(
                "default-src 'none'; script-src {}; style-src {}",
                hash(script),
                hash(style)
            )
        );
    });
}

#[test]
fn the_matrix_is_a_tree_by_share_whose_containers_cost_what_their_costliest_function_does() {
    shown(|_, payload| {
        let matrix = &payload["matrices"][0];
        let strings = payload["strings"].as_array().unwrap();
        let rows = &matrix["rows"];
        let names: Vec<&str> = (rows["name"].as_array().unwrap().iter())
            .map(|at| strings[at.as_u64().unwrap() as usize].as_str().unwrap())
            .collect();
        assert_eq!(
            names[1..],
            ["k", "run", "lex", "Lexer", "next", "core", "slice", "sort"],
            "without what is below a thousandth"
        );
        assert_eq!(rows["parent"], json!([-1, 0, 1, 1, 3, 4, 0, 6, 7]));
        let of = |name: &str| names.iter().position(|one| *one == name).unwrap();
        assert_eq!(matrix["cost"][of("lex")], json!([600, 1500]));
        assert_eq!(matrix["cost"][0], json!([1000, 2000]), "never a sum");
        assert_eq!(matrix["cost"][of("sort")], json!([900, -1]));
        assert_eq!(matrix["change"][of("next")], json!([null, 1.5]));
        assert_eq!(matrix["change"][of("sort")], json!([null, null]));
        assert_eq!(matrix["modified"][0], json!([0, 3]), "executed or not");
        assert_eq!(matrix["modified"][of("Lexer")], json!([0, 2]));
        assert_eq!(matrix["modified"][of("next")], json!([0, 1]));
        assert_eq!(matrix["columns"], json!([0, 2]));
    });
}

#[test]
fn the_chart_has_gaps_with_their_reason_and_where_a_benchmark_was_rewritten() {
    shown(|_, payload| {
        let series = &payload["chart"][0];
        assert_eq!(series["values"], json!([1000, null, 2000]));
        assert_eq!(series["states"], json!([0, 2, 0]));
        let reason = series["reasons"][1].as_u64().unwrap() as usize;
        assert_eq!(payload["strings"][reason], "it does not build");
        assert_eq!(series["rewritten"], json!([2]));
        assert_eq!(series["changes"][0]["change"], 1.0);
        let predictions = &payload["predictions"];
        assert_eq!(predictions["flagged"], json!([null, false, true]));
        assert_eq!(predictions["risk"], json!([null, 0.25, 0.25]));
        assert_eq!(predictions["missed"], json!([]));
        assert!(
            predictions["record"]
                .as_str()
                .unwrap()
                .starts_with("the score flagged 1 of 2 versions")
        );
    });
}

#[test]
fn a_comparison_s_columns_are_of_one_length_and_lead_to_its_versions() {
    shown(|page, payload| {
        let comparison = &payload["comparisons"][0];
        assert_eq!(
            (&comparison["before"]["version"], &comparison["after"]["version"]),
            (&json!(0), &json!(2))
        );
        let trees = decoded(comparison["trees"].as_str().unwrap());
        for part in ["blueprint", "flames"] {
            let lengths: BTreeSet<usize> = (trees[part].as_object().unwrap().values())
                .filter_map(Value::as_array)
                .flat_map(|column| match column.first() {
                    Some(Value::Array(_)) => column.iter().filter_map(Value::as_array).collect(),
                    _ => vec![column],
                })
                .map(Vec::len)
                .collect();
            assert_eq!(lengths, BTreeSet::from([3]), "{part}");
        }
        let function = trees["changed"][0].as_u64().unwrap() as usize;
        let name = payload["functions"]["name"][function].as_u64().unwrap() as usize;
        assert_eq!(payload["strings"][name], "k::next");
        assert!(
            page.contains("<th scope=\"row\">k::at_end</th><td>new here</td>"),
            "the tables say it too"
        );
    });
}
