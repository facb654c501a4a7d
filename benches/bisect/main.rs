//! How many builds does `lito bisect` take? Every jump of a benchmark that the study measured, searched for among versions
//! around it, with the study's predictions and counts in place of builds; beside halving, which predicts nothing.
//!
//!     cargo bench --bench bisect                # ranges of 32 commits
//!     cargo bench --bench bisect -- 128         # of 128
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;

use analyzer::cost::PriceList;
use study::accuracy::{ProjectResults, StudyHalf, StudyKind};
use study::collection::result_files;
use verdict::bisection::Bisection;

/// The smallest jump that is searched for.
const JUMP: f64 = 0.05;

/// The distance between the samples that the predictions are made on.
const EVERY: u32 = 20;

/// One jump of one benchmark.
struct Search {
    half: StudyHalf,
    /// Builds between the ends with predictions, and by halving.
    builds: [u32; 2],
    /// Whether predictions and halving found the jump, or a range with it where versions cannot be measured. Among several
    /// changes either may find another one.
    right: [bool; 2],
}

fn main() {
    // Cargo adds `--bench`.
    let width = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let width: usize = width.unwrap_or(32);
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("study/results");
    let projects = result_files::read(&results).unwrap().projects;
    let commits = projects
        .iter()
        .filter(|project| project.study == StudyKind::Commits && project.dropped.is_none());
    let searches: Vec<Search> = commits.flat_map(|project| searches(project, width)).collect();
    println!("Ranges of {width} commits, jumps of {}% or more:\n", JUMP * 100.0);
    println!("| projects | jumps | found | builds: median | mean | most | by halving | builds: median | mean | most |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let of_half = |half| searches.iter().filter(move |search| search.half == half);
    print("all", &searches.iter().collect::<Vec<_>>());
    print("learned from", &of_half(StudyHalf::Learned).collect::<Vec<_>>());
    print("held out", &of_half(StudyHalf::HeldOut).collect::<Vec<_>>());
}

/// Searches for each jump of each benchmark of a project, in the range of this many versions that has the jump where the
/// number of the version says: neither in the middle nor at an end by design.
fn searches(project: &ProjectResults, width: usize) -> Vec<Search> {
    let versions = &project.measured;
    let names = versions.iter().flat_map(|version| version.benchmarks.keys());
    let mut names: Vec<&String> = names.collect();
    names.sort();
    names.dedup();
    let mut found = Vec::new();
    for name in names {
        let costs: Vec<Option<f64>> = (versions.iter())
            .map(|version| Some(version.benchmarks.get(name)?.instructions? as f64))
            .collect();
        for jump in 1..versions.len() {
            if step(&costs, jump).is_none_or(|step| step < JUMP) || versions.len() <= width {
                continue;
            }
            let start = (jump - 1)
                .saturating_sub(jump * 7 % width)
                .min(versions.len() - 1 - width);
            let range = start..=start + width;
            // The largest step of the range is what is searched for.
            let is_largest = range
                .clone()
                .skip(1)
                .all(|other| other == jump || step(&costs, other) < step(&costs, jump));
            let (Some(good), Some(bad)) = (costs[start], costs[start + width]) else {
                continue;
            };
            let change = (bad / good - 1.0).abs();
            if !is_largest || change < JUMP {
                continue;
            }
            let chances: Vec<f64> = (range.clone().skip(1))
                .map(|version| chance(project, &versions[version].commit, name, change / 2.0))
                .collect();
            let runs = [chances, vec![0.0; width]].map(|chances| {
                let mut search = Bisection::new(&chances, [good, bad]);
                let mut builds = 0;
                while let Some(version) = search.next() {
                    builds += 1;
                    match costs[start + version] {
                        Some(cost) => search.measured(version, cost),
                        None => search.unmeasurable(version),
                    }
                }
                (builds, search.suspects().contains(&(jump - start)))
            });
            found.push(Search {
                half: StudyHalf::of(project),
                builds: runs.map(|(builds, _)| builds),
                right: runs.map(|(_, right)| right),
            });
        }
    }
    found
}

/// The relative step from the version before, if both are measured.
fn step(costs: &[Option<f64>], version: usize) -> Option<f64> {
    Some((costs[version]? / costs[version - 1]? - 1.0).abs())
}

/// The predicted probability that a version moves the benchmark by the threshold.
fn chance(project: &ProjectResults, commit: &str, benchmark: &str, threshold: f64) -> f64 {
    let risk = PriceList::shipped().risk;
    let predicted = project.predicted.get(commit).and_then(|version| version.on.get(&EVERY));
    match predicted.and_then(|on| on.benchmarks.get(benchmark)) {
        Some(predicted) => risk.calibration.probability(&predicted.terms, threshold),
        None => risk.without_sample,
    }
}

fn print(name: &str, searches: &[&Search]) {
    let mut cells = Vec::new();
    for way in [0, 1] {
        let right = searches.iter().filter(|search| search.right[way]).count();
        let mut builds: Vec<u32> = searches.iter().map(|search| search.builds[way]).collect();
        builds.sort_unstable();
        let mean = f64::from(builds.iter().sum::<u32>()) / builds.len().max(1) as f64;
        let median = builds.get(builds.len() / 2).copied().unwrap_or_default();
        let most = builds.last().copied().unwrap_or_default();
        cells.push(format!("{right} | {median} | {mean:.1} | {most}"));
    }
    println!("| {name} | {} | {} |", searches.len(), cells.join(" | "));
}
