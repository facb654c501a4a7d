//! Tracking as a maintainer meets it: what is measured and what is not, where it jumps, and that nothing is done twice.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use super::gate::{LIBRARY, PROGRAM};
use super::repository::{COMMAND, LitoOutput, TestRepository, answer};

/// The body of the function that the benchmark runs most.
const STEP: &str = "value ^ (value >> 7)";

/// Eight versions: the first, documents, a comment, an unreached function, a slower step, one that does not build, the
/// slower step again, and the step as it was.
fn history() -> TestRepository {
    let repository = TestRepository::with_benchmark();
    repository.write("src/main.rs", PROGRAM);
    repository.write("README.md", "Adds up.\n");
    repository.write("lito.toml", COMMAND);
    let idle = LIBRARY.replace("of.len()", "of.len() + 1");
    let slow = idle.replace(
        STEP,
        "{ let mut value = value; for _ in 0..8 { value = std::hint::black_box(value ^ (value >> 7)); } value }",
    );
    let versions = [
        ("the library", LIBRARY.to_owned()),
        ("documents", LIBRARY.to_owned()),
        ("a comment", LIBRARY.replace("pub fn work", "/// Adds up.\npub fn work")),
        ("an unreached function", idle.clone()),
        ("a slower step", slow.clone()),
        ("broken", slow.replace("let mut sum = 0u64;", "let mut sum = nothing;")),
        ("mended", slow.clone()),
        ("as fast as before", idle),
    ];
    for (message, library) in versions {
        if message == "documents" {
            repository.write("README.md", "Adds up numbers.\n");
        }
        repository.write("src/lib.rs", &library);
        repository.commit(message);
    }
    repository
}

fn tracked(repository: &TestRepository, arguments: &[&str]) -> Value {
    let all = [&["track", "--last", "8", "--format", "json"], arguments].concat();
    let answer = repository.lito(&all);
    serde_json::from_str(answer.output()).unwrap()
}

/// `benchmark,commit,value,state` of each row.
fn rows(csv: &str) -> Vec<Vec<String>> {
    csv.split_terminator("\r\n")
        .map(|row| row.split(',').map(str::to_owned).collect())
        .collect()
}

#[test]
fn only_what_may_have_changed_is_measured_and_the_jump_is_where_it_was_made() {
    let repository = history();
    let track = tracked(&repository, &[]);
    assert_eq!(track["schema"], "lito.track/1");
    let messages: Vec<&Value> = (track["versions"].as_array().unwrap().iter())
        .map(|version| &version["summary"])
        .collect();
    assert_eq!(
        (messages[0], messages[7]),
        (&json!("the library"), &json!("as fast as before"))
    );
    let benchmark = &track["benchmarks"][0];
    let states = [
        "measured", "carried", "carried", "carried", "measured", "gap", "carried", "measured",
    ];
    assert_eq!(benchmark["states"], json!(states), "{track:#}");
    let values = benchmark["values"].as_array().unwrap();
    assert_eq!(values[5], Value::Null);
    assert_eq!((&values[3], &values[6]), (&values[0], &values[4]));
    let reason = benchmark["reasons"][5].as_u64().unwrap() as usize;
    let reason = track["reasons"][reason].as_str().unwrap();
    assert!(
        reason.contains("does not build") && reason.contains("nothing"),
        "{reason}"
    );
    let jumps: BTreeMap<u64, bool> = (benchmark["changes"].as_array().unwrap().iter())
        .filter(|change| change["method"] == "jump")
        .map(|change| {
            (
                change["index"].as_u64().unwrap(),
                change["change"].as_f64().unwrap() > 0.5,
            )
        })
        .collect();
    assert_eq!(jumps, BTreeMap::from([(4, true), (7, false)]), "{track:#}");

    // Again: everything is known, nothing is built or stored.
    let (store, again) = (repository.store(), repository.lito(&["track", "--last", "8", "-v"]));
    assert_eq!(repository.store(), store);
    let table = again.output();
    assert!(
        table.contains("measured 3 of 8 versions, 4 carried over, 1 gap"),
        "{table}"
    );
    assert!(
        table.contains("a slower step") && table.contains("as fast as before"),
        "{table}"
    );
    again.says(0, &["does not build"]);
    assert!(!again.stderr.contains("sampled"), "{again:#?}");

    let csv = repository.lito(&["track", "--last", "8", "--format", "csv"]);
    let rows = rows(csv.output());
    assert_eq!(rows[0], ["benchmark", "commit", "value", "state"]);
    let read: Vec<Value> = (rows[1..].iter())
        .map(|row| row[2].parse::<u64>().map_or(Value::Null, Value::from))
        .collect();
    assert_eq!(&read, values);

    // A carried-over cost equals the measured one.
    let exhaustive = tracked(&repository, &["--exhaustive"]);
    let measured = &exhaustive["benchmarks"][0];
    assert_eq!(measured["values"], benchmark["values"], "{exhaustive:#}");
    assert!(
        !measured["states"].as_array().unwrap().contains(&json!("carried")),
        "{exhaustive:#}"
    );

    let few = repository.lito(&["track", "--last", "8", "--every", "3", "--format", "markdown"]);
    assert!(few.output().contains("measured 3 of 3 versions"), "{few:#?}");
}

#[test]
fn a_mistake_is_said_and_measures_nothing() {
    let repository = TestRepository::with_benchmark();
    for wrong in [
        &["track"][..],
        &["track", "--last", "0"],
        &["track", "--last", "2", "--every", "0"],
        &["track", "--last", "2", "nowhere"],
        &["track", "--last", "2", "--format", "html"],
    ] {
        let answer = repository.lito(wrong);
        assert_eq!(answer.code, 2, "{answer:#?}");
    }
    assert_eq!(repository.store(), "");
    repository
        .lito(&["track", "--last", "1", "--bench", "other*"])
        .fails(2, &["--bench other*", "the only one is sum", "lito bench list"]);
    repository.lito(&["track", "--last", "1", "--bench", "s*"]).output();
}

/// Runs lito with a cargo that notes the target folder of each build, and returns how many there were of each.
fn builds_of(repository: &TestRepository, arguments: &[&str]) -> (LitoOutput, BTreeMap<String, usize>) {
    let folder = tempfile::tempdir().unwrap();
    let (cargo, notes) = (folder.path().join("cargo"), folder.path().join("notes"));
    let path = std::env::var("PATH").unwrap();
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = build ]; then echo \"$CARGO_TARGET_DIR\" >>'{}'; fi\nPATH='{path}' exec cargo \"$@\"\n",
        notes.display()
    );
    std::fs::write(&cargo, script).unwrap();
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut lito = repository.command(arguments);
    let output = lito
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .output()
        .unwrap();
    let mut builds = BTreeMap::new();
    for target in std::fs::read_to_string(notes).unwrap_or_default().lines() {
        let name = Path::new(target).file_name().unwrap().to_string_lossy().into_owned();
        *builds.entry(name).or_default() += 1;
    }
    (answer(&output), builds)
}

#[test]
fn a_drawn_version_is_built_once_for_each_purpose_and_only_for_what_is_missing() {
    let repository = history();
    let builds = |of: [usize; 3]| {
        let named = ["target", "counting", "probed"].map(str::to_owned).into_iter().zip(of);
        named.filter(|(_, builds)| *builds > 0).collect::<BTreeMap<_, _>>()
    };
    let track = ["track", "--last", "2", "--format", "json"];
    let drawn = [&track[..], &["--output", "report.html"]].concat();

    // The last two versions are measured: neither executes what the other does.
    let (tracked, built) = builds_of(&repository, &track);
    assert_eq!(built, builds([2, 2, 0]), "{tracked:#?}");
    let store = repository.store();
    let (first, built) = builds_of(&repository, &drawn);
    assert_eq!(built, builds([2, 2, 2]), "{first:#?}");
    assert_eq!((first.output(), repository.store()), (tracked.output(), store));
    let report = std::fs::read(repository.file("report.html")).unwrap();
    let (again, built) = builds_of(&repository, &drawn);
    assert_eq!(built, builds([0, 0, 0]), "{again:#?}");
    assert_eq!(std::fs::read(repository.file("report.html")).unwrap(), report);

    // At once: everything is taken of one build for each purpose, and it is the same.
    let at_once = history();
    let (all, built) = builds_of(&at_once, &drawn);
    assert_eq!(built, builds([2, 2, 2]), "{all:#?}");
    let values = |text: &str| serde_json::from_str::<Value>(text).unwrap()["benchmarks"][0]["states"].clone();
    assert_eq!(values(all.output()), values(first.output()));
}
