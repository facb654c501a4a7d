//! Stage 4: benchmarks into interleaved rounds of wall time, look by look until each is decided or the budget is spent.
//!
//! Nothing else runs meanwhile. Rounds are kept as they come, and gone on with by the next run on the same versions.

use std::collections::BTreeMap;

use runner::measure::Unmeasured;
use runner::measure::results::{Entry, Values};
use runner::measure::sides::Which;
use runner::measure::wall_time::{Rounds, UnmeasuredSide, rounds};
use verdict::wall_time::{self, State, next_look};
use verdict::{BenchmarkVerdict, Finding, Outcome};
use verdict::{Metric, Round};

use super::build::Built;
use super::draft::Passed;
use super::entry::Candidate;
use super::terms::Terms;
use crate::error::EngineError;

/// Rounds at most where times only illustrate: enough for an interval, though maybe not for a decision.
const ILLUSTRATING: usize = 20;

/// What measures.
const TOOL: &str = "clock";

/// What the stage found.
#[derive(Debug, Default)]
pub(super) struct Timed {
    pub(super) entries: Vec<BenchmarkVerdict>,
    /// What they stand on, by benchmark.
    pub(super) rounds: BTreeMap<String, Vec<Round>>,
}

impl Timed {
    pub(super) fn passed(&self) -> Passed {
        let moved = self.entries.iter().filter(|entry| entry.significant);
        Passed {
            of: self.entries.len(),
            on: moved.count(),
        }
    }
}

/// A benchmark with its rounds so far.
struct Timeline<'c> {
    candidate: &'c Candidate,
    rounds: Vec<Round>,
    retries: u32,
    /// Why there are no more.
    end: Option<End>,
}

enum End {
    OutOfTime,
    Failed(Finding),
}

/// Times every candidate.
pub(super) fn measure(built: &mut Built, candidates: &[Candidate], terms: &Terms<'_>) -> Result<Timed, EngineError> {
    let rules = terms.of_times(candidates.len());
    let mut timelines: Vec<Timeline<'_>> = (candidates.iter())
        .map(|candidate| known(built, candidate, terms))
        .collect();
    // Look by look over all benchmarks, not benchmark by benchmark: the budget is shared fairly.
    loop {
        let mut open = false;
        for timeline in &mut timelines {
            let decided = || wall_time::look(&timeline.rounds, rules).state != State::Undecided;
            let Some(target) = next_look(timeline.rounds.len()) else {
                continue;
            };
            let enough = !terms.times_count() && target > ILLUSTRATING;
            if enough || timeline.end.is_some() || decided() {
                continue;
            }
            open = true;
            timeline.go_on(built, target, terms)?;
        }
        if !open {
            break;
        }
    }
    Ok(settled(timelines, rules, terms))
}

fn known<'c>(built: &Built, candidate: &'c Candidate, terms: &Terms<'_>) -> Timeline<'c> {
    let kept = built.results.known(&candidate.name, Metric::WallTime);
    let (rounds, retries) = match kept.filter(|_| !terms.fresh) {
        Some(Entry {
            values: Values::Rounds(rounds),
            retries,
            ..
        }) => {
            let kept = report::number::of(rounds.len(), "round");
            let note = format!("{}: {kept} kept from an earlier run", candidate.name);
            terms.progress.detail(&note);
            (rounds.clone(), *retries)
        }
        _ => (Vec::new(), 0),
    };
    Timeline {
        candidate,
        rounds,
        retries,
        end: None,
    }
}

impl Timeline<'_> {
    /// Measures up to the next look, and keeps what there is.
    fn go_on(&mut self, built: &mut Built, target: usize, terms: &Terms<'_>) -> Result<(), EngineError> {
        let name = &self.candidate.name;
        terms
            .progress
            .working_on(&format!("{name}: round {} of {target}", self.rounds.len() + 1));
        // One at a time: what is there when the budget ends counts.
        while self.rounds.len() < target && self.end.is_none() {
            let wanted = Rounds {
                benchmark: name,
                first: u32::try_from(self.rounds.len()).unwrap_or(u32::MAX),
                count: 1,
                seed: terms.seed,
            };
            match rounds(&mut built.sides, &wanted, &terms.conditions) {
                Ok(taken) => {
                    self.rounds.extend(taken.value);
                    self.retries += taken.retries;
                }
                Err(UnmeasuredSide { which, why }) => self.end = Some(end(which, why)?),
            }
        }
        let entry = Entry {
            benchmark: name.clone(),
            metric: Metric::WallTime,
            values: Values::Rounds(self.rounds.clone()),
            retries: self.retries,
        };
        built.results.keep(entry).map_err(EngineError::environment)
    }
}

/// Why a side's failure ends a benchmark's rounds, unless it ends everything.
fn end(which: Which, why: Unmeasured) -> Result<End, EngineError> {
    match why {
        Unmeasured::Interrupted => Err(EngineError::Interrupted),
        Unmeasured::Machine { reason } => Err(EngineError::environment(format_args!(
            "timing at the {which}: {reason}"
        ))),
        Unmeasured::OutOfTime => Ok(End::OutOfTime),
        why => Ok(End::Failed(super::entry::unmeasured(
            Metric::WallTime,
            &BTreeMap::from([(which, why)]),
        ))),
    }
}

/// Every benchmark's verdict, now that no more rounds come.
fn settled(timelines: Vec<Timeline<'_>>, rules: wall_time::Terms, terms: &Terms<'_>) -> Timed {
    let standings: Vec<_> = (timelines.iter())
        .map(|timeline| wall_time::look(&timeline.rounds, rules))
        .collect();
    let rounds = (timelines.iter())
        .map(|timeline| (timeline.candidate.name.clone(), timeline.rounds.clone()))
        .collect();
    let entries = (timelines.into_iter().zip(wall_time::settle(&standings))).map(|(timeline, finding)| {
        let finding = match timeline.end {
            Some(End::Failed(failed)) => failed,
            Some(End::OutOfTime) if finding.outcome == Outcome::Inconclusive => Finding {
                reason: format!("{}; {}", finding.reason, Unmeasured::OutOfTime),
                ..finding
            },
            _ => finding,
        };
        BenchmarkVerdict {
            gating: terms.times_count(),
            starts: u32::try_from(timeline.rounds.len()).unwrap_or(u32::MAX),
            retries: timeline.retries,
            ..timeline.candidate.measured(finding, TOOL)
        }
    });
    Timed {
        entries: entries.collect(),
        rounds,
    }
}
