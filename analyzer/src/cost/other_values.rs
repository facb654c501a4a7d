//! A small function that gives another value → the cost of its callers, whose loops and sizes may follow the value.

use crate::change::{ChangeKind, ExecutionEdit, SourceChange};
use crate::cost::ledger::{BoundedEffect, CostEntry};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::name_reach::{CarryingName, cost_reached_by};
use crate::cost::{ChangeClass, CostAccountKey, Estimate};
use crate::syntax::{BlockKind, SyntaxBlock, SyntaxFunction, SyntaxNode};

impl BenchmarkPricer<'_> {
    /// A function that computes without a call or a loop, and gives another value: its callers may work with it.
    pub(super) fn other_value(&self, change: &SourceChange, pair: usize) -> Option<CostEntry> {
        let computes = |edit: &ExecutionEdit| {
            matches!(
                edit,
                ExecutionEdit::WorkAdded { .. }
                    | ExecutionEdit::WorkRemoved { .. }
                    | ExecutionEdit::FieldChanged { .. }
            )
        };
        // A case that came or went leaves the others their values.
        let is_case = matches!(
            change.kind,
            ChangeKind::ConditionalAddition | ChangeKind::ConditionalDeletion
        );
        if is_case || !change.edits.iter().any(computes) {
            return None;
        }
        let sides = &self.scene.changes.pairs[pair];
        let (before, after) = sides.before.as_ref().zip(sides.after.as_ref())?;
        let is_plain = |function: &SyntaxFunction| {
            let mut blocks = function.blocks.iter();
            let has_call = |block: &SyntaxBlock| block.head.iter().chain(&block.nodes).any(is_call);
            function.returns.is_some() && !blocks.any(|block| block.kind == BlockKind::Loop || has_call(block))
        };
        if !is_plain(&before.function) || !is_plain(&after.function) {
            return None;
        }
        let name = CarryingName {
            word: before.function.name().to_owned(),
            owner: before.function.owner.clone(),
            within: None,
        };
        let reached = cost_reached_by(&name, self.scene, self.profile);
        let callers = self.scene.standings[pair].as_ref().map_or(0, |standing| {
            let ids = standing.sampled.ids(self.profile);
            let callers = ids
                .iter()
                .flat_map(|&id| self.profile.callers(id))
                .map(|site| site.caller);
            let inclusive = callers.map(|caller| self.profile.profile().function(caller).inclusive);
            inclusive.max().unwrap_or(0)
        });
        let touched = reached.cost.max(callers as f64).min(self.profile.total());
        Some(self.bounded(BoundedEffect {
            account: CostAccountKey::Value {
                function: before.name.to_string(),
            },
            class: ChangeClass::Value,
            runs: Estimate::exactly(1.0),
            save: touched,
            add: touched,
        }))
        .filter(|_| touched > 0.0)
    }
}

fn is_call(node: &SyntaxNode) -> bool {
    matches!(node, SyntaxNode::Call(_))
}
