//! Stage 3, first half: both versions built, the head before stage 2, or taken from an earlier run, and their benchmarks
//! paired.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use runner::build::RepositoryCache;
use runner::measure::measurement_log::MeasurementLog;
use runner::measure::shared_starts::shared_start_library;
use runner::measure::sides::{
    self, BaseOrHead, BenchmarkPresence, BuiltHead, MeasuredSide, MeasuredSides, SideBuildEvent, SideBuildPlan,
};
use runner::profilers::ProfilerCounter;
use verdict::{BenchmarkOutcome, ComparedVersion, ProgramIdentity, UnmeasuredReason};

use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::selection::NAMED;
use super::source::SourceStageResult;
use super::{GateContext, GateRequest, SelectionRequest, claims};
use crate::benchmark_names::{NamedBenchmarks, refuse_unmatched};
use crate::error::EngineError;
use crate::profiling::{self, ProfilerChoice};
use crate::progress::{Activity, Progress};

/// Both versions, ready to be run, and their measurements from an earlier run.
pub(super) struct BuildStageResult {
    pub(super) sides: MeasuredSides,
    pub(super) results: MeasurementLog,
    /// True if the head was built again, because its kept programs have other dependencies than the base: what these
    /// counted is not the head's.
    pub(super) head_is_another: bool,
}

/// The folder of the builds, and the profiler that counts.
pub(super) struct BuildPlace {
    cache: RepositoryCache,
    pub(super) profiler: ProfilerChoice,
    /// The library by which benchmarks share starts.
    pub(super) shared_start: Option<PathBuf>,
}

/// The place where the versions of a repository are built.
pub(super) fn prepare(place: &GateContext<'_>) -> Result<BuildPlace, EngineError> {
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
    let counts_instructions = profiler.profiler().counters().contains(&ProfilerCounter::Instructions);
    Ok(BuildPlace {
        shared_start: (counts_instructions.then(|| shared_start_library(&cache, place.interruption))).flatten(),
        cache,
        profiler,
    })
}

/// Builds the head.
pub(super) fn build_head<'a>(
    question: &GateRequest<'_>,
    place: &GateContext<'a>,
    site: &'a BuildPlace,
) -> Result<BuiltHead<'a>, EngineError> {
    let plan = SideBuildPlan {
        repository: place.repository,
        base: question.base,
        head: question.head,
        definitions: &place.settings.benchmarks,
        cache: &site.cache,
        profiler: site.profiler.profiler(),
        interruption: place.interruption,
        draft: question.draft,
        fresh: question.reuse.is_fresh(),
    };
    Ok(sides::build_head(&plan, &mut |step| show(step, place.progress))?)
}

fn show(step: &SideBuildEvent, progress: Progress<'_>) {
    match step {
        SideBuildEvent::Waiting { holder } => progress.activity(&Activity::Waiting { process: *holder }),
        SideBuildEvent::Building(which) => progress.activity(&Activity::BuildingSide(compared_version(*which))),
        SideBuildEvent::Built(which, benchmarks) => progress.activity(&Activity::SideBuilt {
            version: compared_version(*which),
            benchmarks: *benchmarks,
        }),
        SideBuildEvent::Reused(which, benchmarks) => progress.activity(&Activity::SideReused {
            version: compared_version(*which),
            benchmarks: *benchmarks,
        }),
    }
}

/// The measurements of both versions from an earlier run on this machine.
pub(super) fn earlier_results(
    head: &BuiltHead<'_>,
    question: &GateRequest<'_>,
    place: &GateContext<'_>,
    site: &BuildPlace,
) -> Result<MeasurementLog, EngineError> {
    // A package that is built without the others can have other features, and its benchmarks other names.
    let mut environment = head.environment().clone();
    // Times depend on the processor itself, whatever counted programs see of it.
    environment.0.extend(runner::environment::native_machine());
    if let Some(others) = place.settings.benchmarks.choice().other_packages() {
        environment.0.insert(String::from("not built"), others);
    }
    MeasurementLog::open(&site.cache, question.base, question.head, &environment).map_err(EngineError::environment)
}

/// Builds the base as well. `results` are those of [`earlier_results`].
pub(super) fn build_base(
    head: BuiltHead<'_>,
    question: &GateRequest<'_>,
    progress: Progress<'_>,
    results: MeasurementLog,
) -> Result<BuildStageResult, EngineError> {
    let head_was_kept = head.side().reused;
    let sides = head.with_base(&mut |step| show(step, progress))?;
    if let [Some(base), Some(_)] = BaseOrHead::BOTH.map(|which| &sides.side(which).unbuilt) {
        return Err(EngineError::environment(format_args!(
            "measuring {} against {}: neither builds: {}; mend the build, or install what it needs",
            question.head.short(),
            question.base.short(),
            complaint(base)
        )));
    }
    let [base, head] = BaseOrHead::BOTH.map(|which| &sides.side(which).suite.failures);
    for failure in head {
        // One that a single side leaves out is a finding.
        if base.iter().any(|other| other.target == failure.target) {
            progress.note(&format!("`{}` is left out: {}", failure.target, failure.reason));
        }
    }
    Ok(BuildStageResult {
        head_is_another: head_was_kept && !sides.side(BaseOrHead::Head).reused,
        sides,
        results,
    })
}

/// The identities of a side's programs, by benchmark, with what each executes as far as the sample tells.
pub(super) fn identities(side: &MeasuredSide, source: &SourceStageResult) -> BTreeMap<String, ProgramIdentity> {
    let mut identities = side.suite.program_identities();
    for (benchmark, executed) in side.suite.executed_code(&source.sampled_functions) {
        if let Some(identity) = identities.get_mut(&benchmark) {
            identity.executed = Some(executed);
        }
    }
    identities
}

/// The benchmarks to measure that are not settled yet, in their order, and the findings of those that can't be measured.
pub(super) fn pair_benchmarks(
    built: &BuildStageResult,
    source: &SourceStageResult,
    settled: &BTreeSet<String>,
) -> (Vec<BenchmarkCandidate>, Vec<BenchmarkFinding>) {
    let present = built.sides.benchmarks();
    let (mut candidates, mut findings) = (Vec::new(), Vec::new());
    for name in source.selection.ordered(present.keys().map(String::as_str)) {
        if settled.contains(name) {
            continue;
        }
        let candidate = source.candidate(name);
        let (outcome, reason) = match &present[name] {
            BenchmarkPresence::Both => {
                candidates.push(candidate);
                continue;
            }
            BenchmarkPresence::Removed => (BenchmarkOutcome::Removed, UnmeasuredReason::RemovedAtHead),
            BenchmarkPresence::Added => (BenchmarkOutcome::Added, UnmeasuredReason::NewAtHead),
            BenchmarkPresence::BaseFails { reason } => {
                (BenchmarkOutcome::Added, does_not_build(ComparedVersion::Base, reason))
            }
            BenchmarkPresence::HeadFails { reason } => {
                (BenchmarkOutcome::Failed, does_not_build(ComparedVersion::Head, reason))
            }
            BenchmarkPresence::NotComparable { reason } => (
                BenchmarkOutcome::Inconclusive,
                UnmeasuredReason::NotComparable { why: reason.clone() },
            ),
        };
        findings.push(candidate.unmeasured(outcome, reason));
    }
    (candidates, findings)
}

impl BuildStageResult {
    /// Refuses a named benchmark, or one that the command line claims something of, that neither version has.
    pub(super) fn check_names(&self, question: &GateRequest<'_>) -> Result<(), EngineError> {
        let globs = match question.which {
            SelectionRequest::Flagged { .. } => &[],
            SelectionRequest::Named(globs) => globs,
        };
        let claimed = claims::names_of_command_line(question.claims);
        let names: BTreeSet<String> = self.sides.benchmarks().into_keys().collect();
        let unlisted = BaseOrHead::BOTH.into_iter().find_map(|which| {
            let side = self.sides.side(which);
            let failed = side.suite.failures.first();
            let reason = side.unbuilt.as_ref().or(failed.map(|failure| &failure.reason))?;
            Some(format!(
                "; not all of {} could be listed: {}",
                side.commit.short(),
                complaint(reason)
            ))
        });
        let unlisted = unlisted.unwrap_or_default();
        refuse_unmatched(NamedBenchmarks::by_option(NAMED, globs), &names, &unlisted)?;
        refuse_unmatched(NamedBenchmarks::claimed(&claimed), &names, &unlisted)
    }

    /// The build error of one side, or of a benchmark that the other side builds.
    pub(super) fn unbuilt(&self) -> Option<String> {
        let whole = BaseOrHead::BOTH
            .into_iter()
            .find_map(|which| self.sides.side(which).unbuilt.clone());
        whole.or_else(|| {
            let presence = self.sides.benchmarks().into_values();
            presence.into_iter().find_map(|presence| match presence {
                BenchmarkPresence::BaseFails { reason } | BenchmarkPresence::HeadFails { reason } => Some(reason),
                BenchmarkPresence::Both
                | BenchmarkPresence::Removed
                | BenchmarkPresence::Added
                | BenchmarkPresence::NotComparable { .. } => None,
            })
        })
    }
}

fn does_not_build(version: ComparedVersion, reason: &str) -> UnmeasuredReason {
    UnmeasuredReason::DoesNotBuild {
        version,
        complaint: complaint(reason),
    }
}

/// The side as the verdict names it.
pub(super) fn compared_version(side: BaseOrHead) -> ComparedVersion {
    match side {
        BaseOrHead::Base => ComparedVersion::Base,
        BaseOrHead::Head => ComparedVersion::Head,
    }
}

/// The first lines of a compiler's complaint, joined to one line.
fn complaint(reason: &str) -> String {
    let said = reason.strip_prefix("does not build: ").unwrap_or(reason);
    let lines: Vec<&str> = said.lines().take(LINES_SHOWN).map(str::trim).collect();
    lines.join(" ")
}

/// The error itself, and where it is.
const LINES_SHOWN: usize = 2;
