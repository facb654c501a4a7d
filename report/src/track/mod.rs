//! Costs of benchmarks over many versions → a table, JSON, CSV and markdown.
//!
//! Pure: points and changes of a series are found before.

mod csv;
mod human;
mod json;
mod prediction_record;
#[cfg(test)]
mod tests;

pub use csv::csv;
pub use human::{gaps, human, markdown};
pub(crate) use json::TrackDocument;
pub use json::{SCHEMA, json};
pub use prediction_record::PredictionRecord;

/// Benchmarks over versions.
#[derive(Debug, Clone, PartialEq)]
pub struct CostTrack {
    /// Unit of costs.
    pub unit: &'static str,
    /// The change that predictions are about: 0.05 is 5% in either direction.
    pub threshold: f64,
    /// The versions, oldest first.
    pub versions: Vec<TrackedVersion>,
    /// The benchmarks, by name.
    pub benchmarks: Vec<TrackedBenchmark>,
    /// Reasons of the gaps.
    pub reasons: Vec<String>,
}

/// One version.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedVersion {
    /// Its id.
    pub commit: String,
    /// The first line of its message.
    pub summary: String,
    /// When it was committed, in seconds since 1970 (UTC).
    pub time: i64,
    /// Origin of its points.
    pub state: TrackedVersionState,
    /// Of a gap: why, as an index into [`CostTrack::reasons`].
    pub reason: Option<usize>,
    /// Its score; `None` for the oldest.
    pub prediction: Option<VersionPrediction>,
}

/// The score of a version against the one before it in the track, on the newest sample at or before that one.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionPrediction {
    /// Whether a gate would run any benchmark for it.
    pub is_flagged: bool,
    /// Probability that at least one benchmark moves by the threshold or more.
    pub risk: f64,
    /// The benchmarks of the sample that it would not run, whatever their machine code is; empty if it runs none.
    pub left_out: Vec<String>,
}

impl VersionPrediction {
    /// True if the benchmark would have been run.
    #[must_use]
    pub fn flags(&self, benchmark: &str) -> bool {
        self.is_flagged && self.left_out.iter().all(|left_out| left_out != benchmark)
    }
}

/// Origin of the points of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrackedVersionState {
    /// It was measured.
    Measured,
    /// The score proves that a benchmark executes the same as in an earlier version, whose points these are.
    Carried,
    /// It has no points.
    Gap,
}

/// One benchmark over the versions.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedBenchmark {
    /// Its name.
    pub name: String,
    /// One point a version.
    pub points: Vec<TrackPoint>,
    /// Where its cost changes, by place.
    pub changes: Vec<TrackChange>,
    /// Versions, by place, at which its own source changes: costs before and after are not compared.
    pub rewritten: Vec<usize>,
}

impl TrackedBenchmark {
    /// The first and the last known cost since its own source last changed, which can be compared.
    #[must_use]
    pub fn ends(&self) -> Option<(u64, u64)> {
        let since = self.rewritten.last().copied().unwrap_or(0);
        let mut costs = self.points.iter().skip(since).filter_map(|point| point.cost());
        let first = costs.next()?;
        Some((first, costs.next_back().unwrap_or(first)))
    }

    /// The relative change between these two: 0.1 is ten per cent slower.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "costs are far below 2^53")]
    pub fn whole_change(&self) -> Option<f64> {
        let (first, last) = self.ends()?;
        Some(relative(first as f64, last as f64))
    }
}

/// One benchmark at one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackPoint {
    /// Its measured cost.
    Measured(u64),
    /// Its cost at the version that it is carried over from.
    Carried(u64),
    /// Why there is none, as an index into [`CostTrack::reasons`].
    Gap(usize),
}

/// A place where the cost of a benchmark changes: one a place, with one number wherever it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackChange {
    /// Index of the last version with the cost before. Versions between it and `at` have no cost.
    pub since: usize,
    /// Index of the first version with the new cost.
    pub at: usize,
    /// The cost at `since`; where no step is seen there, the median of the segment before.
    pub before: f64,
    /// The cost at `at`, or the median of the segment after.
    pub after: f64,
    /// How it was found.
    pub method: ChangeDetectionMethod,
}

/// Method that found a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ChangeDetectionMethod {
    /// As a change point of the whole series: the new cost stays.
    EDivisive,
    /// As a difference of two neighbours alone.
    Jump,
}

impl TrackedVersionState {
    /// As the contract writes it.
    fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Carried => "carried",
            Self::Gap => "gap",
        }
    }
}

impl TrackPoint {
    /// The cost, if it is known.
    #[must_use]
    pub fn cost(self) -> Option<u64> {
        match self {
            Self::Measured(cost) | Self::Carried(cost) => Some(cost),
            Self::Gap(_) => None,
        }
    }

    fn state(self) -> TrackedVersionState {
        match self {
            Self::Measured(_) => TrackedVersionState::Measured,
            Self::Carried(_) => TrackedVersionState::Carried,
            Self::Gap(_) => TrackedVersionState::Gap,
        }
    }
}

impl TrackChange {
    /// True if versions lie between the two costs, any of which may have changed it.
    #[must_use]
    pub fn is_across_a_gap(&self) -> bool {
        self.at - self.since > 1
    }

    /// The relative change: 0.1 is ten per cent slower.
    #[must_use]
    pub fn relative(&self) -> f64 {
        relative(self.before, self.after)
    }
}

fn relative(before: f64, after: f64) -> f64 {
    if before == after { 0.0 } else { after / before - 1.0 }
}
