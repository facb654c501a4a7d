//! The verdict in the making: the findings so far, and the decisions and costs of each stage. The one place where
//! findings become the serializable report, worded by [`report::verdict::reasons`].

use std::collections::BTreeMap;
use std::time::Instant;

use analyzer::score::DecisionReason;
use report::verdict::{RepeatedRequest, reasons, repeat_command};
use runner::benchmark::BenchmarkChoice;
use runner::measure::sides::BaseOrHead;
use runner::store::Environment;
use verdict::claims::ClaimVerdict;
use verdict::{
    BenchmarkMeasurement, BenchmarkOutcome, BenchmarkVerdict, CascadeStage, CascadeStageName, ComparedPrograms,
    JobMeasurements, ProgramIdentity, ReachabilityEvidence, ReportedValues, VerdictCause, VerdictReason, VerdictReport,
};

use super::build::BuildStageResult;
use super::candidate::BenchmarkFinding;
use super::code::ProgramComparisonSet;
use super::external_measurements::ExternalFindings;
use super::source::SourceStageResult;
use super::{GateJudgement, GateRequest, SelectionRequest, claims, reachability};

/// The verdict so far.
pub(super) struct VerdictDraft {
    begun: Instant,
    /// End of the last stage.
    last: Instant,
    stages: Vec<CascadeStage>,
    findings: Vec<BenchmarkFinding>,
    /// Entries of programs and builds, which are no benchmarks.
    entries: Vec<BenchmarkVerdict>,
    environment: BTreeMap<String, String>,
    programs: BTreeMap<String, ComparedPrograms>,
    /// Seconds that another job took.
    external_seconds: f64,
    /// The reason that overrules the decision table.
    overruled: Option<VerdictCause>,
}

/// Benchmarks into and out of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StageCounts {
    /// Benchmarks that reached it.
    pub(super) of: usize,
    /// Benchmarks that it passed to the next stage.
    pub(super) on: usize,
}

impl VerdictDraft {
    /// Starts the clock.
    pub(super) fn begin() -> Self {
        let now = Instant::now();
        Self {
            begun: now,
            last: now,
            stages: Vec::new(),
            findings: Vec::new(),
            entries: Vec::new(),
            environment: BTreeMap::new(),
            programs: BTreeMap::new(),
            external_seconds: 0.0,
            overruled: None,
        }
    }

    /// Ends a stage: the time since the end of the last one is its cost. A measuring stage that no benchmark reached is
    /// left out.
    pub(super) fn end(&mut self, name: CascadeStageName, passed: StageCounts, decided: Vec<BenchmarkFinding>) {
        self.add(decided);
        self.end_at(name, passed, Instant::now());
    }

    /// Ends a stage that decided nothing, at an earlier time.
    pub(super) fn end_at(&mut self, name: CascadeStageName, passed: StageCounts, now: Instant) {
        let always = matches!(name, CascadeStageName::Source | CascadeStageName::Build);
        if passed.of == 0 && !always {
            return;
        }
        self.stages.push(CascadeStage {
            name,
            benchmarks: count(passed.of),
            selected: count(passed.on),
            seconds: (now - self.last).as_secs_f64(),
        });
        self.last = now;
    }

    /// Adds findings outside of a stage.
    pub(super) fn add(&mut self, findings: Vec<BenchmarkFinding>) {
        self.findings.extend(findings);
    }

    /// Adds entries of programs and builds.
    pub(super) fn add_entries(&mut self, entries: Vec<BenchmarkVerdict>) {
        self.entries.extend(entries);
    }

    /// Adds the findings of what another job measured.
    pub(super) fn add_external(&mut self, found: ExternalFindings) {
        self.add(found.findings);
        self.add_entries(found.entries);
        self.stages.extend(found.stages);
        self.environment = found.environment;
        self.external_seconds = found.seconds;
        self.overruled = found.nothing_delivered.map(VerdictCause::NothingDelivered);
    }

    /// Adds the machine code's evidence to findings that the score does not explain.
    pub(super) fn explain(
        &mut self,
        built: &BuildStageResult,
        programs: &ProgramComparisonSet,
        source: &SourceStageResult,
    ) {
        reachability::add_code_evidence(&mut self.findings, &built.sides, programs, &source.score);
    }

    /// Records the environment of the measurements.
    pub(super) fn measured_in(&mut self, environment: &Environment) {
        self.environment.clone_from(&environment.0);
    }

    /// Records the programs of a side, by benchmark; those of an earlier build of it are forgotten.
    pub(super) fn counted_programs(&mut self, which: BaseOrHead, identities: BTreeMap<String, ProgramIdentity>) {
        fn side(programs: &mut ComparedPrograms, which: BaseOrHead) -> &mut Option<ProgramIdentity> {
            match which {
                BaseOrHead::Base => &mut programs.base,
                BaseOrHead::Head => &mut programs.head,
            }
        }
        self.programs
            .values_mut()
            .for_each(|programs| *side(programs, which) = None);
        for (benchmark, identity) in identities {
            *side(self.programs.entry(benchmark).or_default(), which) = Some(identity);
        }
    }

    /// The verdict over all findings.
    pub(super) fn finish(self, question: &GateRequest<'_>, source: SourceStageResult) -> GateJudgement {
        let not_skipped = (self.findings.iter()).filter(|found| found.finding.outcome != BenchmarkOutcome::Skipped);
        let measurements = (not_skipped.map(measurement))
            .chain(self.entries.iter().map(size_measurement))
            .collect();
        let mut benchmarks: Vec<BenchmarkVerdict> =
            (self.findings.into_iter().map(entry)).chain(self.entries).collect();
        verdict::sort_for_report(&mut benchmarks);
        let VerdictReason { cause, uncounted } = verdict::overall_verdict(&benchmarks);
        let reason = match self.overruled {
            None => VerdictReason {
                cause: explained(cause, question, &source),
                uncounted,
            },
            Some(cause) => VerdictReason { cause, uncounted: None },
        };
        let claims = claims::answers(question.claims, &benchmarks);
        let repeat = (!question.draft).then(|| repetition(question, &source.chosen, &claims));
        let report = VerdictReport {
            schema: verdict::SCHEMA.to_owned(),
            base: question.base.to_string(),
            head: question.head.to_string(),
            verdict: reason.cause.verdict(),
            reason: reasons::overall(&reason),
            benchmarks,
            stages: self.stages,
            audited: source.selection.audited,
            audit: None,
            claims,
            repeat,
            environment: self.environment,
            programs: self.programs,
            cost_seconds: self.begun.elapsed().as_secs_f64().max(self.external_seconds),
            spent: None,
        };
        let measurements = JobMeasurements {
            schema: verdict::MEASUREMENTS_SCHEMA.to_owned(),
            base: report.base.clone(),
            head: report.head.clone(),
            measurements,
            stages: report.stages.clone(),
            environment: report.environment.clone(),
            cost_seconds: report.cost_seconds,
        };
        GateJudgement {
            report,
            measurements,
            score: source.score,
            unbuilt: None,
            reused_programs: false,
            builds: 0,
            rounds: BTreeMap::new(),
        }
    }
}

/// The reason why nothing was run, where one is known that says more than the number of skipped benchmarks.
fn explained(cause: VerdictCause, question: &GateRequest<'_>, source: &SourceStageResult) -> VerdictCause {
    match cause {
        VerdictCause::AllSkipped { .. } | VerdictCause::NoBenchmark if question.base == question.head => {
            VerdictCause::SameCommit
        }
        VerdictCause::AllSkipped { .. } | VerdictCause::NoBenchmark
            if source.score.reason == DecisionReason::NothingCompiledChanged =>
        {
            VerdictCause::NothingCompiledChanged
        }
        VerdictCause::Regressed(_)
        | VerdictCause::Improved(_)
        | VerdictCause::Mixed { .. }
        | VerdictCause::Undecided(_)
        | VerdictCause::Unchanged(_)
        | VerdictCause::AllSkipped { .. }
        | VerdictCause::SameCommit
        | VerdictCause::NothingCompiledChanged
        | VerdictCause::NoBenchmark
        | VerdictCause::NothingDelivered(_) => cause,
    }
}

/// The command that asks the same again.
fn repetition(question: &GateRequest<'_>, chosen: &BenchmarkChoice, claims: &[ClaimVerdict]) -> String {
    let metrics: Vec<&str> = question.metrics.iter().map(|metric| metric.name()).collect();
    repeat_command(&RepeatedRequest {
        base: &question.base.to_string(),
        head: &question.head.to_string(),
        by_score: matches!(question.which, SelectionRequest::Flagged { .. }),
        names: match question.which {
            SelectionRequest::Flagged { .. } => &chosen.names,
            SelectionRequest::Named(names) => names,
        },
        packages: &chosen.packages,
        metrics: &metrics,
        claims,
    })
}

/// The entry of a finding, in words.
fn entry(found: BenchmarkFinding) -> BenchmarkVerdict {
    let BenchmarkFinding { candidate, finding, .. } = found;
    let reason = reasons::finding(finding.metric, &finding.reason);
    let entry = BenchmarkVerdict {
        probability: candidate.probability,
        gating: found.gating,
        starts: count(found.starts),
        retries: found.retries,
        ..finding.into_entry(&candidate.name, found.tool, reason)
    };
    with_evidence(entry, &candidate.reach)
}

/// The values of a finding, or the reason why there are none.
fn measurement(found: &BenchmarkFinding) -> BenchmarkMeasurement {
    let unmeasured = || ReportedValues::Unmeasured {
        outcome: found.finding.outcome,
        reason: reasons::finding(found.finding.metric, &found.finding.reason),
    };
    BenchmarkMeasurement {
        benchmark: found.candidate.name.clone(),
        metric: found.finding.metric,
        tool: found.tool.to_owned(),
        values: found.values.clone().unwrap_or_else(unmeasured),
        starts: count(found.starts),
        retries: found.retries,
    }
}

/// The values of an entry of programs or builds, of which there is one on each side.
fn size_measurement(entry: &BenchmarkVerdict) -> BenchmarkMeasurement {
    let values = match (entry.base, entry.head) {
        (Some(base), Some(head)) => ReportedValues::Counts {
            base: vec![base],
            head: vec![head],
            measured_before: None,
        },
        _ => ReportedValues::Unmeasured {
            outcome: entry.verdict,
            reason: entry.reason.clone(),
        },
    };
    BenchmarkMeasurement {
        benchmark: entry.name.clone(),
        metric: entry.metric,
        tool: entry.tool.clone(),
        values,
        starts: entry.starts,
        retries: entry.retries,
    }
}

fn with_evidence(entry: BenchmarkVerdict, reach: &ReachabilityEvidence) -> BenchmarkVerdict {
    BenchmarkVerdict {
        reachable: reach.reachable(),
        evidence: Some(reasons::evidence(reach)),
        ..entry
    }
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
