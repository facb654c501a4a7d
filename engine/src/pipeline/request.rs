//! The request to the gate, its context, and the judgement.

use std::collections::BTreeMap;
use std::time::Duration;

use analyzer::score::VersionScore;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::store::Store;
use verdict::claims::RequestedClaim;
use verdict::{JobMeasurements, MeasurementRound, VerdictReport};

use super::selection::SelectionRequest;
use crate::profiling::Profiler;
use crate::progress::Progress;
use crate::settings::{GateMetric, Settings};

/// The request.
#[derive(Debug, Clone, Copy)]
pub struct GateRequest<'a> {
    /// The version compared with.
    pub base: CommitId,
    /// The version that is judged.
    pub head: CommitId,
    /// The requested benchmarks.
    pub which: SelectionRequest<'a>,
    /// The claims about the change. The benchmarks that they name are measured as well.
    pub claims: &'a [RequestedClaim],
    /// The metrics that are measured and count for the verdict.
    pub metrics: &'a [GateMetric],
    /// How long measuring may take, builds excluded.
    pub budget: Duration,
    /// True if the head is not committed: neither its verdict nor its programs are kept.
    pub draft: bool,
    /// True if a job that has no submodules scores the same sources, and wants the measurements of all that it selects.
    pub is_scored_again: bool,
    /// The results of earlier runs that may be used.
    pub reuse: GateReuse,
    /// The effort.
    pub thoroughness: GateThoroughness,
}

/// The results of earlier runs that a judgement may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateReuse {
    /// Kept builds and counts of this machine, and the counts in the store.
    Everything,
    /// None: both versions are built and measured.
    Nothing,
}

impl GateReuse {
    /// Everything, unless whoever asks wants all of it built and measured again.
    #[must_use]
    pub fn unless(fresh: bool) -> Self {
        match fresh {
            true => Self::Nothing,
            false => Self::Everything,
        }
    }

    /// True if nothing of an earlier run is used.
    pub(super) fn is_fresh(self) -> bool {
        self == Self::Nothing
    }
}

/// The effort spent on a judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateThoroughness {
    /// Decided benchmarks are not measured further.
    Gate,
    /// Benchmarks that compile to the same code are measured anyway, to check that the gate is right.
    Exhaustive,
}

/// Everything that a judgement needs.
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
    /// Receives progress.
    pub progress: Progress<'a>,
}

/// The judgement.
#[derive(Debug)]
pub struct GateJudgement {
    /// The values behind the report.
    pub measurements: JobMeasurements,
    /// Measurements and verdict.
    pub report: VerdictReport,
    /// The prediction.
    pub score: VersionScore,
    /// Why one of the versions, or a benchmark of it, does not build; the entries say it as well.
    pub unbuilt: Option<String>,
    /// True if a program of an earlier run was taken instead of building it.
    pub reused_programs: bool,
    /// Versions that were built.
    pub builds: u32,
    /// The wall times behind the report, by benchmark.
    pub rounds: BTreeMap<String, Vec<MeasurementRound>>,
}
