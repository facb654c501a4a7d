//! Changed functions of which the sample tells too little: the cost that they may hold, and prices in them.

use std::collections::BTreeMap;

use crate::change::ExecutionEdit;
use crate::cost::ledger::{BoundedEffect, CostEntry};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::reachable_cost;
use crate::cost::rewrite::ChangeEntries;
use crate::cost::{BlockExecutions, ChangeClass, CostAccountKey, Estimate};
use crate::syntax::BlockId;

impl BenchmarkPricer<'_> {
    /// Where a profile has no counts of a file's lines, any change of an executed function may stand in a loop of any number of
    /// rounds, with all that the function calls.
    pub(super) fn uncounted_lines(&self, pair: usize) -> Option<CostEntry> {
        let standing = self.scene.standings[pair].as_ref()?;
        let inclusive = self.inclusive(pair);
        let has_counts = || !self.profile.lines(&standing.sampled.file, 0, u32::MAX).is_empty();
        if inclusive == 0.0 || self.scene.changes.pairs[pair].regrouped || has_counts() {
            return None;
        }
        Some(self.bounded(BoundedEffect {
            account: CostAccountKey::UncountedLines { pair },
            class: ChangeClass::Degraded,
            runs: Estimate::exactly(1.0),
            save: inclusive,
            add: inclusive,
        }))
    }

    /// False if all that changed of a function stands in blocks that never run.
    pub(super) fn runs_where_it_changed(&self, pair: usize, runs: &BlockExecutions) -> bool {
        let is_executed = |counts: &[Estimate], block: BlockId| {
            let count = counts.get(block.0 as usize);
            count.is_none_or(|count| !count.is_zero())
        };
        let all = &self.scene.changes.changes;
        let own = all
            .iter()
            .enumerate()
            .filter(|(index, _)| self.scene.pair_of(*index) == Some(pair));
        let mut edits = own.flat_map(|(_, change)| &change.edits).peekable();
        edits.peek().is_none()
            || edits.any(|edit| match edit {
                ExecutionEdit::CallAdded { block, .. }
                | ExecutionEdit::WorkAdded { block, .. }
                | ExecutionEdit::ArgumentsChanged { block, .. }
                | ExecutionEdit::FieldChanged { block, .. } => is_executed(&runs.after, *block),
                ExecutionEdit::CallRemoved { before, .. } | ExecutionEdit::WorkRemoved { before, .. } => {
                    is_executed(&runs.before, *before)
                }
                ExecutionEdit::CallMoved { before, block, .. } => {
                    is_executed(&runs.before, *before) || is_executed(&runs.after, *block)
                }
                ExecutionEdit::Reconditioned { .. } | ExecutionEdit::Recompiled => true,
            })
    }

    /// The changed functions that the sample did not have and that may be executed. All functions whose cost comes from
    /// the same executed function share one entry, under the pair that may hold most of it.
    pub(super) fn unsampled(&self) -> BTreeMap<usize, CostEntry> {
        let pairs = &self.scene.changes.pairs;
        let holds_unknown_cost = |pair: usize| {
            let sides = &pairs[pair];
            self.is_unsampled(pair)
                && sides.after.is_some()
                && sides.before.as_ref().is_some_and(|before| !before.function.test_only)
        };
        let mut of_origin: BTreeMap<CostAccountKey, (usize, f64)> = BTreeMap::new();
        for pair in (0..pairs.len()).filter(|&pair| holds_unknown_cost(pair)) {
            let (origin, cost) = match self.reached_by(pair) {
                Some(reached) => {
                    let from = self.profile.profile().function(reached.from);
                    let from = from.name.clone();
                    (CostAccountKey::UnsampledBelow { from }, reached.cost)
                }
                // No executed function leads here along a path that can be read. The cost of deleted functions moved
                // somewhere, though.
                None => (
                    CostAccountKey::Unmentioned,
                    self.profile.total() * self.gone() * self.scene.costs.unknown_file,
                ),
            };
            let most = of_origin.entry(origin).or_insert((pair, cost));
            if cost > most.1 {
                *most = (pair, cost);
            }
        }
        of_origin
            .into_iter()
            .filter(|(_, (_, cost))| *cost > 0.0)
            .map(|(account, (pair, cost))| {
                let touch = BoundedEffect {
                    account,
                    class: ChangeClass::Unsampled,
                    runs: Estimate::exactly(1.0),
                    save: cost,
                    add: cost,
                };
                (pair, self.bounded(touch))
            })
            .collect()
    }

    /// Prices of changes in functions that were not sampled count less the more uncertain they are: their bounds are at
    /// most as wide as the cost that the functions may hold, and belong to [`ChangeClass::Unsampled`]. An addition beyond
    /// that cost is a bound of its own: the cost of the callers before the change does not limit it.
    ///
    /// A function that the sample had took no cost from others. Its prices count as far as it is sure that it is executed.
    pub(super) fn limit_unsampled_prices(&self, changes: &mut [ChangeEntries]) {
        let mut widths: BTreeMap<usize, f64> = BTreeMap::new();
        let is_unsampled = |of: &ChangeEntries| of.pair.filter(|&pair| self.reached_by(pair).is_some());
        let mut added: BTreeMap<usize, f64> = BTreeMap::new();
        for of in changes.iter() {
            if let Some(pair) = is_unsampled(of) {
                for entry in of.entries.iter().filter(|entry| entry.is_priced()) {
                    *widths.entry(pair).or_default() += entry.largest_effect();
                    *added.entry(pair).or_default() += entry.cost().expected.max(0.0);
                }
            }
        }
        for of in changes {
            let Some((pair, reached)) = is_unsampled(of).and_then(|pair| Some((pair, self.reached_by(pair)?))) else {
                continue;
            };
            let is_new = self.scene.standings[pair].is_none();
            let holds = match is_new {
                true => reached.cost,
                false => self.profile.total() * reached.certainty,
            };
            let width = widths.get(&pair).copied().unwrap_or_default();
            let believed = (holds / width.max(1.0)).min(1.0);
            for entry in of.entries.iter_mut().filter(|entry| entry.is_priced()) {
                entry.believed *= believed;
                if is_new {
                    // An account of its own: beside others of its callee it would have their uncertainty.
                    entry.account = CostAccountKey::PricedUnsampled {
                        pair,
                        priced: Box::new(entry.account.clone()),
                    };
                    entry.runs = Estimate::exactly(entry.runs.expected);
                    entry.unit = Estimate::exactly(entry.unit.expected);
                }
            }
            let beyond = added.remove(&pair).filter(|added| is_new && *added > holds);
            of.entries.extend(beyond.map(|add| {
                self.bounded(BoundedEffect {
                    account: CostAccountKey::AddedUnsampled { pair },
                    class: ChangeClass::Work,
                    runs: Estimate::exactly(1.0),
                    save: 0.0,
                    add,
                })
            }));
        }
    }

    /// The share of the project's own cost whose functions no longer exist.
    fn gone(&self) -> f64 {
        *self
            .gone
            .get_or_init(|| reachable_cost::gone_cost_share(self.scene.mentions(), self.profile))
    }
}
