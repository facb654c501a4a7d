//! Files that a benchmark depends on by the evidence of its build and its run, with real builds.

use serde_json::Value;

use super::repository::{LitoOutput, TestRepository};

const LIBRARY: &str = "pub fn words(path: &str) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    (0..200).map(|_| text.split_whitespace().filter(|word| word.len() > 3).count()).sum()
}

pub fn rounds() -> u64 {
    let rounds: u64 = option_env!(\"LITO_TEST_ROUNDS\").map_or(1, |rounds| rounds.len() as u64);
    (0..rounds * 20_000).fold(0, |sum, n| std::hint::black_box(sum ^ n))
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads() {
        assert!(super::words(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/README.md\")) > 0);
    }

    #[test]
    fn computes() {
        assert!(super::rounds() < 7_000_000);
    }
}
";

/// A library whose tests are its benchmarks: one reads the README when it runs.
fn reading() -> TestRepository {
    let repository = TestRepository::with_library();
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    repository.write("src/lib.rs", LIBRARY);
    repository.write("README.md", &"some words to count\n".repeat(20));
    repository.write("CHANGELOG.md", "nothing yet\n");
    repository.write("examples/show.rs", "fn main() {}\n");
    repository.write("lito.toml", "[gate]\naudit = \"0%\"\n");
    repository.commit("the library");
    repository
}

fn longer_readme(repository: &TestRepository) {
    repository.write("README.md", &"some words to count\n".repeat(200));
    repository.commit("document more");
}

#[track_caller]
fn json(answer: &LitoOutput, code: i32) -> Value {
    assert_eq!(answer.code, code, "{answer:#?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

/// The verdict on a benchmark's instructions.
fn verdict(report: &Value, benchmark: &str) -> Value {
    let entries = report["benchmarks"].as_array().unwrap();
    let is_of =
        |entry: &&Value| entry["name"].as_str().unwrap().ends_with(benchmark) && entry["metric"] == "instructions";
    let found = entries.iter().find(is_of);
    found.unwrap_or_else(|| panic!("no {benchmark} in {report:#}"))["verdict"].clone()
}

#[test]
fn the_same_code_that_reads_a_changed_document_is_counted_even_without_a_sample() {
    let repository = reading();
    longer_readme(&repository);
    let measure = [
        "measure",
        "HEAD~1",
        "HEAD",
        "--metric",
        "instructions",
        "--format",
        "json",
    ];
    let report = json(&repository.lito(&measure), 1);
    assert_eq!(verdict(&report, "reads"), "regression", "{report:#}");
    assert_eq!(verdict(&report, "computes"), "same_code", "{report:#}");
}

#[test]
fn a_sample_tells_which_benchmark_reads_a_changed_document() {
    let repository = reading();
    repository.lito(&["sample"]).output();
    longer_readme(&repository);
    let explained = repository.lito(&["score", "HEAD", "--explain"]);
    assert!(
        explained.output().contains("read at run time by"),
        "{}",
        explained.output()
    );
    let report = json(&repository.lito(&["gate", "--format", "json"]), 1);
    assert_eq!(verdict(&report, "reads"), "regression", "{report:#}");

    repository.write("CHANGELOG.md", "a longer document\n");
    repository.write("examples/show.rs", "fn main() { println!(\"shown\") }\n");
    repository.commit("what nothing reads");
    repository.git(&["update-ref", "refs/heads/other", "HEAD"]);
    let score = json(&repository.lito(&["score", "HEAD", "--format", "json"]), 0);
    let version = &score["versions"][0];
    assert_eq!(
        version["unused"],
        serde_json::json!(["CHANGELOG.md", "examples/show.rs"]),
        "{score:#}"
    );
    assert_eq!(version["probability"], 0.0, "{score:#}");
    let measure = [
        "measure",
        "HEAD~1",
        "HEAD",
        "--metric",
        "instructions",
        "--format",
        "json",
    ];
    let report = json(&repository.lito(&measure), 0);
    assert_eq!(verdict(&report, "reads"), "same_code", "{report:#}");
}

#[test]
fn costs_are_not_carried_over_to_another_input_or_variable() {
    let states = |repository: &TestRepository, rounds: &str| {
        let mut track = repository.command(&["track", "--last", "2", "--format", "json"]);
        let output = track.env("LITO_TEST_ROUNDS", rounds).output().unwrap();
        let track: Value = serde_json::from_slice(&output.stdout).unwrap();
        track["benchmarks"][0]["states"].clone()
    };
    let sampled = |repository: &TestRepository| {
        let mut sample = repository.command(&["sample", "HEAD"]);
        assert!(sample.env("LITO_TEST_ROUNDS", "x").output().unwrap().status.success());
    };
    let changed = |path: &str, text: &str| {
        let repository = reading();
        sampled(&repository);
        repository.write(path, text);
        repository.commit("a change");
        repository
    };
    let unread = || changed("CHANGELOG.md", "a longer document\n");
    assert_eq!(states(&unread(), "x"), serde_json::json!(["measured", "carried"]));
    assert_eq!(states(&unread(), "xx"), serde_json::json!(["measured", "measured"]));
    let read = changed("README.md", "a shorter document\n");
    assert_eq!(states(&read, "x"), serde_json::json!(["measured", "measured"]));
}
