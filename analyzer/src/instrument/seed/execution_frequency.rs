//! A statement → how often the benchmarks execute it, and which place that is.

use super::candidates::LOOP_COST;
use super::edit_sites::{SeedableFunction, SeedableStatement};
use super::model::{IntendedEffect, SeedHotness};
use crate::sample::IndexedProfile;
use crate::syntax::LineRange;

/// The compiler unrolls loops of fewer rounds, which then cost a quarter (seen: 58 rounds were unrolled, 94 were not);
/// what a loop costs before its first round, and the rounding to whole ones, are less than a hundredth of so many.
const FEWEST_ROUNDS: f64 = 200.0;

/// More rounds than this take minutes when something executes the place more often than the profile says.
const MOST_ROUNDS: f64 = 1e8;

/// What the benchmarks executed.
pub(super) struct ExecutionFrequencies<'a> {
    profiles: &'a [IndexedProfile],
}

/// A function as the benchmarks see it.
pub(super) struct FunctionExecutions<'a> {
    file: &'a str,
    /// Profiles that executed it, with how often it was called.
    by: Vec<(&'a IndexedProfile, u64)>,
}

/// Where at a statement something is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeedInsertionPoint {
    /// Before it.
    Before,
    /// In its head: for a loop, each round.
    Within,
}

impl<'a> ExecutionFrequencies<'a> {
    pub(super) fn new(profiles: &'a [IndexedProfile]) -> Self {
        Self { profiles }
    }

    pub(super) fn function_executions<'s>(&'s self, file: &'s str, host: &SeedableFunction) -> FunctionExecutions<'s> {
        let (first, last) = (host.lines.first, host.lines.last);
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
        FunctionExecutions { file, by: by.collect() }
    }

    /// The loop that costs a share of the benchmark that the statement matters most to.
    pub(super) fn intended_effect(
        &self,
        file: &str,
        host: &SeedableFunction,
        statement: &SeedableStatement,
        share: f64,
    ) -> Option<IntendedEffect> {
        let reached = self.function_executions(file, host);
        let (profile, executions) = reached.most_exposed(statement, SeedInsertionPoint::Before)?;
        let rounds = share * profile.total() / (executions as f64 * LOOP_COST);
        (FEWEST_ROUNDS..=MOST_ROUNDS).contains(&rounds).then(|| IntendedEffect {
            benchmark: profile.profile().benchmark.clone(),
            share,
            rounds: rounds.round() as u32,
            executions,
        })
    }
}

impl<'a> FunctionExecutions<'a> {
    /// The place of a statement; `None` where the profiles do not say how often it runs.
    pub(super) fn hotness(&self, statement: &SeedableStatement, spot: SeedInsertionPoint) -> Option<SeedHotness> {
        if self.by.is_empty() {
            return Some(SeedHotness::Unreached);
        }
        let (profile, executions) = self.most_exposed(statement, spot)?;
        Some(SeedHotness::of(executions as f64 / profile.total()))
    }

    /// The benchmark that executes a statement most often for what it costs, with how often.
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

    /// How often one benchmark executes a spot: as often as the first of its lines that has a count, and the start of
    /// the body as often as the function is called.
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
        let at_start = spot == SeedInsertionPoint::Before && statement.is_first && calls > 0;
        lines.and_then(counted).or(at_start.then_some(calls))
    }
}
