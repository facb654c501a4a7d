//! A matched call whose arguments changed → the cost it adds or saves.
//!
//! Arguments often carry sizes. Where the callee can be read and its loops depend on its parameters, both calls are
//! priced. Where it cannot be read, the whole cost of the callee is at risk, scaled by the growth of the numbers in its
//! arguments.

use crate::change::SourceSide;
use crate::cost::ledger::{BoundedEffect, CostEntry};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::trip_count::KnownValues;
use crate::cost::{CallFrequency, CallPrice, ChangeClass, CostAccountKey, Estimate};
use crate::resolve::CalleeEvidence;
use crate::syntax::{CallArguments, SyntaxCall};

impl BenchmarkPricer<'_> {
    /// The entries of a call whose arguments changed, for its number of executions.
    pub(super) fn argument_change_entries(
        &self,
        pair: usize,
        (was, call): (&CallArguments, &SyntaxCall),
        runs: Estimate,
    ) -> Vec<CostEntry> {
        let reach = CallFrequency::counted(runs);
        let Some(price) = self.price(call, (pair, SourceSide::After), reach) else {
            return Vec::new();
        };
        if price.evidence == CalleeEvidence::Body {
            let before = SyntaxCall {
                arguments: was.clone(),
                ..call.clone()
            };
            let before = self.price(&before, (pair, SourceSide::Before), reach);
            if let Some(before) = before.filter(|before| before.unit != price.unit) {
                return vec![Self::call_entry(price, runs), Self::call_entry(before, -runs)];
            }
        }
        // A call or a block that came or went among the arguments has a price of its own.
        let is_other_node = was.text.holes() != call.arguments.text.holes();
        if is_other_node && self.scene.costs.most_when_told(&call.callee.name) <= 0.0 {
            return Vec::new();
        }
        let values = self.scene.assumed_values(pair, SourceSide::After);
        let growth = growth(was, &call.arguments, values);
        let spent = self.spent(pair, &price, runs);
        // The rest of the function works on data of another size from here on.
        let is_sizing = self.scene.costs.is_sizing(&call.callee.name);
        let around = growth.filter(|_| is_sizing).map_or(0.0, |_| self.inclusive(pair));
        let most = self.scene.costs.largest_growth;
        let more = (growth.unwrap_or(1.0) - 1.0).clamp(1.0, most);
        // Without a number in the source, it may be told to pass over anything.
        let told = match growth {
            Some(_) => 0.0,
            None => self.scene.costs.most_when_told(&call.callee.name) * runs.expected,
        };
        vec![self.bounded(BoundedEffect {
            account: CostAccountKey::Arguments {
                pair,
                callee: call.callee.name.clone(),
            },
            class: ChangeClass::Arguments,
            runs,
            save: spent.max(around),
            add: (spent * more).max(around).max(told.min(self.profile.total())),
        })]
    }

    /// The cost of the calls of a callee: of those that this function makes, if the profile saw them.
    pub(super) fn spent(&self, pair: usize, price: &CallPrice, runs: Estimate) -> f64 {
        let standing = self.scene.standings[pair].as_ref();
        let ids = standing.map_or_else(Vec::new, |standing| standing.sampled.ids(self.profile));
        let sites = ids
            .iter()
            .flat_map(|&id| self.profile.sites(id))
            .filter(|site| price.profiled.contains(&site.callee));
        let (calls, inclusive) = sites.fold((0, 0), |(calls, inclusive), site| {
            (calls + site.calls, inclusive + site.inclusive)
        });
        let here = inclusive as f64 / f64::max(calls as f64, 1.0);
        (here.max(price.unit.expected) * runs.expected).min(self.profile.total())
    }
}

/// The largest factor by which a number among the arguments grew or shrank; `None` if no number changed.
fn growth(was: &CallArguments, is: &CallArguments, known: KnownValues<'_>) -> Option<f64> {
    let types = was.each_of_turbofish().into_iter().zip(is.each_of_turbofish());
    let values = was.each().into_iter().zip(is.each());
    (types.chain(values))
        .filter_map(|(was, is)| Some((known.integer_value(was)?, known.integer_value(is)?)))
        .filter(|(was, is)| was != is)
        // Growth from zero counts as growth from one.
        .map(|(was, is)| is.max(1) as f64 / was.max(1) as f64)
        .max_by(|one, two| one.ln().abs().total_cmp(&two.ln().abs()))
}
