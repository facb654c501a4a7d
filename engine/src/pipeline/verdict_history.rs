//! Kept verdicts and acknowledgements → what they tell of each benchmark: how well its counts repeat, and the older
//! version that slow creep is held against.
//!
//! Only verdicts of the same environment are comparable; it holds the processor that programs see, the compiler, the
//! profiler and the definitions of the benchmarks with their harnesses.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::str::FromStr as _;

use analyzer::change::is_benchmark_source;
use runner::git::{CommitId, Repository};
use verdict::counts::{FLOOR, run_spread};
use verdict::drift::{AcceptedLoss, DriftHistory, EarlierCount};
use verdict::{Acknowledgement, BenchmarkOutcome, BenchmarkVerdict, Metric, VerdictReport};

use crate::error::EngineError;
use crate::file_sources;

/// Versions before the base among which an anchor is looked for. To follow so many first parents takes a fraction of a
/// second.
const LINE: usize = 10_000;

/// The evidence of kept verdicts for each benchmark and metric.
#[derive(Debug, Default, PartialEq)]
pub(super) struct VerdictHistory(BTreeMap<(String, Metric), BenchmarkHistory>);

/// The evidence of kept verdicts for one benchmark in one metric.
#[derive(Debug, Default, PartialEq)]
struct BenchmarkHistory {
    /// Spreads of repeated runs, by verdict.
    run_spreads: Vec<f64>,
    drift: Option<DriftHistory>,
}

/// The kept verdicts and acknowledgements that a history is read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptJudgements<'a> {
    pub(super) verdicts: &'a [VerdictReport],
    pub(super) acknowledgements: &'a [Acknowledgement],
    /// The environment of the measurements that are to be judged.
    pub(super) environment: &'a BTreeMap<String, String>,
    /// The judged version, whose own verdicts say nothing.
    pub(super) head: CommitId,
    /// The smallest change that the user wants reported.
    pub(super) minimum_change: Option<f64>,
}

/// The versions that lead to the base, by id: the number of versions from each to the base.
type FirstParentAges = BTreeMap<String, u32>;

impl VerdictHistory {
    /// The history of all benchmarks, for a head that is compared with this base.
    pub(super) fn read(kept: KeptJudgements<'_>, repository: &Repository, base: CommitId) -> Result<Self, EngineError> {
        if kept.comparable().next().is_none() {
            return Ok(Self::default());
        }
        let line = repository.first_parents(base, LINE)?.commits;
        let ages = (0..)
            .zip(line.iter().rev())
            .map(|(age, commit)| (commit.to_string(), age));
        let has_same_benchmarks = |older: &str, newer: &str| has_same_benchmarks(repository, older, newer);
        Ok(Self::of(kept, &ages.collect(), has_same_benchmarks))
    }

    /// What repeated runs tell, without the older versions: for a comparison of two versions alone.
    pub(super) fn of_runs(kept: KeptJudgements<'_>) -> Self {
        Self::of(kept, &FirstParentAges::new(), |_, _| false)
    }

    fn of(
        kept: KeptJudgements<'_>,
        ages: &FirstParentAges,
        mut has_same_benchmarks: impl FnMut(&str, &str) -> bool,
    ) -> Self {
        let threshold = kept.minimum_change.unwrap_or(FLOOR).max(FLOOR);
        let mut all: BTreeMap<(String, Metric), BenchmarkHistory> = BTreeMap::new();
        let mut counts: BTreeMap<(String, Metric), CountsByAge> = BTreeMap::new();
        for report in kept.comparable() {
            for entry in report.benchmarks.iter().filter(|entry| entry.metric.is_counted()) {
                let key = (entry.name.clone(), entry.metric);
                if entry.starts > 1 {
                    let spread = run_spread(entry.low, entry.high);
                    all.entry(key.clone()).or_default().run_spreads.extend(spread);
                }
                counts.entry(key).or_default().add(report, entry, ages);
            }
        }
        for (key, counts) in counts {
            let counts: Vec<EarlierCount> = counts.0.into_values().collect();
            let accepted = accepted_losses(kept.acknowledgements, &key, ages);
            let drift = DriftHistory::of(&counts, &accepted, threshold, &mut has_same_benchmarks);
            all.entry(key).or_default().drift = drift;
        }
        Self(all)
    }

    /// Spreads of repeated runs.
    pub(super) fn run_spreads(&self, benchmark: &str, metric: Metric) -> &[f64] {
        self.find(benchmark, metric)
            .map_or(&[], |history| history.run_spreads.as_slice())
    }

    /// The older versions that slow creep is held against.
    pub(super) fn drift(&self, benchmark: &str, metric: Metric) -> Option<&DriftHistory> {
        self.find(benchmark, metric)?.drift.as_ref()
    }

    fn find(&self, benchmark: &str, metric: Metric) -> Option<&BenchmarkHistory> {
        self.0.get(&(benchmark.to_owned(), metric))
    }
}

impl<'a> KeptJudgements<'a> {
    fn comparable(self) -> impl Iterator<Item = &'a VerdictReport> {
        let head = self.head.to_string();
        (self.verdicts.iter()).filter(move |report| report.environment == *self.environment && report.head != head)
    }
}

/// Counts of the versions that lead to the base, oldest first.
#[derive(Debug, Default)]
struct CountsByAge(BTreeMap<Reverse<u32>, EarlierCount>);

impl CountsByAge {
    /// Adds the counts of both sides, where they are versions that lead to the base.
    fn add(&mut self, report: &VerdictReport, entry: &BenchmarkVerdict, ages: &FirstParentAges) {
        for (version, count, moved) in counted_versions(report, entry) {
            let Some(&age) = ages.get(version) else { continue };
            let known = self.0.entry(Reverse(age)).or_insert_with(|| EarlierCount {
                version: version.to_owned(),
                age,
                count,
                moved: false,
            });
            known.count = known.count.max(count);
            known.moved |= moved;
        }
    }
}

/// The versions that an entry holds a count of, with the count and whether it moved there: the base, or the version that
/// stands for it, and the head.
pub(super) fn counted_versions<'r>(
    report: &'r VerdictReport,
    entry: &'r BenchmarkVerdict,
) -> impl Iterator<Item = (&'r str, f64, bool)> {
    let at_head = match entry.verdict {
        BenchmarkOutcome::Regression | BenchmarkOutcome::Improvement => entry.head.map(|count| (count, true)),
        BenchmarkOutcome::Pass => entry.head.map(|count| (count, false)),
        // The head executes what the base does.
        BenchmarkOutcome::SameCode => entry.base.map(|count| (count, false)),
        // Nothing was measured at the head, or nothing that can be relied on.
        BenchmarkOutcome::Failed
        | BenchmarkOutcome::Removed
        | BenchmarkOutcome::Inconclusive
        | BenchmarkOutcome::Added
        | BenchmarkOutcome::Skipped => None,
    };
    let base = entry.base_measured_at.as_ref().unwrap_or(&report.base);
    let at_base = entry.base.map(|count| (base.as_str(), count, false));
    let at_head = at_head.map(|(count, moved)| (report.head.as_str(), count, moved));
    (at_base.into_iter().chain(at_head)).filter(|(_, count, _)| count.is_finite() && *count >= 0.0)
}

/// What was accepted of a benchmark in a metric, on versions that were compared with one that leads to the base.
fn accepted_losses(
    acknowledgements: &[Acknowledgement],
    (benchmark, metric): &(String, Metric),
    ages: &FirstParentAges,
) -> Vec<AcceptedLoss> {
    let of_benchmark = acknowledgements.iter().filter(|given| given.benchmark == *benchmark);
    of_benchmark
        .filter_map(|given| {
            Some(AcceptedLoss {
                version: given.head.clone(),
                age: *ages.get(&given.base)?,
                change: (*given.accepted.get(metric)?)?,
            })
        })
        .collect()
}

/// Whether no source of a benchmark differs between two versions. Versions that cannot be read have other ones.
fn has_same_benchmarks(repository: &Repository, older: &str, newer: &str) -> bool {
    let (Ok(older), Ok(newer)) = (CommitId::from_str(older), CommitId::from_str(newer)) else {
        return false;
    };
    file_sources::changed_paths(repository, older, newer)
        .is_ok_and(|paths| !paths.iter().any(|path| is_benchmark_source(path)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use verdict::counts::{CountedCriteria, CountedRuns, judge};
    use verdict::{ACKNOWLEDGEMENT_SCHEMA, CountReason, FindingReason, MetricFinding, SCHEMA, Verdict};

    use super::*;

    const METRIC: Metric = Metric::Instructions;

    fn environment() -> BTreeMap<String, String> {
        BTreeMap::from([(String::from("processor"), String::from("one"))])
    }

    fn version(at: u32) -> CommitId {
        let mut id = [7; 20];
        id[..4].copy_from_slice(&at.to_be_bytes());
        CommitId(id)
    }

    /// Ages of the versions 0 to `base`.
    fn ages(base: u32) -> FirstParentAges {
        (0..=base).map(|at| (version(at).to_string(), base - at)).collect()
    }

    /// The verdict on two versions of the benchmark `parse`.
    fn verdict_on(base: CommitId, head: CommitId, found: MetricFinding, starts: u32) -> VerdictReport {
        let entry = BenchmarkVerdict {
            starts,
            ..found.into_entry("parse", "callgrind", String::new())
        };
        VerdictReport {
            schema: SCHEMA.to_owned(),
            base: base.to_string(),
            head: head.to_string(),
            verdict: Verdict::Pass,
            reason: String::new(),
            benchmarks: vec![entry],
            stages: Vec::new(),
            audited: false,
            audit: None,
            claims: Vec::new(),
            repeat: None,
            environment: environment(),
            programs: BTreeMap::new(),
            cost_seconds: 0.0,
            spent: None,
        }
    }

    fn judged(base: f64, head: f64, history: &VerdictHistory, minimum_change: Option<f64>) -> MetricFinding {
        let terms = CountedCriteria {
            run_spreads: history.run_spreads("parse", METRIC),
            minimum_change,
            drift: history.drift("parse", METRIC),
            is_informational: false,
        };
        let runs = CountedRuns {
            metric: METRIC,
            base: &[base, base],
            head: &[head, head],
        };
        judge(runs, terms)
    }

    struct JudgedLine {
        verdicts: Vec<VerdictReport>,
        acknowledgements: Vec<Acknowledgement>,
        minimum_change: Option<f64>,
    }

    impl JudgedLine {
        fn begin(minimum_change: Option<f64>) -> Self {
            Self {
                verdicts: Vec::new(),
                acknowledgements: Vec::new(),
                minimum_change,
            }
        }

        fn history(&self, head: u32) -> VerdictHistory {
            let kept = KeptJudgements {
                verdicts: &self.verdicts,
                acknowledgements: &self.acknowledgements,
                environment: &environment(),
                head: version(head),
                minimum_change: self.minimum_change,
            };
            VerdictHistory::of(kept, &ages(head - 1), |_, _| true)
        }

        /// Judges version `head`, the next one on the line, and keeps the verdict.
        fn step(&mut self, head: u32, base_count: f64, head_count: f64) -> MetricFinding {
            let found = judged(base_count, head_count, &self.history(head), self.minimum_change);
            let report = verdict_on(version(head - 1), version(head), found.clone(), 2);
            self.verdicts.push(report);
            found
        }
    }

    #[test]
    fn a_change_of_a_quarter_is_a_regression_after_ten_verdicts_that_changed_as_much() {
        let mut line = JudgedLine::begin(None);
        let mut count = 1e6;
        for (head, change) in (1..).zip([0.04, -0.25, 0.2, -0.1, 0.25, -0.04, 0.15, -0.2, 0.1, -0.15, 0.25]) {
            line.step(head, count, count * (1.0 + change));
            count *= 1.0 + change;
        }
        let found = line.step(12, count, count * 1.247);
        assert_eq!(found.outcome, BenchmarkOutcome::Regression);
        let FindingReason::Counted(CountReason::BeyondThreshold { threshold, .. }) = found.reason else {
            panic!("{found:?}");
        };
        assert!((threshold.value - FLOOR).abs() < f64::EPSILON);
        assert_eq!(
            line.step(13, count, count * 1.002).outcome,
            BenchmarkOutcome::Regression
        );
    }

    #[test]
    fn a_hundred_small_steps_end_in_alarms_that_name_where_they_began() {
        let minimum = Some(0.05);
        let mut line = JudgedLine::begin(minimum);
        let mut alarms = Vec::new();
        for head in 1..=100 {
            let count = |at: u32| 1e6 * 1.0049f64.powi(i32::try_from(at).unwrap());
            let found = line.step(head, count(head - 1), count(head));
            if let FindingReason::Counted(CountReason::Drifted { drift, .. }) = found.reason {
                assert_eq!(found.outcome, BenchmarkOutcome::Regression);
                alarms.push((head, drift.since.version, drift.since.versions));
            } else {
                assert_eq!(found.outcome, BenchmarkOutcome::Pass, "{head}");
            }
        }
        let expected: Vec<_> = (1..=10)
            .map(|ten| (10 * ten, version(10 * (ten - 1)).to_string(), 10))
            .collect();
        assert_eq!(alarms, expected);
    }

    #[test]
    fn versions_beside_the_line_and_other_environments_are_no_anchor() {
        let mut line = JudgedLine::begin(None);
        let found = judged(900.0, 900.0, &VerdictHistory::default(), None);
        line.verdicts
            .push(verdict_on(version(500), version(501), found.clone(), 2));
        let mut elsewhere = verdict_on(version(0), version(1), found, 2);
        elsewhere
            .environment
            .insert(String::from("processor"), String::from("two"));
        line.verdicts.push(elsewhere);
        assert_eq!(line.step(2, 1000.0, 1000.5).outcome, BenchmarkOutcome::Pass);
    }

    #[test]
    fn the_base_of_a_branch_is_an_anchor_although_its_head_is_none() {
        let mut line = JudgedLine::begin(None);
        let found = judged(1000.0, 700.0, &VerdictHistory::default(), None);
        line.verdicts.push(verdict_on(version(0), version(500), found, 2));
        assert_eq!(line.step(2, 1000.8, 1001.2).outcome, BenchmarkOutcome::Regression);
    }

    #[test]
    fn a_loss_that_was_accepted_on_a_branch_does_not_alarm_again_once_it_is_merged() {
        let mut line = JudgedLine::begin(None);
        line.step(1, 1e6, 1e6);
        let regressed = line.history(2);
        assert_eq!(
            judged(1e6, 1.2e6, &regressed, None).outcome,
            BenchmarkOutcome::Regression
        );
        // Squashed: neither the branch's head nor a verdict on what was merged is on the line.
        let merged = line.history(3);
        assert_eq!(
            judged(1.2e6, 1.2001e6, &merged, None).outcome,
            BenchmarkOutcome::Regression
        );
        line.acknowledgements.push(Acknowledgement {
            schema: ACKNOWLEDGEMENT_SCHEMA.to_owned(),
            pull: 7,
            benchmark: String::from("parse"),
            reason: String::from("needed"),
            by: String::from("maintainer"),
            at: 0,
            head: version(500).to_string(),
            base: version(1).to_string(),
            accepted: BTreeMap::from([(METRIC, Some(0.2))]),
        });
        let merged = line.history(3);
        assert_eq!(judged(1.2e6, 1.2001e6, &merged, None).outcome, BenchmarkOutcome::Pass);
        assert_eq!(
            judged(1.2008e6, 1.2015e6, &merged, None).outcome,
            BenchmarkOutcome::Regression
        );
        assert_eq!(
            judged(1e6, 1.2e6, &merged, None).outcome,
            BenchmarkOutcome::Regression,
            "not yet merged"
        );
    }

    #[test]
    fn spreads_are_those_of_runs_and_only_where_runs_were_repeated() {
        let mut line = JudgedLine::begin(None);
        line.step(1, 1000.0, 1300.0);
        let runs = CountedRuns {
            metric: METRIC,
            base: &[1000.0, 1010.0, 1000.0],
            head: &[2000.0; 3],
        };
        let scattered = judge(runs, CountedCriteria::default());
        line.verdicts
            .push(verdict_on(version(1), version(2), scattered.clone(), 3));
        line.verdicts.push(verdict_on(version(2), version(3), scattered, 1));
        let history = line.history(4);
        let spreads = history.run_spreads("parse", METRIC);
        assert_eq!(spreads.len(), 2);
        assert!(
            spreads[0].abs() < 1e-12 && (spreads[1] - 0.01).abs() < 1e-12,
            "{spreads:?}"
        );
    }
}
