//! A claim that somebody makes about a change (`parse/* faster 10%`), and the measurements of the change → whether they
//! confirm it, refute it, or cannot tell.
//!
//! A claim decides nothing else: the verdict on the change is the same with and without it.

mod decision;
mod description;
mod grammar;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BenchmarkOutcome, Metric};

pub use decision::judge_claim;
pub use description::claims_of_description;

/// Claims that are read at most, of a command line or of a pull request's text.
pub const MOST_CLAIMS: usize = 20;

/// Bytes of a claim. Names of benchmarks are often file names, which end at 255.
pub const LONGEST_CLAIM: usize = 512;

/// A claim about the benchmarks of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The name; `*` in it matches any text.
    pub benchmarks: String,
    /// The claimed effect on each of them.
    pub effect: ClaimedEffect,
    /// The metric; `None` for those of the verdict that the effect is about.
    pub metric: Option<Metric>,
}

/// A claimed effect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClaimedEffect {
    /// The metric moves in a direction.
    Moved {
        /// The direction.
        direction: ClaimedDirection,
        /// By so much at least.
        at_least: ClaimedPercent,
    },
    /// The metric does not move.
    Unchanged {
        /// The largest change that is none; `None` for that of the verdict itself.
        within: Option<ClaimedPercent>,
    },
}

/// A direction, in the word that was used for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimedDirection {
    /// Less time, or work.
    Faster,
    /// More time, or work.
    Slower,
    /// Less of the metric that the claim names.
    Smaller,
    /// More of the metric that the claim names.
    Larger,
}

impl ClaimedDirection {
    /// Whether the metric falls.
    #[must_use]
    pub fn falls(self) -> bool {
        match self {
            Self::Faster | Self::Smaller => true,
            Self::Slower | Self::Larger => false,
        }
    }
}

/// A relative change in per cent, above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClaimedPercent(f64);

impl ClaimedPercent {
    /// The number of per cent, where it is one that a claim can be about.
    #[must_use]
    pub fn new(percent: f64) -> Option<Self> {
        (percent > 0.0 && percent <= LARGEST_PERCENT).then_some(Self(percent))
    }

    /// As a fraction: 0.1 for 10%.
    #[must_use]
    pub fn share(self) -> f64 {
        self.0 / 100.0
    }
}

/// More than ten thousand times as much is a slip of the finger.
const LARGEST_PERCENT: f64 = 1e6;

/// Why a text is not a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimError {
    /// It has more than [`LONGEST_CLAIM`] bytes.
    TooLong,
    /// There are more than [`MOST_CLAIMS`] before it.
    TooMany,
    /// It has none of the words `faster`, `slower`, `smaller`, `larger`, `unchanged`.
    NoEffect,
    /// It names no benchmark.
    NoBenchmark,
    /// It does not say by how much.
    NoPercent,
    /// This should be a percentage, and is not, or not one that is possible.
    NotAPercentage(String),
    /// It does not say in which metric something gets smaller or larger.
    NoMetric,
    /// There is no such metric.
    UnknownMetric(String),
    /// This is left over behind the claim.
    Unexpected(String),
}

/// Who claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimSource {
    /// Whoever started lito, with `--claim`.
    CommandLine,
    /// The text of the pull request.
    PullRequest,
}

/// A claim as it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedClaim {
    /// As it was written, cut after [`LONGEST_CLAIM`] bytes.
    pub text: String,
    /// Who claims.
    pub source: ClaimSource,
    /// The claim, or the reason that it is none.
    pub claim: Result<Claim, ClaimError>,
}

impl RequestedClaim {
    /// Reads a text.
    #[must_use]
    pub fn read(text: &str, source: ClaimSource) -> Self {
        let end = (0..=text.len().min(LONGEST_CLAIM))
            .rev()
            .find(|&end| text.is_char_boundary(end));
        Self {
            text: text[..end.unwrap_or_default()].to_owned(),
            source,
            claim: text.parse(),
        }
    }
}

/// The answer to a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimOutcome {
    /// The measurements of every benchmark say so.
    Confirmed,
    /// The measurements of one benchmark at least say otherwise.
    Refuted,
    /// The measurements of one benchmark at least do not decide, and none says otherwise.
    CannotBeTold,
    /// It is not a claim, or there is no such benchmark.
    Malformed,
}

/// A claim with its answer, in the contract `lito.verdict/1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimVerdict {
    /// The claim; a malformed one as it was written.
    pub claim: String,
    /// Who claims.
    pub source: ClaimSource,
    /// The answer.
    pub outcome: ClaimOutcome,
    /// The reason, in one sentence.
    pub reason: String,
    /// The evidence: one entry for each benchmark and metric that the claim is about.
    pub benchmarks: Vec<ClaimEvidence>,
}

/// The evidence of one benchmark in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimEvidence {
    /// The benchmark.
    pub name: String,
    /// The metric.
    pub metric: Metric,
    /// The relative change; `None` where there is none.
    pub change: Option<f64>,
    /// Lower bound of the change.
    pub low: Option<f64>,
    /// Upper bound of the change.
    pub high: Option<f64>,
    /// The answer of this benchmark alone.
    pub outcome: ClaimOutcome,
    /// The reason, in one clause.
    pub reason: String,
}

/// The judgement of a claim, its reasons as data.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedClaim {
    /// The answer; [`ClaimOutcome::Malformed`] where no benchmark has the name.
    pub outcome: ClaimOutcome,
    /// The findings, benchmarks by name.
    pub findings: Vec<ClaimFinding>,
}

/// The finding of one benchmark in one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimFinding {
    /// The benchmark.
    pub benchmark: String,
    /// The metric.
    pub metric: Metric,
    /// The relative change.
    pub change: Option<f64>,
    /// Lower bound of the change.
    pub low: Option<f64>,
    /// Upper bound of the change.
    pub high: Option<f64>,
    /// The rule behind the answer.
    pub reason: ClaimReason,
}

/// The rules that answer a claim for one benchmark in one metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimReason {
    /// The whole interval is where the claim says.
    WhollyWithin,
    /// The whole interval is elsewhere.
    WhollyOutside,
    /// Both versions have the same machine code, as was claimed.
    SameCodeAsClaimed,
    /// Both versions have the same machine code, so that nothing can have moved.
    SameCodeDespiteClaim,
    /// The verdict finds it unchanged, as was claimed.
    JudgedUnchanged,
    /// The verdict finds a change where none was claimed.
    JudgedChanged,
    /// A part of the interval is where the claim says, another is not.
    Straddles,
    /// The change is where it would decide, and the verdict does not count it as a change.
    NotSignificant,
    /// The verdict itself is undecided.
    Undecided,
    /// Too few rounds of wall time for bounds that can be relied on.
    TooFewRounds,
    /// Nothing was compared, with this outcome.
    NotCompared(BenchmarkOutcome),
    /// It was not measured in this metric.
    OtherMetrics,
}

impl ClaimReason {
    /// The answer by this rule.
    #[must_use]
    pub fn outcome(self) -> ClaimOutcome {
        match self {
            Self::WhollyWithin | Self::SameCodeAsClaimed | Self::JudgedUnchanged => ClaimOutcome::Confirmed,
            Self::WhollyOutside | Self::SameCodeDespiteClaim | Self::JudgedChanged => ClaimOutcome::Refuted,
            Self::Straddles
            | Self::NotSignificant
            | Self::Undecided
            | Self::TooFewRounds
            | Self::NotCompared(_)
            | Self::OtherMetrics => ClaimOutcome::CannotBeTold,
        }
    }
}
