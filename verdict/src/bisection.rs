//! The chance of each version of a range to hold a change, and the costs measured so far → the version that is measured next,
//! until one is left.
//!
//! Halving a range of *n* versions takes log₂ *n* measurements. With a prediction most of the chance lies on a few versions,
//! and measuring where the chance is halved takes fewer: two where the first guess is right, before and at that version.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The chance that is left to a version that nothing is predicted for: of the study's skipped commits about one in 660 moved a
/// benchmark by the threshold. No prediction rules a version out, so that any version can be found.
const LEAST_CHANCE: f64 = 0.0015;

/// The search for the version that changed a benchmark's cost. Versions are numbered from 0, which has the cost before the change; the
/// last has the cost after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bisection {
    /// For each version from 1 on, how likely it is to hold the change, in any unit.
    weights: Vec<f64>,
    /// The newest version that costs as much as the first, and its cost.
    before: (usize, f64),
    /// The oldest version that costs as much as the last, and its cost.
    after: (usize, f64),
    /// Versions that have no cost: they do not build, or the benchmark fails.
    unmeasurable: BTreeSet<usize>,
}

impl Bisection {
    /// Begins a search. `chances` has, for each version from 1 on, the predicted probability that it moves the benchmark;
    /// `costs` are those of version 0 and of the last version.
    ///
    /// That the change is in version *i* and in no other has a probability in proportion to *pᵢ / (1 − pᵢ)*.
    ///
    /// # Panics
    /// There is no version.
    #[must_use]
    pub fn new(chances: &[f64], costs: [f64; 2]) -> Self {
        assert!(!chances.is_empty(), "a range has at least one version");
        let weight = |chance: &f64| {
            let chance = chance.clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
            chance / (1.0 - chance)
        };
        Self {
            weights: chances.iter().map(weight).collect(),
            before: (0, costs[0]),
            after: (chances.len(), costs[1]),
            unmeasurable: BTreeSet::new(),
        }
    }

    /// The versions that may hold the change.
    #[must_use]
    pub fn suspects(&self) -> RangeInclusive<usize> {
        self.before.0 + 1..=self.after.0
    }

    /// The cost before the change, and after it, as far as it is narrowed down.
    #[must_use]
    pub fn costs(&self) -> [f64; 2] {
        [self.before.1, self.after.1]
    }

    /// For each version from 1 on, the probability that it holds the change, given what was measured. They add up to 1.
    #[must_use]
    pub fn chances(&self) -> Vec<f64> {
        let suspects = self.suspects();
        let total: f64 = suspects.clone().map(|version| self.weights[version - 1]).sum();
        let chance = |(index, weight): (usize, &f64)| match suspects.contains(&(index + 1)) {
            true => weight / total,
            false => 0.0,
        };
        self.weights.iter().enumerate().map(chance).collect()
    }

    /// The version whose cost tells most: the change is as likely up to it as after it. `None` if no measurable version is left
    /// between the suspects.
    #[must_use]
    pub fn next(&self) -> Option<usize> {
        let chances = self.chances();
        let mut up_to = 0.0;
        let mut best: Option<(f64, usize)> = None;
        for version in self.before.0 + 1..self.after.0 {
            up_to += chances[version - 1];
            let off = (up_to - 0.5).abs();
            if !self.unmeasurable.contains(&version) && best.is_none_or(|(least, _)| off < least) {
                best = Some((off, version));
            }
        }
        best.map(|(_, version)| version)
    }

    /// Takes the cost of a version: the suspects are narrowed down to the side with the larger part of the change.
    pub fn measured(&mut self, version: usize, cost: f64) {
        if !(self.before.0 + 1..self.after.0).contains(&version) {
            return;
        }
        match (cost - self.before.1).abs() < (self.after.1 - cost).abs() {
            true => self.before = (version, cost),
            false => self.after = (version, cost),
        }
    }

    /// Takes that a version has no cost.
    pub fn unmeasurable(&mut self, version: usize) {
        self.unmeasurable.insert(version);
    }

    /// The measurements that halving the range takes at most.
    #[must_use]
    pub fn halvings(versions: usize) -> u32 {
        versions.max(1).next_power_of_two().trailing_zeros()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Searches among versions of these costs; returns the suspects that are left, and the number of measurements.
    fn search(chances: &[f64], cost: impl Fn(usize) -> Option<f64>) -> (RangeInclusive<usize>, u32) {
        let ends = [0, chances.len()].map(|version| cost(version).expect("both ends are measured"));
        let mut search = Bisection::new(chances, ends);
        let mut measured = 0;
        while let Some(version) = search.next() {
            measured += 1;
            assert!(measured <= chances.len() as u32, "it ends");
            match cost(version) {
                Some(cost) => search.measured(version, cost),
                None => search.unmeasurable(version),
            }
        }
        (search.suspects(), measured)
    }

    fn step_at(version: usize) -> impl Fn(usize) -> Option<f64> {
        move |asked| Some(if asked < version { 1_000.0 } else { 1_100.0 })
    }

    #[test]
    fn two_measurements_confirm_a_right_guess() {
        let mut chances = [0.0; 32];
        chances[20] = 0.4;
        assert_eq!(search(&chances, step_at(21)), (21..=21, 2));
    }

    #[test]
    fn without_any_prediction_a_range_is_halved() {
        for version in 1..=32 {
            let (found, measured) = search(&[0.0; 32], step_at(version));
            assert_eq!((found, measured), (version..=version, Bisection::halvings(32)));
        }
    }

    #[test]
    fn of_two_steps_the_larger_one_is_found() {
        let cost = |version: usize| {
            Some(1_000.0 + if version >= 5 { 20.0 } else { 0.0 } + if version >= 9 { 80.0 } else { 0.0 })
        };
        assert_eq!(search(&[0.01; 16], cost).0, 9..=9);
    }

    #[test]
    fn versions_that_cannot_be_measured_stay_suspects() {
        let cost = |version: usize| (!(4..=6).contains(&version)).then(|| step_at(5)(version)).flatten();
        assert_eq!(search(&[0.2; 16], cost).0, 4..=7);
    }

    #[test]
    fn chances_are_those_of_the_suspects_alone() {
        let mut search = Bisection::new(&[0.1, 0.5, 0.1, 0.1], [1.0, 2.0]);
        search.measured(2, 2.0);
        let chances = search.chances();
        assert_eq!(search.suspects(), 1..=2);
        assert!(chances[2..].iter().all(|chance| *chance == 0.0), "{chances:?}");
        assert!((chances[1] / chances[0] - 9.0).abs() < 1e-9, "{chances:?}");
    }

    proptest! {
        #[test]
        fn whatever_is_predicted_the_step_is_found(
            chances in prop::collection::vec(0.0..=1.0f64, 1..80),
            at in any::<prop::sample::Index>(),
        ) {
            let version = at.index(chances.len()) + 1;
            let (found, measured) = search(&chances, step_at(version));
            prop_assert_eq!(found, version..=version);
            prop_assert!(measured < chances.len() as u32 || chances.len() == 1);
        }
    }
}
