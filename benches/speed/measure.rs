//! A program → its time for criterion, kept for ratios too; and its peak memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, SamplingMode};

/// Whole processes that take seconds: the least that criterion accepts.
const SAMPLES: usize = 10;

/// How often a running process is asked for its peak memory, which only grows.
const MEMORY_STEP: Duration = Duration::from_millis(5);

/// Settings for whole processes.
pub(crate) fn for_processes(group: &mut BenchmarkGroup<'_, WallTime>) {
    group.sample_size(SAMPLES);
    group.sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(1));
    group.measurement_time(Duration::from_millis(1));
}

/// Measures something as often as criterion wants; its median time.
pub(crate) fn median(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut run: impl FnMut()) -> Duration {
    let mut times = Vec::new();
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            (0..iterations)
                .map(|_| {
                    let start = Instant::now();
                    run();
                    let time = start.elapsed();
                    times.push(time);
                    time
                })
                .sum()
        });
    });
    times.sort();
    // None if criterion was told to measure something else.
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// How many times longer, for showing; nothing where one of them was not measured.
pub(crate) fn print_ratio(what: &str, time: Duration, of: Duration) {
    if !time.is_zero() && !of.is_zero() {
        println!("{what}: {:.1}", time.as_secs_f64() / of.as_secs_f64());
    }
}

/// The binary, built for this run.
pub(crate) fn lito(repository: &Path, revision: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lito"));
    command.args(["score", revision, "--repo"]).arg(repository);
    command
}

/// The gate on one commit; no skipped one is measured all the same.
pub(crate) fn lito_gate(repository: &Path, commit: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lito"));
    command.args(["gate", "--no-audit", "--head", commit, "--base"]);
    command.arg(format!("{commit}^")).arg("--repo").arg(repository);
    command
}

/// git, in a repository.
pub(crate) fn git(repository: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository).args(arguments);
    command
}

/// Runs a program that must succeed, its output dropped.
pub(crate) fn run(mut command: Command) {
    let status = command.stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

/// The output of a program that must succeed.
pub(crate) fn output(mut command: Command) -> Vec<u8> {
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", output.status);
    output.stdout
}

/// Peak memory of a program, in bytes; `None` where the system does not tell it.
pub(crate) fn peak_memory(mut command: Command) -> Option<u64> {
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    while child.try_wait().unwrap().is_none() {
        let found = std::fs::read_to_string(&status).ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
        });
        peak = found.map(|kilobytes| kilobytes << 10).max(peak);
        std::thread::sleep(MEMORY_STEP);
    }
    peak
}
