//! Metrics, limits and criteria of the measurements: the same for every stage that runs benchmarks.

use std::collections::BTreeMap;

use runner::measure::{Deadline, RunLimits};
use verdict::Metric;
use verdict::{VerdictReport, counts, wall_time};

use super::build::BuildStageResult;
use super::candidate::BenchmarkCandidate;
use super::{GateContext, GateRequest, GateThoroughness, selection};
use crate::error::EngineError;
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
    /// The seed of the order of starts and of the intervals.
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
        built: &BuildStageResult,
    ) -> Result<Self, EngineError> {
        let kept = place.store.verdicts()?;
        for finding in &kept.set_aside {
            place.progress.activity(&Activity::VerdictIgnored {
                path: &finding.path,
                why: &finding.why,
            });
        }
        let environment = &built.sides.environment().0;
        let head = question.head.to_string();
        Ok(Self {
            metrics: question.metrics,
            conditions: RunLimits {
                deadline: Deadline::after(question.budget),
                interruption: place.interruption,
            },
            thoroughness: question.thoroughness,
            fresh: question.fresh,
            seed: selection::seed(question.head),
            progress: place.progress,
            tolerance: place.settings.gate.tolerance.map(Percent::share),
            history: VerdictHistory::of_verdicts(&kept.verdicts, environment, &head),
        })
    }

    /// Whether times count for the verdict: where they were asked for. Else they illustrate what was counted.
    pub(super) fn times_count(&self) -> bool {
        self.metrics.contains(&GateMetric::WallTime)
    }

    /// The benchmarks to time, from those that may differ and those whose counts changed.
    pub(super) fn timing_candidates(
        &self,
        different: Vec<BenchmarkCandidate>,
        moved: Vec<BenchmarkCandidate>,
    ) -> Vec<BenchmarkCandidate> {
        match (self.times_count(), self.thoroughness) {
            (true, _) => different,
            (false, GateThoroughness::Gate) => moved,
            (false, GateThoroughness::Quick | GateThoroughness::Exhaustive) => Vec::new(),
        }
    }

    /// The criteria for the counts of a benchmark.
    pub(super) fn of_counts(&self, benchmark: &str, metric: Metric) -> counts::CountedCriteria<'_> {
        counts::CountedCriteria {
            history: self.history.of(benchmark, metric),
            minimum_change: self.tolerance,
        }
    }

    /// The criteria for the times of a number of benchmarks.
    pub(super) fn of_times(&self, benchmarks: usize) -> wall_time::WallTimeCriteria {
        wall_time::WallTimeCriteria {
            benchmarks,
            minimum_change: self.tolerance,
            seed: self.seed,
        }
    }
}

/// How each benchmark moved from version to version, in the verdicts that are kept.
#[derive(Debug, Default)]
struct VerdictHistory(BTreeMap<(String, Metric), Vec<f64>>);

impl VerdictHistory {
    /// The changes of all kept verdicts of one environment, but for those on `head` itself.
    fn of_verdicts(verdicts: &[VerdictReport], environment: &BTreeMap<String, String>, head: &str) -> Self {
        let mut history = Self::default();
        let comparable = verdicts
            .iter()
            .filter(|report| report.environment == *environment && report.head != head);
        for entry in comparable.flat_map(|report| &report.benchmarks) {
            if let Some(change) = entry.change {
                let key = (entry.name.clone(), entry.metric);
                history.0.entry(key).or_default().push(change);
            }
        }
        history
    }

    fn of(&self, benchmark: &str, metric: Metric) -> &[f64] {
        let changes = self.0.get(&(benchmark.to_owned(), metric));
        changes.map_or(&[], Vec::as_slice)
    }
}
