//! The size of a source → how many steps its analysis may take, and whether they are spent.
//!
//! A step is a unit of work, not of time: the same source takes the same steps on every machine, so its score does not
//! depend on how fast or how busy the machine is.

use std::cell::Cell;

use super::limits::ParseLimits;

/// Steps that are left.
#[derive(Debug)]
pub(crate) struct WorkBudget(Cell<u64>);

impl WorkBudget {
    /// The steps for a source of this many bytes.
    pub(crate) fn for_source(bytes: usize, limits: &ParseLimits) -> Self {
        let share = limits.steps_per_byte.saturating_mul(bytes as u64);
        Self::new(share.saturating_add(limits.least_steps))
    }

    /// So many steps.
    pub(crate) fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    /// Gives more steps.
    pub(crate) fn add(&self, steps: u64) {
        self.0.set(self.0.get().saturating_add(steps));
    }

    /// Takes steps; false, from then on, if that many are not left.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let left = self.0.get().saturating_sub(steps as u64);
        self.0.set(left);
        left > 0
    }

    /// How many are left.
    pub(crate) fn left(&self) -> u64 {
        self.0.get()
    }

    /// True if nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}
