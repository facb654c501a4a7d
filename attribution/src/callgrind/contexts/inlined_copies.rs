//! Entries of inlined copies in the whole run, and the instructions executed in one context → entries of the copies in
//! that context.
//!
//! Control flow is derived from the whole run, where it is exact for an unoptimised build. If an instruction of the
//! copy ran as often as the copy was entered, its executions in a context are the entries there. Without such an
//! instruction (the copy begins with a loop), a context gets entries in proportion to its share of the copy's
//! executions.

use std::collections::BTreeMap;

use crate::callgrind::control_flow::{ControlFlowGraph, ExecutedInstruction, ExecutionCount};
use crate::callgrind::placement::SymbolizedProgram;

/// Inlined copies of a program in a whole run.
#[derive(Debug)]
pub(super) struct InlinedCopies<'a> {
    placement: &'a SymbolizedProgram,
    whole: Vec<InlinedCopyTotals>,
}

#[derive(Debug, Clone, Copy, Default)]
struct InlinedCopyTotals {
    entries: ExecutionCount,
    /// An instruction that ran as often as the copy was entered.
    witness: Option<usize>,
    /// Instructions executed in it, copies inlined into it included.
    executed: u64,
}

impl<'a> InlinedCopies<'a> {
    pub(super) fn new(
        placement: &'a SymbolizedProgram,
        steps: &[ExecutedInstruction],
        flow: &ControlFlowGraph<'_>,
    ) -> Self {
        let mut whole: Vec<InlinedCopyTotals> = (0..placement.instances.len())
            .map(|instance| InlinedCopyTotals {
                entries: flow.copy_entries(instance),
                ..InlinedCopyTotals::default()
            })
            .collect();
        for (at, step) in steps.iter().enumerate() {
            for instance in enclosing(placement, at) {
                let whole = &mut whole[instance as usize];
                whole.executed = whole.executed.saturating_add(step.executed);
                if whole.witness.is_none() && step.executed == whole.entries.count {
                    whole.witness = Some(at);
                }
            }
        }
        Self { placement, whole }
    }

    /// Entries of each copy that executed something in a context; `ran` lists the context's steps and their executions.
    pub(super) fn entered(&self, ran: &[(usize, u64)]) -> BTreeMap<u32, ExecutionCount> {
        let mut here: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for (at, executed) in ran {
            for instance in enclosing(self.placement, *at) {
                if self.placement.instances[instance as usize].parent.is_none() {
                    continue;
                }
                let (region, witnessed) = here.entry(instance).or_default();
                *region = region.saturating_add(*executed);
                if self.whole[instance as usize].witness == Some(*at) {
                    *witnessed = *executed;
                }
            }
        }
        (here.into_iter())
            .map(|(instance, (region, witnessed))| (instance, self.count(instance, region, witnessed)))
            .collect()
    }

    fn count(&self, instance: u32, region: u64, witnessed: u64) -> ExecutionCount {
        let whole = &self.whole[instance as usize];
        if whole.witness.is_some() {
            return ExecutionCount {
                count: witnessed,
                ..whole.entries
            };
        }
        if region >= whole.executed {
            return whole.entries;
        }
        let share = u128::from(whole.entries.count) * u128::from(region) / u128::from(whole.executed.max(1));
        ExecutionCount {
            count: u64::try_from(share).unwrap_or(u64::MAX),
            estimated: true,
        }
    }
}

/// Bodies that enclose a step, the innermost first.
pub(super) fn enclosing(placement: &SymbolizedProgram, step: usize) -> impl Iterator<Item = u32> + '_ {
    let parent = |instance: &u32| placement.instances[*instance as usize].parent;
    std::iter::successors(placement.places[step].instance, parent)
}
