//! The terms of the sum, and how their uncertainties combine: terms of one callee are added up, terms of different
//! callees are treated as independent.

use std::collections::BTreeMap;

use crate::cost::{ChangeClass, CostAccountKey, CostTerm, Estimate, PredictionTerms, ResolvedCallee};

/// One term of the sum: a number of executions, and the cost of each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CostEntry {
    /// The thing that is executed. Entries of one account err in the same direction: what is added here and removed
    /// there cancels before its uncertainty counts.
    pub(super) account: CostAccountKey,
    /// The kind of evidence.
    pub(super) class: ChangeClass,
    /// Additional executions; negative for fewer.
    pub(super) runs: Estimate,
    /// Cost of each execution.
    pub(super) unit: Estimate,
    /// The part of the price that counts, in 0..=1.
    pub(super) believed: f64,
    /// Of a call: the part of the unit cost that is certain to be spent, whatever is inlined.
    pub(super) firm: f64,
    /// For a change that only has bounds: the cost at risk, in the profile's unit.
    pub(super) touched: f64,
    pub(super) resolved: Option<ResolvedCallee>,
}

/// The effect of a change whose cost cannot be computed: the most that it can save or add.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoundedEffect {
    /// See [`CostEntry::account`].
    pub(super) account: CostAccountKey,
    pub(super) class: ChangeClass,
    /// Executions of the code at risk.
    pub(super) runs: Estimate,
    /// Upper bound of the saving, in the profile's unit; 0 or more.
    pub(super) save: f64,
    /// Upper bound of the added cost, in the profile's unit; 0 or more.
    pub(super) add: f64,
}

impl CostEntry {
    /// The entry of a change that only has bounds: its class moves this share of the cost at risk.
    pub(super) fn bounded(touch: BoundedEffect, share: f64) -> Self {
        let bounds = Estimate::between(-touch.save * share, 0.0, touch.add * share);
        Self {
            account: touch.account,
            class: touch.class,
            runs: touch.runs,
            unit: bounds * (1.0 / touch.runs.expected.max(1.0)),
            believed: 1.0,
            firm: 0.0,
            touched: touch.save.max(touch.add),
            resolved: None,
        }
    }

    /// The same where the code at risk may run so many times as often after the change.
    pub(super) fn grown(self, growth: f64) -> Self {
        Self {
            touched: self.touched * growth,
            ..self
        }
    }

    /// Counts a price in part only. It may be right all the same: its upper bound stays.
    pub(super) fn discount(&mut self, factor: f64) {
        let Estimate { low, expected, high } = self.unit;
        self.unit = Estimate::between(low * factor, expected * factor, high);
        self.firm *= factor;
    }

    /// True for a cost that was computed; false for one that only has bounds.
    pub(super) fn is_priced(&self) -> bool {
        matches!(self.class, ChangeClass::Calls | ChangeClass::Work)
    }

    pub(super) fn cost(&self) -> Estimate {
        self.runs * self.unit * self.believed
    }

    /// The product that the expected cost is; `None` where it is 0.
    pub(super) fn term(&self) -> Option<CostTerm> {
        let term = CostTerm {
            executions: self.runs.expected,
            unit_cost: self.unit.expected,
            believed: self.believed,
        };
        (term.cost() != 0.0).then_some(term)
    }

    /// The largest effect on the cost, in either direction.
    pub(super) fn largest_effect(&self) -> f64 {
        let cost = self.cost();
        cost.high.abs().max(cost.low.abs())
    }
}

/// All terms of one benchmark, by account.
#[derive(Debug, Default)]
pub(super) struct CostLedger(BTreeMap<CostAccountKey, CostAccount>);

/// The sum of all entries of one account.
#[derive(Debug)]
struct CostAccount {
    class: ChangeClass,
    /// The cost if each unit cost is at its lower bound, as expected, and at its upper bound: their units err together.
    at_units: [Estimate; 3],
    firm: f64,
    touched: f64,
}

impl CostAccount {
    fn add_costs(&mut self, costs: [Estimate; 3]) {
        for (sum, cost) in self.at_units.iter_mut().zip(costs) {
            *sum = *sum + cost;
        }
    }

    fn cost(&self) -> Estimate {
        let [low, expected, high] = self.at_units;
        Estimate::between(
            low.low.min(high.low).min(expected.low),
            expected.expected,
            low.high.max(high.high).max(expected.high),
        )
    }
}

impl CostLedger {
    pub(super) fn add(&mut self, entry: CostEntry) {
        let runs = entry.runs * entry.believed;
        let costs = [entry.unit.low, entry.unit.expected, entry.unit.high].map(|unit| runs * unit);
        let account = self.0.entry(entry.account).or_insert(CostAccount {
            class: entry.class,
            at_units: [Estimate::ZERO; 3],
            firm: 0.0,
            touched: 0.0,
        });
        account.firm += runs.expected * entry.firm;
        match entry.class {
            // All parts belong to one replaced function.
            ChangeClass::Replaced => {
                for (sum, cost) in account.at_units.iter_mut().zip(costs) {
                    *sum = sum.or(cost);
                }
                account.touched = account.touched.max(entry.touched);
            }
            // Each site spends its own share of the callee's cost.
            ChangeClass::Arguments => {
                account.add_costs(costs);
                account.touched += entry.touched;
            }
            // The same code is at risk again.
            ChangeClass::Calls
            | ChangeClass::Work
            | ChangeClass::Field
            | ChangeClass::Condition
            | ChangeClass::EarlyExit
            | ChangeClass::Recompiled
            | ChangeClass::Rebuilt
            | ChangeClass::Inlining
            | ChangeClass::Unsampled
            | ChangeClass::Constant
            | ChangeClass::Type
            | ChangeClass::Implementation
            | ChangeClass::ImportedFunction
            | ChangeClass::Macro
            | ChangeClass::Dependency
            | ChangeClass::ReplacedDependency
            | ChangeClass::BuildSetting
            | ChangeClass::FileAttribute
            | ChangeClass::Degraded
            | ChangeClass::Firm
            | ChangeClass::Optimisation
            | ChangeClass::Value
            | ChangeClass::Redefined
            | ChangeClass::Input => {
                account.add_costs(costs);
                account.touched = account.touched.max(entry.touched);
            }
        }
    }

    /// The evidence before the classes are weighted, as shares of a benchmark's total.
    pub(super) fn terms(&self, total: f64) -> PredictionTerms {
        let mut terms = PredictionTerms::default();
        let mut errors: BTreeMap<ChangeClass, f64> = BTreeMap::new();
        let mut firm = 0.0;
        for account in self.0.values() {
            let cost = account.cost();
            terms.expected += cost.expected / total;
            firm += account.firm / total;
            if matches!(account.class, ChangeClass::Calls | ChangeClass::Work) {
                let half = (cost.high - cost.low) / 2.0 / total;
                *errors.entry(account.class).or_default() += half.powi(2);
            } else if account.touched > 0.0 {
                *terms.touched.entry(account.class).or_default() += account.touched / total;
            }
        }
        for class in [
            ChangeClass::Unsampled,
            ChangeClass::Replaced,
            ChangeClass::Value,
            ChangeClass::Redefined,
        ] {
            // Each of several functions may hold most of one cost, and each of several values may decide about it, but
            // together they hold it only once.
            if let Some(touched) = terms.touched.get_mut(&class) {
                *touched = touched.min(1.0);
            }
        }
        if firm != 0.0 {
            terms.touched.insert(ChangeClass::Firm, firm.abs());
        }
        let errors = errors.into_iter().filter(|(_, squares)| *squares > 0.0);
        terms
            .touched
            .extend(errors.map(|(class, squares)| (class, squares.sqrt())));
        terms
    }

    /// The expected values add up; the distances to the bounds add up as independent errors do.
    pub(super) fn total(&self) -> Estimate {
        let (mut expected, mut below, mut above) = (0.0, 0.0, 0.0);
        for account in self.0.values() {
            let cost = account.cost();
            expected += cost.expected;
            below += (cost.expected - cost.low).powi(2);
            above += (cost.high - cost.expected).powi(2);
        }
        Estimate::between(expected - f64::sqrt(below), expected, expected + f64::sqrt(above))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::ChangeSubject;

    fn entry(callee: &str, runs: f64, unit: Estimate) -> CostEntry {
        CostEntry {
            account: CostAccountKey::Calls {
                callee: callee.to_owned(),
                given: Vec::new(),
            },
            class: ChangeClass::Calls,
            runs: Estimate::exactly(runs),
            unit,
            believed: 1.0,
            firm: 0.0,
            touched: 0.0,
            resolved: None,
        }
    }

    fn touching(name: &str, class: ChangeClass, touched: f64) -> CostEntry {
        let touch = BoundedEffect {
            account: CostAccountKey::OutsideFunctions {
                subject: ChangeSubject::Build { setting: name.into() },
                class,
            },
            class,
            runs: Estimate::exactly(10.0),
            save: touched / 2.0,
            add: touched,
        };
        CostEntry::bounded(touch, 0.1)
    }

    fn total(entries: impl IntoIterator<Item = CostEntry>) -> Estimate {
        let mut ledger = CostLedger::default();
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

    #[test]
    fn each_site_of_a_callee_counts_with_its_own_unit_cost() {
        // One dear call goes, a thousand cheap ones come.
        let sites = [
            entry("f", -1.0, Estimate::exactly(109.0)),
            entry("f", 1_000.0, Estimate::between(2.0, 3.0, 4.0)),
        ];
        assert_eq!(total(sites), Estimate::between(1_891.0, 2_891.0, 3_891.0));
    }

    #[test]
    fn what_is_not_believed_does_not_count() {
        let half = CostEntry {
            believed: 0.5,
            ..entry("f", 10.0, Estimate::exactly(4.0))
        };
        assert_eq!(total([half.clone()]), Estimate::exactly(20.0));
        let term = half.term().expect("a cost");
        assert_eq!((term.executions, term.unit_cost, term.cost()), (10.0, 4.0, 20.0));
    }

    #[test]
    fn what_a_class_touches_is_told_before_its_share_of_it_is_taken() {
        let mut ledger = CostLedger::default();
        ledger.add(touching("constant A", ChangeClass::Constant, 50.0));
        ledger.add(touching("constant B", ChangeClass::Constant, 20.0));
        ledger.add(touching("arguments", ChangeClass::Arguments, 30.0));
        let terms = ledger.terms(200.0);
        let expected = BTreeMap::from([(ChangeClass::Constant, 0.35), (ChangeClass::Arguments, 0.15)]);
        assert_eq!((terms.expected, terms.touched), (0.0, expected));
        let bounds = total([touching("constant A", ChangeClass::Constant, 50.0)]);
        assert_eq!((bounds.low, bounds.high), (-2.5, 5.0));
    }

    #[test]
    fn what_is_touched_twice_counts_once_but_every_call_with_other_arguments_counts() {
        let mut ledger = CostLedger::default();
        for _ in 0..2 {
            ledger.add(touching("type", ChangeClass::Type, 50.0));
            ledger.add(touching("arguments", ChangeClass::Arguments, 30.0));
        }
        let expected = BTreeMap::from([(ChangeClass::Type, 0.25), (ChangeClass::Arguments, 0.30)]);
        assert_eq!(ledger.terms(200.0).touched, expected);
    }

    #[test]
    fn priced_entries_give_their_sum_and_half_the_width_of_their_bounds() {
        let mut ledger = CostLedger::default();
        ledger.add(entry("f", 2.0, Estimate::between(1.0, 5.0, 7.0)));
        ledger.add(entry("g", -1.0, Estimate::between(0.0, 4.0, 16.0)));
        let terms = ledger.terms(100.0);
        // 6 and 8, as independent errors.
        assert_eq!(terms.touched, BTreeMap::from([(ChangeClass::Calls, 0.10)]));
        assert!((terms.expected - 0.06).abs() < 1e-12, "{}", terms.expected);
    }
}
