//! The verdict while it is being made: what is known of each benchmark, and what each stage decided and cost.

use std::collections::BTreeMap;
use std::time::Instant;

use verdict::{self, BenchmarkVerdict, CascadeStage, CascadeStageName, VerdictReport};

use super::build::BuildStageResult;
use super::code::ProgramComparisonSet;
use super::source::SourceStageResult;
use super::{GateJudgement, GateRequest, reachability};

/// What is known so far.
pub(super) struct VerdictDraft {
    begun: Instant,
    /// When the last stage ended.
    last: Instant,
    stages: Vec<CascadeStage>,
    entries: Vec<BenchmarkVerdict>,
}

/// What went into a stage and what came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StageCounts {
    /// Benchmarks that reached it.
    pub(super) of: usize,
    /// Of these, how many it handed on.
    pub(super) on: usize,
}

impl VerdictDraft {
    /// The clock starts.
    pub(super) fn begin() -> Self {
        let now = Instant::now();
        Self {
            begun: now,
            last: now,
            stages: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// A stage is over, with what it decided: the time since the last one's end is its own. A measuring stage that
    /// nothing reached did not take place.
    pub(super) fn end(&mut self, name: CascadeStageName, passed: StageCounts, decided: Vec<BenchmarkVerdict>) {
        self.add(decided);
        let now = Instant::now();
        if passed.of == 0 && name > CascadeStageName::Build {
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

    /// What is decided besides.
    pub(super) fn add(&mut self, decided: Vec<BenchmarkVerdict>) {
        self.entries.extend(decided);
    }

    /// Asks the machine code of what moved though the score does not see how.
    pub(super) fn explain(
        &mut self,
        built: &BuildStageResult,
        programs: &ProgramComparisonSet,
        source: &SourceStageResult,
    ) {
        reachability::add_code_evidence(&mut self.entries, &built.sides, programs, &source.score);
    }

    /// The verdict over all entries, where nothing was built.
    pub(super) fn finish(mut self, question: &GateRequest<'_>, source: SourceStageResult) -> GateJudgement {
        let (verdict, reason) = verdict::overall_verdict(&self.entries);
        verdict::sort_for_report(&mut self.entries);
        let report = VerdictReport {
            schema: verdict::SCHEMA.to_owned(),
            base: question.base.to_string(),
            head: question.head.to_string(),
            verdict,
            reason,
            benchmarks: self.entries,
            stages: self.stages,
            audited: source.selection.audited,
            audit: None,
            environment: BTreeMap::new(),
            cost_seconds: self.begun.elapsed().as_secs_f64(),
        };
        GateJudgement {
            report,
            score: source.score,
            unbuilt: None,
            rounds: BTreeMap::new(),
        }
    }

    /// The verdict over all entries, with what they were measured in.
    pub(super) fn finish_measured(
        self,
        question: &GateRequest<'_>,
        source: SourceStageResult,
        built: &BuildStageResult,
    ) -> GateJudgement {
        let mut judgement = self.finish(question, source);
        judgement.report.environment = built.sides.environment().0.clone();
        judgement
    }
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
