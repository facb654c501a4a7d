//! An accepted regression → the entries of later verdicts on the same pull request that it settles.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BenchmarkOutcome, BenchmarkVerdict, VerdictReport};
use crate::Metric;

/// Relative change by which a loss may exceed what was accepted when its version is measured again: half a per cent,
/// which is more than counts move by that do not repeat to the last one.
const ACCEPTED_MARGIN: f64 = 0.005;

/// The version of the contract.
pub const ACKNOWLEDGEMENT_SCHEMA: &str = "lito.acknowledgement/1";

/// The loss of one benchmark in one pull request, accepted by somebody with the right to do so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acknowledgement {
    /// [`ACKNOWLEDGEMENT_SCHEMA`].
    pub schema: String,
    /// The pull request.
    pub pull: u64,
    /// The benchmark.
    pub benchmark: String,
    /// The reason, in the words of the person who accepted it.
    pub reason: String,
    /// Who accepted it: a login.
    pub by: String,
    /// When, in seconds since 1970.
    pub at: i64,
    /// The version whose loss was accepted.
    pub head: String,
    /// The version that it was compared with.
    pub base: String,
    /// The accepted relative changes by metric; `None` is a change from nothing. Empty where the benchmark was
    /// removed.
    pub accepted: BTreeMap<Metric, Option<f64>>,
}

impl Acknowledgement {
    /// The losses of a benchmark in a verdict, to be accepted; `None` if it has none.
    ///
    /// The reason, and who gives it, are for the caller to fill in.
    #[must_use]
    pub fn of(report: &VerdictReport, benchmark: &str) -> Option<Self> {
        let mut lost = (report.benchmarks.iter())
            .filter(|entry| entry.name == benchmark && needs_one(entry))
            .peekable();
        lost.peek()?;
        Some(Self {
            schema: ACKNOWLEDGEMENT_SCHEMA.to_owned(),
            pull: 0,
            benchmark: benchmark.to_owned(),
            reason: String::new(),
            by: String::new(),
            at: 0,
            head: report.head.clone(),
            base: report.base.clone(),
            accepted: lost
                .filter(|entry| entry.verdict == BenchmarkOutcome::Regression)
                .map(|entry| (entry.metric, entry.change))
                .collect(),
        })
    }

    /// Whether it settles what a verdict says of a benchmark: the loss is not larger than what was accepted, by more
    /// than the margin of an acceptance (half a per cent). Of a slow rise it is the step of this pull request that counts.
    #[must_use]
    pub fn covers(&self, entry: &BenchmarkVerdict) -> bool {
        if entry.name != self.benchmark {
            return false;
        }
        match entry.verdict {
            BenchmarkOutcome::Removed => self.accepted.is_empty(),
            BenchmarkOutcome::Regression => match (self.accepted.get(&entry.metric), entry.change) {
                (Some(Some(accepted)), Some(change)) => change <= accepted + ACCEPTED_MARGIN,
                (Some(None), _) => true,
                (None, _) | (Some(Some(_)), None) => false,
            },
            BenchmarkOutcome::Failed
            | BenchmarkOutcome::Inconclusive
            | BenchmarkOutcome::Improvement
            | BenchmarkOutcome::Pass
            | BenchmarkOutcome::Added
            | BenchmarkOutcome::SameCode
            | BenchmarkOutcome::Skipped => false,
        }
    }
}

impl VerdictReport {
    /// The entries that stand in the way until somebody accepts them, each with what settles it.
    pub fn entries_to_accept<'a>(
        &'a self,
        acknowledgements: &'a [Acknowledgement],
    ) -> impl Iterator<Item = (&'a BenchmarkVerdict, Option<&'a Acknowledgement>)> {
        (self.benchmarks.iter()).filter(|entry| needs_one(entry)).map(|entry| {
            let settled = acknowledgements.iter().find(|known| known.covers(entry));
            (entry, settled)
        })
    }

    /// Whether there was something to accept, and all of it was.
    #[must_use]
    pub fn is_accepted(&self, acknowledgements: &[Acknowledgement]) -> bool {
        let mut entries = self.entries_to_accept(acknowledgements).peekable();
        entries.peek().is_some() && entries.all(|(_, settled)| settled.is_some())
    }
}

/// A loss that counts; and a benchmark that is gone, since removing one hides whatever it lost.
fn needs_one(entry: &BenchmarkVerdict) -> bool {
    entry.gating && matches!(entry.verdict, BenchmarkOutcome::Regression | BenchmarkOutcome::Removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SCHEMA, Verdict};

    fn lost(name: &str, change: Option<f64>) -> BenchmarkVerdict {
        BenchmarkVerdict {
            change,
            ..BenchmarkVerdict::without_values(name, Metric::Instructions, BenchmarkOutcome::Regression)
        }
    }

    fn removed(name: &str) -> BenchmarkVerdict {
        BenchmarkVerdict::without_values(name, Metric::Instructions, BenchmarkOutcome::Removed)
    }

    fn report(benchmarks: Vec<BenchmarkVerdict>) -> VerdictReport {
        VerdictReport {
            schema: SCHEMA.to_owned(),
            base: String::from("b"),
            head: String::from("h"),
            verdict: Verdict::Regression,
            reason: String::new(),
            benchmarks,
            stages: Vec::new(),
            audited: false,
            audit: None,
            claims: Vec::new(),
            repeat: None,
            environment: BTreeMap::new(),
            programs: BTreeMap::new(),
            cost_seconds: 0.0,
            spent: None,
        }
    }

    fn accepting(entries: Vec<BenchmarkVerdict>, benchmark: &str) -> Acknowledgement {
        Acknowledgement::of(&report(entries), benchmark).expect("there is something to accept")
    }

    #[test]
    fn what_is_accepted_stays_accepted_until_it_gets_worse() {
        let known = accepting(vec![lost("a", Some(0.1))], "a");
        assert!(known.covers(&lost("a", Some(0.1))));
        assert!(known.covers(&lost("a", Some(0.104))));
        assert!(!known.covers(&lost("a", Some(0.12))));
        assert!(!known.covers(&lost("b", Some(0.1))));
        assert!(!known.covers(&lost("a", None)), "from nothing is more than any share");
        assert!(accepting(vec![lost("a", None)], "a").covers(&lost("a", None)));
    }

    #[test]
    fn another_metric_is_another_loss() {
        let known = accepting(vec![lost("a", Some(0.1))], "a");
        let mut memory = lost("a", Some(0.05));
        memory.metric = Metric::AllocatedBytes;
        assert!(!known.covers(&memory));
    }

    #[test]
    fn to_remove_a_benchmark_is_not_to_accept_its_loss() {
        let slower = accepting(vec![lost("a", Some(0.1))], "a");
        assert!(!slower.covers(&removed("a")));
        let gone = accepting(vec![removed("a")], "a");
        assert!(gone.covers(&removed("a")) && !gone.covers(&lost("a", Some(0.1))));
    }

    #[test]
    fn a_verdict_is_accepted_once_all_of_its_losses_are() {
        let report = report(vec![lost("a", Some(0.1)), lost("b", Some(0.2))]);
        let of = |name| Acknowledgement::of(&report, name).expect("it lost");
        assert!(!report.is_accepted(&[of("a")]));
        assert!(report.is_accepted(&[of("a"), of("b")]));
        assert_eq!(Acknowledgement::of(&report, "c"), None);
    }

    #[test]
    fn where_nothing_is_lost_there_is_nothing_to_accept() {
        assert!(!report(Vec::new()).is_accepted(&[]));
    }
}
