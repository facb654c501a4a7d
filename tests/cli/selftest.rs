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
    assert!(found["environment"]["presented processor"].is_string(), "{found:#}");
}

/// The library with a constant that bounds its hot loop.
fn with_rounds() -> TestRepository {
    let repository = TestRepository::with_benchmark();
    let library = LIBRARY.replace(
        "    value ^ (value >> 7)",
        "    let mut value = value;\n    for _ in 0..ROUNDS {\n        value = std::hint::black_box(value ^ (value >> 7));\n    }\n    value",
    );
    repository.write("src/lib.rs", &format!("const ROUNDS: u32 = 3;\n\n{library}"));
    repository.write("src/main.rs", PROGRAM);
    repository.write("lito.toml", COMMAND);
    repository.commit("the library");
    repository
}

#[test]
fn changes_without_a_changed_call_are_planted_and_move_what_uses_them_and_a_missing_site_is_told() {
    let repository = with_rounds();
    let answer = repository.lito(&[
        "selftest",
        "--kinds",
        "constant_value,method_shadowing,drop_addition,data_file",
        "--places",
        "hot",
        "--sized",
        "0",
        "--aa",
        "0",
        "--format",
        "json",
    ]);
    assert_eq!(answer.code, 0, "{answer:#?}");
    let found: Value = serde_json::from_str(&answer.stdout).unwrap();
    let cells = found["cells"].as_array().unwrap();
    for kind in ["constant_value", "method_shadowing", "drop_addition"] {
        let is_it = |cell: &&Value| cell["kind"] == kind && cell["place"].is_null();
        let cell = cells.iter().find(is_it).unwrap();
        assert_eq!(rate(&cell["compiled"]), (1, 1), "{kind}: {found:#}");
        assert_eq!(rate(&cell["moved"]), (1, 1), "{kind}: {found:#}");
        assert_eq!(rate(&cell["right"]), (1, 1), "{kind}: {found:#}");
        // Whether the score finds code that is younger than the sample is its own matter.
        if kind == "constant_value" {
            assert_eq!(rate(&cell["recall"]), (1, 1), "{kind}: {found:#}");
        }
    }
    let seeds = found["seeds"].as_array().unwrap();
    let constant = seeds.iter().find(|seed| seed["kind"] == "constant_value").unwrap();
    assert_eq!(
        constant["description"], "the constant `ROUNDS` is 6 instead of 3",
        "{constant:#}"
    );
    assert_eq!(
        found["no_site"],
        serde_json::json!([{ "kind": "data_file", "places": ["hot"], "anywhere": true }])
    );
}

#[test]
fn kinds_that_are_not_planted_are_refused_with_a_reason() {
    let repository = TestRepository::with_benchmark();
    let cases = [
        ("loop_deletion", "take away code"),
        ("dependency", "another package"),
        ("type", "name_meaning"),
        ("nonsense", "drop_addition"),
    ];
    for (kind, reason) in cases {
        let answer = repository.lito(&["selftest", "--kinds", kind]);
        assert_eq!(answer.code, 2, "{answer:#?}");
        assert!(
            answer.stderr.contains(kind) && answer.stderr.contains(reason),
            "{answer:#?}"
        );
    }
}
