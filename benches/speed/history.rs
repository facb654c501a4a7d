//! A real history: `lito score` over its last 1,000 first-parent commits beside `git log --numstat` over the
//! same, and over the last 50 beside difftastic on each changed Rust file; `lito gate` on commits that can't matter
//! beside `git show` of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use criterion::Criterion;

use super::measure::{for_processes, git, lito, lito_gate, median, output, peak_memory, print_ratio, run};

const RANGE: usize = 1_000;

/// Commits that are gated.
const HARMLESS: usize = 10;

/// difftastic takes about a minute for these.
const DIFFED: usize = 50;

/// Against `git log --first-parent --numstat`.
pub(crate) fn score(criterion: &mut Criterion) {
    let Some(history) = history() else { return };
    let range = last(&history, RANGE);
    let mut group = criterion.benchmark_group("history");
    for_processes(&mut group);
    let by_git = median(&mut group, "git log --numstat", || {
        run(git(&history, &["log", "--first-parent", "--numstat", &range]));
    });
    let by_lito = median(&mut group, "lito score", || run(lito(&history, &range)));
    group.finish();
    print_ratio("lito score / git log --numstat, same range", by_lito, by_git);
    if let Some(bytes) = peak_memory(lito(&history, &range)) {
        println!("peak memory of lito score: {} MB", bytes / 1_000_000);
    }
}

/// Commits that only touch documents, gated as a whole process, against git showing them.
pub(crate) fn gate(criterion: &mut Criterion) {
    let Some(history) = history() else { return };
    let harmless = harmless(&history);
    let mut group = criterion.benchmark_group("gate");
    for_processes(&mut group);
    let by_git = median(&mut group, "git show", || {
        for commit in &harmless {
            run(git(&history, &["show", "--numstat", commit]));
        }
    });
    let by_lito = median(&mut group, "lito gate", || {
        for commit in &harmless {
            run(lito_gate(&history, commit));
        }
    });
    group.finish();
    let each = by_lito.as_secs_f64() / harmless.len() as f64;
    println!("lito gate, one commit that can't matter: {:.0} ms", each * 1000.0);
    print_ratio("lito gate / git show --numstat, the same commits", by_lito, by_git);
}

/// Commits that change documents only.
fn harmless(history: &Path) -> Vec<String> {
    let list = |arguments: &[&str]| String::from_utf8(output(git(history, arguments))).unwrap();
    let documents = |commit: &&str| {
        let changed = list(&["diff-tree", "-r", "--name-only", "--no-commit-id", commit]);
        !changed.is_empty() && changed.lines().all(|path| path.ends_with(".md"))
    };
    let all = list(&["rev-list", "--first-parent", "--no-merges", "-n", "500", "HEAD"]);
    let harmless = all.lines().filter(documents).take(HARMLESS);
    harmless.map(str::to_owned).collect()
}

/// Against difftastic.
pub(crate) fn difftastic(criterion: &mut Criterion) {
    let Some(history) = history() else { return };
    let program = std::env::var_os("LITO_BENCH_DIFFT").unwrap_or_else(|| OsString::from("difft"));
    if Command::new(&program).arg("--version").output().is_err() {
        println!("difftastic: skipped, no program {program:?}; set LITO_BENCH_DIFFT");
        return;
    }
    let range = last(&history, DIFFED);
    let folder = tempfile::tempdir().unwrap();
    let pairs = changed_pairs(&history, &range, folder.path());
    let mut group = criterion.benchmark_group("difftastic");
    for_processes(&mut group);
    let by_lito = median(&mut group, "lito score", || run(lito(&history, &range)));
    let by_difft = median(&mut group, "difft", || {
        for [before, after] in &pairs {
            let mut command = Command::new(&program);
            command.arg(before).arg(after);
            run(command);
        }
    });
    group.finish();
    println!("{} changed Rust files in {DIFFED} commits", pairs.len());
    print_ratio("difft / lito score, same commits", by_difft, by_lito);
}

fn history() -> Option<PathBuf> {
    let history = std::env::var_os("LITO_BENCH_HISTORY");
    if history.is_none() {
        println!("history: skipped, LITO_BENCH_HISTORY names no clone");
    }
    history.map(PathBuf::from)
}

fn last(history: &Path, versions: usize) -> String {
    let back = format!("HEAD~{versions}");
    let base = output(git(history, &["rev-parse", "--verify", &back]));
    format!("{}..HEAD", String::from_utf8(base).unwrap().trim())
}

/// Both sides of each Rust file that was modified in each version of a range, written to a folder.
fn changed_pairs(history: &Path, range: &str, folder: &Path) -> Vec<[PathBuf; 2]> {
    let list = |arguments: &[&str]| String::from_utf8(output(git(history, arguments))).unwrap();
    let mut pairs = Vec::new();
    for commit in list(&["rev-list", "--first-parent", range]).lines() {
        let parent = format!("{commit}^");
        let changed = list(&[
            "diff-tree",
            "-r",
            "--no-renames",
            "--diff-filter=M",
            "--name-only",
            &parent,
            commit,
            "--",
            "*.rs",
        ]);
        for path in changed.lines() {
            pairs.push([&parent, commit].map(|version| {
                let content = output(git(history, &["show", &format!("{version}:{path}")]));
                let file = folder.join(format!("{}-{version}.rs", pairs.len()));
                std::fs::write(&file, content).unwrap();
                file
            }));
        }
    }
    pairs
}
