//! A bound that changed → the cost of the work that it bounded, which says nothing about the work without it.

use crate::cost::Estimate;
use crate::cost::ledger::CostEntry;
use crate::cost::lito::BenchmarkPricer;
use crate::cost::name_reach::{CarryingName, cost_decided_by, cost_reached_by};
use crate::syntax::BlockId;

/// How many times more work may follow where a bound went: all that a program has, where it looked at a few.
const UNBOUNDED_GROWTH: f64 = 1000.0;

impl BenchmarkPricer<'_> {
    /// A bound that changed in code that runs: the function's own work may have any size where the bound went.
    pub(super) fn other_bound(&self, pair: usize) -> Option<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let (before, standing) = sides.before.as_ref().zip(self.scene.standings[pair].as_ref())?;
        let runs = self.executions[pair].as_ref();
        let is_executed = |counts: Option<&Vec<Estimate>>, block: Option<BlockId>| {
            block.is_some_and(|block| counts.is_none_or(|counts| counts[block.0 as usize].expected > 0.0))
        };
        let bounds = sides.bounds.iter().filter(|bound| {
            is_executed(runs.map(|runs| &runs.before), bound.before)
                || is_executed(runs.map(|runs| &runs.after), bound.block)
        });
        let growths = bounds.map(|bound| if bound.before.is_some() { UNBOUNDED_GROWTH } else { 1.0 });
        let growth = growths.reduce(f64::max)?;
        let ids = standing.sampled.ids(self.profile);
        let touched = match ids.is_empty() {
            true => cost_reached_by(&CarryingName::of_located(before, self.scene), self.scene, self.profile),
            false => cost_decided_by(ids, self.profile),
        };
        self.value_entry(before.name.to_string(), touched.cost, growth)
    }
}
