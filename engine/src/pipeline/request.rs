//! What the pipeline is asked, what it is answered with, and the answer.

use std::collections::BTreeMap;
use std::time::Duration;

use analyzer::score::VersionScore;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::store::Store;
use verdict::MeasurementRound;
use verdict::VerdictReport;

use super::selection::SelectionRequest;
use crate::profiling::Profiler;
use crate::progress::Progress;
use crate::settings::{GateMetric, Settings};

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct GateRequest<'a> {
    /// The version compared with.
    pub base: CommitId,
    /// The version that is judged.
    pub head: CommitId,
    /// Which benchmarks.
    pub which: SelectionRequest<'a>,
    /// What is measured, and counts for the verdict.
    pub metrics: &'a [GateMetric],
    /// How long measuring may take, builds excluded.
    pub budget: Duration,
    /// True if what an earlier run measured is measured again.
    pub fresh: bool,
    /// How much is done.
    pub thoroughness: GateThoroughness,
}

/// How much is done to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateThoroughness {
    /// What is decided is left at that; what moved is timed for illustration.
    Gate,
    /// What is decided is left at that, and nothing illustrates.
    Quick,
    /// What is compiled to the same code is measured all the same: for who wants to know whether the gate is right.
    Exhaustive,
}

/// What it is answered with.
#[derive(Clone, Copy)]
pub struct GateContext<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The settings in force.
    pub settings: &'a Settings,
    /// The profile store.
    pub store: &'a Store,
    /// The profiler to use.
    pub profiler: Profiler,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
    /// Who is told how far it is.
    pub progress: Progress<'a>,
}

/// The answer.
#[derive(Debug)]
pub struct GateJudgement {
    /// What was measured, and what that means.
    pub report: VerdictReport,
    /// What was predicted.
    pub score: VersionScore,
    /// Why one of the versions, or a benchmark of it, does not build; the entries say it as well.
    pub unbuilt: Option<String>,
    /// The wall times behind the report, by benchmark.
    pub rounds: BTreeMap<String, Vec<MeasurementRound>>,
}
