//! The gate on one screen: two versions in, the verdict out. Each stage costs ten to a hundred times the one before,
//! and decides most of what reaches it: the source, the build, deterministic counts, wall time.

mod build;
mod code;
mod counts;
mod entry;
mod reach;
mod select;
mod stages;
mod wall_time;

use std::collections::BTreeMap;
use std::time::Duration;

use analyzer::cost::Costs;
use analyzer::score::{Model, Scoring, VersionScore};
use analyzer::syntax::ParseCache;
use profile::Round;
use profile::verdict::{self, BenchmarkVerdict, Report, StageName};
use runner::git::{CommitId, Repository};
use runner::measure::{Conditions, Deadline};
use runner::process::Interruption;
use runner::store::Store;

use crate::cli::Profiler;
use crate::exit::Failure;
use crate::samples::Samples;
use crate::scoring;
use crate::settings::{Measured, Percent, Settings};
use crate::terminal::Progress;

use counts::{Counting, History};
use select::{Run, select};
use stages::{Passed, Stages};
use wall_time::Timing;

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

/// Scores, selects, builds, compares, measures and judges.
pub(crate) fn judge(question: &Question<'_>, place: &Workplace<'_>) -> Result<Judgement, Failure> {
    let mut stages = Stages::begin();
    let score = place.score(question)?;
    let changed = scoring::changed_paths(place.repository, question.base, question.head)?;
    let selection = select(&score, &changed, question.head, question.which);
    let skipped = entry::skipped(&score, |name| selection.takes(name));
    let mut entries: Vec<BenchmarkVerdict> = skipped.collect();
    stages.end(
        StageName::Source,
        Passed {
            of: score.benchmarks.len(),
            on: score.benchmarks.len() - entries.len(),
        },
    );
    if selection.run == Run::Nothing {
        return Ok(judgement(question, score, entries, stages));
    }

    let progress = place.progress;
    let mut built = build::both(question, place)?;
    let unbuilt = built.unbuilt();
    let (candidates, unpaired) = build::divide(&built, &selection, &score);
    entries.extend(unpaired);
    let reached = candidates.len();
    let exhaustive = question.thoroughness == Thoroughness::Exhaustive;
    let all = exhaustive.then(|| candidates.clone());
    let (mut candidates, same, programs) = code::different(&built.sides, &changed, candidates);
    match all {
        Some(all) => candidates = all,
        None => entries.extend(same),
    }
    programs
        .differences()
        .iter()
        .for_each(|why| progress.detail(why));
    stages.end(
        StageName::Build,
        Passed {
            of: reached,
            on: candidates.len(),
        },
    );

    let history = place.history(question, &built)?;
    let conditions = Conditions {
        deadline: Deadline::after(question.budget),
        interruption: place.interruption,
    };
    let tolerance = place.settings.gate.tolerance.map(Percent::share);
    let counting = Counting {
        programs: &programs,
        metrics: question.metrics,
        conditions,
        tolerance,
        history: &history,
        fresh: question.fresh,
        exhaustive,
        progress,
    };
    let counted = counts::measure(&mut built, candidates, &counting)?;
    stages.end(StageName::Counts, counted.passed());
    entries.extend(counted.entries);

    // Asked for, times count; else they illustrate what was counted.
    let gating = question.metrics.contains(&Measured::WallTime);
    let timing = Timing {
        conditions,
        tolerance,
        gating,
        seed: select::seed(question.head),
        fresh: question.fresh,
        progress,
    };
    let to_time = match (gating, question.thoroughness) {
        (true, _) => counted.left,
        (false, Thoroughness::Gate) => counted.moved,
        (false, Thoroughness::Quick | Thoroughness::Exhaustive) => Vec::new(),
    };
    let timed = wall_time::measure(&mut built, &to_time, &timing)?;
    stages.end(StageName::WallTime, timed.passed());
    entries.extend(timed.entries);
    reach::complete(&mut entries, &built.sides, &programs, &score);
    let mut judgement = judgement(question, score, entries, stages);
    judgement.unbuilt = unbuilt;
    judgement.rounds = timed.rounds;
    judgement.report.audited = selection.audited;
    judgement.report.environment = built.sides.environment().0.clone();
    Ok(judgement)
}

impl Workplace<'_> {
    /// What the change from base to head is predicted to cost.
    fn score(&self, question: &Question<'_>) -> Result<VersionScore, Failure> {
        let mut samples = Samples::new(self.repository, self.store)?;
        let scoring = Scoring {
            model: Model::Lito,
            threshold: self.settings.gate.threshold.share(),
            costs: Costs::shipped(),
            parser: ParseCache::default(),
        };
        let pair = (question.base, question.head);
        scoring::score_pair(self.repository, pair, &mut samples, &scoring)
    }

    /// How the benchmarks moved before, in the environment of this comparison.
    fn history(&self, question: &Question<'_>, built: &build::Built) -> Result<History, Failure> {
        let kept = self.store.verdicts()?;
        for finding in &kept.set_aside {
            let passed_over = format!("{}: {}; it is passed over", finding.path, finding.why);
            self.progress.warn(&passed_over);
        }
        let environment = &built.sides.environment().0;
        let head = question.head.to_string();
        Ok(History::of_verdicts(&kept.verdicts, environment, &head))
    }
}

/// The verdict over all entries, as it is reported.
fn judgement(
    question: &Question<'_>,
    score: VersionScore,
    mut entries: Vec<BenchmarkVerdict>,
    stages: Stages,
) -> Judgement {
    let (verdict, reason) = verdict::overall(&entries);
    verdict::sort(&mut entries);
    let (stages, cost_seconds) = stages.finish();
    let report = Report {
        schema: verdict::SCHEMA.to_owned(),
        base: question.base.to_string(),
        head: question.head.to_string(),
        verdict,
        reason,
        benchmarks: entries,
        stages,
        audited: false,
        audit: None,
        environment: BTreeMap::new(),
        cost_seconds,
    };
    Judgement {
        report,
        score,
        unbuilt: None,
        rounds: BTreeMap::new(),
    }
}
