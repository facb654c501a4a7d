//! How soon is wall time decided, and how rightly? Two rules on the same rounds: the gate's, and the looks after 10, 20, 40 and
//! 80 rounds that it replaced. The rounds are of released libraries against themselves, recorded by this command and kept; an
//! effect is planted by making the head's times longer.
//!
//!     cargo bench --bench wall_time > benches/wall_time/result.md     # both rules on the kept rounds: the tables
//!     cargo bench --bench wall_time -- --trials 1000           # with more draws of them for each row
//!     cargo bench --bench wall_time -- --record quiet          # records rounds of the five libraries
//!     cargo bench --bench wall_time -- --record mine --repository /tmp/mine
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]
// a study runs programs
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod fixed_looks;
mod record;
mod recording;
mod replay;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;

use recording::Recording;
use replay::{Draws, Replayed, resampled, sequential};
use verdict::statistics::{median, proportion_interval, quantile};
use verdict::{BenchmarkOutcome, MeasurementRound};

/// Those that the demo has benchmarks for.
const LIBRARIES: [&str; 5] = ["semver", "httparse", "memchr", "hashbrown", "smallvec"];

const EFFECTS: [f64; 4] = [0.0, 0.02, 0.05, 0.10];

/// What a rule says of the benchmarks of a run.
type Rule = fn(&[Vec<MeasurementRound>]) -> Vec<Replayed>;

const RULES: [(&str, Rule); 2] = [("looks", fixed_looks::replay), ("sequential", sequential)];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let rounds = value("--rounds").map_or(120, |count| count.parse().unwrap());
    if let Some(machine) = value("--record") {
        match value("--repository") {
            Some(path) => record::record_repository(Path::new(&path), rounds, &file(&machine, "repository")),
            None => LIBRARIES
                .into_iter()
                .for_each(|library| record::record_library(library, rounds, &file(&machine, library))),
        }
    }
    let trials = value("--trials").map_or(360, |count| count.parse().unwrap());
    let machines = stored();
    print_noise(&machines);
    print_alone(&machines, trials);
    print_runs(&machines, trials / 6);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/wall_time/rounds")
}

fn file(machine: &str, name: &str) -> PathBuf {
    folder().join(format!("{machine}-{name}.json"))
}

/// The recordings, by what the machine did meanwhile.
fn stored() -> BTreeMap<String, Vec<Recording>> {
    let mut machines: BTreeMap<String, Vec<Recording>> = BTreeMap::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let machine = name.split('-').next().unwrap().to_owned();
        machines.entry(machine).or_default().extend(Recording::read(&file));
    }
    machines
}

/// What control and base differ by.
fn print_noise(machines: &BTreeMap<String, Vec<Recording>>) {
    println!("| machine | benchmarks | rounds | half of the starts differ by more than | a twentieth by more than |");
    println!("|---|---:|---:|---:|---:|");
    for (machine, recordings) in machines {
        let differences: Vec<f64> = (recordings.iter().flat_map(|recording| &recording.rounds))
            .map(|round| {
                (median(&round.control.0).unwrap() / median(&round.base.0).unwrap())
                    .ln()
                    .abs()
            })
            .collect();
        let share = |at| percent(quantile(&differences, at).unwrap().exp_m1());
        println!(
            "| {machine} | {} | {} | {} | {} |",
            recordings.len(),
            differences.len(),
            share(0.5),
            share(0.95)
        );
    }
}

/// Each benchmark in a run of its own.
fn print_alone(machines: &BTreeMap<String, Vec<Recording>>, trials: u64) {
    println!(
        "\n| machine | change | rule | regression | improvement | pass | undecided | rounds, mean | seconds, mean | rounds \
         of a regression | its estimate, median | interval without the change |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (machine, recordings) in machines {
        for effect in EFFECTS {
            for (name, rule) in RULES {
                let replayed = in_parallel(trials.div_ceil(recordings.len() as u64), |trial| {
                    let mut draws = Draws(trial);
                    let rounds = recordings
                        .iter()
                        .map(|one| (one, resampled(&one.rounds, effect, &mut draws)));
                    rounds
                        .map(|(one, rounds)| {
                            let replayed = rule(&[rounds])[0];
                            let seconds = one.seconds_of_a_round().map(|round| round * replayed.rounds as f64);
                            (replayed, seconds)
                        })
                        .collect()
                });
                println!(
                    "| {machine} | +{} | {name} | {} |",
                    percent(effect),
                    cells_alone(&replayed, effect)
                );
            }
        }
    }
}

fn cells_alone(replayed: &[(Replayed, Option<f64>)], effect: f64) -> String {
    let of = replayed.len() as f64;
    let is = |wanted| move |one: &&(Replayed, Option<f64>)| one.0.outcome == wanted;
    let share = |wanted| percent(replayed.iter().filter(is(wanted)).count() as f64 / of);
    let rounds: f64 = replayed.iter().map(|(one, _)| one.rounds as f64).sum();
    let seconds: Option<f64> = replayed.iter().map(|(_, seconds)| *seconds).sum();
    let alarms = || {
        replayed
            .iter()
            .filter(is(BenchmarkOutcome::Regression))
            .map(|(one, _)| one)
    };
    let estimates: Vec<f64> = alarms().map(|one| one.estimate - 1.0).collect();
    let rounds_of_alarms: f64 = alarms().map(|one| one.rounds as f64).sum();
    let without = |(one, _): &&(Replayed, Option<f64>)| {
        let (low, high) = one.interval;
        !(low..=high).contains(&(1.0 + effect))
    };
    let dash = || String::from("–");
    let cells = [
        share(BenchmarkOutcome::Regression),
        share(BenchmarkOutcome::Improvement),
        share(BenchmarkOutcome::Pass),
        share(BenchmarkOutcome::Inconclusive),
        format!("{:.1}", rounds / of),
        seconds.map_or_else(dash, |seconds| format!("{:.1}", seconds / of)),
        if estimates.is_empty() {
            dash()
        } else {
            format!("{:.1}", rounds_of_alarms / estimates.len() as f64)
        },
        median(&estimates).map_or_else(dash, |estimate| format!("+{}", percent(estimate))),
        percent(replayed.iter().filter(without).count() as f64 / of),
    ];
    cells.join(" | ")
}

/// All benchmarks of a machine in one run, of which none or every third is longer by a tenth.
fn print_runs(machines: &BTreeMap<String, Vec<Recording>>, trials: u64) {
    println!(
        "\n| machine | longer by 10% | rule | runs | with a false alarm (95%) | false among alarms | found | rounds of a run |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|");
    for (machine, recordings) in machines {
        for every in [usize::MAX, 3] {
            let longer = |index: usize| index % every == every - 1;
            for (name, rule) in RULES {
                let runs = in_parallel(trials, |trial| {
                    let mut draws = Draws(trial + trials);
                    let rounds = recordings
                        .iter()
                        .enumerate()
                        .map(|(index, one)| resampled(&one.rounds, if longer(index) { 0.1 } else { 0.0 }, &mut draws));
                    vec![rule(&rounds.collect::<Vec<_>>())]
                });
                let (mut runs_with_false, mut share_false, mut found, mut rounds) = (0, 0.0, 0, 0);
                for run in &runs {
                    let alarm = |one: &Replayed| {
                        matches!(
                            one.outcome,
                            BenchmarkOutcome::Regression | BenchmarkOutcome::Improvement
                        )
                    };
                    let alarms = run.iter().filter(|one| alarm(one)).count();
                    let right = (run.iter().enumerate())
                        .filter(|(index, one)| longer(*index) && one.outcome == BenchmarkOutcome::Regression)
                        .count();
                    runs_with_false += u32::from(alarms > right);
                    share_false += (alarms - right) as f64 / alarms.max(1) as f64;
                    found += right;
                    rounds += run.iter().map(|one| one.rounds).sum::<usize>();
                }
                let count = u32::try_from(runs.len()).unwrap();
                let at_most = proportion_interval(runs_with_false, count, 0.95).high;
                let planted = (0..recordings.len()).filter(|index| longer(*index)).count() * runs.len();
                println!(
                    "| {machine} | {} of {} | {name} | {count} | {runs_with_false} (≤ {}) | {} | {found} of {planted} | {} |",
                    planted / runs.len(),
                    recordings.len(),
                    percent(at_most),
                    percent(share_false / runs.len() as f64),
                    rounds / runs.len()
                );
            }
        }
    }
}

/// The results of all trials, computed on all processors.
fn in_parallel<T: Send>(trials: u64, trial: impl Fn(u64) -> Vec<T> + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().unwrap().get() as u64;
    thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let trial = &trial;
                scope.spawn(move || {
                    (worker..trials)
                        .step_by(workers as usize)
                        .flat_map(trial)
                        .collect::<Vec<T>>()
                })
            })
            .collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect()
    })
}

fn percent(share: f64) -> String {
    report::number_format::share(share)
}
