//! Claims about a change: what is measured for them, how they are answered, and what they do not decide.

use std::process::Command;

use serde_json::{Value, json};

use super::gate::{replace, report, sampled, slower};
use super::repository::{LitoOutput, TestRepository, answer};

/// The only claim of a report.
#[track_caller]
fn claim(report: &Value) -> &Value {
    let claims = report["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 1, "{report:#}");
    &claims[0]
}

#[test]
fn a_claim_is_answered_by_the_measurements_and_decides_the_exit_code() {
    let repository = sampled();
    slower(&repository);
    let measure = |head: &str, base: &str, claim: &str| {
        repository.lito(&[
            "measure",
            base,
            head,
            "--metric",
            "instructions",
            "--format",
            "json",
            "--claim",
            claim,
        ])
    };
    let faster = report(&measure("HEAD~1", "HEAD", "s* faster 10%"), 0);
    assert_eq!(faster["verdict"], "improvement");
    let confirmed = claim(&faster);
    assert_eq!(confirmed["outcome"], "confirmed", "{confirmed:#}");
    assert_eq!(confirmed["claim"], "s* faster at least 10%");
    assert_eq!(confirmed["source"], "command_line");
    let evidence = &confirmed["benchmarks"][0];
    assert_eq!(
        (&evidence["name"], &evidence["metric"]),
        (&json!("sum"), &json!("instructions"))
    );
    assert_eq!(evidence["change"], faster["benchmarks"][0]["change"]);
    // An improvement, but not the claimed one.
    let refuted = report(&measure("HEAD~1", "HEAD", "sum faster 99.9%"), 1);
    assert_eq!(refuted["verdict"], "improvement");
    assert_eq!(claim(&refuted)["outcome"], "refuted");
    // A confirmed claim does not excuse what it announces.
    let announced = report(&measure("HEAD", "HEAD~1", "sum slower 10%"), 1);
    assert_eq!(announced["verdict"], "regression");
    assert_eq!(claim(&announced)["outcome"], "confirmed");
}

#[test]
fn what_is_claimed_is_measured_even_if_the_score_would_skip_it() {
    let repository = sampled();
    replace(&repository, "README.md", "Adds up.", "Adds up numbers.");
    let skipped = report(&repository.lito(&["gate", "--format", "json"]), 0);
    assert_eq!(skipped["verdict"], "skipped");
    assert_eq!(skipped["claims"], json!([]));
    let gate = |claim: &str| repository.lito(&["gate", "--format", "json", "--claim", claim]);
    let unchanged = report(&gate("sum unchanged"), 0);
    assert_eq!(unchanged["verdict"], "pass", "{unchanged:#}");
    let evidence = &claim(&unchanged)["benchmarks"][0];
    assert_eq!(claim(&unchanged)["outcome"], "confirmed", "{unchanged:#}");
    assert_eq!((&evidence["low"], &evidence["high"]), (&json!(0), &json!(0)));
    let faster = report(&gate("sum faster 10%"), 1);
    assert_eq!(faster["verdict"], "pass", "the claim alone fails: {faster:#}");
    assert_eq!(claim(&faster)["outcome"], "refuted");
}

#[test]
fn the_command_in_the_report_repeats_the_judgement() {
    let repository = sampled();
    slower(&repository);
    let first = report(
        &repository.lito(&[
            "gate",
            "--metric",
            "instructions",
            "--claim",
            "s* slower 10%",
            "--format",
            "json",
        ]),
        1,
    );
    let repeat = first["repeat"].as_str().unwrap();
    let versions = format!(
        "lito gate --base {} --head {} ",
        first["base"].as_str().unwrap(),
        first["head"].as_str().unwrap()
    );
    assert!(repeat.starts_with(&versions), "{repeat}");
    let lito = repository.command(&["gate"]);
    let folder = std::path::Path::new(lito.get_program()).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let again = Command::new("sh")
        .args(["-c", &format!("{repeat} --format json")])
        .current_dir(repository.path())
        .env("PATH", path)
        .env("LITO_CACHE", repository.cache())
        .output()
        .unwrap();
    let second = report(&answer(&again), 1);
    for same in ["base", "head", "verdict", "benchmarks", "claims", "repeat"] {
        assert_eq!(first[same], second[same], "{same}");
    }
    let changes = first["score"]["changes"].as_array().unwrap();
    assert_eq!(changes[0]["function"], "sum::step", "{changes:#?}");
    assert!(
        changes[0]["effects"][0]["share"].as_f64().unwrap() > 0.0,
        "{changes:#?}"
    );
}

#[test]
fn a_claim_that_nothing_can_answer_is_refused_before_anything_is_built() {
    let repository = sampled();
    replace(&repository, "README.md", "Adds up.", "Adds up numbers.");
    let refused = |claim: &str, parts: &[&str]| {
        repository
            .lito(&["gate", "--metric", "instructions", "--claim", claim])
            .fails(2, parts);
    };
    refused(
        "sun faster 10%",
        &["checking a claim", "no benchmark has this name", "did you mean `sum`?"],
    );
    refused(
        "sum quicker 10%",
        &["reading the claim `sum quicker 10%`", "write `BENCHMARK faster 10%`"],
    );
    refused("sum faster", &["it does not say by how much"]);
    refused(
        "sum faster 10% in peak bytes",
        &["which is not measured; add `--metric memory`"],
    );
    refused(
        "sum faster 10% in cycles\u{1b}[2J",
        &["cycles\\u{1b}[2J is not a metric"],
    );
    let many = vec!["--claim=sum unchanged"; 21];
    repository
        .lito(&[&["gate"], &many[..]].concat())
        .fails(2, &["at most 20 are checked"]);
}

/// The gate in a job for a pull request with this text: the answer, and the job's summary.
pub(super) fn gate_of_pull_request(repository: &TestRepository, description: &str) -> (LitoOutput, String) {
    let files = tempfile::tempdir().unwrap();
    let (event, summary) = (files.path().join("event.json"), files.path().join("summary.md"));
    let commit = |revision: &str| json!({ "sha": repository.git(&["rev-parse", revision]) });
    let payload = json!({
        "action": "opened", "number": 7,
        "pull_request": { "state": "open", "body": description, "head": commit("HEAD"), "base": commit("HEAD~1") },
    });
    std::fs::write(&event, payload.to_string()).unwrap();
    let output = repository
        .command(&["gate", "--github"])
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_EVENT_PATH", event)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env_remove("GITHUB_OUTPUT")
        .output()
        .unwrap();
    (answer(&output), std::fs::read_to_string(&summary).unwrap_or_default())
}

#[test]
fn the_claims_of_a_pull_request_are_answered_and_decide_nothing() {
    let repository = sampled();
    replace(&repository, "README.md", "Adds up.", "Adds up numbers.");
    let description = "Makes it fast.\n\n- lito: sum faster 50%\n- lito: `sum` unchanged.\n- lito: sun unchanged\n\
        - lito: sum </details> @all quicker\n<!-- lito: sum slower 3% -->\n";
    let (answer, summary) = gate_of_pull_request(&repository, description);
    assert_eq!(answer.code, 0, "{answer:#?}");
    for line in [
        "- ❌ `sum faster at least 50%`: refuted. both versions have the same machine code",
        "- ✅ `sum unchanged`: confirmed. both versions have the same machine code",
        "- ⚠️ `sun unchanged`: malformed. no benchmark has this name; did you mean `sum`?",
        "- ⚠️ `sum </details> @all quicker`: malformed. it does not say what changes",
    ] {
        assert!(summary.contains(line), "`{line}` is missing: {summary}");
    }
    assert!(!summary.contains("slower at least"), "{summary}");
}

#[test]
fn a_pull_request_cannot_claim_a_regression_away() {
    let repository = sampled();
    slower(&repository);
    let description = "lito: sum slower 10%\nlito: * unchanged\n";
    let (answer, summary) = gate_of_pull_request(&repository, description);
    assert_eq!(answer.code, 1, "{answer:#?}");
    assert!(summary.contains("`sum slower at least 10%`: confirmed"), "{summary}");
    assert!(summary.contains("× slower"), "{summary}");
}
