//! The gate on a benchmark whose source stays while the compiler makes other machine code of it, because of a change beside it.

use runner::store::SampleOutcome;
use serde_json::Value;

use super::gate::{replace, report};
use super::repository::TestRepository;

/// Three functions, each the subject of one benchmark. `shared` is inlined into `second` as long as nothing else calls it.
fn library() -> String {
    let round = "    value = (value ^ (value >> 3)).wrapping_mul(0x9e37_79b9_7f4a_7c15);\n".repeat(40);
    let function = |name: &str, step: &str| {
        format!(
            "#[inline(never)]\npub fn {name}(of: &[u64]) -> u64 {{\n    let mut sum = 0u64;\n    for value in of {{\n        \
             sum = {step};\n    }}\n    sum\n}}\n\n"
        )
    };
    let test = |name: &str| {
        format!("    #[test]\n    fn {name}() {{\n        assert_ne!(super::{name}(&vec![3; 4_000]), 7);\n    }}\n")
    };
    [
        function("first", "sum.rotate_left(7) ^ *value"),
        function("second", "sum ^ shared(*value)"),
        function("third", "sum.wrapping_mul(31).wrapping_add(*value)"),
        format!("fn shared(mut value: u64) -> u64 {{\n{round}    value\n}}\n\n"),
        format!(
            "#[cfg(test)]\nmod tests {{\n{}{}{}}}\n",
            test("first"),
            test("second"),
            test("third")
        ),
    ]
    .concat()
}

/// A sampled repository whose head calls `shared` from `first` as well.
fn repository_with_another_caller() -> TestRepository {
    let repository = TestRepository::with_library();
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    repository.write("lito.toml", "[gate]\naudit = \"0%\"\n");
    repository.write("src/lib.rs", &library());
    repository.commit("the library");
    repository.lito(&["sample"]).output();
    replace(
        &repository,
        "src/lib.rs",
        "sum.rotate_left(7) ^ *value",
        "sum.rotate_left(7) ^ shared(*value)",
    );
    repository
}

/// The entry of a benchmark's instructions.
#[track_caller]
fn entry<'r>(report: &'r Value, benchmark: &str) -> &'r Value {
    let entries = report["benchmarks"].as_array().unwrap();
    let found = (entries.iter()).find(|entry| entry["name"] == benchmark && entry["metric"] == "instructions");
    found.unwrap_or_else(|| panic!("no {benchmark} in {report:#}"))
}

#[test]
fn a_benchmark_that_is_compiled_otherwise_is_counted_though_its_source_is_the_same() {
    let repository = repository_with_another_caller();
    let score = report(&repository.lito(&["score", "HEAD", "--format", "json"]), 0);
    let predicted = score["versions"][0]["benchmarks"].as_array().unwrap();
    let selected: Vec<&Value> = (predicted.iter())
        .filter(|benchmark| benchmark["selected"] == true)
        .map(|benchmark| &benchmark["name"])
        .collect();
    assert_eq!(selected, ["tests::first"], "{score:#}");

    // Beside the counts of the sampled base, and beside the base itself.
    for (reuse, stage) in [(&[][..], "last_measured"), (&["--fresh"], "build")] {
        let gate = ["gate", "--metric", "instructions", "--format", "json"];
        let json = report(&repository.lito(&[&gate, reuse].concat()), 1);
        let stages = json["stages"].as_array().unwrap();
        let reached = stages.iter().find(|told| told["name"] == stage);
        assert!(reached.is_some_and(|told| told["benchmarks"] == 2), "{json:#}");
        let second = entry(&json, "tests::second");
        assert!(second["change"].as_f64().is_some_and(|change| change > 0.0), "{json:#}");
        assert_eq!(entry(&json, "tests::third")["verdict"], "skipped", "{json:#}");
    }
}

#[test]
fn what_the_machine_code_says_of_a_benchmark_that_is_left_out_is_its_evidence() {
    let repository = repository_with_another_caller();
    let json = report(&repository.lito(&["gate", "--fresh", "--format", "json"]), 1);
    let evidence = |name: &str| entry(&json, name)["evidence"].as_str().unwrap().to_owned();
    assert!(evidence("tests::second").contains("second"), "{json:#}");
    assert!(evidence("tests::third").contains("can reach"), "{json:#}");
    assert_eq!(entry(&json, "tests::third")["reachable"], false, "{json:#}");
}

#[test]
fn a_benchmark_is_counted_where_nobody_knows_the_code_that_it_executed() {
    let repository = repository_with_another_caller();
    let store = super::remote::store(repository.path());
    let sampled = repository.git(&["rev-parse", "HEAD~1"]);
    let mut record = store.sample(sampled.parse().unwrap()).unwrap().samples.remove(0);
    for outcome in record.benchmarks.values_mut() {
        let SampleOutcome::Profiled {
            program: Some(program), ..
        } = outcome
        else {
            panic!("its program is known: {outcome:?}")
        };
        assert!(program.executed.take().is_some());
    }
    store.record(&record, &[]).unwrap();
    let json = report(
        &repository.lito(&["gate", "--metric", "instructions", "--format", "json"]),
        1,
    );
    assert!(
        entry(&json, "tests::second")["change"]
            .as_f64()
            .is_some_and(|change| change > 0.0),
        "{json:#}"
    );
}
