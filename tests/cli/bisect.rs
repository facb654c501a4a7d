//! Which version between two moved a benchmark: found by prediction and count, with real builds.

use super::gate::{LIBRARY, PROGRAM};
use super::repository::{COMMAND, TestRepository};

/// A history of nine versions: the fifth makes the benchmark slower, and the seventh does not build. The others change what the
/// benchmark does not execute, or nothing that is compiled. Returns the first version and the slow one.
fn history() -> (TestRepository, String, String) {
    let repository = TestRepository::with_benchmark();
    let library = |step: &str, idle: u32| {
        let idle = LIBRARY.replace("of.len()", &format!("of.len() + {idle}"));
        idle.replace("value ^ (value >> 7)", step)
    };
    let (fast, slow) = (
        "value ^ (value >> 7)",
        "std::hint::black_box(std::hint::black_box(value) ^ (value >> 7))",
    );
    repository.write("src/main.rs", PROGRAM);
    repository.write("lito.toml", COMMAND);
    let mut commits = Vec::new();
    for version in 0..9 {
        let step = if version < 4 { fast } else { slow };
        let broken = if version == 6 { "fn broken() -> u64 { }\n" } else { "" };
        repository.write("src/lib.rs", &(library(step, version) + broken));
        commits.push(repository.commit(&format!("version {version}")));
    }
    (repository, commits[0].clone(), commits[4].clone())
}

#[test]
fn the_version_that_moved_a_benchmark_is_found_where_the_score_expects_it() {
    let (repository, first, slow) = history();
    repository.lito(&["sample", &first]).output();
    let answer = repository.lito(&["bisect", &first, "--bench", "sum", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(answer.output()).unwrap();
    assert_eq!(found["found"], slow, "{found:#}");
    assert!(found["change"].as_f64().unwrap() > 0.01, "{found:#}");
    // The first version's cost is that of its sample; the last one is built, and those at and before the slow one.
    assert_eq!(found["builds"], 3, "{found:#}");
    let page = repository.lito(&["bisect", &first, "--bench", "sum"]);
    for told in [&slow[..10], "version 4", "more instructions", "lito compare"] {
        assert!(page.output().contains(told), "{page:#?}");
    }
}

#[test]
fn a_range_without_a_change_and_a_benchmark_that_is_not_there_are_refused() {
    let (repository, first, slow) = history();
    let before = repository.git(&["rev-parse", &format!("{slow}~1")]);
    let unchanged = repository.lito(&["bisect", &first, &before, "--bench", "sum"]);
    unchanged.fails(2, &["costs", "at both", "lito track"]);
    repository
        .lito(&["bisect", &first, "--bench", "nosuch"])
        .fails(2, &["nosuch", "sum"]);
    repository
        .lito(&["bisect", &slow, &first, "--bench", "sum"])
        .fails(2, &["swap"]);
}
