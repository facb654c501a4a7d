//! A recompiled function → the decisions that the optimiser may change: the layout of the function, and whether it is
//! inlined.
//!
//! Optimisers inline by size, by attributes and by the number of call sites. None of that can be computed from source.
//! This module estimates how close a change comes to a different decision, and reads from the profile how much cost
//! depends on it.

use std::collections::BTreeSet;

use profile::ProfileFunctionId;

use crate::change::SourceSide;
use crate::cost::ledger::{BoundedEffect, CostEntry};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::{CallPrice, ChangeClass, CostAccountKey, Estimate};
use crate::languages::is_interpreted;
use crate::syntax::SyntaxFunction;

impl BenchmarkPricer<'_> {
    /// Any change makes the compiler lay the function out again, and decide again where to inline it.
    pub(super) fn recompilation_entries(&self, pair: usize) -> Vec<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let (Some(before), Some(after)) = (&sides.before, &sides.after) else {
            return Vec::new();
        };
        let Some(runs) = &self.executions[pair] else {
            return Vec::new();
        };
        // A function that was not sampled is already at risk as a whole.
        if self.is_unsampled(pair) {
            return Vec::new();
        }
        // An interpreter builds nothing, but code that runs may do something that has no price.
        let is_interpreted = is_interpreted(&before.file);
        let is_another = !is_interpreted || self.runs_where_it_changed(pair, runs);
        let calls = runs.before.first().copied().unwrap_or_default();
        let touched = self.self_cost_with_inlined(pair);
        let rebuilt = (!sides.regrouped && is_another).then(|| {
            self.bounded(BoundedEffect {
                account: CostAccountKey::Layout { pair },
                class: ChangeClass::Rebuilt,
                runs: calls,
                save: touched,
                add: touched,
            })
        });
        if is_interpreted {
            return Vec::from_iter(rebuilt);
        }
        let near = self.nearness(&before.function, &after.function);
        let inlined = self.inlined_calls(pair);
        let framed = (calls.expected - inlined).max(0.0);
        // The functions it was inlined into are now optimised without it, or with its new code.
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
            // Crates outside the project are compiled as before.
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

    /// How close a change brings a function to another inlining decision, from slightly above 0 to 1.
    fn nearness(&self, before: &SyntaxFunction, after: &SyntaxFunction) -> f64 {
        let assumed = self.scene.costs.inlining;
        if before.attributes != after.attributes || before.signature != after.signature {
            return 1.0;
        }
        let (was, is) = (before.size() as f64, after.size() as f64);
        (assumed.least + (is - was).abs() / assumed.nodes).min(1.0)
    }

    /// The cost of the function's own instructions, including its closures and the library functions inlined into it:
    /// all code that is compiled with it.
    pub(super) fn self_cost_with_inlined(&self, pair: usize) -> f64 {
        if let Some(reached) = self.reached_by(pair) {
            return reached.cost;
        }
        let Some(standing) = self.scene.standings[pair].as_ref() else {
            return 0.0;
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

    /// The self cost of the functions that it is inlined into.
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
