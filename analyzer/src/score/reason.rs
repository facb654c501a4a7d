//! The reason for a decision, as data. The sentence is written by the report.

use crate::change::ChangeKind;
use crate::cost::{ChangeClass, PredictionTerms};

use super::{BenchmarkPrediction, CostModel, ScoreDecision, ScoredChange, VersionScore};

/// Why a version is, or is not, worth a benchmark run.
#[derive(Debug, Clone, PartialEq)]
pub enum DecisionReason {
    /// No version comes before it.
    FirstVersion,
    /// Nothing changed that is compiled into a benchmark.
    NothingCompiledChanged,
    /// There is a risk, and no sample to predict it from.
    NoSample(Option<DecisionCause>),
    /// The sample holds no benchmark.
    EmptySample,
    /// No benchmark executes what changed.
    NotExecuted,
    /// No benchmark is likely enough to reach the threshold.
    BelowThreshold {
        /// The benchmark that can move most.
        benchmark: String,
        /// Its prediction.
        movement: PredictedMovement,
        /// The relative change from which a version is worth a benchmark.
        threshold: f64,
    },
    /// Only benchmarks that are newer than the sample may execute what changed.
    NewerBenchmarks {
        /// The source of one of them.
        source: String,
    },
    /// Only benchmarks that were left out of the sample may execute what changed.
    LeftOutBenchmarks {
        /// How many there are.
        benchmarks: usize,
    },
    /// A benchmark is likely enough to reach the threshold.
    Selected {
        /// The most probable benchmark.
        benchmark: String,
        /// Its prediction.
        movement: PredictedMovement,
        /// The change that can move it most, where one is known.
        cause: Option<DecisionCause>,
    },
}

/// A prediction, as far as a decision rests on it. Relative changes: 0.10 is ten per cent slower.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PredictedMovement {
    /// The published model: the sum alone.
    Sum {
        /// The predicted change.
        predicted: f64,
    },
    /// Our model: an interval and a probability.
    Range {
        /// Lower bound.
        low: f64,
        /// Expected change.
        expected: f64,
        /// Upper bound.
        high: f64,
        /// Probability of reaching the threshold, in 0..=1.
        probability: f64,
    },
}

/// The origin of a risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionCause {
    /// A change.
    Change {
        /// Its kind.
        kind: ChangeKind,
        /// The called function, or the dependency.
        callee: Option<String>,
        /// The function or item that changed, else the file.
        place: String,
    },
    /// A file beside the code, which a benchmark reads or may read.
    ReadFile {
        /// The file.
        file: String,
    },
    /// A file that could not be analysed.
    NotAnalysed {
        /// The file.
        file: String,
    },
}

impl DecisionReason {
    /// Returns the reason for the decision of a version whose other fields are filled in.
    #[must_use]
    pub fn of(version: &VersionScore, model: CostModel, threshold: f64) -> Self {
        match (version.decision, version.sample.is_some()) {
            (ScoreDecision::Skip, _) if version.parent.is_none() => Self::FirstVersion,
            (ScoreDecision::Skip, _) if version.changes.is_empty() && version.degraded.is_empty() => {
                Self::NothingCompiledChanged
            }
            (ScoreDecision::Benchmark, false) => {
                let change = version.changes.first().map(DecisionCause::of_change);
                Self::NoSample(change.or_else(|| DecisionCause::of_degraded(version)))
            }
            (ScoreDecision::Skip, _) => skipped(version, model, threshold),
            (ScoreDecision::Benchmark, true) => match version.newer_benchmarks.first() {
                Some(source) => Self::NewerBenchmarks { source: source.clone() },
                None => selected(version, model),
            },
        }
    }
}

impl DecisionCause {
    fn of_change(change: &ScoredChange) -> Self {
        if change.is_of_read_file() {
            let file = change.file.clone();
            return Self::ReadFile { file };
        }
        Self::Change {
            kind: change.kind,
            callee: change.callee.clone(),
            place: change.function.as_ref().unwrap_or(&change.file).clone(),
        }
    }

    fn of_degraded(version: &VersionScore) -> Option<Self> {
        let first = version.degraded.first()?;
        Some(Self::NotAnalysed {
            file: first.file.clone(),
        })
    }
}

fn skipped(version: &VersionScore, model: CostModel, threshold: f64) -> DecisionReason {
    match widest(&version.benchmarks) {
        None => DecisionReason::EmptySample,
        Some(widest) if widest.low == 0.0 && widest.high == 0.0 => DecisionReason::NotExecuted,
        Some(widest) => DecisionReason::BelowThreshold {
            benchmark: widest.name.clone(),
            movement: movement(widest, model),
            threshold,
        },
    }
}

fn selected(version: &VersionScore, model: CostModel) -> DecisionReason {
    let Some(first) = version.benchmarks.first() else {
        return DecisionReason::EmptySample;
    };
    let change = version
        .changes
        .iter()
        .find(|change| change.effects.iter().any(|effect| effect.benchmark == first.name));
    DecisionReason::Selected {
        benchmark: first.name.clone(),
        movement: movement(first, model),
        cause: match is_mostly_unknown(&first.terms) {
            true => DecisionCause::of_degraded(version).or(change.map(DecisionCause::of_change)),
            false => change
                .map(DecisionCause::of_change)
                .or_else(|| DecisionCause::of_degraded(version))
                // The risk is that of a whole function, not of one of its changes.
                .or_else(|| version.changes.first().map(DecisionCause::of_change)),
        },
    }
}

/// True if more of a benchmark is at risk by what could not be analysed than by each class of changes.
fn is_mostly_unknown(terms: &PredictionTerms) -> bool {
    let unknown = terms.touched.get(&ChangeClass::Degraded).copied().unwrap_or(0.0);
    let known = terms
        .touched
        .iter()
        .filter(|(class, _)| **class != ChangeClass::Degraded);
    unknown > terms.expected.abs() && known.into_iter().all(|(_, share)| unknown > *share)
}

fn movement(of: &BenchmarkPrediction, model: CostModel) -> PredictedMovement {
    match model {
        CostModel::Paper => PredictedMovement::Sum {
            predicted: of.predicted,
        },
        CostModel::Lito => PredictedMovement::Range {
            low: of.low,
            expected: of.predicted,
            high: of.high,
            probability: of.probability,
        },
    }
}

/// The benchmark with the largest possible movement.
fn widest(benchmarks: &[BenchmarkPrediction]) -> Option<&BenchmarkPrediction> {
    let reach = |benchmark: &BenchmarkPrediction| benchmark.low.abs().max(benchmark.high.abs());
    // The first of equals, so that the result does not depend on the order of ties.
    benchmarks
        .iter()
        .reduce(|best, next| if reach(next) > reach(best) { next } else { best })
}
