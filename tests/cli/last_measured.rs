//! The gate on a head whose benchmarks were measured at an earlier version: when the base is built, and when not.

use runner::store::SampleOutcome;
use serde_json::Value;

use super::gate::{entry, replace, report, sampled, slower};
use super::repository::TestRepository;

/// The names of the verdict's stages.
fn stages(report: &Value) -> Vec<&str> {
    let stages = report["stages"].as_array().unwrap();
    stages.iter().map(|stage| stage["name"].as_str().unwrap()).collect()
}

/// A change that the score flags, and that costs what it did before.
fn flagged(repository: &TestRepository) -> String {
    replace(
        repository,
        "src/lib.rs",
        "let mut sum = 0u64;\n    for value in of {\n        sum = sum.wrapping_mul(31).wrapping_add(step(*value));\n    }\n    sum",
        "of.iter().fold(0u64, |sum, value| sum.wrapping_mul(31).wrapping_add(step(*value)))",
    )
}

#[test]
fn a_head_that_counts_as_the_version_measured_last_needs_no_build_of_the_base() {
    let repository = sampled();
    let sampled = repository.git(&["rev-parse", "HEAD"]);
    replace(&repository, "README.md", "Adds up.", "Adds up numbers.");
    flagged(&repository);
    let answer = repository.lito(&["gate", "--format", "json", "-v"]);
    let json = report(&answer, 0);
    assert_eq!(json["verdict"], "pass", "{json:#}");
    assert_eq!(stages(&json), ["source", "head_build", "last_measured"]);
    for metric in ["instructions", "allocated_bytes", "allocations"] {
        let entry = entry(&json, metric);
        assert_eq!(entry["base_measured_at"], sampled.as_str(), "{entry:#}");
        assert_eq!(entry["verdict"], "pass");
        assert!(
            entry["reason"].as_str().unwrap().contains("1 version before the base"),
            "{entry:#}"
        );
    }
    assert!(answer.stderr.contains("the head has 1 benchmark"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("the base"), "{}", answer.stderr);
    // Asked to repeat everything, it builds both, and says the same.
    let fresh = report(&repository.lito(&["gate", "--format", "json", "--fresh"]), 0);
    assert_eq!(stages(&fresh)[..2], ["source", "build"]);
    assert_eq!(fresh["verdict"], "pass", "{fresh:#}");
}

#[test]
fn a_head_that_counts_otherwise_than_its_sampled_base_needs_no_build_of_the_base() {
    let repository = sampled();
    let base = repository.git(&["rev-parse", "HEAD"]);
    slower(&repository);
    let json = report(&repository.lito(&["gate", "--format", "json"]), 1);
    assert_eq!(json["verdict"], "regression", "{json:#}");
    assert_eq!(stages(&json), ["source", "head_build", "last_measured"]);
    let entry = entry(&json, "instructions");
    assert_eq!(
        (&entry["base_measured_at"], json["base"].as_str()),
        (&Value::Null, Some(base.as_str()))
    );
    assert_eq!(
        (&entry["reachable"], &entry["starts"]),
        (&Value::Bool(true), &Value::from(2))
    );
    // Both sides measured say the same: of the base, up to where on the stack its runs begin.
    let fresh = report(&repository.lito(&["gate", "--format", "json", "--fresh"]), 1);
    assert_eq!(stages(&fresh)[..2], ["source", "build"]);
    let counted = super::gate::entry(&fresh, "instructions");
    assert_eq!(counted["head"], entry["head"]);
    let [ours, theirs] = [&entry["base"], &counted["base"]].map(|count| count.as_f64().unwrap());
    assert!((ours / theirs - 1.0).abs() < 1e-3, "{ours} and {theirs}");
}

#[test]
fn a_head_that_counts_otherwise_is_held_against_an_older_version_if_nothing_between_is_compiled() {
    let repository = sampled();
    let measured = repository.git(&["rev-parse", "HEAD"]);
    replace(&repository, "README.md", "Adds up.", "Adds up numbers.");
    slower(&repository);
    let json = report(&repository.lito(&["gate", "--format", "json"]), 1);
    assert_eq!(stages(&json), ["source", "head_build", "last_measured"]);
    let entry = entry(&json, "instructions");
    assert_eq!(entry["base_measured_at"], measured.as_str(), "{entry:#}");
    assert!(
        entry["reason"]
            .as_str()
            .unwrap()
            .contains("nothing between them can change it"),
        "{entry:#}"
    );
}

#[test]
fn a_head_that_counts_otherwise_is_compared_with_its_base_if_code_between_differs() {
    let repository = sampled();
    replace(&repository, "src/lib.rs", "    of.len()", "    of.len() + 1");
    slower(&repository);
    let json = report(&repository.lito(&["gate", "--format", "json"]), 1);
    assert_eq!(json["verdict"], "regression", "{json:#}");
    assert_eq!(
        stages(&json),
        ["source", "head_build", "last_measured", "build", "counts"]
    );
    // Asked again, it builds and runs nothing: both were counted.
    let again = repository.lito(&["gate", "--format", "json", "-v"]);
    assert_eq!(report(&again, 1)["verdict"], "regression");
    assert!(again.stderr.contains("kept"), "{}", again.stderr);
}

#[test]
fn a_head_that_compiles_to_what_was_measured_is_not_run() {
    let repository = sampled();
    replace(
        &repository,
        "src/lib.rs",
        "sum = sum.wrapping_mul(31)",
        "sum = 31u64.wrapping_mul(sum)",
    );
    let json = report(&repository.lito(&["gate", "--format", "json"]), 0);
    assert_eq!(json["verdict"], "pass", "{json:#}");
    assert_eq!(stages(&json), ["source", "head_build", "last_measured"]);
    let entry = entry(&json, "instructions");
    assert_eq!(
        (&entry["verdict"], &entry["starts"]),
        (&Value::from("same_code"), &Value::from(0))
    );
    assert!(entry["base"].as_f64().unwrap() > 0.0, "{entry:#}");
}

#[test]
fn a_store_without_digests_has_the_base_built() {
    let repository = sampled();
    let base = repository.git(&["rev-parse", "HEAD"]);
    let store = super::remote::store(repository.path());
    let mut record = store.sample(base.parse().unwrap()).unwrap().samples.remove(0);
    for outcome in record.benchmarks.values_mut() {
        let SampleOutcome::Profiled { program, .. } = outcome else {
            panic!("it was profiled: {outcome:?}")
        };
        assert!(program.take().is_some());
    }
    store.record(&record, &[]).unwrap();
    slower(&repository);
    let json = report(&repository.lito(&["gate", "--format", "json"]), 1);
    assert_eq!(json["verdict"], "regression", "{json:#}");
    assert_eq!(
        stages(&json),
        ["source", "head_build", "last_measured", "build", "counts"]
    );
}

#[test]
fn a_head_that_undoes_a_change_which_was_never_measured_is_not_taken_for_an_unchanged_one() {
    let repository = sampled();
    let before = std::fs::read_to_string(repository.file("src/lib.rs")).unwrap();
    slower(&repository);
    // Nobody ran the gate on the change; the head takes it back, and counts as the sample does.
    repository.write("src/lib.rs", &before);
    repository.commit("undone");
    let json = report(&repository.lito(&["gate", "--format", "json"]), 0);
    assert_eq!(json["verdict"], "improvement", "{json:#}");
    assert_eq!(stages(&json), ["source", "build", "counts"]);
}

/// A crate whose tests stand in for benchmarks.
fn with_tests() -> TestRepository {
    let repository = TestRepository::unborn();
    repository.write(
        "Cargo.toml",
        "[package]\nname = \"sums\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
    );
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    repository.write(
        "src/lib.rs",
        "pub fn sum(of: u64) -> u64 {\n    (0..of).fold(7, |sum, value| sum ^ std::hint::black_box(value))\n}\n",
    );
    let tests = ["first", "second", "third"].map(|name| {
        format!(
            "#[test]\nfn {name}() {{\n    let sums: Vec<u64> = (1..9).map(|by| sums::sum(by * 500)).collect();\n    \
             assert_eq!(std::hint::black_box(&sums).len(), 8);\n}}\n"
        )
    });
    repository.write("tests/whole.rs", &tests.concat());
    repository.commit("tests");
    repository
}

#[test]
fn tests_that_stand_in_for_benchmarks_count_in_a_gate_as_in_the_sample() {
    let repository = with_tests();
    repository.lito(&["sample"]).says(0, &["3 benchmarks"]);
    replace(
        &repository,
        "src/lib.rs",
        "sum ^ std",
        "sum.rotate_left(3).wrapping_mul(31) ^ std",
    );
    let json = report(&repository.lito(&["gate", "--format", "json"]), 1);
    assert_eq!(json["verdict"], "regression", "{json:#}");
    assert_eq!(stages(&json), ["source", "head_build", "last_measured"]);
    let entries = json["benchmarks"].as_array().unwrap();
    let of = |metric: &str| entries.iter().filter(|entry| entry["metric"] == metric).count();
    assert_eq!((of("instructions"), of("allocated_bytes")), (3, 3), "{json:#}");
}
