//! The cost of the gate over a real history, commit by commit, beside building every commit and running every benchmark
//! of it.
//!
//!     cargo bench --bench gate -- REPOSITORY LIBRARY [COMMITS] [EVERY]
//!
//! REPOSITORY is a clone whose working copy may be written to; LIBRARY one that the demo has benchmarks for. Of the last
//! COMMITS (60) first parents, every EVERY-th (20) is sampled, and each is gated against the one before.
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
    let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/demo").join(library);
    let settings = format!(
        "[[benchmarks]]\nadapter = \"cargo-bench\"\nharness = \"{}\"\n[gate]\nmetrics = [\"instructions\"]\n",
        harness.display()
    );
    std::fs::write(repository.join("lito.toml"), settings).unwrap();

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
            // Each version is built, though it was the head before: the account is of builds.
            let gate = ["gate", "--no-audit", "--fresh", "--format", "json", "--head", commit];
            let base = ["--base", &format!("{commit}^")];
            let output = lito(repository, &[&gate[..], &base].concat());
            // A commit that does not build has no verdict.
            serde_json::from_slice(&output.stdout).ok()
        })
        .collect();
    print(&reports, sampling);
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
