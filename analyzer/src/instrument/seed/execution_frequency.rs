//! A statement → how often the benchmarks execute it, and its class of execution frequency.

use super::edit_sites::{SeedableFunction, SeedableStatement};
use super::model::{IntendedEffect, SeedHotness};
use super::planted_code::PlantedLoop;
use crate::sample::IndexedProfile;
use crate::syntax::LineRange;

/// More rounds than this take minutes if the code is executed more often than the profile shows.
const MOST_ROUNDS: f64 = 1e8;

/// The functions that the benchmarks executed.
pub(super) struct ExecutionFrequencies<'a> {
    profiles: &'a [IndexedProfile],
    /// False if a profile names no function of the sources: its benchmark may execute any of them.
    is_complete: bool,
}

/// The executions of one function by the benchmarks.
pub(super) struct FunctionExecutions<'a> {
    file: &'a str,
    lines: LineRange,
    /// True if no other benchmark may have executed it unseen.
    is_complete: bool,
    /// Profiles that executed it, with the number of calls.
    by: Vec<(&'a IndexedProfile, u64)>,
}

/// The place of an edit at a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeedInsertionPoint {
    /// Before it.
    Before,
    /// In its head: for a loop, in each round.
    Within,
}

impl<'a> ExecutionFrequencies<'a> {
    pub(super) fn new(profiles: &'a [IndexedProfile]) -> Self {
        Self {
            profiles,
            is_complete: profiles.iter().all(|profile| profile.files().next().is_some()),
        }
    }

    /// The executions of the function, or of the code that the compiler makes, at these lines.
    pub(super) fn function_executions<'s>(&'s self, file: &'s str, lines: LineRange) -> FunctionExecutions<'s> {
        let (first, last) = (lines.first, lines.last);
        let by = self.profiles.iter().filter_map(|profile| {
            let calls: u64 = profile
                .declared(file, first, last)
                .map(|id| profile.profile().function(id))
                .filter(|function| !function.external)
                .map(|function| function.calls)
                .max()
                .unwrap_or(0);
            let executed = calls > 0 || !profile.lines(file, first, last).is_empty();
            executed.then_some((profile, calls))
        });
        FunctionExecutions {
            file,
            lines,
            is_complete: self.is_complete,
            by: by.collect(),
        }
    }

    /// A loop that costs a given share of the benchmark for which the statement matters most.
    pub(super) fn intended_effect(
        &self,
        file: &str,
        host: &SeedableFunction,
        statement: &SeedableStatement,
        (share, repeat): (f64, PlantedLoop),
    ) -> Option<IntendedEffect> {
        let reached = self.function_executions(file, host.lines);
        let (profile, executions) = reached.most_exposed(statement, SeedInsertionPoint::Before)?;
        let rounds = repeat.rounds_of(share * profile.total() / executions as f64);
        (repeat.fewest_rounds..=MOST_ROUNDS)
            .contains(&rounds)
            .then(|| IntendedEffect {
                benchmark: profile.profile().benchmark.clone(),
                share,
                rounds: rounds.round() as u32,
                executions,
            })
    }
}

impl<'a> FunctionExecutions<'a> {
    /// True if some benchmark executes it.
    pub(super) fn is_reached(&self) -> bool {
        !self.by.is_empty()
    }

    /// The class of the code as a whole, by its calls, or by its first executed line where it is inlined everywhere.
    pub(super) fn most_often(&self) -> Option<SeedHotness> {
        let rates = self.by.iter().map(|(profile, calls)| {
            let lines = profile.lines(self.file, self.lines.first, self.lines.last);
            let executions = lines.first().map_or(0, |line| line.executions);
            (*calls).max(executions) as f64 / profile.total()
        });
        let highest = rates.max_by(f64::total_cmp).filter(|rate| *rate > 0.0)?;
        Some(SeedHotness::of(highest))
    }

    /// The class of execution frequency of a statement; `None` if the profiles do not show how often it runs.
    pub(super) fn hotness(&self, statement: &SeedableStatement, spot: SeedInsertionPoint) -> Option<SeedHotness> {
        if self.by.is_empty() {
            return self.is_complete.then_some(SeedHotness::Unreached);
        }
        let (profile, executions) = self.most_exposed(statement, spot)?;
        Some(SeedHotness::of(executions as f64 / profile.total()))
    }

    /// The benchmark that executes a statement most often relative to its total cost, and how often.
    fn most_exposed(
        &self,
        statement: &SeedableStatement,
        spot: SeedInsertionPoint,
    ) -> Option<(&'a IndexedProfile, u64)> {
        let rate = |(profile, executions): &(&IndexedProfile, u64)| *executions as f64 / profile.total();
        self.by
            .iter()
            .filter_map(|&(profile, calls)| {
                let executions = self.executions(profile, calls, (statement, spot))?;
                (executions > 0).then_some((profile, executions))
            })
            .max_by(|one, two| rate(one).total_cmp(&rate(two)))
    }

    /// The number of executions of a place in one benchmark: that of the first of its lines with a count; for what runs once
    /// in each call, the number of calls.
    fn executions(
        &self,
        profile: &IndexedProfile,
        calls: u64,
        (statement, spot): (&SeedableStatement, SeedInsertionPoint),
    ) -> Option<u64> {
        let lines = match spot {
            SeedInsertionPoint::Before => statement.reached_with,
            SeedInsertionPoint::Within => Some(statement.lines),
        };
        let counted = |lines: LineRange| {
            let all = profile.lines(self.file, lines.first, lines.last);
            all.first().map(|line| line.executions)
        };
        let runs_once = match spot {
            SeedInsertionPoint::Before => statement.is_reached_once,
            SeedInsertionPoint::Within => statement.runs_once,
        };
        lines.and_then(counted).or((runs_once && calls > 0).then_some(calls))
    }
}
