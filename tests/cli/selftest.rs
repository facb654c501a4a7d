//! The self-test as a maintainer runs it: what it plants is found, and nothing of it stays.

use serde_json::Value;

use super::gate::{LIBRARY, PROGRAM};
use super::repository::{COMMAND, TestRepository};

/// The parts of a repository that a test must not change: commits, refs, files, objects. The store is a ref of its own.
fn state(repository: &TestRepository) -> String {
    let refs = repository.git(&["for-each-ref", "refs/heads", "refs/tags"]);
    let files = repository.git(&["status", "--porcelain", "--ignored"]);
    refs + &files + &repository.git(&["worktree", "list"])
}

fn rate(of: &Value) -> (u64, u64) {
    (of["hits"].as_u64().unwrap(), of["of"].as_u64().unwrap())
}

#[test]
fn what_is_planted_in_hot_code_is_found_and_elsewhere_nothing_is() {
    let repository = TestRepository::with_benchmark();
    repository.write("src/lib.rs", LIBRARY);
    repository.write("src/main.rs", PROGRAM);
    repository.write("lito.toml", COMMAND);
    let head = repository.commit("the library");
    let before = state(&repository);
    let answer = repository.lito(&[
        "selftest",
        "--kinds",
        "call_swap,parameter",
        "--places",
        "hot,unreached",
        "--sized",
        "0",
        "--aa",
        "1",
        "--format",
        "json",
    ]);
    assert_eq!(answer.code, 0, "{answer:#?}");
    assert_eq!(state(&repository), before);
    let found: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(found["schema"], "lito.selftest/1");
    assert_eq!(found["commit"], *head);
    let identical = &found["identical"][0];
    assert_eq!(identical["metric"], "instructions", "{found:#}");
    assert_eq!(rate(&identical["alarms"]), (0, 1), "{found:#}");
    let cells = found["cells"].as_array().unwrap();
    let of_place = |place: &str| {
        let is_it = |cell: &&Value| cell["kind"].is_null() && cell["place"] == place;
        cells.iter().find(is_it).unwrap()
    };
    let (hot, unreached) = (of_place("hot"), of_place("unreached"));
    // A swapped call, and a call that is told to do more; a swap is not possible where nothing is called.
    assert_eq!(rate(&hot["compiled"]), (2, 2), "{found:#}");
    assert_eq!(rate(&hot["moved"]), (2, 2), "{found:#}");
    assert_eq!(rate(&hot["right"]), (2, 2), "{found:#}");
    assert_eq!(rate(&unreached["compiled"]), (1, 1), "{found:#}");
    assert_eq!(rate(&unreached["moved"]), (0, 1), "{found:#}");
    assert_eq!(rate(&unreached["flagged_in_vain"]), (0, 1), "{found:#}");
    assert!(found["environment"]["processor"].is_string(), "{found:#}");
}

#[test]
fn kinds_that_are_not_planted_are_refused() {
    let repository = TestRepository::with_benchmark();
    for kind in ["loop_deletion", "nonsense"] {
        let answer = repository.lito(&["selftest", "--kinds", kind]);
        assert_eq!(answer.code, 2, "{answer:#?}");
        assert!(answer.stderr.contains(kind), "{answer:#?}");
    }
}
