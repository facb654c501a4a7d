//! Reasons behind findings and verdicts, as data: which rule decided, with the figures that it decided on.
//!
//! Holds no sentence: `report` words them.

use serde::{Deserialize, Serialize};

use crate::drift::Drift;
use crate::{Metric, Verdict};

/// One of the two compared versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparedVersion {
    /// The version compared with.
    Base,
    /// The version that is judged.
    Head,
}

/// The rule behind the outcome of one benchmark in one metric.
#[derive(Debug, Clone, PartialEq)]
pub enum FindingReason {
    /// Counts of both versions were compared.
    Counted(CountReason),
    /// The head's counts were compared with those of a version that was measured before; the base was not built.
    CountedBefore {
        /// The rule that decided, with that version as the base.
        reason: CountReason,
        /// The version.
        measured: EarlierVersion,
        /// The reason why the version's counts are the base's.
        standing: CountStanding,
    },
    /// Wall times of both versions were compared.
    Timed(TimingReason),
    /// Wall times were compared, and the budget ended before a decision.
    TimedUntilBudget(TimingReason),
    /// Each version was built once, and what builds of one version differ by is unknown.
    BuiltOnce,
    /// There are no values to compare.
    Unmeasured(UnmeasuredReason),
}

impl FindingReason {
    /// The version whose earlier counts stand for the base's, where the base was not built.
    #[must_use]
    pub fn measured_before(&self) -> Option<&EarlierVersion> {
        match self {
            Self::CountedBefore { measured, .. } | Self::Unmeasured(UnmeasuredReason::SameProgramAs { measured }) => {
                Some(measured)
            }
            Self::Counted(_) | Self::Timed(_) | Self::TimedUntilBudget(_) | Self::BuiltOnce | Self::Unmeasured(_) => {
                None
            }
        }
    }
}

/// A version before the head, or the base itself, whose counts are known from an earlier measurement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlierVersion {
    /// Number of versions from it to the base; 0 for the base.
    pub versions: u32,
    /// Its commit id.
    pub commit: String,
}

/// The reason why the counts of an earlier version are those of the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountStanding {
    /// A change of the benchmark between the two is unlikely, by the score. Only equal counts are decided by it.
    Likely,
    /// They are the base's own counts, or nothing between the two can change the benchmark, by its source; and both were
    /// built with the same packages.
    Proved,
}

/// The rule that decided on counts. Changes are relative to the base's median.
#[derive(Debug, Clone, PartialEq)]
pub enum CountReason {
    /// At least one version has no usable count.
    NoCount,
    /// The counts are equal.
    Equal,
    /// One version counted nothing of a metric that every executed subject has.
    SubjectNotReached(ComparedVersion),
    /// Memory differs by less than the smallest difference that counts.
    SmallDifference {
        /// The absolute difference of the head's most distant run, in the metric's unit.
        difference: f64,
        /// The smallest difference that counts.
        smallest: f64,
    },
    /// The base's count is zero: there is no relative change.
    FromZero {
        /// The head's count.
        head: f64,
    },
    /// The base's median is zero, and the head's runs are partly zero or the base's partly not.
    ZeroInSomeRuns {
        /// The head's highest count.
        highest: f64,
    },
    /// The change does not exceed the threshold.
    WithinThreshold {
        /// The change.
        change: f64,
        /// The threshold.
        threshold: CountedThreshold,
    },
    /// The change exceeds the threshold, in each run of the head.
    BeyondThreshold {
        /// The change.
        change: f64,
        /// The threshold.
        threshold: CountedThreshold,
    },
    /// The head does not repeat while the base does, or not nearly as well as the base: some of its runs are within the
    /// threshold and others are not.
    HeadScatters {
        /// The change of the head's lowest run.
        lowest: f64,
        /// The change of the head's highest run.
        highest: f64,
        /// The relative spread of the base's runs; 0 if they repeat.
        base_spread: f64,
        /// The threshold.
        threshold: CountedThreshold,
    },
    /// Neither version repeats. The change of the medians exceeds the threshold, but not that of each run of the head.
    RunsOverlap {
        /// The change of the medians.
        change: f64,
        /// The threshold.
        threshold: CountedThreshold,
    },
    /// The step from base to head is within the threshold, but not the rise since an older version.
    Drifted {
        /// The step from base to head; `None` from zero.
        step: Option<f64>,
        /// The rise.
        drift: Drift,
        /// The threshold.
        threshold: CountedThreshold,
    },
}

/// The relative change of a count that is still noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountedThreshold {
    /// The threshold; infinite where one run counted nothing and another run of the same version something.
    pub value: f64,
    /// The rule that sets it.
    pub source: ThresholdSource,
}

/// The rule that sets the threshold of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThresholdSource {
    /// The noise floor of all counts.
    NoiseFloor,
    /// The smallest change that the user wants reported.
    UserMinimum,
    /// The spread that runs of one version usually had in earlier verdicts.
    History,
    /// The spread between runs of the base.
    RunSpread,
    /// The smallest change of a size that is told where nobody asked for it.
    Notable,
}

/// The rule that decided on wall times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimingReason {
    /// No round has a time of both versions.
    NoRound,
    /// Fewer rounds than the first look needs.
    TooFewRounds {
        /// Rounds measured.
        rounds: usize,
        /// Rounds that the first look needs.
        needed: usize,
    },
    /// A change above the threshold, and significant among all benchmarks.
    Significant {
        /// The measured change.
        change: TimedChange,
        /// The threshold that it exceeds.
        threshold: TimingThreshold,
        /// The p-value over all looks.
        p: f64,
    },
    /// The whole interval lies within the smallest change that counts.
    WithinMinimum {
        /// The measured change.
        change: TimedChange,
        /// The smallest relative change that counts.
        minimum: f64,
    },
    /// A change above the threshold, but not significant among all benchmarks.
    NotSignificant {
        /// The measured change.
        change: TimedChange,
        /// The p-value over all looks.
        p: f64,
        /// Benchmarks timed in this run.
        benchmarks: usize,
    },
    /// The interval excludes no change, but the change does not exceed the threshold.
    BelowThreshold {
        /// The measured change.
        change: TimedChange,
        /// The threshold.
        threshold: TimingThreshold,
    },
    /// The interval includes both no change and a change that counts.
    TooNoisy {
        /// The measured change.
        change: TimedChange,
        /// The smallest relative change that counts.
        minimum: f64,
    },
}

/// A relative change of wall time with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimedChange {
    /// The estimate.
    pub estimate: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Rounds that it rests on.
    pub rounds: usize,
}

/// The relative change of wall time that has to be exceeded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimingThreshold {
    /// The smallest change that counts.
    Minimum(f64),
    /// The difference of the base from itself (A/A control).
    BaseNoise(f64),
}

/// Why a benchmark has no values to compare.
#[derive(Debug, Clone, PartialEq)]
pub enum UnmeasuredReason {
    /// The head does not have the benchmark.
    RemovedAtHead,
    /// The base does not have the benchmark.
    NewAtHead,
    /// The benchmark does not build at one version.
    DoesNotBuild {
        /// The version.
        version: ComparedVersion,
        /// The compiler's complaint, on one line.
        complaint: String,
    },
    /// The values of the two versions would not be comparable.
    NotComparable {
        /// Why, and how to make them comparable.
        why: String,
    },
    /// Both versions compile all functions that the program can reach to the same machine code.
    SameProgram {
        /// Functions compared.
        functions: usize,
    },
    /// The head compiles all functions that the program can reach to the machine code that was measured at an earlier
    /// version, or at the base before; the base was not built.
    SameProgramAs {
        /// The version.
        measured: EarlierVersion,
    },
    /// Both versions compile all functions that the base executed to the same machine code.
    SameExecutedCode {
        /// Functions compared.
        functions: usize,
    },
    /// The predicted probability of exceeding the threshold is too low to measure.
    PredictedUnchanged {
        /// The probability.
        probability: f64,
    },
    /// The benchmark fails at one version.
    Fails {
        /// The version.
        version: ComparedVersion,
        /// The error.
        error: String,
    },
    /// The benchmark fails at both versions.
    FailsAtBoth {
        /// The head's error.
        error: String,
    },
    /// The measuring tool is missing or unusable.
    NoTool {
        /// Which tool, and what to do.
        why: String,
    },
    /// The budget ended before the benchmark was measured.
    OutOfBudget,
    /// The user stopped the run before the benchmark was measured.
    Interrupted,
    /// No run was attempted.
    NotRun,
    /// The job that measures did not deliver its values.
    NotDelivered(MissingMeasurements),
    /// The job that measures says why it has no values.
    Reported {
        /// Its reason, in one sentence.
        reason: String,
    },
}

/// Why the measurements of another job can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingMeasurements {
    /// The job reports nothing about the benchmark.
    NotReported,
    /// The job does not report a metric that the base's settings require.
    MetricNotReported {
        /// The metric's name in the settings.
        metric: String,
    },
    /// The job calls the benchmark new, and the base's sample has it.
    CalledNew,
    /// The job reports an outcome that only values can show.
    OutcomeWithoutValues,
    /// The job reports a benchmark and metric twice.
    ReportedTwice,
    /// The job's measurements follow another contract.
    OtherSchema,
    /// The job measured other versions.
    OtherVersions,
    /// The job reports more results than allowed.
    TooManyResults {
        /// Results allowed.
        limit: usize,
    },
    /// The job reports a longer text than allowed.
    TextTooLong {
        /// Bytes allowed.
        limit: usize,
    },
    /// The job reports impossible numbers: negative amounts, or infinite ones.
    ImpossibleNumbers,
    /// The job's artifact can't be read.
    UnreadableArtifact {
        /// The error.
        error: String,
    },
    /// The job left no measurements.
    NoMeasurements {
        /// The job's conclusion, as GitHub reports it.
        conclusion: String,
    },
    /// The job's measurements are malformed.
    Malformed {
        /// The parser's error.
        error: String,
    },
}

/// The reason of the verdict over all benchmarks.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictReason {
    /// The rule of the decision table that applies.
    pub cause: VerdictCause,
    /// Regressions in metrics that do not count, of benchmarks without a regression that counts.
    pub uncounted: Option<UncountedRegressions>,
}

/// The rule of the decision table that applies, with the benchmarks behind it.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictCause {
    /// Regressions, and no improvement.
    Regressed(MovedBenchmarks),
    /// Improvements, no regression, and nothing undecided.
    Improved(MovedBenchmarks),
    /// Regressions and improvements.
    Mixed {
        /// The regressions.
        worse: MovedBenchmarks,
        /// The improvements.
        better: MovedBenchmarks,
    },
    /// No regression, but benchmarks that may hide one.
    Undecided(UndecidedBenchmarks),
    /// Nothing changed.
    Unchanged(UnchangedBenchmarks),
    /// By the score no benchmark is likely to change, so nothing was run.
    AllSkipped {
        /// Benchmarks that were skipped.
        benchmarks: usize,
        /// The highest predicted probability among them; `None` if none was predicted.
        risk: Option<f64>,
    },
    /// Base and head are the same commit.
    SameCommit,
    /// Nothing changed that is compiled into a benchmark.
    NothingCompiledChanged,
    /// There is no benchmark.
    NoBenchmark,
    /// The job that measures delivered nothing usable.
    NothingDelivered(MissingMeasurements),
}

impl VerdictCause {
    /// The verdict of the rule.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Regressed(_) => Verdict::Regression,
            Self::Improved(_) => Verdict::Improvement,
            Self::Mixed { .. } => Verdict::Mixed,
            Self::Undecided(_) | Self::NothingDelivered(_) => Verdict::Inconclusive,
            Self::Unchanged(_) => Verdict::Pass,
            Self::AllSkipped { .. } | Self::SameCommit | Self::NothingCompiledChanged | Self::NoBenchmark => {
                Verdict::Skipped
            }
        }
    }
}

/// Benchmarks that changed in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedBenchmarks {
    /// Number of benchmarks, each once however many metrics it has.
    pub count: usize,
    /// The benchmark with the largest change.
    pub largest: String,
    /// The metric of the largest change.
    pub metric: Metric,
    /// The largest relative change; `None` from zero to something.
    pub change: Option<f64>,
}

/// Benchmarks that may hide a regression: by name, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UndecidedBenchmarks {
    /// Benchmarks that fail at the head.
    pub failed: Vec<String>,
    /// Benchmarks that the head does not have.
    pub removed: Vec<String>,
    /// Benchmarks whose measurements decide nothing.
    pub inconclusive: Vec<String>,
}

impl UndecidedBenchmarks {
    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.failed.is_empty() && self.removed.is_empty() && self.inconclusive.is_empty()
    }
}

/// Numbers of benchmarks without a change, by how that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnchangedBenchmarks {
    /// Measured on both sides.
    pub measured: usize,
    /// New at the head.
    pub added: usize,
    /// Compiled to the same machine code.
    pub same_code: usize,
    /// Ruled out by the score.
    pub skipped: usize,
}

/// Benchmarks that got worse only in metrics that do not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncountedRegressions {
    /// Number of benchmarks.
    pub count: usize,
    /// The first benchmark by name.
    pub benchmark: String,
    /// Its metric.
    pub metric: Metric,
}

/// Whether the changed code can reach a benchmark, by what evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReachabilityEvidence {
    /// No profile shows which functions the benchmark executes.
    NoProfile,
    /// The benchmark executes changed code, by its profile.
    ExecutesChange {
        /// The changed function, or the file where no function is known.
        changed: String,
        /// File of the change.
        file: String,
        /// Line of the change; 0 where there is none.
        line: u32,
        /// Executions in the profile; 0 where they are not counted.
        executions: u64,
    },
    /// A changed file could not be analysed.
    NotAnalyzed {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// The benchmark executes no changed code, by its profile.
    ExecutesNoChange {
        /// Versions between the profile and the judged version.
        distance: u32,
    },
    /// The benchmark executes a function whose machine code changed.
    ExecutesChangedCode {
        /// The function.
        function: String,
    },
    /// References lead from the benchmark to a function whose machine code changed.
    ReachesChangedCode {
        /// Functions from the benchmark to the changed one, both included.
        path: Vec<String>,
    },
    /// No function that the benchmark can reach changed.
    ReachesNoChangedCode {
        /// Functions that it can reach.
        functions: usize,
    },
    /// The machine code does not answer it.
    UnknownCode {
        /// Why.
        why: String,
    },
}

impl ReachabilityEvidence {
    /// Whether the changed code can reach the benchmark; `None` where that is unknown.
    #[must_use]
    pub fn reachable(&self) -> Option<bool> {
        match self {
            Self::ExecutesChange { .. } | Self::ExecutesChangedCode { .. } | Self::ReachesChangedCode { .. } => {
                Some(true)
            }
            Self::ExecutesNoChange { .. } | Self::ReachesNoChangedCode { .. } => Some(false),
            Self::NoProfile | Self::NotAnalyzed { .. } | Self::UnknownCode { .. } => None,
        }
    }
}
