//! Stage 2, first half: both versions built, and their benchmarks paired.

use runner::build::RepositoryCache;
use runner::measure::measurement_log::MeasurementLog;
use runner::measure::sides::{self, BaseOrHead, BenchmarkPresence, MeasuredSides, SideBuildEvent, SideBuildPlan};
use verdict::{BenchmarkOutcome, BenchmarkVerdict};

use super::candidate::BenchmarkCandidate;
use super::source::SourceStageResult;
use super::{GateContext, GateRequest};
use crate::error::EngineError;
use crate::profiling::{self, ProfilerChoice};

/// Both versions, ready to be run, and what is known of them from an earlier run.
pub(super) struct BuildStageResult {
    pub(super) sides: MeasuredSides,
    pub(super) results: MeasurementLog,
    /// What counts.
    pub(super) profiler: ProfilerChoice,
}

/// Builds both.
pub(super) fn build_both_sides(
    question: &GateRequest<'_>,
    place: &GateContext<'_>,
) -> Result<BuildStageResult, EngineError> {
    let root = place.repository.workdir().ok_or_else(|| {
        EngineError::request(format_args!(
            "measuring: {}: it is a bare repository, so nothing can be built; run this in a clone",
            place.repository.common_dir().display()
        ))
    })?;
    let cache = RepositoryCache::of_repository(root).map_err(EngineError::environment)?;
    let profiler = profiling::choose_profiler(place.profiler, place.interruption, |note| {
        place.progress.note(note);
    })?;
    let plan = SideBuildPlan {
        repository: place.repository,
        base: question.base,
        head: question.head,
        definitions: &place.settings.benchmarks,
        cache: &cache,
        profiler: profiler.profiler(),
        interruption: place.interruption,
    };
    let progress = place.progress;
    let sides = sides::build(&plan, &mut |step| match step {
        SideBuildEvent::Building(which) => progress.working_on(&format!("building the {which}")),
        SideBuildEvent::Built(which, benchmarks) => progress.detail(&format!(
            "the {which} has {}",
            report::number_format::counted_noun(*benchmarks, "benchmark")
        )),
    })?;
    if let [Some(base), Some(_)] = BaseOrHead::BOTH.map(|which| &sides.side(which).unbuilt) {
        return Err(EngineError::environment(format_args!(
            "measuring {} against {}: neither builds: {}; mend the build, or install what it needs",
            question.head.short(),
            question.base.short(),
            complaint(base)
        )));
    }
    let results = MeasurementLog::open(&cache, question.base, question.head, sides.environment())
        .map_err(EngineError::environment)?;
    Ok(BuildStageResult {
        sides,
        results,
        profiler,
    })
}

/// The benchmarks that are to be measured, in their order, and the entries of those that can't be.
pub(super) fn pair_benchmarks(
    built: &BuildStageResult,
    source: &SourceStageResult,
) -> (Vec<BenchmarkCandidate>, Vec<BenchmarkVerdict>) {
    let present = built.sides.benchmarks();
    let (mut candidates, mut entries) = (Vec::new(), Vec::new());
    for name in source.selection.ordered(present.keys().map(String::as_str)) {
        let candidate = source.candidate(name);
        let (outcome, reason) = match &present[name] {
            BenchmarkPresence::Both => {
                candidates.push(candidate);
                continue;
            }
            BenchmarkPresence::Removed => (
                BenchmarkOutcome::Removed,
                String::from("the head does not have it any more"),
            ),
            BenchmarkPresence::Added => (BenchmarkOutcome::Added, String::from("the base does not have it yet")),
            BenchmarkPresence::BaseFails { reason } => (
                BenchmarkOutcome::Added,
                format!("the base does not build it: {}", complaint(reason)),
            ),
            BenchmarkPresence::HeadFails { reason } => (
                BenchmarkOutcome::Failed,
                format!("the head does not build it: {}", complaint(reason)),
            ),
            BenchmarkPresence::NotComparable { reason } => (BenchmarkOutcome::Inconclusive, reason.clone()),
        };
        entries.push(candidate.entry(outcome, reason));
    }
    (candidates, entries)
}

impl BuildStageResult {
    /// Why one side, or a benchmark that the other side builds, does not build.
    pub(super) fn unbuilt(&self) -> Option<String> {
        let whole = BaseOrHead::BOTH
            .into_iter()
            .find_map(|which| self.sides.side(which).unbuilt.clone());
        whole.or_else(|| {
            let presence = self.sides.benchmarks().into_values();
            presence.into_iter().find_map(|presence| match presence {
                BenchmarkPresence::BaseFails { reason } | BenchmarkPresence::HeadFails { reason } => Some(reason),
                _ => None,
            })
        })
    }
}

/// The first lines of what a compiler complains about, on one.
fn complaint(reason: &str) -> String {
    let said = reason.strip_prefix("does not build: ").unwrap_or(reason);
    let lines: Vec<&str> = said.lines().take(LINES_SHOWN).map(str::trim).collect();
    lines.join(" ")
}

/// The error itself, and where it is.
const LINES_SHOWN: usize = 2;
