//! A function that went → its own cost, which other code now spends, and the cost of the code that calls another method in its place.

use crate::cost::ledger::{BoundedEffect, CostEntry};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::name_reach::cost_decided_by;
use crate::cost::{ChangeClass, CostAccountKey, Estimate};
use crate::languages::FOR_PEOPLE;

impl BenchmarkPricer<'_> {
    /// A deleted function, and its self cost: its callers show where it was called, but not what replaces it where they
    /// were deleted as well.
    pub(super) fn replaced(&self, pair: usize) -> Option<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let before = sides
            .before
            .as_ref()
            .filter(|before| sides.after.is_none() && !before.function.test_only)
            .filter(|_| !sides.regrouped)?;
        let (account, touched) = match self.reached_by(pair) {
            // Accounts that may hold parts of one function hold them together.
            Some(reached) => {
                let from = self.profile.profile().function(reached.from);
                let from = from.name.clone();
                (CostAccountKey::ReplacedBelow { from }, reached.cost)
            }
            None if self.is_unsampled(pair) => return None,
            None => {
                let function = before.name.to_string();
                (CostAccountKey::Replaced { function }, self.self_cost_with_inlined(pair))
            }
        };
        Some(self.bounded(BoundedEffect {
            account,
            class: ChangeClass::Replaced,
            runs: Estimate::exactly(1.0),
            save: touched,
            add: touched,
        }))
        .filter(|_| touched > 0.0)
    }

    /// A method of a trait that went: another one is called in its place, by code that does not name it, and may give other
    /// values.
    pub(super) fn undefined(&self, pair: usize) -> Option<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let before = sides
            .before
            .as_ref()
            .filter(|_| sides.after.is_none() && !sides.regrouped)?;
        let of_trait = before.function.of_trait.as_deref()?;
        let ids = self.scene.standings[pair].as_ref()?.sampled.ids(self.profile);
        if before.function.test_only || ids.is_empty() || FOR_PEOPLE.contains(&of_trait) {
            return None;
        }
        let touched = cost_decided_by(ids, self.profile).cost;
        self.value_entry(before.name.to_string(), touched, 1.0)
    }
}
