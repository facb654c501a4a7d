//! The terms of our sum, and how their uncertainties add up: those of one callee as one, those of different
//! ones as independent.

use std::collections::BTreeMap;

use crate::cost::{Estimate, Resolved};

/// One term of the sum: so many executions of something that costs so much each time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// What is executed. Entries of one subject share their unit cost, so their executions add up before
    /// its uncertainty counts.
    pub(super) subject: String,
    /// More (or, if negative, fewer) executions.
    pub(super) runs: Estimate,
    /// Cost of each.
    pub(super) unit: Estimate,
    pub(super) resolved: Option<Resolved>,
}

impl Entry {
    /// A change that is only bounded: it may save or add so much.
    pub(super) fn bounded(subject: String, runs: Estimate, save: f64, add: f64) -> Self {
        Self {
            subject,
            runs,
            unit: Estimate::between(-save, 0.0, add) * (1.0 / runs.expected.max(1.0)),
            resolved: None,
        }
    }

    pub(super) fn cost(&self) -> Estimate {
        self.runs * self.unit
    }

    /// The most that it can move the cost, in either direction.
    pub(super) fn reach(&self) -> f64 {
        let cost = self.cost();
        cost.high.abs().max(cost.low.abs())
    }
}

/// All terms of one benchmark, by what they execute.
#[derive(Debug, Default)]
pub(super) struct Ledger(BTreeMap<String, (Estimate, Estimate)>);

impl Ledger {
    pub(super) fn add(&mut self, entry: Entry) {
        let (runs, unit) = self.0.entry(entry.subject).or_default();
        *runs = *runs + entry.runs;
        *unit = if unit.is_zero() {
            entry.unit
        } else {
            unit.or(entry.unit)
        };
    }

    /// The expectations add up; the distances of the bounds add up as independent errors do.
    pub(super) fn total(&self) -> Estimate {
        let (mut expected, mut below, mut above) = (0.0, 0.0, 0.0);
        for (runs, unit) in self.0.values() {
            let cost = *runs * *unit;
            expected += cost.expected;
            below += (cost.expected - cost.low).powi(2);
            above += (cost.high - cost.expected).powi(2);
        }
        Estimate::between(
            expected - f64::sqrt(below),
            expected,
            expected + f64::sqrt(above),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(subject: &str, runs: f64, unit: Estimate) -> Entry {
        Entry {
            subject: subject.to_owned(),
            runs: Estimate::exactly(runs),
            unit,
            resolved: None,
        }
    }

    fn total(entries: impl IntoIterator<Item = Entry>) -> Estimate {
        let mut ledger = Ledger::default();
        entries.into_iter().for_each(|entry| ledger.add(entry));
        ledger.total()
    }

    #[test]
    fn uncertainties_of_different_callees_add_up_as_independent_errors() {
        let one = entry("f", 2.0, Estimate::between(2.0, 3.5, 5.5));
        let two = entry("g", 1.0, Estimate::between(6.0, 10.0, 13.0));
        // 3 and 4 below, 4 and 3 above.
        assert_eq!(total([one, two]), Estimate::between(12.0, 17.0, 22.0));
    }

    #[test]
    fn calls_of_one_callee_cancel_before_its_uncertainty_counts() {
        let unit = Estimate::between(1.0, 4.0, 9.0);
        assert!(total([entry("f", 10.0, unit), entry("f", -10.0, unit)]).is_zero());
        let left = total([entry("f", 10.0, unit), entry("f", -8.0, unit)]);
        assert_eq!(left, Estimate::between(2.0, 8.0, 18.0));
    }
}
