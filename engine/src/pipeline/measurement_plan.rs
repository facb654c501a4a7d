//! Limits and criteria of the measurements: the same for every stage that runs benchmarks.

use std::time::Duration;

use runner::measure::{Deadline, RunConditions};
use runner::store::Environment;

use super::build::BuildPlace;
use super::candidate::BenchmarkCandidate;
use super::judging_criteria::JudgingCriteria;
use super::{GateContext, GateRequest, GateThoroughness, selection};
use crate::error::EngineError;
use crate::profiling::ProfilerChoice;
use crate::progress::Progress;
use crate::settings::GateMetric;

/// Everything that the measuring stages share.
pub(super) struct GateMeasurementPlan<'a> {
    pub(super) criteria: JudgingCriteria<'a>,
    pub(super) conditions: RunConditions<'a>,
    pub(super) thoroughness: GateThoroughness,
    /// True if the results of an earlier run are ignored.
    pub(super) fresh: bool,
    /// The profiler that counts.
    pub(super) profiler: &'a ProfilerChoice,
    /// The seed of the order of starts.
    pub(super) seed: u64,
    pub(super) progress: Progress<'a>,
}

impl<'a> GateMeasurementPlan<'a> {
    /// The budget begins now: builds are not part of it.
    pub(super) fn of(
        question: &GateRequest<'a>,
        place: &GateContext<'a>,
        site: &'a BuildPlace,
        environment: &Environment,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            criteria: JudgingCriteria::of(question, place, environment)?,
            conditions: RunConditions {
                deadline: Deadline::after(question.budget),
                shared_start: site.shared_start.as_deref(),
                interruption: place.interruption,
            },
            thoroughness: question.thoroughness,
            fresh: question.reuse.is_fresh(),
            profiler: &site.profiler,
            seed: selection::seed(question.head),
            progress: place.progress,
        })
    }

    /// The same after a build, with what is left of the budget after this time of measuring.
    pub(super) fn resumed(self, budget: Duration, spent: Duration) -> Self {
        let deadline = Deadline::after(budget.saturating_sub(spent));
        Self {
            conditions: RunConditions {
                deadline,
                ..self.conditions
            },
            ..self
        }
    }

    /// The benchmarks to time: those that may differ, where times were asked for.
    pub(super) fn timing_candidates(&self, different: Vec<BenchmarkCandidate>) -> Vec<BenchmarkCandidate> {
        match self.criteria.metrics.contains(&GateMetric::WallTime) {
            true => different,
            false => Vec::new(),
        }
    }
}
