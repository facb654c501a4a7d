//! A claim and the entries of a verdict → the answer, with the finding of each benchmark that the claim names.
//!
//! The bounds of the change decide: confirmed where the whole interval lies where the claim says, refuted where the whole
//! interval lies elsewhere. A change that the verdict does not count as one proves no claim of a change.

use std::collections::BTreeMap;

use super::{Claim, ClaimFinding, ClaimOutcome, ClaimReason, ClaimedEffect, JudgedClaim};
use crate::wall_time::FEWEST_ROUNDS;
use crate::{BenchmarkOutcome, BenchmarkVerdict, Metric};

/// The metrics of time and work: *faster* without a metric is about those of them that count for the verdict.
const SPEED: [Metric; 3] = [Metric::Instructions, Metric::Operations, Metric::WallTime];

/// A difference of changes that is none: the quotient of two counts is rounded, so that 900 of 1,000 would not be a tenth less.
const ROUNDING: f64 = 1e-9;

/// Judges a claim by the entries of a verdict. `is_named` tells whether the claim is about a benchmark of this name.
///
/// It is refuted if one benchmark refutes it in one metric, confirmed if all confirm it, and malformed if there is none.
#[must_use]
pub fn judge_claim(claim: &Claim, entries: &[BenchmarkVerdict], is_named: impl Fn(&str) -> bool) -> JudgedClaim {
    let mut named: BTreeMap<&str, Vec<&BenchmarkVerdict>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| is_named(&entry.name)) {
        named.entry(&entry.name).or_default().push(entry);
    }
    let findings: Vec<ClaimFinding> = named.values().flat_map(|entries| claim.findings(entries)).collect();
    let has = |outcome| findings.iter().any(|finding| finding.reason.outcome() == outcome);
    let outcome = if findings.is_empty() {
        ClaimOutcome::Malformed
    } else if has(ClaimOutcome::Refuted) {
        ClaimOutcome::Refuted
    } else if has(ClaimOutcome::CannotBeTold) {
        ClaimOutcome::CannotBeTold
    } else {
        ClaimOutcome::Confirmed
    };
    JudgedClaim { outcome, findings }
}

impl Claim {
    /// The findings of one benchmark, whose entries these are; one at least.
    fn findings(&self, entries: &[&BenchmarkVerdict]) -> Vec<ClaimFinding> {
        let about: Vec<ClaimFinding> = (entries.iter())
            .filter(|entry| self.is_about(entry))
            .map(|entry| self.finding(entry))
            .collect();
        match entries.first() {
            Some(first) if about.is_empty() => vec![self.finding_without(first)],
            _ => about,
        }
    }

    /// Whether an entry is in a metric of the claim.
    fn is_about(&self, entry: &BenchmarkVerdict) -> bool {
        match (self.metric, self.effect) {
            (Some(metric), _) => entry.metric == metric,
            (None, ClaimedEffect::Moved { .. }) => entry.gating && SPEED.contains(&entry.metric),
            (None, ClaimedEffect::Unchanged { .. }) => entry.gating,
        }
    }

    fn finding(&self, entry: &BenchmarkVerdict) -> ClaimFinding {
        let reason = match interval(entry) {
            Ok(interval) => self.reason(entry, interval),
            Err(reason) => reason,
        };
        let is_same = entry.verdict == BenchmarkOutcome::SameCode;
        let shown = |bound: Option<f64>| if is_same { Some(0.0) } else { bound };
        ClaimFinding {
            benchmark: entry.name.clone(),
            metric: entry.metric,
            change: shown(entry.change),
            low: shown(entry.low),
            high: shown(entry.high),
            reason,
        }
    }

    /// The finding of a benchmark without an entry in the claim's metric, but with this one: an entry without values
    /// is about all metrics.
    fn finding_without(&self, other: &BenchmarkVerdict) -> ClaimFinding {
        let metric = self.metric.unwrap_or(other.metric);
        let of_all = BenchmarkVerdict {
            metric,
            ..other.clone()
        };
        match other.verdict {
            BenchmarkOutcome::SameCode
            | BenchmarkOutcome::Skipped
            | BenchmarkOutcome::Removed
            | BenchmarkOutcome::Added
            | BenchmarkOutcome::Failed => self.finding(&of_all),
            BenchmarkOutcome::Regression
            | BenchmarkOutcome::Improvement
            | BenchmarkOutcome::Inconclusive
            | BenchmarkOutcome::Pass => ClaimFinding {
                benchmark: other.name.clone(),
                metric,
                change: None,
                low: None,
                high: None,
                reason: ClaimReason::OtherMetrics,
            },
        }
    }

    fn reason(&self, entry: &BenchmarkVerdict, interval: ChangeInterval) -> ClaimReason {
        let is_same = entry.verdict == BenchmarkOutcome::SameCode;
        let reason = match self.effect {
            ClaimedEffect::Moved { direction, at_least } => {
                let claimed = if direction.falls() {
                    interval.mirrored()
                } else {
                    interval
                };
                claimed.moved(at_least.share(), entry.significant)
            }
            ClaimedEffect::Unchanged { within: Some(within) } => interval.unchanged(within.share(), entry.significant),
            ClaimedEffect::Unchanged { within: None } => unchanged_by_verdict(entry.verdict),
        };
        match reason.outcome() {
            ClaimOutcome::Confirmed if is_same => ClaimReason::SameCodeAsClaimed,
            ClaimOutcome::Refuted if is_same => ClaimReason::SameCodeDespiteClaim,
            ClaimOutcome::Confirmed | ClaimOutcome::Refuted | ClaimOutcome::CannotBeTold | ClaimOutcome::Malformed => {
                reason
            }
        }
    }
}

/// Without a percentage, the verdict's own rule says what has not changed.
fn unchanged_by_verdict(outcome: BenchmarkOutcome) -> ClaimReason {
    match outcome {
        BenchmarkOutcome::Pass | BenchmarkOutcome::SameCode => ClaimReason::JudgedUnchanged,
        BenchmarkOutcome::Regression | BenchmarkOutcome::Improvement => ClaimReason::JudgedChanged,
        BenchmarkOutcome::Inconclusive => ClaimReason::Undecided,
        BenchmarkOutcome::Failed | BenchmarkOutcome::Removed | BenchmarkOutcome::Added | BenchmarkOutcome::Skipped => {
            ClaimReason::NotCompared(outcome)
        }
    }
}

/// The bounds of a relative change, the lower one first. Infinite where there is no bound.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ChangeInterval {
    low: f64,
    high: f64,
}

impl ChangeInterval {
    /// A rise from nothing is more than any percentage.
    const FROM_ZERO: Self = Self {
        low: f64::INFINITY,
        high: f64::INFINITY,
    };

    const NONE: Self = Self { low: 0.0, high: 0.0 };

    fn mirrored(self) -> Self {
        Self {
            low: -self.high,
            high: -self.low,
        }
    }

    /// Whether it rises by a share at least.
    fn moved(self, share: f64, significant: bool) -> ClaimReason {
        if self.low + ROUNDING >= share {
            return match significant {
                true => ClaimReason::WhollyWithin,
                false => ClaimReason::NotSignificant,
            };
        }
        if self.high + ROUNDING < share {
            ClaimReason::WhollyOutside
        } else {
            ClaimReason::Straddles
        }
    }

    /// Whether it stays within a share.
    fn unchanged(self, share: f64, significant: bool) -> ClaimReason {
        let limit = share + ROUNDING;
        if self.low >= -limit && self.high <= limit {
            return ClaimReason::WhollyWithin;
        }
        if self.low > limit || self.high < -limit {
            return match significant {
                true => ClaimReason::WhollyOutside,
                false => ClaimReason::NotSignificant,
            };
        }
        ClaimReason::Straddles
    }
}

/// The bounds of an entry's change, or the reason that there are none.
fn interval(entry: &BenchmarkVerdict) -> Result<ChangeInterval, ClaimReason> {
    match entry.verdict {
        BenchmarkOutcome::SameCode => return Ok(ChangeInterval::NONE),
        BenchmarkOutcome::Skipped | BenchmarkOutcome::Removed | BenchmarkOutcome::Added | BenchmarkOutcome::Failed => {
            return Err(ClaimReason::NotCompared(entry.verdict));
        }
        BenchmarkOutcome::Regression
        | BenchmarkOutcome::Improvement
        | BenchmarkOutcome::Inconclusive
        | BenchmarkOutcome::Pass => {}
    }
    let (Some(base), Some(head)) = (entry.base, entry.head) else {
        return Err(ClaimReason::Undecided);
    };
    if entry.metric == Metric::WallTime && (entry.starts as usize) < FEWEST_ROUNDS {
        return Err(ClaimReason::TooFewRounds);
    }
    // A side where the subject was not reached was measured, but not compared.
    if entry.verdict == BenchmarkOutcome::Inconclusive && (base == 0.0 || head == 0.0) {
        return Err(ClaimReason::Undecided);
    }
    if base == 0.0 && head > 0.0 && entry.verdict == BenchmarkOutcome::Regression {
        return Ok(ChangeInterval::FROM_ZERO);
    }
    let (low, high) = (entry.low.unwrap_or(-1.0), entry.high.unwrap_or(f64::INFINITY));
    if low <= high {
        Ok(ChangeInterval { low, high })
    } else {
        // No measurement has such bounds; NaN is one of them.
        Err(ClaimReason::Undecided)
    }
}
