//! Metrics, limits and criteria of the measurements: the same for every stage that runs benchmarks.

use std::time::Duration;

use runner::measure::{Deadline, RunLimits};
use runner::store::Environment;
use verdict::Metric;
use verdict::{counts, wall_time};

use super::candidate::BenchmarkCandidate;
use super::verdict_history::{KeptJudgements, VerdictHistory};
use super::{GateContext, GateRequest, GateThoroughness, SelectionRequest, selection};
use crate::error::EngineError;
use crate::profiling::ProfilerChoice;
use crate::progress::{Activity, Progress};
use crate::settings::{GateMetric, Percent};

/// Everything that the measuring stages share.
pub(super) struct GateMeasurementPlan<'a> {
    /// The requested metrics.
    pub(super) metrics: &'a [GateMetric],
    pub(super) conditions: RunLimits<'a>,
    pub(super) thoroughness: GateThoroughness,
    /// True if the results of an earlier run are ignored.
    pub(super) fresh: bool,
    /// The profiler that counts.
    pub(super) profiler: &'a ProfilerChoice,
    /// The seed of the order of starts.
    pub(super) seed: u64,
    pub(super) progress: Progress<'a>,
    /// The smallest change that the user wants reported.
    tolerance: Option<f64>,
    history: VerdictHistory,
}

impl<'a> GateMeasurementPlan<'a> {
    /// The budget begins now: builds are not part of it.
    pub(super) fn of(
        question: &GateRequest<'a>,
        place: &GateContext<'a>,
        profiler: &'a ProfilerChoice,
        environment: &Environment,
    ) -> Result<Self, EngineError> {
        let kept = place.store.verdicts()?;
        for finding in &kept.set_aside {
            place.progress.activity(&Activity::VerdictIgnored {
                path: &finding.path,
                why: &finding.why,
            });
        }
        let acknowledgements = place.store.all_acknowledgements()?.acknowledgements;
        let tolerance = place.settings.gate.tolerance.map(Percent::share);
        let kept = KeptJudgements {
            verdicts: &kept.verdicts,
            acknowledgements: &acknowledgements,
            environment: &environment.0,
            head: question.head,
            minimum_change: tolerance,
        };
        let history = match question.which {
            SelectionRequest::Flagged { .. } => VerdictHistory::read(kept, place.repository, question.base)?,
            SelectionRequest::Named(_) => VerdictHistory::of_runs(kept),
        };
        Ok(Self {
            metrics: question.metrics,
            conditions: RunLimits {
                deadline: Deadline::after(question.budget),
                interruption: place.interruption,
            },
            thoroughness: question.thoroughness,
            fresh: question.reuse.is_fresh(),
            profiler,
            seed: selection::seed(question.head),
            progress: place.progress,
            tolerance,
            history,
        })
    }

    /// The same after a build, with what is left of the budget after this time of measuring.
    pub(super) fn resumed(self, budget: Duration, spent: Duration) -> Self {
        let deadline = Deadline::after(budget.saturating_sub(spent));
        Self {
            conditions: RunLimits {
                deadline,
                ..self.conditions
            },
            ..self
        }
    }

    /// The benchmarks to time: those that may differ, where times were asked for.
    pub(super) fn timing_candidates(&self, different: Vec<BenchmarkCandidate>) -> Vec<BenchmarkCandidate> {
        match self.metrics.contains(&GateMetric::WallTime) {
            true => different,
            false => Vec::new(),
        }
    }

    /// Whether a metric was asked for. What was not is reported for information.
    pub(super) fn gates(&self, metric: Metric) -> bool {
        GateMetric::of(metric).is_some_and(|asked| self.metrics.contains(&asked))
    }

    /// The criteria for the counts of a benchmark, or for the size of a program.
    pub(super) fn of_counts(&self, benchmark: &str, metric: Metric) -> counts::CountedCriteria<'_> {
        let is_informational = metric.is_byproduct() && !self.gates(metric);
        let drift = self.history.drift(benchmark, metric);
        counts::CountedCriteria {
            run_spreads: self.history.run_spreads(benchmark, metric),
            minimum_change: self.tolerance,
            drift: drift.filter(|_| !is_informational),
            is_informational,
        }
    }

    /// The criteria for the times of a number of benchmarks.
    pub(super) fn of_times(&self, benchmarks: usize) -> wall_time::WallTimeCriteria {
        wall_time::WallTimeCriteria {
            benchmarks,
            minimum_change: self.tolerance,
        }
    }
}
