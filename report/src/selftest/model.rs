//! The answer of `lito selftest`: the contract `lito.selftest/1`, field by field.

use std::collections::BTreeMap;

use analyzer::instrument::seed::{IntendedEffect, KINDS, PlantedKind, SeedHotness};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use verdict::Metric;
use verdict::statistics::proportion_interval;
use verdict::{BenchmarkOutcome, Verdict};

/// How far a planted change may be off its size, as a share of it, to count as one of that size.
const NEAR: f64 = 0.2;

/// The version of the contract.
pub const SCHEMA: &str = "lito.selftest/1";

/// How sure the intervals are.
const CONFIDENCE: f64 = 0.95;

/// All trials of a self-test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelftestReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version that changes were planted in; it is also the sample behind the predictions.
    pub commit: String,
    /// A relative change from which a benchmark counts as moved.
    pub threshold: f64,
    /// Seed of the random choice of places.
    pub seed: u64,
    /// Identical versions against each other, by metric.
    pub identical: Vec<IdenticalVersionsResult>,
    /// The planted changes, by kind and place.
    pub seeds: Vec<SelftestTrial>,
    /// Results by kind and place, then by kind alone, then by place alone, then in all.
    pub cells: Vec<SelftestCell>,
    /// Kinds of change that were asked for and that no source offers a site for, at all or at some places.
    #[serde(default)]
    pub no_site: Vec<MissingSite>,
    /// The planted changes of known size.
    pub sized: Vec<SelftestTrial>,
    /// Results by size.
    pub power: Vec<DetectionPower>,
    /// The wall times of identical versions, the head's made longer by a known amount: by size.
    #[serde(default)]
    pub lengthened: Vec<DetectionPower>,
    /// Conditions of the measurements besides the sources: name → value.
    pub environment: BTreeMap<String, String>,
    /// Seconds from start to end.
    pub cost_seconds: f64,
}

/// Differences that one metric showed between identical versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IdenticalVersionsResult {
    /// The metric.
    pub metric: Metric,
    /// Benchmarks that were reported to have moved, among those with a verdict.
    pub alarms: BinomialProportion,
    /// Comparisons without a verdict.
    pub undecided: u32,
    /// The largest change that was seen, in size.
    pub largest: f64,
}

/// One planted change and its results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelftestTrial {
    /// The kind it is meant to be.
    pub kind: PlantedKind,
    /// How hot the changed code is.
    pub place: SeedHotness,
    /// The file.
    pub file: String,
    /// The function.
    pub function: String,
    /// The line, 1-based.
    pub line: u32,
    /// The planted change, in one clause.
    pub description: String,
    /// True if code was added to the version before the change: code that is younger than the sample.
    #[serde(default)]
    pub prepared: bool,
    /// Its intended cost, if known.
    pub aim: Option<IntendedEffect>,
    /// Predicted probability that a benchmark moves.
    pub probability: f64,
    /// Whether the score selects it for a benchmark run.
    pub flagged: bool,
    /// Result of the measurement.
    pub measured: TrialMeasurement,
}

/// Result of measuring a planted change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrialMeasurement {
    /// One of the two sides does not compile: why.
    NotCompiled(String),
    /// It compiles, but no benchmark could be compared: why.
    Failed(String),
    /// It was compared.
    Changes(TrialComparison),
}

/// A planted change that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialComparison {
    /// The benchmark that moved most: for a change of known size, the one that it was made for.
    pub benchmark: String,
    /// Result in each metric; the first decides whether it moved.
    pub seen: Vec<TrialMetricChange>,
    /// Whether a benchmark moved by the threshold.
    pub moved: bool,
    /// Whether the score selects a benchmark that moved.
    pub caught: bool,
    /// The verdict if all benchmarks had been run.
    pub verdict: Verdict,
    /// Whether that verdict is right: nothing moved where nothing can, nothing against what was planted, and every
    /// benchmark that moved by the threshold was called so.
    pub right: bool,
}

/// Result of a benchmark in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialMetricChange {
    /// The metric.
    pub metric: Metric,
    /// The relative change.
    pub change: f64,
    /// Its verdict.
    pub outcome: BenchmarkOutcome,
}

/// Some of a number of trials, with the interval in which the true rate lies with 95% confidence (Clopper and
/// Pearson).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BinomialProportion {
    /// Number of hits.
    pub hits: u32,
    /// Number of trials.
    pub of: u32,
    /// Lower bound of the rate.
    pub low: f64,
    /// Upper bound of the rate.
    pub high: f64,
}

/// Results of the planted changes of one kind at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelftestCell {
    /// The kind; `None` for all.
    pub kind: Option<PlantedKind>,
    /// The place; `None` for all.
    pub place: Option<SeedHotness>,
    /// Planted changes that compile.
    pub compiled: BinomialProportion,
    /// Measured changes that moved a benchmark by the threshold.
    pub moved: BinomialProportion,
    /// Changes that moved a benchmark and were flagged with it.
    pub recall: BinomialProportion,
    /// The same, only of changes to code that is younger than the sample.
    #[serde(default)]
    pub recall_prepared: BinomialProportion,
    /// Changes that moved nothing but were flagged.
    pub flagged_in_vain: BinomialProportion,
    /// Measured changes with the right verdict.
    pub right: BinomialProportion,
}

/// A kind of change that could not be planted at some places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingSite {
    /// The kind.
    pub kind: PlantedKind,
    /// The places that were asked for and have no site, most frequently executed first.
    pub places: Vec<SeedHotness>,
    /// True if no place has one.
    pub anywhere: bool,
}

/// Results of the planted changes of one size in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DetectionPower {
    /// The metric.
    pub metric: Metric,
    /// The relative change that was planted.
    pub share: f64,
    /// How many got the verdict *regression* for the benchmark that they were made for, of those that cost it about
    /// what was meant: within a fifth of the size.
    pub found: BinomialProportion,
    /// How many cost it something else, because the code around them was optimised in another way. They may even have
    /// made it faster.
    #[serde(default)]
    pub otherwise: u32,
    /// The smallest measured change of these benchmarks; `None` without measurements.
    pub smallest: Option<f64>,
    /// The largest.
    pub largest: Option<f64>,
}

impl IdenticalVersionsResult {
    /// False alarms among all comparisons: one that is left undecided raises none.
    #[must_use]
    pub fn false_alarms(&self) -> BinomialProportion {
        BinomialProportion::new(self.alarms.hits, self.alarms.of + self.undecided)
    }
}

impl Default for BinomialProportion {
    /// Of no trials: any rate is possible.
    fn default() -> Self {
        Self::new(0, 0)
    }
}

impl BinomialProportion {
    /// Hits out of a total.
    #[must_use]
    pub fn new(hits: u32, of: u32) -> Self {
        let interval = proportion_interval(hits, of, CONFIDENCE);
        Self {
            hits,
            of,
            low: interval.low,
            high: interval.high,
        }
    }

    /// Of the items for which the answer is known.
    fn of(answers: impl Iterator<Item = Option<bool>>) -> Self {
        let (mut hits, mut of) = (0, 0);
        for answer in answers.flatten() {
            of += 1;
            hits += u32::from(answer);
        }
        Self::new(hits, of)
    }
}

impl SelftestTrial {
    /// The comparison, if there is one.
    #[must_use]
    pub fn compared(&self) -> Option<&TrialComparison> {
        match &self.measured {
            TrialMeasurement::Changes(compared) => Some(compared),
            TrialMeasurement::NotCompiled(_) | TrialMeasurement::Failed(_) => None,
        }
    }
}

/// The kinds among those asked for that were not planted at some of the places asked for.
#[must_use]
pub fn missing_sites(trials: &[SelftestTrial], kinds: &[PlantedKind], places: &[SeedHotness]) -> Vec<MissingSite> {
    let of_kind = |kind: PlantedKind| {
        let is_planted = |place: SeedHotness| trials.iter().any(|trial| trial.kind == kind && trial.place == place);
        let without: Vec<SeedHotness> = places.iter().copied().filter(|&place| !is_planted(place)).collect();
        (!without.is_empty()).then_some(MissingSite {
            kind,
            anywhere: without.len() == places.len(),
            places: without,
        })
    };
    kinds.iter().copied().filter_map(of_kind).collect()
}

/// The cells of planted changes: by kind and place in the order in which they come, by kind, by place, in all.
#[must_use]
pub fn cells(trials: &[SelftestTrial]) -> Vec<SelftestCell> {
    let mut keys: Vec<(Option<PlantedKind>, Option<SeedHotness>)> = Vec::new();
    let kinds = KINDS.map(|kind| (Some(kind), None));
    let places = SeedHotness::ALL.map(|place| (None, Some(place)));
    let of_trials = trials.iter().map(|trial| (Some(trial.kind), Some(trial.place)));
    for key in of_trials.chain(kinds).chain(places).chain([(None, None)]) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.into_iter()
        .map(|(kind, place)| cell(trials, kind, place))
        .filter(|cell| cell.compiled.of > 0)
        .collect()
}

fn cell(trials: &[SelftestTrial], kind: Option<PlantedKind>, place: Option<SeedHotness>) -> SelftestCell {
    let fits = |trial: &&SelftestTrial| {
        kind.is_none_or(|kind| trial.kind == kind) && place.is_none_or(|place| trial.place == place)
    };
    let rate = |answer: &dyn Fn(&SelftestTrial) -> Option<bool>| {
        BinomialProportion::of(trials.iter().filter(fits).map(answer))
    };
    let of_compared =
        |answer: fn(&SelftestTrial, &TrialComparison) -> Option<bool>| rate(&|trial| answer(trial, trial.compared()?));
    SelftestCell {
        kind,
        place,
        compiled: rate(&|trial| Some(!matches!(trial.measured, TrialMeasurement::NotCompiled(_)))),
        moved: of_compared(|_, compared| Some(compared.moved)),
        recall: of_compared(|_, compared| compared.moved.then_some(compared.caught)),
        recall_prepared: of_compared(|trial, compared| (trial.prepared && compared.moved).then_some(compared.caught)),
        flagged_in_vain: of_compared(|trial, compared| (!compared.moved).then_some(trial.flagged)),
        right: of_compared(|_, compared| Some(compared.right)),
    }
}

/// The power in each metric at each size, smallest first.
#[must_use]
pub fn power(trials: &[SelftestTrial]) -> Vec<DetectionPower> {
    let share = |trial: &SelftestTrial| trial.aim.as_ref().map(|aim| aim.share);
    let mut shares: Vec<f64> = trials.iter().filter_map(share).collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    let mut powers = Vec::new();
    for metric in Metric::ALL {
        for &wanted in &shares {
            let all: Vec<&TrialComparison> = trials
                .iter()
                .filter(|trial| share(trial) == Some(wanted))
                .filter_map(SelftestTrial::compared)
                .filter(|compared| compared.in_metric(metric).is_some())
                .collect();
            if all.is_empty() {
                continue;
            }
            let is_near = |change: f64| (change - wanted).abs() <= NEAR * wanted;
            let seen: Vec<&TrialMetricChange> = all
                .iter()
                .filter(|compared| is_near(compared.change()))
                .filter_map(|compared| compared.in_metric(metric))
                .collect();
            let changes = || seen.iter().map(|seen| seen.change);
            powers.push(DetectionPower {
                metric,
                share: wanted,
                found: BinomialProportion::of(
                    seen.iter()
                        .map(|seen| Some(seen.outcome == BenchmarkOutcome::Regression)),
                ),
                otherwise: u32::try_from(all.len() - seen.len()).unwrap_or(u32::MAX),
                smallest: changes().min_by(f64::total_cmp),
                largest: changes().max_by(f64::total_cmp),
            });
        }
    }
    powers
}

impl TrialComparison {
    /// The relative change in the metric that decides.
    #[must_use]
    pub fn change(&self) -> f64 {
        self.seen.first().map_or(0.0, |seen| seen.change)
    }

    fn in_metric(&self, metric: Metric) -> Option<&TrialMetricChange> {
        self.seen.iter().find(|seen| seen.metric == metric)
    }
}
