//! Benchmarks and users that spoil a measurement: what can be told is, the rest is named, and nothing is left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::bad_runs::{has_run, is_gone, runs_of, within};
use super::repository::{LitoOutput, TestRepository, answer};

/// Two versions of scripts that need no build: by its name, a benchmark is fine, or spoilt at the head.
fn scripts(spoilt: &str) -> TestRepository {
    scripts_with_limit(spoilt, "60s")
}

/// The same; the limit is of the benchmark that is spoilt.
fn scripts_with_limit(spoilt: &str, limit: &str) -> TestRepository {
    let repository = TestRepository::with_library();
    let settings = [("fine", "60s"), ("spoilt", limit)].map(|(name, limit)| {
        format!(
            "[[benchmarks]]\nadapter = \"command\"\nname = \"{name}\"\nrun = [\"sh\", \"{name}.sh\"]\ntime_limit = \"{limit}\"\n"
        )
    });
    repository.write("lito.toml", &settings.concat());
    repository.write("fine.sh", "echo fine\n");
    repository.write("spoilt.sh", "echo fine\n");
    repository.commit("both are fine");
    repository.write("spoilt.sh", spoilt);
    repository.commit("one is spoilt");
    repository
}

fn measure(repository: &TestRepository, more: &[&str]) -> LitoOutput {
    let measure = [
        "measure",
        "HEAD~1",
        "HEAD",
        "--metric",
        "instructions",
        "--format",
        "json",
    ];
    repository.lito(&[&measure[..], more].concat())
}

fn verdict_of(answer: &LitoOutput, benchmark: &str) -> (String, String) {
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:#?}"));
    let entries = report["benchmarks"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["name"] == benchmark).unwrap();
    let text = |field: &str| entry[field].as_str().unwrap().to_owned();
    (text("verdict"), text("reason"))
}

#[test]
fn a_benchmark_that_hangs_at_the_head_is_stopped_and_the_others_are_judged() {
    let repository = scripts_with_limit("sleep 1000\n", "5s");
    let answer = measure(&repository, &[]);
    assert_eq!(answer.code, 4, "{answer:#?}");
    let (verdict, reason) = verdict_of(&answer, "spoilt");
    assert_eq!(verdict, "failed");
    assert!(reason.contains("did not end within 5 s"), "{reason}");
    assert_eq!(verdict_of(&answer, "fine").0, "pass");
}

#[test]
fn a_benchmark_that_prints_garbage_without_end_is_judged_by_what_it_does() {
    let repository = scripts("head -c 30000000 /dev/zero; printf '\\033[2J\\377'; exit 3\n");
    let answer = measure(&repository, &[]);
    assert_eq!(answer.code, 4, "{answer:#?}");
    let (verdict, reason) = verdict_of(&answer, "spoilt");
    assert_eq!(verdict, "failed");
    assert!(
        reason.contains("exit status: 3") && reason.contains("3 times"),
        "{reason}"
    );
    assert!(!reason.contains('\u{1b}'), "{reason}");
}

#[test]
fn a_budget_that_is_used_up_leaves_the_rest_undecided_and_says_so() {
    let repository = scripts("echo more fine\n");
    let answer = measure(&repository, &["--budget", "1ms"]);
    assert_eq!(answer.code, 4, "{answer:#?}");
    let (verdict, reason) = verdict_of(&answer, "fine");
    assert_eq!(verdict, "inconclusive");
    assert!(reason.contains("raise the budget"), "{reason}");
}

#[test]
fn interrupted_while_measuring_it_gives_the_verdict_so_far_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("spoilt");
    let script = format!("echo $$ >> {}\nexec sleep 1000\n", note.display());
    let repository = scripts(&script);
    let child = repository
        .command(&["measure", "HEAD~1", "HEAD", "--metric", "instructions"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert!(within(|| has_run(&note)));
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let interrupted = answer(&child.wait_with_output().unwrap());
    interrupted.fails(130, &["interrupted"]);
    for told in ["inconclusive", "spoilt", "interrupted before it was measured"] {
        assert!(interrupted.stdout.contains(told), "{interrupted:#?}");
    }
    assert!(is_gone(&runs_of("spoilt", folder.path())[0]));
    let left = files_below(repository.cache());
    // Sides that are built are kept, too, and the library by which benchmarks share starts.
    let is_kept = |path: &String| path.contains("/built/") || path.ends_with(".so");
    let is_result = |path: &String| path.ends_with(".jsonl") || path.ends_with(".toml") || is_kept(path);
    assert!(left.iter().all(is_result), "{left:?}");
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
}

/// Every file, without those of the build.
fn files_below(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            files.extend(files_below(&path));
        } else if path.is_file() {
            files.push(path.display().to_string());
        }
    }
    files
}
