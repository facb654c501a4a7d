//! The cost of the gate over a real history, commit by commit, beside what measuring each commit costs without it.
//!
//!     cargo bench --bench gate -- REPOSITORY LIBRARY [COMMITS] [EVERY]
//!
//! REPOSITORY is a clone whose working copy may be written to. Of the last COMMITS (60) first parents, every EVERY-th (20)
//! is sampled, and each is gated against the one before.
//!
//! LIBRARY is one that the demo has benchmarks for: the gate is then held against building every commit and counting
//! every benchmark of it. Or it is `own`, for the benchmarks of the repository itself: the gate then runs as users run
//! it, and is held against a whole `cargo bench` of the base and of the head of each commit. That is timed at the two
//! ends of the range, after a first build of the dependencies which is not timed.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
// a study runs programs and measures their time
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use verdict::Metric;
use verdict::{CascadeStageName, Verdict, VerdictReport};

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let [repository, library, rest @ ..] = arguments.as_slice() else {
        println!("gate: skipped; give a repository and a library");
        return;
    };
    let number = |at: usize, default: &str| rest.get(at).cloned().unwrap_or_else(|| default.to_owned());
    let (commits, every) = (number(0, "60"), number(1, "20"));
    let repository = Path::new(repository);
    let is_own = library == "own";
    if !is_own {
        let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/demo").join(library);
        let settings = format!(
            "[[benchmarks]]\nadapter = \"cargo-bench\"\nharness = \"{}\"\n[gate]\nmetrics = [\"instructions\"]\n",
            harness.display()
        );
        std::fs::write(repository.join("lito.toml"), settings).unwrap();
    }

    let started = Instant::now();
    let sampled = lito(repository, &["sample", "HEAD~1", "--last", &commits, "--every", &every]);
    assert!(sampled.status.success());
    let sampling = started.elapsed().as_secs_f64();
    let list = git(
        repository,
        &["rev-list", "--first-parent", "--reverse", "-n", &commits, "HEAD"],
    );
    let reports: Vec<VerdictReport> = (list.lines())
        .filter_map(|commit| {
            let gate = ["gate", "--no-audit", "--format", "json", "--head", commit];
            let base = ["--base", &format!("{commit}^")];
            // Each version is built, though it was the head before: that account is of builds.
            let fresh = if is_own { &[][..] } else { &["--fresh"] };
            let output = lito(repository, &[&gate[..], &base, fresh].concat());
            // A commit that does not build has no verdict.
            serde_json::from_slice(&output.stdout).ok()
        })
        .collect();
    if is_own {
        let ends: Vec<&str> = list.lines().next().into_iter().chain(list.lines().last()).collect();
        print_beside_framework(&reports, sampling, &framework_runs(repository, &ends));
    } else {
        print(&reports, sampling);
    }
}

/// Seconds of building and running all benchmarks of each version as its framework does.
fn framework_runs(repository: &Path, versions: &[&str]) -> Vec<f64> {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    let tree_name = tree.to_str().unwrap();
    git(repository, &["worktree", "add", "--detach", tree_name]);
    let bench = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(["bench", "--benches"]).args(arguments).current_dir(&tree);
        command.env("CARGO_TARGET_DIR", folder.path().join("target"));
        command.stdout(Stdio::null()).status().unwrap().success()
    };
    let seconds = (versions.iter())
        .filter_map(|version| {
            git(&tree, &["checkout", "--force", "--detach", version]);
            let _builds_dependencies = bench(&["--no-run"]);
            // The version's own crates are built within the time.
            git(&tree, &["clean", "-dfq"]);
            touch_sources(&tree);
            let started = Instant::now();
            bench(&[]).then(|| started.elapsed().as_secs_f64())
        })
        .collect();
    git(repository, &["worktree", "remove", "--force", tree_name]);
    seconds
}

/// Makes cargo build the crates of a checkout anew.
fn touch_sources(tree: &Path) {
    let now = std::time::SystemTime::now();
    for file in git(tree, &["ls-files", "*.rs"]).lines() {
        let file = std::fs::File::options().append(true).open(tree.join(file));
        file.and_then(|file| file.set_modified(now)).unwrap();
    }
}

/// The account beside the repository's own framework, which runs everything at the base and the head of each commit.
fn print_beside_framework(reports: &[VerdictReport], sampling: f64, runs: &[f64]) {
    let gating: f64 = reports.iter().map(|report| report.cost_seconds).sum();
    let measured = reports.iter().filter(|report| report.verdict != Verdict::Skipped);
    let has = |report: &VerdictReport, name| report.stages.iter().any(|stage| stage.name == name);
    let builds: usize = (measured.clone())
        .map(|report| {
            let (head, both) = (CascadeStageName::HeadBuild, CascadeStageName::Build);
            if has(report, head) {
                1 + usize::from(has(report, both))
            } else {
                2
            }
        })
        .sum();
    println!(
        "{} commits, {} measured with at most {builds} builds",
        reports.len(),
        measured.count()
    );
    println!(
        "gate: {:.1} s (sampling {sampling:.1} s, gates {gating:.1} s)",
        gating + sampling
    );
    for run in runs {
        println!("cargo bench of one version, dependencies built: {run:.1} s");
    }
    if !runs.is_empty() {
        let mean = runs.iter().sum::<f64>() / runs.len() as f64;
        let whole = 2.0 * mean * reports.len() as f64;
        println!("cargo bench of base and head of each commit: {whole:.0} s");
        println!("gate / cargo bench: {:.3}", (gating + sampling) / whole);
    }
}

/// The account: what the gate took, and what everything would have, at the mean cost of a build and of a run here.
fn print(reports: &[VerdictReport], sampling: f64) {
    let seconds = |name: CascadeStageName| -> f64 {
        let stages = reports.iter().flat_map(|report| &report.stages);
        stages
            .filter(|stage| stage.name == name)
            .map(|stage| stage.seconds)
            .fold(0.0, |sum, seconds| sum + seconds)
    };
    let measured = reports.iter().filter(|report| report.verdict != Verdict::Skipped);
    let counted = reports.iter().flat_map(|report| &report.benchmarks);
    let counted = counted.filter(|entry| entry.metric == Metric::Instructions);
    let runs: u32 = counted.map(|entry| 2 * entry.starts).sum();
    let builds = 2 * measured.clone().count();
    let benchmarks = reports.iter().map(|report| report.benchmarks.len()).max().unwrap_or(0);
    let whole: f64 = reports.iter().map(|report| report.cost_seconds).sum::<f64>() + sampling;
    let each_build = seconds(CascadeStageName::Build) / builds.max(1) as f64;
    let each_run = seconds(CascadeStageName::Counts) / f64::from(runs.max(1));
    let everything = reports.len() as f64 * (each_build + benchmarks as f64 * each_run);
    let moved = measured.clone().filter(|report| {
        matches!(
            report.verdict,
            Verdict::Regression | Verdict::Improvement | Verdict::Mixed
        )
    });
    println!(
        "{} commits, {} measured, {} moved",
        reports.len(),
        measured.clone().count(),
        moved.count()
    );
    println!(
        "gate: {whole:.1} s (sampling {sampling:.1} s, scoring {:.1} s, {builds} builds {:.1} s, {runs} runs {:.1} s, wall \
         time {:.1} s)",
        seconds(CascadeStageName::Source),
        seconds(CascadeStageName::Build),
        seconds(CascadeStageName::Counts),
        seconds(CascadeStageName::WallTime)
    );
    println!(
        "everything: {everything:.1} s ({each_build:.2} s a build, {each_run:.2} s a run, {benchmarks} benchmarks)"
    );
    if everything > 0.0 {
        println!("gate / everything: {:.2}", whole / everything);
    }
}

fn lito(repository: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lito"));
    command.args(arguments).current_dir(repository).stderr(Stdio::inherit());
    command.output().unwrap()
}

fn git(repository: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(repository)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}
