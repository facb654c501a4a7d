//! A function that is compiled anew → what the optimiser may do differently: lay the function out anew, inline it no more
//! where it did, or inline it where it did not.
//!
//! Optimisers inline by size, by attributes and by the number of call sites. None of that can be computed from source;
//! how near a change comes to a different decision is estimated, and how much cost hangs on it is read from the profile.

use std::collections::BTreeSet;

use profile::ProfileFunctionId;

use crate::change::SourceSide;
use crate::cost::ledger::{BoundedEffect, CostEntry};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::{CallPrice, ChangeClass, CostAccountKey, Estimate};
use crate::syntax::SyntaxFunction;

impl BenchmarkPricer<'_> {
    /// Any change makes the compiler lay the function out anew, and decide anew where to inline it.
    pub(super) fn recompilation_entries(&self, pair: usize) -> Vec<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let (Some(before), Some(after)) = (&sides.before, &sides.after) else {
            return Vec::new();
        };
        let Some(runs) = &self.executions[pair] else {
            return Vec::new();
        };
        // What was not sampled is touched as a whole already.
        if self.scene.standings[pair].is_none() {
            return Vec::new();
        }
        let calls = runs.before.first().copied().unwrap_or_default();
        let touched = self.self_cost_with_inlined(pair);
        let rebuilt = (!sides.regrouped).then(|| {
            self.bounded(BoundedEffect {
                account: CostAccountKey::Layout { pair },
                class: ChangeClass::Rebuilt,
                runs: calls,
                save: touched,
                add: touched,
            })
        });
        let near = self.nearness(&before.function, &after.function);
        let inlined = self.inlined_calls(pair);
        let framed = (calls.expected - inlined).max(0.0);
        // Whatever it was merged with is optimised without it, or with what it is now.
        let hosts = if inlined > 0.0 { touched + self.hosts(pair) } else { 0.0 };
        let overhead = self.scene.costs.call_overhead.expected;
        let total = self.profile.total();
        let inlining = self.bounded(BoundedEffect {
            account: CostAccountKey::Inlining {
                function: before.name.to_string(),
            },
            class: ChangeClass::Inlining,
            runs: calls,
            save: (near * (framed * overhead + hosts)).min(total),
            add: (near * (inlined * overhead + hosts)).min(total),
        });
        rebuilt.into_iter().chain([inlining]).collect()
    }

    /// Another call site may keep the compiler from inlining the callee where it did before, above all if it was the
    /// only one; a call site that went may let it inline the rest.
    pub(super) fn call_site_change_entry(&self, price: &CallPrice, side: SourceSide) -> CostEntry {
        let (mut inlined, mut framed, mut alone) = (0, 0, 0);
        for &id in &price.profiled {
            let function = self.profile.profile().function(id);
            // Others' crates are compiled as they were.
            if function.external {
                continue;
            }
            inlined += function.inlined_calls;
            framed += function.calls.saturating_sub(function.inlined_calls);
            if function.inlined_calls > 0 && self.profile.callers(id).count() == 1 {
                alone += function.self_cost;
            }
        }
        let overhead = self.scene.costs.call_overhead.expected;
        let (save, add) = match side {
            SourceSide::After => (0.0, inlined as f64 * overhead + alone as f64),
            SourceSide::Before => (framed as f64 * overhead, 0.0),
        };
        self.bounded(BoundedEffect {
            account: CostAccountKey::Inlining {
                function: price.name.clone(),
            },
            class: ChangeClass::Inlining,
            runs: Estimate::exactly((inlined + framed) as f64),
            save,
            add,
        })
    }

    /// How near a change brings a function to being inlined elsewhere than before, from little to 1.
    fn nearness(&self, before: &SyntaxFunction, after: &SyntaxFunction) -> f64 {
        let assumed = self.scene.costs.inlining;
        if before.attributes != after.attributes || before.signature != after.signature {
            return 1.0;
        }
        let (was, is) = (before.size() as f64, after.size() as f64);
        (assumed.least + (is - was).abs() / assumed.nodes).min(1.0)
    }

    /// What the function's own instructions cost, its closures and the library functions merged into it included: all
    /// that is compiled with it.
    pub(super) fn self_cost_with_inlined(&self, pair: usize) -> f64 {
        let Some(standing) = self.scene.standings[pair].as_ref() else {
            return self.reached_by(pair).map_or(0.0, |reached| reached.cost);
        };
        let mut ids = standing.sampled.ids(self.profile);
        ids.extend(standing.sampled.closures(self.profile));
        let merged: u64 = ids
            .iter()
            .flat_map(|&id| self.profile.sites(id))
            .filter(|site| site.inlined)
            .filter(|site| self.profile.profile().function(site.callee).external)
            .map(|site| site.inclusive)
            .sum();
        (self.self_cost(pair) + merged as f64).min(self.inclusive(pair).max(self.self_cost(pair)))
    }

    /// What the functions cost by themselves into which it is inlined.
    fn hosts(&self, pair: usize) -> f64 {
        let standing = self.scene.standings[pair].as_ref();
        let ids = standing.map_or_else(Vec::new, |standing| standing.sampled.ids(self.profile));
        let hosts: BTreeSet<ProfileFunctionId> = ids
            .iter()
            .flat_map(|&id| self.profile.callers(id))
            .filter(|site| site.inlined)
            .map(|site| site.caller)
            .filter(|caller| !ids.contains(caller))
            .collect();
        let functions = hosts.into_iter().map(|id| self.profile.profile().function(id));
        functions.map(|function| function.self_cost as f64).sum()
    }

    fn inlined_calls(&self, pair: usize) -> f64 {
        self.sum(pair, |function| function.inlined_calls)
    }
}
