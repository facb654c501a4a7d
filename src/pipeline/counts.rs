//! Stage 3: benchmarks into counts of what their subjects do, at both sides, and what the counts say.
//!
//! One run of each side is enough for most: a count repeats, so that a change within the floor can't become one by
//! running again. Runs of one side go on side by side; the checkout stands at one side at a time. What is measured
//! is kept at once.

use std::collections::BTreeMap;

use profile::Metric;
use profile::verdict::counted::{Runs, Terms, judge, more_needed};
use profile::verdict::{BenchmarkVerdict, Finding, Outcome, Report};
use rayon::prelude::*;
use runner::adapter::Benchmark;
use runner::measure::results::{Entry, Values};
use runner::measure::sides::Which;
use runner::measure::{Conditions, Taken, Unmeasured, counts, memory};

use super::build::Built;
use super::entry::Candidate;
use super::stages::Passed;
use crate::exit::Failure;
use crate::settings::Measured;
use crate::terminal::Progress;

/// Benchmarks that are counted before the next ones begin, for each that can run at a time: those that come later
/// may be left to the end of the budget.
const CHUNK: usize = 4;

/// What the stage found.
#[derive(Debug, Default)]
pub(super) struct Counted {
    pub(super) entries: Vec<BenchmarkVerdict>,
    /// Benchmarks whose instructions (or operations) moved.
    pub(super) moved: Vec<Candidate>,
    /// Benchmarks that were run.
    pub(super) run: usize,
}

impl Counted {
    pub(super) fn passed(&self) -> Passed {
        Passed {
            of: self.run,
            on: self.moved.len(),
        }
    }
}

/// How to count, and by what to judge.
pub(super) struct Counting<'a> {
    /// What was asked for.
    pub(super) metrics: &'a [Measured],
    pub(super) conditions: Conditions<'a>,
    /// The smallest change that the user wants to hear of.
    pub(super) tolerance: Option<f64>,
    pub(super) history: &'a History,
    /// True if what is kept of an earlier run counts for nothing.
    pub(super) fresh: bool,
    pub(super) progress: &'a Progress,
}

/// Something that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counter {
    Instructions,
    Memory,
}

/// Counts every candidate in every metric that was asked for, the first candidates first.
pub(super) fn measure(
    built: &mut Built,
    candidates: Vec<Candidate>,
    counting: &Counting<'_>,
) -> Result<Counted, Failure> {
    let mut found = Counted::default();
    let chunk = CHUNK * rayon::current_num_threads();
    let mut candidates = candidates.into_iter().peekable();
    while candidates.peek().is_some() {
        let mut chunk: Vec<Candidate> = candidates.by_ref().take(chunk).collect();
        found.run += chunk.len();
        for (counter, asked) in [
            (Counter::Instructions, Measured::Instructions),
            (Counter::Memory, Measured::Memory),
        ] {
            if counting.metrics.contains(&asked) {
                let tallies = counter.run(built, &chunk, counting)?;
                counter.judge(&mut chunk, tallies, counting, &mut found);
            }
        }
    }
    Ok(found)
}

/// The runs of one benchmark under one counter.
#[derive(Debug, Default)]
struct Tally {
    /// A row for each run, a value for each of the counter's metrics.
    base: Vec<Vec<u64>>,
    head: Vec<Vec<u64>>,
    retries: u32,
    /// Why it has no value at a side.
    failed: BTreeMap<Which, Unmeasured>,
    /// What the base executed is the same code at the head, in so many functions.
    same_code: Option<usize>,
    kept: bool,
}

/// What one run of one side gave.
struct Ran {
    values: Vec<u64>,
    executed: Option<counts::Counted>,
}

impl Counter {
    fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Instructions => &[Metric::Instructions],
            Self::Memory => &[
                Metric::AllocatedBytes,
                Metric::Allocations,
                Metric::PeakBytes,
            ],
        }
    }

    fn tool(self) -> &'static str {
        match self {
            Self::Instructions => "callgrind",
            Self::Memory => "dhat",
        }
    }

    fn count(
        self,
        benchmark: &Benchmark,
        conditions: &Conditions<'_>,
    ) -> Result<Taken<Ran>, Unmeasured> {
        let taken = |values, executed, retries| Taken {
            value: Ran { values, executed },
            retries,
        };
        match self {
            Self::Instructions => counts::count(benchmark, conditions).map(|counted| {
                taken(
                    vec![counted.value.total],
                    Some(counted.value),
                    counted.retries,
                )
            }),
            Self::Memory => memory::weigh(benchmark, conditions).map(|heap| {
                let values = vec![heap.value.bytes, heap.value.allocations, heap.value.peak];
                taken(values, None, heap.retries)
            }),
        }
    }

    /// Runs benchmarks until no further run can matter.
    fn run(
        self,
        built: &mut Built,
        candidates: &[Candidate],
        counting: &Counting<'_>,
    ) -> Result<Vec<Tally>, Failure> {
        let mut tallies: Vec<Tally> = (candidates.iter())
            .map(|candidate| self.known(built, candidate, counting))
            .collect();
        loop {
            let open: Vec<usize> = (0..candidates.len())
                .filter(|&at| self.is_open(&candidates[at], &tallies[at], counting))
                .collect();
            if open.is_empty() {
                break;
            }
            for which in Which::BOTH {
                let open: Vec<usize> = (open.iter().copied())
                    .filter(|&at| tallies[at].same_code.is_none())
                    .collect();
                let side = built.sides.run_at(which).map_err(Failure::environment)?;
                let ran: Vec<(usize, Result<Taken<Ran>, Unmeasured>)> = (open.into_par_iter())
                    .filter_map(|at| {
                        let name = &candidates[at].name;
                        counting.progress.working_on(&format!("{name} at the {which}"));
                        let benchmark = side.benchmark(name)?;
                        Some((at, self.count(benchmark, &counting.conditions)))
                    })
                    .collect();
                for (at, ran) in ran {
                    let executed = tallies[at].enter(which, ran)?;
                    if let Some(executed) = executed {
                        tallies[at].same_code =
                            built.executes_the_same(&candidates[at].name, &executed);
                    }
                }
            }
            for at in open {
                self.keep(built, &candidates[at], &tallies[at])?;
            }
        }
        Ok(tallies)
    }

    /// Whether another run of each side can matter.
    fn is_open(self, candidate: &Candidate, tally: &Tally, counting: &Counting<'_>) -> bool {
        let closed = tally.kept || tally.same_code.is_some() || !tally.failed.is_empty();
        !closed
            && (self.metrics().iter().enumerate()).any(|(at, &metric)| {
                let (base, head) = (tally.column(Which::Base, at), tally.column(Which::Head, at));
                let runs = Runs {
                    metric,
                    base: &base,
                    head: &head,
                };
                more_needed(runs, counting.terms(&candidate.name, metric))
            })
    }

    /// What an earlier run left.
    fn known(self, built: &Built, candidate: &Candidate, counting: &Counting<'_>) -> Tally {
        let mut tally = Tally::default();
        if counting.fresh {
            return tally;
        }
        for &metric in self.metrics() {
            let Some(Entry {
                values: Values::Counts { base, head },
                retries,
                ..
            }) = built.results.known(&candidate.name, metric)
            else {
                return Tally::default();
            };
            for (rows, column) in [(&mut tally.base, base), (&mut tally.head, head)] {
                rows.resize(column.len(), Vec::new());
                rows.iter_mut().zip(column).for_each(|(row, &value)| row.push(value));
            }
            tally.retries = *retries;
        }
        tally.kept = true;
        let kept = format!("{}: {} kept from an earlier run", candidate.name, self.tool());
        counting.progress.detail(&kept);
        tally
    }

    fn keep(self, built: &mut Built, candidate: &Candidate, tally: &Tally) -> Result<(), Failure> {
        if !tally.failed.is_empty() || tally.same_code.is_some() {
            return Ok(());
        }
        for (at, &metric) in self.metrics().iter().enumerate() {
            let column = |rows: &[Vec<u64>]| rows.iter().map(|row| row[at]).collect();
            let entry = Entry {
                benchmark: candidate.name.clone(),
                metric,
                values: Values::Counts {
                    base: column(&tally.base),
                    head: column(&tally.head),
                },
                retries: tally.retries,
            };
            built.results.keep(entry).map_err(Failure::environment)?;
        }
        Ok(())
    }

    /// Turns runs into entries. Candidates whose code turned out to be the same are not handed on.
    fn judge(
        self,
        candidates: &mut Vec<Candidate>,
        tallies: Vec<Tally>,
        counting: &Counting<'_>,
        found: &mut Counted,
    ) {
        let mut tallies = tallies.into_iter();
        candidates.retain(|candidate| {
            let tally = tallies.next().expect("each candidate has its tally");
            if let Some(functions) = tally.same_code {
                let functions = report::number::of(functions, "function");
                let reason = format!("all {functions} that it executes are the same machine code");
                found.entries.push(candidate.entry(Outcome::SameCode, reason));
                return false;
            }
            for (at, &metric) in self.metrics().iter().enumerate() {
                let finding = tally.finding(at, metric, counting.terms(&candidate.name, metric));
                if finding.significant && metric == Metric::Instructions {
                    found.moved.push(candidate.clone());
                }
                let entry = candidate.measured(finding, self.tool());
                let starts = tally.base.len().max(tally.head.len());
                let entry = BenchmarkVerdict {
                    starts: u32::try_from(starts).unwrap_or(u32::MAX),
                    retries: tally.retries,
                    ..entry
                };
                let failed = entry.base.is_none() && entry.head.is_none();
                found.entries.push(entry);
                if failed {
                    // One entry says why; the counter's other metrics would repeat it.
                    break;
                }
            }
            true
        });
    }
}

impl Tally {
    /// Takes a run's outcome; gives what it executed, where that is known.
    fn enter(
        &mut self,
        which: Which,
        ran: Result<Taken<Ran>, Unmeasured>,
    ) -> Result<Option<counts::Counted>, Failure> {
        match ran {
            Ok(taken) => {
                self.retries += taken.retries;
                let rows = match which {
                    Which::Base => &mut self.base,
                    Which::Head => &mut self.head,
                };
                rows.push(taken.value.values);
                Ok(taken.value.executed.filter(|_| which == Which::Base))
            }
            Err(Unmeasured::Interrupted) => Err(Failure::Interrupted),
            Err(error @ Unmeasured::Machine { .. }) => Err(Failure::environment(format_args!(
                "measuring at the {which}: {error}"
            ))),
            Err(error) => {
                self.failed.insert(which, error);
                Ok(None)
            }
        }
    }

    fn column(&self, which: Which, at: usize) -> Vec<f64> {
        let rows = match which {
            Which::Base => &self.base,
            Which::Head => &self.head,
        };
        rows.iter().map(|row| row[at] as f64).collect()
    }

    fn finding(&self, at: usize, metric: Metric, terms: Terms<'_>) -> Finding {
        let (base, head) = (self.column(Which::Base, at), self.column(Which::Head, at));
        if self.failed.is_empty() {
            let runs = Runs {
                metric,
                base: &base,
                head: &head,
            };
            return judge(runs, terms);
        }
        super::entry::unmeasured(metric, &self.failed)
    }
}

impl Counting<'_> {
    fn terms(&self, benchmark: &str, metric: Metric) -> Terms<'_> {
        Terms {
            history: self.history.of(benchmark, metric),
            minimum_change: self.tolerance,
        }
    }
}

/// How each benchmark moved from version to version, in the verdicts that are kept.
#[derive(Debug, Default)]
pub(super) struct History(BTreeMap<(String, Metric), Vec<f64>>);

impl History {
    /// The changes of all kept verdicts of one environment, but for those on `head` itself.
    pub(super) fn of_verdicts(
        verdicts: &[Report],
        environment: &BTreeMap<String, String>,
        head: &str,
    ) -> Self {
        let mut history = Self::default();
        let comparable = verdicts
            .iter()
            .filter(|report| report.environment == *environment && report.head != head);
        for entry in comparable.flat_map(|report| &report.benchmarks) {
            if let Some(change) = entry.change {
                let key = (entry.name.clone(), entry.metric);
                history.0.entry(key).or_default().push(change);
            }
        }
        history
    }

    fn of(&self, benchmark: &str, metric: Metric) -> &[f64] {
        let changes = self.0.get(&(benchmark.to_owned(), metric));
        changes.map_or(&[], Vec::as_slice)
    }
}
