//! Sizes and build times, which come with what the gate builds and counts: told for information, unless they are asked
//! for.

use serde_json::Value;

use super::gate::{LIBRARY, PROGRAM, entry, report};
use super::repository::{COMMAND, LitoOutput, TestRepository};

/// Two versions of which the head's program has a table that nothing reads.
fn with_table() -> TestRepository {
    let repository = TestRepository::with_benchmark();
    repository.write("src/lib.rs", LIBRARY);
    repository.write("src/main.rs", PROGRAM);
    repository.write("lito.toml", COMMAND);
    repository.commit("the library");
    let table = "#[used]\nstatic TABLE: [u8; 100_000] = [7; 100_000];\n";
    repository.write("src/main.rs", &format!("{table}{PROGRAM}"));
    repository.commit("a table");
    repository
}

fn measured(repository: &TestRepository, options: &[&str]) -> LitoOutput {
    repository.lito(&[&["measure", "HEAD~1", "HEAD"], options].concat())
}

#[test]
fn a_program_that_grows_is_told_and_fails_nothing_unless_it_is_asked_for() {
    let repository = with_table();
    let json = report(&measured(&repository, &["--format", "json"]), 0);
    assert_eq!(json["verdict"], "pass", "{json:#}");
    assert!(!json["reason"].as_str().unwrap().contains("size"), "{json:#}");
    assert_eq!(json["benchmarks"][0]["verdict"], "same_code", "{json:#}");
    let size = entry(&json, "binary_size");
    assert_eq!(
        (&size["gating"], &size["verdict"]),
        (&Value::Bool(false), &Value::from("regression"))
    );
    let grown = size["head"].as_f64().unwrap() - size["base"].as_f64().unwrap();
    assert!((100_000.0..101_000.0).contains(&grown), "{size:#}");

    let page = measured(&repository, &[]);
    let name = size["name"].as_str().unwrap();
    assert!(page.output().contains(&format!("binary size of {name}")), "{page:#?}");
    assert!(page.output().contains("not part of the verdict"), "{page:#?}");
    assert!(
        page.output().contains("1 benchmark in"),
        "a program is no benchmark: {page:#?}"
    );

    let asked = ["--metric", "instructions", "--metric", "binary-size"];
    let json = report(&measured(&repository, &[&asked[..], &["--format", "json"]].concat()), 1);
    assert_eq!(json["verdict"], "regression", "{json:#}");
    assert!(json["reason"].as_str().unwrap().contains("binary size"), "{json:#}");
    assert_eq!(json["benchmarks"][0]["metric"], "binary_size");
    assert_eq!(json["benchmarks"][0]["gating"], true);
}

#[test]
fn the_code_that_a_benchmark_executes_is_weighed_with_its_count() {
    let repository = with_table();
    let steps: String = (3..40)
        .map(|number| {
            format!("    let value = std::hint::black_box(value.wrapping_mul({number}) ^ {number}00{number});\n")
        })
        .collect();
    let longer = LIBRARY.replace("    value ^ (value >> 7)", &format!("{steps}    value ^ (value >> 7)"));
    repository.write("src/lib.rs", &longer);
    repository.commit("a longer step");
    let json = report(&measured(&repository, &["--metric", "memory", "--format", "json"]), 0);
    let metrics: Vec<&Value> = json["benchmarks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["metric"])
        .collect();
    assert!(
        !metrics.contains(&&Value::from("executed_code_size")),
        "nothing is run for it: {json:#}"
    );

    let json = report(
        &measured(&repository, &["--metric", "instructions", "--format", "json"]),
        1,
    );
    let size = entry(&json, "executed_code_size");
    assert_eq!(size["gating"], false, "{size:#}");
    let (base, head) = (size["base"].as_f64().unwrap(), size["head"].as_f64().unwrap());
    assert!(base > 64.0 && head - base > 200.0, "{size:#}");
    assert_eq!(
        entry(&json, "instructions")["starts"],
        2,
        "two runs settle the count: {json:#}"
    );

    let asked = ["--metric", "executed-code-size", "--format", "json"];
    let json = report(&measured(&repository, &asked), 1);
    assert_eq!(entry(&json, "executed_code_size")["gating"], true);
    assert_eq!(
        entry(&json, "instructions")["gating"],
        false,
        "it was not asked for: {json:#}"
    );
    assert!(
        json["reason"].as_str().unwrap().contains("executed code size"),
        "{json:#}"
    );
}

#[test]
fn a_gate_on_build_times_is_refused_with_the_reason() {
    let repository = TestRepository::with_library();
    let answer = repository.lito(&["gate", "--base", "HEAD", "--metric", "build-time"]);
    answer.fails(
        2,
        &[
            "--metric build-time",
            "does not tell a change from noise",
            "leave it out",
        ],
    );
    repository.write("lito.toml", "[gate]\nmetrics = [\"build-time\"]\n");
    repository.commit("settings");
    let answer = repository.lito(&["gate"]);
    answer.fails(2, &["lito.toml:2:12", "never gates", "remove it"]);
}

#[test]
fn builds_of_both_sides_are_timed_where_both_had_the_same_to_do() {
    let repository = TestRepository::with_library();
    let library = |add: &str| {
        let tests = "#[test]\nfn adds() {\n    assert!(sum(&[1, 2]) >= 3);\n}\n";
        format!("pub fn sum(of: &[u64]) -> u64 {{\n    of.iter().sum::<u64>(){add}\n}}\n\n{tests}")
    };
    repository.write("src/lib.rs", &library(""));
    repository.commit("a test");
    repository.write("src/lib.rs", &library(" + 1"));
    repository.commit("a change");
    let answer = measured(&repository, &["--metric", "binary-size", "--format", "json"]);
    let json = report(&answer, 0);
    let time = entry(&json, "build_time");
    assert_eq!(
        (&time["gating"], &time["verdict"]),
        (&Value::Bool(false), &Value::from("inconclusive"))
    );
    assert_eq!(
        (&time["name"], &time["significant"]),
        (&Value::from("build"), &Value::Bool(false))
    );
    for side in ["base", "head"] {
        let seconds = time[side].as_f64().unwrap();
        assert!((0.01..600.0).contains(&seconds), "{time:#}");
    }
    assert_eq!(entry(&json, "binary_size")["gating"], true, "{json:#}");
}
