//! The settings, and the verdicts before → how measured values are judged, wherever they were measured.

use runner::store::Environment;
use verdict::{Metric, counts, wall_time};

use super::verdict_history::{KeptJudgements, VerdictHistory};
use super::{GateContext, GateRequest, SelectionRequest};
use crate::error::EngineError;
use crate::progress::Activity;
use crate::settings::{GateMetric, Percent};

/// The metrics that decide, and from which change on.
pub(super) struct JudgingCriteria<'a> {
    /// The requested metrics.
    pub(super) metrics: &'a [GateMetric],
    /// The smallest change that the user wants reported.
    tolerance: Option<f64>,
    history: VerdictHistory,
}

impl<'a> JudgingCriteria<'a> {
    /// Of measurements in an environment.
    pub(super) fn of(
        question: &GateRequest<'a>,
        place: &GateContext<'a>,
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
            tolerance,
            history,
        })
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
