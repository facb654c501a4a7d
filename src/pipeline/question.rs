//! What the pipeline is asked, what it is answered with, and the answer.

use std::collections::BTreeMap;
use std::time::Duration;

use analyzer::score::VersionScore;
use profile::Round;
use profile::verdict::Report;
use runner::git::{CommitId, Repository};
use runner::process::Interruption;
use runner::store::Store;

use super::select::Which;
use crate::cli::Profiler;
use crate::settings::{Measured, Settings};
use crate::terminal::Progress;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    /// The version compared with.
    pub(crate) base: CommitId,
    /// The version that is judged.
    pub(crate) head: CommitId,
    /// Which benchmarks.
    pub(crate) which: Which<'a>,
    /// What is measured, and counts for the verdict.
    pub(crate) metrics: &'a [Measured],
    /// How long measuring may take, builds excluded.
    pub(crate) budget: Duration,
    /// True if what an earlier run measured is measured again.
    pub(crate) fresh: bool,
    /// How much is done.
    pub(crate) thoroughness: Thoroughness,
}

/// How much is done to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thoroughness {
    /// What is decided is left at that; what moved is timed for illustration.
    Gate,
    /// What is decided is left at that, and nothing illustrates.
    Quick,
    /// What is compiled to the same code is measured all the same: for who wants to know whether the gate is right.
    Exhaustive,
}

/// What it is answered with.
#[derive(Clone, Copy)]
pub(crate) struct Workplace<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) settings: &'a Settings,
    pub(crate) store: &'a Store,
    pub(crate) profiler: Profiler,
    pub(crate) interruption: &'a Interruption,
    /// Who is told how far it is.
    pub(crate) progress: &'a Progress,
}

/// The answer.
#[derive(Debug)]
pub(crate) struct Judgement {
    /// What was measured, and what that means.
    pub(crate) report: Report,
    /// What was predicted.
    pub(crate) score: VersionScore,
    /// Why one of the versions, or a benchmark of it, does not build; the entries say it as well.
    pub(crate) unbuilt: Option<String>,
    /// The wall times behind the report, by benchmark.
    pub(crate) rounds: BTreeMap<String, Vec<Round>>,
}
