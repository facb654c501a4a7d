//! The runs of one benchmark under one counter, side by side, and what they come to.

use std::collections::{BTreeMap, BTreeSet};

use profile::inputs::OpenedFiles;
use runner::measure::sides::BaseOrHead;
use runner::measure::{MeasurementError, TrialResult};
use verdict::Metric;
use verdict::MetricFinding;
use verdict::ReportedValues;
use verdict::counts::{self, CountedRuns, judge};

use crate::error::EngineError;

/// The runs of one benchmark under one counter.
#[derive(Debug, Default)]
pub(super) struct RunTally {
    /// For each of the counter's metrics, a value for each run that gave one.
    pub(super) base: Vec<Vec<u64>>,
    pub(super) head: Vec<Vec<u64>>,
    /// Runs of each side.
    pub(super) runs: usize,
    pub(super) retries: u32,
    /// Why it has no value at a side.
    pub(super) failed: BTreeMap<BaseOrHead, MeasurementError>,
    /// Number of executed functions, if all of them are the same code at the head.
    pub(super) same_code: Option<usize>,
    pub(super) kept: bool,
}

/// The result of one run of one side.
#[derive(Debug)]
pub(in crate::pipeline) struct CounterRun {
    /// For each of the counter's metrics; `None` where the run can't tell.
    pub(in crate::pipeline) values: Vec<Option<u64>>,
    /// The program's part in the run, where that is known.
    pub(super) executed: Option<ExecutedRun>,
}

/// The part of a program that ran, and what it read.
#[derive(Debug)]
pub(in crate::pipeline) struct ExecutedRun {
    /// Functions of the program that the subject executed.
    pub(super) functions: BTreeSet<String>,
    /// Those that the whole run executed, if it tells them.
    pub(super) of_process: Option<BTreeSet<String>>,
    /// Files of the checkout that the whole run opened.
    pub(super) opened: OpenedFiles,
}

impl RunTally {
    /// Takes a run's outcome; gives what its subject executed if it was the base's first.
    pub(super) fn record_run(
        &mut self,
        which: BaseOrHead,
        ran: Result<TrialResult<CounterRun>, MeasurementError>,
    ) -> Result<Option<ExecutedRun>, EngineError> {
        match ran {
            Ok(taken) => {
                self.retries += taken.retries;
                let columns = match which {
                    BaseOrHead::Base => &mut self.base,
                    BaseOrHead::Head => &mut self.head,
                };
                for (column, value) in columns.iter_mut().zip(taken.value.values) {
                    column.extend(value);
                }
                let first = which == BaseOrHead::Base && self.runs == 0;
                Ok(taken.value.executed.filter(|_| first))
            }
            Err(error @ MeasurementError::Machine { .. }) => Err(EngineError::environment(format_args!(
                "measuring at the {which}: {error}"
            ))),
            Err(error) => {
                self.failed.insert(which, error);
                Ok(None)
            }
        }
    }

    /// Whether a side has a run more than both have together.
    pub(super) fn is_ahead(&self, which: BaseOrHead) -> bool {
        let columns = match which {
            BaseOrHead::Base => &self.base,
            BaseOrHead::Head => &self.head,
        };
        columns.iter().any(|column| column.len() > self.runs)
    }

    pub(super) fn column(&self, which: BaseOrHead, at: usize) -> Vec<f64> {
        let columns = match which {
            BaseOrHead::Base => &self.base,
            BaseOrHead::Head => &self.head,
        };
        columns[at].iter().map(|&value| value as f64).collect()
    }

    /// The values of one of the counter's metrics; `None` where a side has none.
    pub(super) fn values(&self, at: usize) -> Option<ReportedValues> {
        let (base, head) = (self.column(BaseOrHead::Base, at), self.column(BaseOrHead::Head, at));
        let has_both = self.failed.is_empty() && !base.is_empty() && !head.is_empty();
        has_both.then_some(ReportedValues::Counts {
            base,
            head,
            measured_before: None,
        })
    }

    pub(super) fn finding(&self, at: usize, metric: Metric, terms: counts::CountedCriteria<'_>) -> MetricFinding {
        let (base, head) = (self.column(BaseOrHead::Base, at), self.column(BaseOrHead::Head, at));
        if self.failed.is_empty() {
            let runs = CountedRuns {
                metric,
                base: &base,
                head: &head,
            };
            return judge(runs, terms);
        }
        super::super::candidate::failed(metric, &self.failed)
    }
}
