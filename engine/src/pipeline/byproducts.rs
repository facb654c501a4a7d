//! Two versions that are built → the sizes of their programs and the time that the builds took, as entries of the
//! verdict. Builds and runs nothing for it.
//!
//! A size decides where it was asked for, a build time never. The size of the code that a benchmark executes comes with
//! its count: see [`super::counts`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rayon::prelude::*;
use report::verdict::reasons;
use runner::measure::sides::{BaseOrHead, BenchmarkPresence, target_of_program};
use verdict::byproducts::{build_time, judge_size};
use verdict::{BenchmarkOutcome, BenchmarkVerdict, Metric, MetricFinding, UnmeasuredReason};

use super::build::BuildStageResult;
use super::measurement_plan::GateMeasurementPlan;
use super::selection::SelectedBenchmarks;
use super::source::SourceStageResult;

/// Name of the entry of the builds, and the tool that its times are of.
const BUILD: [&str; 2] = ["build", "cargo"];

/// The tool that sizes are read with.
const SIZE_TOOL: &str = "object";

/// The entries of both versions' programs and builds. A size that was asked for and cannot be read is inconclusive; any
/// other value that is not known on both sides has no entry.
pub(super) fn of_builds(
    built: &BuildStageResult,
    source: &SourceStageResult,
    terms: &GateMeasurementPlan<'_>,
) -> Vec<BenchmarkVerdict> {
    let mut entries = binary_sizes(built, source, terms);
    entries.extend(build_times(built));
    entries
}

/// One entry for each program that both versions have; where benchmarks were named, for the programs of these. Programs of
/// one name are added up.
fn binary_sizes(
    built: &BuildStageResult,
    source: &SourceStageResult,
    terms: &GateMeasurementPlan<'_>,
) -> Vec<BenchmarkVerdict> {
    let sides = &built.sides;
    let is_left_out = |name: &str| match &source.selection.run {
        SelectedBenchmarks::All(_) => !source.selection.takes(name),
        SelectedBenchmarks::These(_) | SelectedBenchmarks::Nothing => false,
    };
    let comparable = sides.benchmarks().into_iter().filter_map(|(name, presence)| {
        let program = |which| Some(sides.side(which).benchmark(&name)?.program.clone());
        let pair = [program(BaseOrHead::Base)?, program(BaseOrHead::Head)?];
        (presence == BenchmarkPresence::Both && !is_left_out(&name)).then_some(pair)
    });
    let pairs: BTreeSet<[PathBuf; 2]> = comparable.collect();
    let sizes: Vec<(String, Option<[u64; 2]>)> = (pairs.into_par_iter())
        .map(|[base, head]| (target_of_program(&head), both(size_of(&base), size_of(&head))))
        .collect();
    let mut programs: BTreeMap<String, Option<[u64; 2]>> = BTreeMap::new();
    for (name, size) in sizes {
        let known = programs.entry(name).or_insert(Some([0, 0]));
        *known = known.zip(size).map(|(sum, size)| [sum[0] + size[0], sum[1] + size[1]]);
    }
    let gating = terms.criteria.gates(Metric::BinarySize);
    let entry = |(name, sizes): (String, Option<[u64; 2]>)| {
        let finding = match sizes {
            Some(sizes) => judge_size(
                Metric::BinarySize,
                sizes,
                terms.criteria.of_counts(&name, Metric::BinarySize),
            ),
            None if gating => {
                let why = String::from("the program is no executable whose sections can be read");
                let reason = UnmeasuredReason::NotComparable { why };
                MetricFinding::unmeasured(Metric::BinarySize, BenchmarkOutcome::Inconclusive, reason)
            }
            None => return None,
        };
        Some(in_words([&name, SIZE_TOOL], finding, gating))
    };
    programs.into_iter().filter_map(entry).collect()
}

fn size_of(program: &PathBuf) -> Option<u64> {
    machine_code::loaded_size(&std::fs::read(program).ok()?)
}

/// The entry of the builds, where both had the same to do besides the version's own packages.
fn build_times(built: &BuildStageResult) -> Option<BenchmarkVerdict> {
    let time = |which| built.sides.side(which).suite.build_time.as_ref();
    let (base, head) = (time(BaseOrHead::Base)?, time(BaseOrHead::Head)?);
    let seconds = [base, head].map(|time| time.wall.as_secs_f64());
    let entry = in_words(BUILD, build_time(seconds), false);
    base.is_comparable(head).then_some(entry)
}

/// The entry of a finding, by the name of a program and the tool, in words.
pub(super) fn in_words([name, tool]: [&str; 2], finding: MetricFinding, gating: bool) -> BenchmarkVerdict {
    let reason = reasons::finding(finding.metric, &finding.reason);
    BenchmarkVerdict {
        gating,
        ..finding.into_entry(name, tool, reason)
    }
}

fn both(base: Option<u64>, head: Option<u64>) -> Option<[u64; 2]> {
    Some([base?, head?])
}
