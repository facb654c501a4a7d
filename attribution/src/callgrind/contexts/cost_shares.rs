//! Cost of a context → the part of each path to it, in the ratio of the costs of the calls that lead there.

use super::symbol_paths::SymbolPathId;

/// Largest weight of a path, so that the product of a cost and all weights stays below 2¹²⁸: more instructions than run
/// in a day.
const LARGEST_WEIGHT: u64 = 1 << 42;

/// Division of a context's cost among the paths to it.
pub(super) struct PathCostShares {
    pub(super) paths: Vec<SymbolPathId>,
    weights: Vec<u64>,
    /// Cost divided so far, and each path's part of it. Keeping the sums rounds at most one instruction per path in
    /// total, instead of one for each divided cost.
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
        // if no path has weight, any one gets everything
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

    /// Parts of all paths of a cost; they add up to it.
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

    /// The rounded part of one path, for numbers that need not add up, such as numbers of calls.
    pub(super) fn rounded_share(&self, whole: u64, place: usize) -> u64 {
        let all: u128 = self.weights.iter().map(|weight| u128::from(*weight)).sum();
        let part = u128::from(whole) * u128::from(self.weights[place]) / all.max(1);
        u64::try_from(part).unwrap_or(whole)
    }
}
