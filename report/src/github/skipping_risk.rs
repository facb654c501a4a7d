//! The predictions of the benchmarks that were not run into the risk that one of them moved.

use verdict::{BenchmarkOutcome, BenchmarkVerdict};

use super::PostingContent;
use crate::number_format;
use crate::score::ScoreDocument;

/// The risk of the benchmarks that the score ruled out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SkippingRisk {
    /// How many there are.
    pub(super) skipped: usize,
    /// Of how many nothing was predicted.
    pub(super) unknown: usize,
    /// The probability that at least one moved is not below this: the largest of all.
    pub(super) low: f64,
    /// And not above this: their sum. Nothing is assumed of how they hang together (Boole's inequality).
    pub(super) high: f64,
}

impl SkippingRisk {
    /// The risk that skipping took; `None` if no benchmark was skipped.
    pub(super) fn of(posting: &PostingContent<'_>) -> Option<Self> {
        let skipped: Vec<&BenchmarkVerdict> = (posting.report.benchmarks.iter())
            .filter(|entry| entry.verdict == BenchmarkOutcome::Skipped)
            .collect();
        let known: Vec<f64> = skipped
            .iter()
            .filter_map(|entry| entry.probability.or(predicted(posting.score.as_deref(), &entry.name)))
            .filter(|probability| (0.0..=1.0).contains(probability))
            .collect();
        (!skipped.is_empty()).then_some(Self {
            skipped: skipped.len(),
            unknown: skipped.len() - known.len(),
            low: known.iter().copied().fold(0.0, f64::max),
            high: known.iter().sum::<f64>().min(1.0),
        })
    }

    /// `The risk that one of the 14 skipped benchmarks moved by 5% or more is estimated at 1.2% to 3.4%.`
    pub(super) fn sentence(&self, threshold: f64) -> String {
        let whom = if self.skipped == 1 {
            String::from("the skipped benchmark")
        } else {
            format!("one of the {} skipped benchmarks", self.skipped)
        };
        let of = format!(
            "The risk that {whom} moved by {} or more",
            number_format::share(threshold)
        );
        if self.unknown == self.skipped {
            return format!("{of} is not known.");
        }
        let (low, high) = (shown(self.low), shown(self.high));
        let range = if low == high { high } else { format!("{low} to {high}") };
        match self.unknown {
            0 => format!("{of} is estimated at {range}."),
            some => {
                format!("{of} is estimated at {range}, not counting {some} without a prediction.")
            }
        }
    }
}

/// Never nothing: what no change reaches is predicted not to move, which is still a prediction.
fn shown(probability: f64) -> String {
    if probability < 0.001 {
        String::from("less than 0.1%")
    } else {
        number_format::share(probability)
    }
}

fn predicted(score: Option<&ScoreDocument>, benchmark: &str) -> Option<f64> {
    let mut predictions = score?.benchmarks.iter();
    predictions
        .find(|prediction| prediction.name == benchmark)
        .map(|prediction| prediction.probability)
}
