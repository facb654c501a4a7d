//! Sampling shared by several machines: the plan, its shards, and the store merged from their parts.

use std::fs;

use runner::store::SampleState;
use serde_json::Value;

use super::remote::{BareRemote, known, record, record_as, versions};
use super::repository::{TestRepository, answer, lito_in, program};

fn plan(repository: &TestRepository, arguments: &[&str]) -> Value {
    let mut all = vec!["sample", "--plan", "--format", "json"];
    all.extend_from_slice(arguments);
    let answer = repository.lito(&all);
    let text = answer.output();
    assert_eq!(text.lines().count(), 1, "it fits into a variable: {text}");
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_plan_says_what_is_due_and_who_takes_it() {
    let (repository, commits, _hub) = versions(8);
    record(repository.path(), &commits[2], &["a"]);
    let failed = SampleState::BuildFailed {
        reason: String::from("no"),
    };
    record_as(repository.path(), &commits[6], &[], failed);
    record_as(repository.path(), &commits[4], &["a"], SampleState::InProgress);
    let before = repository.store();
    let all = plan(&repository, &["--last", "8", "--every", "2", "--shards", "3"]);
    assert_eq!(all["schema"], "lito.plan/1");
    assert_eq!(all["every"], 2);
    let states: Vec<(&str, &str)> = all["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| (version["commit"].as_str().unwrap(), version["state"].as_str().unwrap()))
        .collect();
    let expected = [(0, "due"), (2, "sampled"), (4, "due"), (6, "failed")];
    assert_eq!(states, expected.map(|(index, state)| (commits[index].as_str(), state)));
    // The third machine has nothing to do, unless it tries the fourth version again.
    assert_eq!(all["matrix"], serde_json::json!({"shard": ["1/3", "2/3"]}));
    assert_eq!(all["shards"][0]["versions"], serde_json::json!([commits[0]]));
    assert_eq!(all["shards"][1]["versions"], serde_json::json!([commits[4]]));
    let again = plan(
        &repository,
        &["--last", "8", "--every", "2", "--shards", "3", "--retry"],
    );
    assert_eq!(again["matrix"], serde_json::json!({"shard": ["1/3", "2/3", "3/3"]}));
    let human = repository.lito(&["sample", "--plan", "--last", "8", "--every", "2", "--shards", "3"]);
    assert!(
        human
            .output()
            .starts_with("4 versions: 2 due, 1 sampled, 1 failed before\n"),
        "{human:#?}"
    );
    assert!(human.stdout.contains("shard 2/3"), "{human:#?}");
    assert_eq!(repository.store(), before);
    assert!(
        fs::read_dir(repository.cache()).unwrap().next().is_none(),
        "nothing was built"
    );
}

#[test]
fn a_plan_with_nothing_due_has_no_machines() {
    let (repository, commits, _hub) = versions(2);
    for commit in &commits {
        record(repository.path(), commit, &["a"]);
    }
    let plan = plan(&repository, &["--last", "9", "--every", "1", "--shards", "4"]);
    assert_eq!(plan["versions"].as_array().unwrap().len(), 2);
    assert_eq!(plan["matrix"], serde_json::json!({"shard": []}));
    assert_eq!(plan["shards"], serde_json::json!([]));
}

#[test]
fn a_part_that_is_none_is_refused_before_anything_is_built() {
    let (repository, _, _hub) = versions(1);
    for (shard, why) in [("0/3", "counted from 1"), ("4/3", "no machine 4 of 3"), ("half", "1/4")] {
        repository
            .lito(&["sample", "--last", "4", "--shard", shard])
            .says(2, &[why]);
    }
    for arguments in [
        &["sample", "--shard", "1/2"][..],
        &["sample", "--plan"],
        &["sample", "--last", "2", "--shards", "2"],
        &["sample", "--last", "2", "--format", "json"],
        &["sample", "--last", "2", "--plan", "--shard", "1/2"],
        &["sample", "--last", "2", "--plan", "--shards", "0"],
    ] {
        repository.lito(arguments).says(2, &["error:"]);
    }
}

#[test]
fn machines_that_sample_their_parts_make_the_whole() {
    let repository = TestRepository::with_benchmark();
    repository.write("src/extra.rs", "// Nothing.\n");
    repository.commit("next");
    let hub = BareRemote::of(&repository);
    let files = tempfile::tempdir().unwrap();
    let mut merge = vec![String::from("store"), String::from("merge")];
    for part in ["1/2", "2/2"] {
        let clone = hub.clone(&[]);
        let file = files.path().join(part.replace('/', "-")).display().to_string();
        let cache = tempfile::tempdir().unwrap();
        let output = program("lito")
            .args(["sample", "--last", "2", "--every", "1", "--shard", part])
            .current_dir(clone.path())
            .env("LITO_CACHE", cache.path())
            .output()
            .unwrap();
        answer(&output).output();
        assert_eq!(known(clone.path()).len(), 1);
        lito_in(clone.path(), &["store", "export", &file]).output();
        merge.push(file);
    }
    repository
        .lito(&["sample", "--last", "2", "--every", "1", "--shard", "2/3"])
        .says(0, &["no version is left for this machine"]);
    let merge: Vec<&str> = merge.iter().map(String::as_str).collect();
    repository.lito(&merge).output();
    let plan = plan(&repository, &["--last", "2", "--every", "1"]);
    assert_eq!(plan["matrix"], serde_json::json!({"shard": []}));
    repository.lito(&["store", "verify"]).output();
}
