//! The accuracy study as its user meets it: a list of projects, stored results, or nothing but the repository's own store.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::gate::{LIBRARY, PROGRAM};
use super::repository::{COMMAND, LitoOutput, TestRepository, lito_in};

/// The function that the harness measures; `idle` is never executed.
const SUBJECT: &str = "/// Adds up.
pub fn sum(of: &[u64]) -> u64 {
    let mut sum = 0u64;
    for value in of {
        sum = sum.wrapping_mul(31).wrapping_add(step(*value));
    }
    sum
}

#[inline(never)]
fn step(value: u64) -> u64 {
    value ^ (value >> 7)
}

pub fn idle(of: &[u64]) -> usize {
    of.len()
}
";

const SLOWER: &str = "let mut value = value;
    for _ in 0..8 {
        value = std::hint::black_box(value ^ (value >> 7));
    }
    value";

/// A benchmark of the library.
const BENCHMARK: &str = "use std::hint::black_box;

#[inline(never)]
fn subject(of: &[u64]) -> u64 {
    tiny::sum(of)
}

fn main() {
    let of: Vec<u64> = (0..4_000).collect();
    let mut all = 0;
    for _ in 0..20 {
        all ^= black_box(subject(black_box(&of)));
    }
    assert_ne!(black_box(all), 7);
}
";

/// A study of one small history.
struct StudyFixture {
    library: TestRepository,
    folder: TempDir,
}

/// The change of each commit of the history; one of them does not build.
const VERSIONS: [(&str, &str); 6] = [
    ("/// Adds up.", "/// Adds all up."),
    ("    of.len()", "    of.len() + 1"),
    ("value ^ (value >> 7)", SLOWER),
    ("    of.len() + 1", "    of.len() + nothing"),
    ("    of.len() + nothing", "    of.len() + 2"),
    ("0..8 {", "0..9 {"),
];

impl StudyFixture {
    fn new() -> Self {
        let library = TestRepository::unborn();
        library.write(
            "Cargo.toml",
            "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        library.write("src/lib.rs", SUBJECT);
        library.commit("the library");
        for (from, to) in VERSIONS {
            let text = fs::read_to_string(library.file("src/lib.rs")).unwrap();
            assert!(text.contains(from), "{from}");
            library.write("src/lib.rs", &text.replace(from, to));
            library.commit("a change");
        }
        library.write("README.md", "Is not compiled.\n");
        library.commit("no version of the study");
        let study = Self {
            library,
            folder: tempfile::tempdir().unwrap(),
        };
        study.write(
            "harness/Cargo.toml",
            "[package]\nname = \"study-tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
             [dependencies]\ntiny = { path = \"../tiny\" }\n\
             [profile.release]\ndebug = 1\ncodegen-units = 1\n[workspace]\n",
        );
        study.write("harness/src/bin/sum.rs", BENCHMARK);
        study.list(&study.project("tiny", "harness"));
        study
    }

    fn project(&self, name: &str, harness: &str) -> String {
        format!(
            "[[project]]\nname = \"{name}\"\nstudy = \"commits\"\nrepository = {:?}\nthrough = \"main\"\nlast = 20\n\
             harness = \"{harness}\"\n",
            self.library.path()
        )
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.folder.path().join(path), text);
    }

    fn list(&self, text: &str) {
        self.write("projects.toml", text);
    }

    fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Runs the study of the list.
    fn run(&self, more: &[&str]) -> LitoOutput {
        let list = self.file("projects.toml");
        let mut arguments = vec!["evaluate", list.to_str().unwrap(), "--every", "2,4"];
        arguments.extend(more);
        self.library.lito(&arguments)
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.file(&format!("results/commits/tiny/{name}"))).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn counts(measured: &[Value]) -> Vec<Option<u64>> {
    let count = |line: &Value| line["benchmarks"]["sum"]["ir"].as_u64();
    measured.iter().map(count).collect()
}

#[track_caller]
fn document(answer: &LitoOutput) -> Value {
    serde_json::from_str(answer.output()).unwrap()
}

/// The row of our model at a distance between samples, before anything is built.
#[track_caller]
fn row(document: &Value, k: u32, scope: &str) -> Value {
    let mut rows = document["rows"].as_array().unwrap().iter();
    let found = rows.find(|row| {
        row["model"] == "lito"
            && row["k"] == k
            && row["scope"] == scope
            && row["threshold"] == 0.05
            && row["stage"] == "source"
            && row["judged_by"] == "any_benchmark"
    });
    found
        .unwrap_or_else(|| panic!("no row of {scope} at {k} in {document:#}"))
        .clone()
}

#[test]
fn a_study_measures_samples_predicts_and_goes_on_where_it_was_stopped() {
    let study = StudyFixture::new();
    let report = study.file("report");
    let answer = study.run(&["--format", "json", "--report", report.to_str().unwrap()]);
    let first = document(&answer);

    // S1: seven versions that touch sources; the fifth does not build, and the reason names no folder of this machine.
    let measured = study.lines("measured.jsonl");
    let known = counts(&measured);
    assert_eq!(known.len(), 7, "{measured:#?}");
    assert_eq!((known[0], known[1]), (known[2], known[2]));
    assert!(known[3].unwrap() > 2 * known[2].unwrap());
    assert_eq!((known[4], known[5]), (None, known[3]));
    let why = measured[4]["unbuilt"].as_str().unwrap();
    assert!(why.contains("error") && why.contains("src/lib.rs"), "{why}");
    assert!(!why.contains('\n') && !why.contains("/tmp"), "{why}");
    let code = |at: usize| measured[at]["benchmarks"]["sum"]["code"].clone();
    assert_eq!(code(1), "same");
    assert_eq!(code(3), "different");
    assert_eq!(code(5), "same", "against the last one that builds");

    // S2: all but the first and the one that does not build.
    let predicted = study.lines("predicted.jsonl");
    assert_eq!(predicted.len(), 5);
    assert_eq!(predicted[0]["on"]["2"]["distance"], 1);
    assert_eq!(predicted[2]["on"]["2"]["distance"], 1);
    assert_eq!(predicted[2]["on"]["4"]["distance"], 3);
    assert!(predicted[2]["on"]["2"]["why"][0].is_string());

    // S3.
    let headline = row(&first, 20, "commits");
    assert_eq!(headline["versions"], 5);
    assert_eq!(headline["regressions"], 2, "{headline:#}");
    assert_eq!(headline["found"], 2, "{headline:#}");
    assert_eq!(
        first["projects"][0]["unusable"][0]["why"].as_str(),
        Some(&*format!("it has no benchmarks: {why}"))
    );
    for file in ["evaluation.json", "tables.md", "report.html"] {
        assert!(report.join(file).is_file(), "{file}");
    }

    // A kill cut the last line short: reading leaves it alone, and the study measures that version again.
    let path = study.file("results/commits/tiny/measured.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let kept = whole.trim_end().rfind('\n').unwrap() + 40;
    fs::write(&path, &whole[..kept]).unwrap();
    let results = study.file("results");
    let answer = study.library.lito(&["evaluate", "--stored", results.to_str().unwrap()]);
    answer.says(0, &["warning:", "measured.jsonl", "cut short"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), whole[..kept]);
    // Measured versions are not measured again: these lines could not come from a run.
    let marked = whole[..kept].replacen("\"build\":", "\"build\":1000", 1);
    fs::write(&path, &marked).unwrap();
    // Here by a task of its own.
    let answer = study.run(&["--until", "measured", "--executor", "local"]);
    answer.says(0, &["commits/tiny: done"]);
    assert!(!study.file("results/.tasks").exists(), "the tasks leave nothing");
    let again = fs::read_to_string(&path).unwrap();
    let lines = |text: &str| text.lines().take(6).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&again), lines(&marked));
    assert_eq!(counts(&study.lines("measured.jsonl")), known);

    // A second run of everything measures and samples nothing.
    let about = fs::read_to_string(study.file("results/commits/tiny/about.json")).unwrap();
    document(&study.run(&["--format", "json"]));
    assert_eq!(fs::read_to_string(&path).unwrap(), again);
    assert_eq!(
        fs::read_to_string(study.file("results/commits/tiny/about.json")).unwrap(),
        about
    );
}

/// A few results, as a study leaves them: version after version the count, and how much of it a change touches.
fn kept(folder: &Path) {
    let (mut measured, mut predicted) = (String::new(), String::new());
    let versions = [
        (1000, 0.0),
        (1200, 0.9),
        (1200, 0.0),
        (1205, 0.2),
        (1000, 0.8),
        (1000, 0.001),
    ];
    for (at, (count, touched)) in versions.into_iter().enumerate() {
        let commit = format!("{at:040}");
        let line = json!({
            "version": format!("v{at}"), "commit": commit, "at": at, "build": 2.0,
            "benchmarks": { "b": { "ir": count, "code": "different", "s": 1.0 } },
        });
        measured.push_str(&format!("{line}\n"));
        let terms = if touched > 0.0 {
            json!({ "x": { "rebuilt": touched }, "p": touched * 0.1 })
        } else {
            json!({ "p": 0.0 })
        };
        let on = json!({ "sample": format!("{:040}", 0), "distance": at, "s": 0.01, "b": { "b": terms } });
        let line = json!({ "commit": commit, "files": ["src/lib.rs"], "on": { "10": on } });
        if at > 0 {
            predicted.push_str(&format!("{line}\n"));
        }
    }
    for name in ["one", "two"] {
        let project = folder.join("commits").join(name);
        write(&project.join("measured.jsonl"), &measured);
        write(&project.join("predicted.jsonl"), &predicted);
    }
}

#[test]
fn stored_results_give_the_contract_and_the_same_every_time() {
    let folder = tempfile::tempdir().unwrap();
    kept(folder.path());
    let stored = ["evaluate", "--stored", ".", "--format", "json"];
    let answer = lito_in(folder.path(), &stored);
    let contract = document(&answer);
    assert_eq!(contract["schema"], "lito.evaluation/1");
    let rows = contract["rows"].as_array().unwrap();
    for row in rows {
        for name in ["model", "scope", "judged_by", "stage"] {
            assert!(row[name].is_string(), "{name}: {row:#}");
        }
        for name in ["k", "versions", "regressions"] {
            assert!(row[name].is_u64(), "{name}: {row:#}");
        }
        for name in ["threshold", "selected", "found", "true_positive", "false_positive"] {
            assert!(row[name].is_number(), "{name}: {row:#}");
        }
        let shares = ["precision", "recall", "recall_low", "recall_high", "auc", "pairs_run"];
        for name in shares {
            let value = &row[name];
            let is_share = value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share));
            assert!(value.is_null() || is_share, "{name}: {row:#}");
        }
        assert!(row["cost_ratio"].is_null() || row["cost_ratio"].as_f64() >= Some(0.0));
    }
    let scopes: std::collections::BTreeSet<&str> = rows.iter().filter_map(|row| row["scope"].as_str()).collect();
    assert_eq!(Vec::from_iter(scopes), ["commits", "commits/one", "commits/two"]);
    let ours = row(&contract, 20, "commits");
    assert_eq!((&ours["versions"], &ours["regressions"]), (&json!(10), &json!(2)));
    assert_eq!(ours["found"], 2);
    assert_eq!(lito_in(folder.path(), &stored).output(), answer.stdout);
}

#[test]
fn the_shipped_weights_judge_unless_others_are_asked_for_and_it_is_said_what_they_were_fitted_on() {
    let folder = tempfile::tempdir().unwrap();
    kept(folder.path());
    let rests_on = |more: &[&str]| {
        let mut arguments = vec!["evaluate", "--stored", ".", "--format", "json"];
        arguments.extend(more);
        let found = document(&lito_in(folder.path(), &arguments));
        (
            found["options"]["learned"].clone(),
            found["options"]["rests_on"].clone(),
        )
    };
    let shipped = json!({ "kind": "study", "weights": "shipped", "fitted_on": [] });
    assert_eq!(rests_on(&[]), (json!("given"), shipped));
    let left_out = json!({ "kind": "study", "weights": "left_out" });
    assert_eq!(
        rests_on(&["--weights", "left-out"]),
        (json!("leave_one_project_out"), left_out)
    );
    let told = |more: &[&str]| -> String {
        let mut arguments = vec!["evaluate", "--stored", "."];
        arguments.extend(more);
        let answer = lito_in(folder.path(), &arguments);
        answer.output().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(told(&[]).contains("those that lito ships: nothing was learned from this list"));
    assert!(told(&["--weights", "left-out"]).contains("fitted on this list itself"));
    fs::rename(folder.path().join("commits/one"), folder.path().join("commits/semver")).unwrap();
    assert_eq!(rests_on(&[]).1["fitted_on"], json!(["semver"]));
    assert!(told(&[]).contains("fitted on versions of projects of these names: semver."));

    let fitted = [
        "evaluate",
        "--stored",
        ".",
        "--weights",
        "shipped",
        "--fit",
        "risk.toml",
    ];
    lito_in(folder.path(), &fitted).fails(2, &["nothing is learned", "--weights"]);
}

#[test]
fn a_changed_harness_and_a_retry_measure_again_and_failures_are_told() {
    let study = StudyFixture::new();
    // The version that does not build, and the two after it.
    study.list(&study.project("tiny", "harness").replace("last = 20", "last = 3"));
    let mark = |from: &str, to: &str| {
        let path = study.file("results/commits/tiny/measured.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replace(from, to)).unwrap();
    };
    let measured = ["--until", "measured"];
    let why = "error[E0425]: cannot find value `nothing`";
    study.run(&measured).says(0, &["warning:", "has no count", why]);
    let first = counts(&study.lines("measured.jsonl"));
    assert_eq!((first.len(), first[0]), (3, None));

    // Nothing changed: nothing is measured. On request, what failed is, and nothing else.
    mark("\"build\":", "\"build\":1000");
    assert!(!study.run(&measured).stderr.contains("has no count"));
    study
        .run(&["--until", "measured", "--retry"])
        .says(0, &["has no count", why]);
    let builds: Vec<bool> = (study.lines("measured.jsonl").iter())
        .map(|line| line["build"].as_f64().unwrap() >= 1000.0)
        .collect();
    assert_eq!(builds, [false, true, true]);

    study.write("harness/src/bin/sum.rs", &BENCHMARK.replace("0..20", "0..21"));
    study.run(&measured).says(
        0,
        &[
            "warning:",
            "harness changed",
            "3 versions measured anew",
            "has no count",
        ],
    );
    let second = counts(&study.lines("measured.jsonl"));
    assert!(second[1] > first[1], "{second:?} {first:?}");
    assert_eq!(counts(&study.lines("measured.before.jsonl")), first);

    // Results without a digest are taken as they are.
    let about = study.file("results/commits/tiny/about.json");
    fs::remove_file(about).unwrap();
    study.write("harness/src/bin/sum.rs", BENCHMARK);
    assert!(!study.run(&measured).stderr.contains("harness changed"));
    assert_eq!(counts(&study.lines("measured.jsonl")), second);
}

/// A repository whose gate has something to measure, with an audit of everything that it skips.
fn gated() -> TestRepository {
    let repository = TestRepository::with_benchmark();
    repository.write("src/lib.rs", LIBRARY);
    repository.write("src/main.rs", PROGRAM);
    repository.write("lito.toml", &format!("{COMMAND}\n[gate]\naudit = \"100%\"\n"));
    repository.commit("the library");
    repository
}

fn replace(repository: &TestRepository, from: &str, to: &str) {
    let text = fs::read_to_string(repository.file("src/lib.rs")).unwrap();
    assert!(text.contains(from), "no `{from}`");
    repository.write("src/lib.rs", &text.replace(from, to));
    repository.commit("a change");
}

#[test]
fn a_repository_is_evaluated_on_what_its_gate_measured() {
    let repository = gated();
    let none = repository.lito(&["evaluate"]);
    none.fails(2, &["evaluating", "no counts", "`lito gate`", "`lito sample"]);

    repository.lito(&["sample"]).output();
    replace(&repository, "value ^ (value >> 7)", SLOWER);
    assert_eq!(repository.lito(&["gate"]).code, 1);
    replace(&repository, "    of.len()", "    of.len() + 1");
    assert_eq!(repository.lito(&["gate"]).code, 0);

    let elsewhere = tempfile::tempdir().unwrap();
    let answer = lito_in(
        elsewhere.path(),
        &[
            "evaluate",
            "--repo",
            repository.path().to_str().unwrap(),
            "--format",
            "json",
        ],
    );
    let found = document(&answer);
    let rests_on = &found["options"]["rests_on"];
    assert_eq!(rests_on["kind"], "store");
    assert_eq!((&rests_on["flagged"], &rests_on["audited"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&rests_on["audit"]["measured"], &rests_on["audit"]["missed"]),
        (&json!(1), &json!(0))
    );
    let row = row(&found, 20, "commits");
    assert_eq!(
        (&row["versions"], &row["regressions"], &row["found"]),
        (&json!(2), &json!(1), &json!(1))
    );
    assert_eq!(row["selected"], 1, "{row:#}");
    assert!(row["cost_ratio"].is_null());
    let shown = repository.lito(&["evaluate"]);
    let words: Vec<&str> = shown.output().split_whitespace().collect();
    let shown = words.join(" ");
    for part in ["(1 because flagged, 1 by audit)", "an estimate over what was measured"] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn samples_of_consecutive_versions_are_counts_too() {
    let repository = gated();
    replace(&repository, "value ^ (value >> 7)", SLOWER);
    repository.lito(&["sample", "--last", "2", "--every", "1"]).output();
    let found = document(&repository.lito(&["evaluate", "--format", "json"]));
    assert_eq!(found["options"]["rests_on"]["sampled"], 1);
    let row = row(&found, 20, "commits");
    assert_eq!((&row["versions"], &row["regressions"]), (&json!(1), &json!(1)));
}

#[test]
fn a_verdict_without_a_sample_is_in_no_table() {
    let repository = gated();
    replace(&repository, "value ^ (value >> 7)", SLOWER);
    // Nothing is sampled: the gate measures what changes code.
    assert_eq!(repository.lito(&["gate"]).code, 1);
    repository
        .lito(&["evaluate"])
        .fails(2, &["evaluating", "1 version measured", "`lito sample"]);
}

#[test]
fn a_list_that_cannot_be_studied_is_told_at_once_and_leaves_nothing() {
    let study = StudyFixture::new();
    let list = study.file("projects.toml");
    let list = list.to_str().unwrap();
    let cases: [(String, &[&str], i32, &[&str]); 6] = [
        (
            study.project("tiny", "harness") + "speed = 3\n",
            &[],
            2,
            &["reading the list of projects", list, "speed", "mend it"],
        ),
        (
            study.project("tiny", "nowhere"),
            &[],
            2,
            &["studying commits/tiny", "nowhere", "No such file", "mend `harness`"],
        ),
        (
            study.project("tiny", "harness"),
            &["--only", "releases/tiny"],
            2,
            &["studying releases/tiny", "no project", "commits/tiny"],
        ),
        (
            study.project("tiny", "harness").replace("last = 20\n", ""),
            &[],
            2,
            &["`tiny`", "lacks `last`", "mend it"],
        ),
        (
            study.project("tiny", "harness").replace("\"main\"", "\"elsewhere\""),
            &[],
            2,
            &["elsewhere"],
        ),
        (
            study
                .project("gone", "harness")
                .replace("repository = \"", "repository = \"/nowhere"),
            &[],
            3,
            &[
                "studying commits/gone: fetching /nowhere",
                "does not exist",
                "check the address",
            ],
        ),
    ];
    for (text, more, code, parts) in cases {
        study.list(&text);
        study.run(more).fails(code, parts);
    }
    assert!(!study.file("results/commits/tiny/measured.jsonl").exists());
    study
        .library
        .lito(&["evaluate", "nowhere.toml"])
        .fails(2, &["nowhere.toml", "No such file"]);
}

#[test]
fn results_that_cannot_be_read_and_reports_that_cannot_be_written_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let stored = ["evaluate", "--stored", "."];
    lito_in(folder.path(), &stored).fails(2, &["reading results", "there are none", "lito evaluate PROJECTS"]);
    lito_in(folder.path(), &["evaluate", "--stored", "nowhere"]).fails(2, &["nowhere", "there are none"]);

    kept(folder.path());
    let file = folder.path().join("commits/one/measured.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    for garbage in ["<<<<<<< HEAD\n", "{\"version\": 7}\n", "\u{fffd}\n"] {
        fs::write(&file, format!("{garbage}{whole}")).unwrap();
        lito_in(folder.path(), &stored).fails(3, &["reading results", "one/measured.jsonl", "line 1", "mend it"]);
    }
    fs::write(&file, &whole).unwrap();
    fs::write(folder.path().join("commits/one/about.json"), "[").unwrap();
    lito_in(folder.path(), &stored).fails(3, &["about.json", "mend it"]);
    fs::remove_file(folder.path().join("commits/one/about.json")).unwrap();

    fs::write(folder.path().join("taken"), "").unwrap();
    for report in ["taken", "taken/below"] {
        let answer = lito_in(folder.path(), &["evaluate", "--stored", ".", "--report", report]);
        answer.fails(3, &["writing the tables", "taken", "--report"]);
        assert!(answer.stdout.is_empty());
    }
    lito_in(folder.path(), &["evaluate"]).fails(2, &["git"]);
    let learned = ["evaluate", "--fit", "risk.toml"];
    lito_in(folder.path(), &learned).fails(2, &["nothing is learned", "--stored"]);
}
