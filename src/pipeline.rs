//! The gate on one screen: two versions in, the verdict out. Each stage costs ten to a hundred times the one before,
//! and decides most of what reaches it: the source, the build, deterministic counts, wall time.

mod build;
mod counts;
mod entry;
mod select;
mod stages;
mod wall_time;

use std::time::Duration;

use analyzer::score::VersionScore;
use profile::verdict::{self, Report, StageName};
use runner::git::{CommitId, Repository};
use runner::measure::{Conditions, Deadline};
use runner::process::Interruption;
use runner::store::Store;

use crate::cli::Profiler;
use crate::exit::Failure;
use crate::settings::{Measured, Settings};
use crate::terminal::Terminal;

use select::{Run, select};
use stages::Stages;

pub(crate) use select::Which;

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
}

/// What it is answered with.
#[derive(Clone, Copy)]
pub(crate) struct Workplace<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) settings: &'a Settings,
    pub(crate) store: &'a Store,
    pub(crate) profiler: Profiler,
    pub(crate) interruption: &'a Interruption,
    pub(crate) terminal: &'a Terminal,
}

/// The answer.
#[derive(Debug)]
pub(crate) struct Judgement {
    /// What was measured, and what that means.
    pub(crate) report: Report,
    /// What was predicted.
    pub(crate) score: VersionScore,
}

/// Scores, selects, builds, compares, measures and judges.
pub(crate) fn judge(
    question: &Question<'_>,
    place: &Workplace<'_>,
) -> Result<Judgement, Failure> {
    let mut stages = Stages::begin();
    let score = place.score(question)?;
    let selection = select(&score, question.head, question.which);
    stages.end(StageName::Source, selection.counted(&score));
    if selection.run == Run::Nothing {
        let entries = entry::skipped(&score);
        return Ok(stages.judgement(question, entries, score));
    }

    let mut built = build::both(question, place)?;
    let (candidates, mut entries) = build::divide(&built, &selection, &score);
    let (candidates, same) = build::different_code(&built, candidates);
    entries.extend(same);
    stages.end(StageName::Build, candidates.len());

    let conditions = Conditions {
        deadline: Deadline::after(question.budget),
        interruption: place.interruption,
    };
    let counted = counts::measure(&mut built, &candidates, question, &conditions)?;
    stages.end(StageName::Counts, counted.moved());

    let timed = wall_time::measure(&mut built, &counted, question, &conditions)?;
    stages.end(StageName::WallTime, timed.moved());
    entries.extend(counted.entries);
    entries.extend(timed.entries);
    Ok(stages.judgement(question, entries, score))
}
