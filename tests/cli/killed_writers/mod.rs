//! Each command that writes, killed before a system call that changes a file: the store is whole, nothing that it held
//! is gone, the same command then succeeds without any cleaning by hand, and leaves nothing behind that an undisturbed
//! run does not leave.
//!
//! By default a few calls of each command are taken, evenly spaced: `LITO_SWEEP_SEED` moves them by a call for each number.
//! The whole takes hours, and can be taken in parts, here the second of eight:
//!
//! ```sh
//! LITO_SWEEP=all cargo test --locked --test cli killed_writers -- --nocapture
//! LITO_SWEEP=2/8 cargo test --locked --test cli killed_writers -- --nocapture
//! ```

mod sweep;

use std::collections::BTreeMap;
use std::fs;

use sweep::{Bench, Fault, WritingCommand};

use super::played_github::{self, PlayedGithub};
use super::remote::{record, store};
use super::repository::git_in;

/// Calls that are taken by default of a command that starts no compiler and no profiler.
const POINTS: usize = 5;

/// Of one that starts some.
const POINTS_OF_SLOW_COMMANDS: usize = 2;

/// A store with a sample in the repository, and one with another sample and an acknowledgement in a file.
fn with_stores() -> Bench {
    let bench = Bench::new();
    let [first, second] = bench.commits();
    let (repository, other) = (bench.path("repository"), bench.path("other"));
    record(&repository, &first, &["a", "b"]);
    record(&other, &first, &["c"]);
    record(&other, &second, &["a", "c"]);
    let given = verdict::Acknowledgement {
        schema: verdict::ACKNOWLEDGEMENT_SCHEMA.to_owned(),
        pull: 3,
        benchmark: String::from("a"),
        reason: String::from("worth it"),
        by: String::from("somebody"),
        at: 10,
        head: second.clone(),
        base: first,
        accepted: BTreeMap::new(),
    };
    store(&other).record_acknowledgement(&given).unwrap();
    let file = bench.path("out/other.store").display().to_string();
    super::repository::lito_in(&other, &["store", "export", &file]).output();
    bench
}

fn merge(fault: Fault) {
    with_stores().sweep(
        fault,
        &WritingCommand {
            arguments: &["store", "merge", "--acknowledgements", "../out/other.store"],
            within: "",
            outputs: &[],
            removes: false,
            points: POINTS,
        },
    );
}

fn export(fault: Fault) {
    let bench = with_stores();
    fs::copy(bench.path("out/other.store"), bench.path("out/file.store")).unwrap();
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &["store", "export", "../out/file.store"],
            within: "",
            outputs: &["out/file.store"],
            removes: false,
            points: POINTS,
        },
    );
}

fn fetch(fault: Fault) {
    let bench = with_stores();
    let url = bench.path("other").display().to_string();
    git_in(&bench.path("repository"), &["remote", "add", "origin", &url]);
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &["store", "fetch"],
            within: "",
            outputs: &[],
            removes: false,
            points: POINTS,
        },
    );
}

fn push(fault: Fault) {
    let bench = with_stores();
    // A remote with entries that are not here, and the other way round.
    let hub = bench.path("hub").display().to_string();
    let other = bench.path("other");
    git_in(&other, &["clone", "--quiet", "--bare", ".", &hub]);
    git_in(&other, &["push", "--quiet", &hub, "refs/lito/store"]);
    git_in(&bench.path("repository"), &["remote", "add", "origin", &hub]);
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &["store", "push"],
            within: "",
            outputs: &[],
            removes: false,
            points: POINTS,
        },
    );
}

fn post(fault: Fault) {
    super::needs::program("valgrind");
    let mut bench = Bench::new();
    bench.lito(&["sample", "HEAD~1"]);
    bench.lito(&["gate", "--base", "HEAD~1", "--no-audit", "--report", "../out/judged"]);
    let [_, head] = bench.commits();
    bench.github = Some(PlayedGithub::with_pull_request(head));
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &[
                "post",
                "../out/judged/verdict.json",
                "--repository",
                played_github::REPOSITORY,
                "--pull",
                "3",
                "--report",
                "../out/posted",
            ],
            within: match fault {
                Fault::Kill => "",
                Fault::FullDisk => "/work/",
            },
            outputs: &[
                "out/posted/verdict.json",
                "out/posted/verdict.md",
                "out/judged/verdict.json",
            ],
            removes: false,
            points: POINTS,
        },
    );
    let [checks, comments] = bench.github.as_ref().unwrap().counts();
    assert_eq!((checks, comments), (1, 1), "posted once, however often it was killed");
}

fn collection(fault: Fault) {
    let bench = with_stores();
    // Of a commit that is gone: it is what the collection is for.
    record(&bench.path("repository"), &"1".repeat(40), &["gone"]);
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &["store", "gc"],
            within: "",
            outputs: &[],
            removes: true,
            points: POINTS,
        },
    );
}

fn sample(fault: Fault) {
    let bench = Bench::new();
    let [first, _] = bench.commits();
    record(&bench.path("repository"), &first, &["a"]);
    super::needs::program("valgrind");
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &["sample", "HEAD"],
            within: "/repository/.git/",
            outputs: &[],
            removes: false,
            points: POINTS_OF_SLOW_COMMANDS,
        },
    );
}

fn gate(fault: Fault) {
    let bench = Bench::new();
    super::needs::program("valgrind");
    bench.lito(&["sample", "HEAD~1"]);
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &["gate", "--base", "HEAD~1", "--no-audit", "--report", "../out/report"],
            within: "/work/",
            outputs: &[],
            removes: false,
            points: POINTS_OF_SLOW_COMMANDS,
        },
    );
}

fn kept_dependencies(fault: Fault) {
    let bench = Bench::new();
    super::needs::program("valgrind");
    let elsewhere = bench.path("steps");
    fs::create_dir_all(elsewhere.join("src")).unwrap();
    let manifest = "[package]\nname = \"steps\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    fs::write(elsewhere.join("Cargo.toml"), manifest).unwrap();
    fs::write(elsewhere.join("src/lib.rs"), "pub fn steps() -> u32 { 3 }\n").unwrap();
    git_in(&elsewhere, &["init", "--quiet", "--initial-branch=main"]);
    git_in(&elsewhere, &["add", "--all"]);
    git_in(&elsewhere, &["commit", "--quiet", "--message", "steps"]);
    let repository = bench.path("repository");
    let manifest = repository.join("Cargo.toml");
    let dependency = format!(
        "[dependencies]\nsteps = {{ git = \"file://{}\" }}\n",
        elsewhere.display()
    );
    fs::write(&manifest, fs::read_to_string(&manifest).unwrap() + &dependency).unwrap();
    let sources = "pub fn sum(of: &[u64]) -> u64 {\n    of.iter().sum::<u64>() + u64::from(steps::steps())\n}\n\
                   #[test]\nfn sums() {\n    assert_eq!(sum(&[1]), 4);\n}\n";
    fs::write(repository.join("src/lib.rs"), sources).unwrap();
    fs::write(
        repository.join("lito.toml"),
        "[[benchmarks]]\nadapter = \"cargo-test\"\n",
    )
    .unwrap();
    git_in(&repository, &["add", "--all"]);
    git_in(&repository, &["commit", "--quiet", "--message", "a dependency"]);
    bench.lito(&["sample", "HEAD"]);
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &["cache", "export", "../out/dependencies"],
            within: "",
            outputs: &[],
            removes: false,
            points: POINTS,
        },
    );
    bench.lito(&["cache", "export", "../out/dependencies"]);
    for name in ["target", "counting"] {
        bench.remove_builds(name);
    }
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &["cache", "import", "../out/dependencies"],
            within: "",
            outputs: &[],
            removes: false,
            points: POINTS,
        },
    );
}

fn report(fault: Fault) {
    let bench = with_stores();
    for (name, count) in [("before", 40), ("after", 60)] {
        fs::write(
            bench.path(&format!("out/{name}.folded")),
            format!("main;parse;next {count}\n"),
        )
        .unwrap();
    }
    fs::write(bench.path("out/report.html"), "the old one").unwrap();
    bench.sweep(
        fault,
        &WritingCommand {
            arguments: &[
                "compare",
                "../out/before.folded",
                "../out/after.folded",
                "--folded",
                "--output",
                "../out/report.html",
            ],
            within: "",
            outputs: &["out/report.html"],
            removes: false,
            points: POINTS,
        },
    );
}

#[test]
fn a_killed_merge_loses_nothing_and_leaves_nothing_behind() {
    merge(Fault::Kill);
}

#[test]
fn a_merge_on_a_full_disk_loses_nothing_and_leaves_nothing_behind() {
    merge(Fault::FullDisk);
}

#[test]
fn a_killed_export_leaves_the_old_file_or_the_new_one() {
    export(Fault::Kill);
}

#[test]
fn an_export_on_a_full_disk_leaves_the_old_file_or_the_new_one() {
    export(Fault::FullDisk);
}

#[test]
fn a_killed_fetch_loses_nothing_and_leaves_nothing_behind() {
    fetch(Fault::Kill);
}

#[test]
fn a_fetch_on_a_full_disk_loses_nothing_and_leaves_nothing_behind() {
    fetch(Fault::FullDisk);
}

#[test]
fn a_killed_push_loses_nothing_on_either_side_and_leaves_nothing_behind() {
    push(Fault::Kill);
}

#[test]
fn a_push_on_a_full_disk_loses_nothing_on_either_side_and_leaves_nothing_behind() {
    push(Fault::FullDisk);
}

#[test]
fn a_killed_post_is_posted_once_when_it_is_repeated() {
    post(Fault::Kill);
}

#[test]
fn a_post_on_a_full_disk_is_posted_once_when_it_is_repeated() {
    post(Fault::FullDisk);
}

#[test]
fn a_killed_collection_leaves_nothing_behind() {
    collection(Fault::Kill);
}

#[test]
fn a_killed_sample_loses_nothing_and_leaves_nothing_behind() {
    sample(Fault::Kill);
}

#[test]
fn a_killed_gate_loses_nothing_and_leaves_nothing_behind() {
    gate(Fault::Kill);
}

#[test]
fn a_gate_on_a_full_disk_loses_nothing_and_leaves_nothing_behind() {
    gate(Fault::FullDisk);
}

#[test]
fn killed_exports_and_imports_of_built_dependencies_leave_whole_folders() {
    kept_dependencies(Fault::Kill);
}

#[test]
fn a_killed_report_is_the_old_file_or_the_new_one() {
    report(Fault::Kill);
}

#[test]
fn a_report_on_a_full_disk_is_the_old_file_or_the_new_one() {
    report(Fault::FullDisk);
}
