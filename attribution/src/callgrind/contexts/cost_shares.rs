//! What a context executed in, the part of each path to it out: in the ratio of the cost of the calls that lead there.

use super::symbol_paths::SymbolPathId;

/// Largest weight of a path, so that a product of a cost and the weights of all paths stays below 2¹²⁸: more than runs
/// in a day.
const LARGEST_WEIGHT: u64 = 1 << 42;

/// How what a context executed is divided among the paths to it.
pub(super) struct PathCostShares {
    pub(super) paths: Vec<SymbolPathId>,
    weights: Vec<u64>,
    /// Divided so far, and what of that each path got: in one go over everything, so that of all of it no more than an
    /// instruction a path is rounded, not of each piece.
    divided: u64,
    given: Vec<u64>,
}

impl PathCostShares {
    pub(super) fn of(places: Vec<(SymbolPathId, u64)>) -> Self {
        let mut shares = Self {
            paths: Vec::new(),
            weights: Vec::new(),
            divided: 0,
            given: Vec::new(),
        };
        // of paths without weight one must do
        let weighty = places.iter().any(|(_, weight)| *weight > 0);
        for (path, weight) in places {
            if weight > 0 || !weighty && shares.paths.is_empty() {
                shares.paths.push(path);
                shares.weights.push(weight.clamp(1, LARGEST_WEIGHT));
                shares.given.push(0);
            }
        }
        shares
    }

    /// The parts of all paths of some cost; they add up to it.
    pub(super) fn divide(&mut self, cost: u64) -> Vec<u64> {
        self.divided = self.divided.saturating_add(cost);
        let last = self.paths.len().saturating_sub(1);
        let mut left = cost;
        (0..self.paths.len())
            .map(|place| {
                let wanted = self
                    .rounded_share(self.divided, place)
                    .saturating_sub(self.given[place]);
                let part = if place == last { left } else { wanted.min(left) };
                left -= part;
                self.given[place] = self.given[place].saturating_add(part);
                part
            })
            .collect()
    }

    /// The part of one path of something that is not divided but rounded, as numbers of calls.
    pub(super) fn rounded_share(&self, whole: u64, place: usize) -> u64 {
        let all: u128 = self.weights.iter().map(|weight| u128::from(*weight)).sum();
        let part = u128::from(whole) * u128::from(self.weights[place]) / all.max(1);
        u64::try_from(part).unwrap_or(whole)
    }
}
