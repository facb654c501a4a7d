//! Counts and the table of probes → a profile: which call site made which entry, with the remaining calls attributed to
//! functions without probes.

use std::collections::{BTreeMap, BTreeSet};

use super::PROFILER;
use super::counts::{ProbeCounts, ProbeEdge};
use profile::probes::{ProbeCallKind, ProbeFunction, ProbeFunctionIndex, ProbeMode, ProbeRegionIndex, ProbeTable};
use profile::{CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunctionId, ProfileLine};

/// Turns counts into a profile. Counts of probes that the table lacks are left out.
///
/// - Calls of a function, executions of a region and calls between functions are as counted.
/// - An entry belongs to the call of that name in the region that ran last, or around it; several calls of one name in
///   one region share it (their lines are estimates if they differ).
/// - If a region ran more often than functions of a called name were entered from it, the remaining calls went to a
///   function without probes. Each costs the fixed number of operations of the call site, which then do not count for
///   the caller.
#[must_use]
pub fn attribute_counts(benchmark: &str, table: &ProbeTable, counts: &ProbeCounts) -> Profile {
    let mut ledger = ProbeLedger::new(table, counts);
    ledger.book_regions();
    ledger.book_edges();
    ledger.book_unprobed();
    ledger.sum_frameless();
    ledger.close(benchmark)
}

/// A function of the profile: one of the table, or a name that no probed function has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ProbedFunctionKey {
    Known(ProbeFunctionIndex),
    Named(String),
}

#[derive(Debug, Clone, Copy, Default)]
struct ProbedFunctionSums {
    calls: u64,
    inclusive: u64,
    self_cost: u64,
    estimated: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct ProbedSiteSums {
    calls: u64,
    inclusive: u64,
    estimated: bool,
}

/// Caller, line, callee.
type ProbedSiteKey = (Option<ProbeFunctionIndex>, u32, ProbedFunctionKey);

struct ProbeLedger<'a> {
    table: &'a ProbeTable,
    counts: &'a ProbeCounts,
    total: u64,
    parties: BTreeMap<ProbedFunctionKey, ProbedFunctionSums>,
    /// Executions and self cost.
    lines: BTreeMap<(&'a str, u32), (u64, u64)>,
    /// Iterations of the loops whose heads are on a line.
    rounds: BTreeMap<(&'a str, u32), u64>,
    sites: BTreeMap<ProbedSiteKey, ProbedSiteSums>,
    /// Entries attributed to calls of a name in a region.
    answered: BTreeMap<(ProbeRegionIndex, &'a str), u64>,
    /// Functions without probes, by the last segment of their name.
    unprobed: BTreeMap<&'a str, Vec<ProbeFunctionIndex>>,
    regions_of: BTreeMap<ProbeFunctionIndex, Vec<ProbeRegionIndex>>,
    exact: bool,
}

impl<'a> ProbeLedger<'a> {
    fn new(table: &'a ProbeTable, counts: &'a ProbeCounts) -> Self {
        let mut unprobed: BTreeMap<&str, Vec<ProbeFunctionIndex>> = BTreeMap::new();
        for (index, function) in indexed(&table.functions) {
            if matches!(function.how, ProbeMode::Not(_)) {
                unprobed.entry(last_segment(&function.name)).or_default().push(index);
            }
        }
        let mut regions_of: BTreeMap<ProbeFunctionIndex, Vec<ProbeRegionIndex>> = BTreeMap::new();
        for (index, region) in indexed(&table.regions).skip(1) {
            regions_of.entry(region.function).or_default().push(index);
        }
        Self {
            table,
            counts,
            total: 0,
            parties: BTreeMap::new(),
            lines: BTreeMap::new(),
            rounds: BTreeMap::new(),
            sites: BTreeMap::new(),
            answered: BTreeMap::new(),
            unprobed,
            regions_of,
            exact: true,
        }
    }

    fn executed(&self) -> impl Iterator<Item = (ProbeRegionIndex, u64)> + use<'a> {
        let known = self.table.regions.len();
        let counted = self.counts.regions.iter();
        counted
            .map(|(region, count)| (*region, *count))
            .filter(move |(region, _)| *region > 0 && (*region as usize) < known)
    }

    /// Adds self costs and executions.
    fn book_regions(&mut self) {
        for (index, count) in self.executed() {
            let region = &self.table.regions[index as usize];
            let Some(function) = self.table.functions.get(region.function as usize) else {
                continue;
            };
            let cost = count.saturating_mul(u64::from(region.operations()));
            self.total = self.total.saturating_add(cost);
            self.parties
                .entry(ProbedFunctionKey::Known(region.function))
                .or_default()
                .self_cost += cost;
            for (line, operations) in &region.lines {
                let (executions, self_cost) = self.lines.entry((&function.file, *line)).or_default();
                if region.head == Some(*line) {
                    *self.rounds.entry((&function.file, *line)).or_default() += count;
                } else {
                    *executions = (*executions).max(count);
                }
                *self_cost += count.saturating_mul(u64::from(*operations));
            }
        }
    }

    /// Adds calls of probed functions.
    fn book_edges(&mut self) {
        for (index, entries) in &self.counts.functions {
            if (*index as usize) < self.table.functions.len() {
                let sums = self.parties.entry(ProbedFunctionKey::Known(*index)).or_default();
                sums.calls += entries.calls;
                sums.inclusive += entries.inclusive;
            }
        }
        for (ProbeEdge { region, callee }, entries) in &self.counts.edges {
            let Some(function) = self.table.functions.get(*callee as usize) else {
                continue;
            };
            let name = last_segment(&function.name);
            let Some(here) = self.table.regions.get(*region as usize).filter(|_| *region > 0) else {
                continue;
            };
            let found = self.region_with(*region, name);
            let lines: BTreeSet<u32> = found
                .iter()
                .flat_map(|found| &self.table.regions[*found as usize].sites)
                .filter(|site| site.name == name)
                .map(|site| site.line)
                .collect();
            if let Some(found) = found {
                *self.answered.entry((found, name)).or_default() += entries.calls;
            }
            let line = lines.first().copied();
            let line = line.unwrap_or_else(|| here.lines.first().map_or(0, |(line, _)| *line));
            let key = (Some(here.function), line, ProbedFunctionKey::Known(*callee));
            let sums = self.sites.entry(key).or_default();
            sums.calls += entries.calls;
            sums.inclusive += entries.inclusive;
            sums.estimated |= lines.len() > 1;
            self.exact &= lines.len() < 2;
        }
    }

    /// The region that holds a call of a name: this one, one around it, or the only other one of its function.
    fn region_with(&self, from: ProbeRegionIndex, name: &str) -> Option<ProbeRegionIndex> {
        let regions = &self.table.regions;
        let holds = |region: ProbeRegionIndex| regions[region as usize].sites.iter().any(|s| s.name == name);
        let mut at = Some(from);
        while let Some(region) = at {
            if holds(region) {
                return Some(region);
            }
            // A parent always precedes the regions in it, so that this ends.
            at = regions[region as usize].parent.filter(|parent| *parent < region);
        }
        let function = regions[from as usize].function;
        let mut others = self.regions_of.get(&function)?.iter().copied();
        let first = others.by_ref().find(|region| holds(*region))?;
        others.all(|region| !holds(region)).then_some(first)
    }

    /// Adds calls that entered no probed function.
    fn book_unprobed(&mut self) {
        for (index, count) in self.executed() {
            let region = &self.table.regions[index as usize];
            let mut left: BTreeMap<&str, u64> = BTreeMap::new();
            for site in &region.sites {
                *left.entry(&site.name).or_default() += count;
            }
            let shared: BTreeMap<&str, u64> = left.clone();
            for (name, calls) in &mut left {
                let answered = self.answered.get(&(index, *name)).copied();
                *calls = calls.saturating_sub(answered.unwrap_or(0));
            }
            for site in &region.sites {
                let Some(calls) = left
                    .get_mut(site.name.as_str())
                    .filter(|_| site.kind == ProbeCallKind::Named)
                else {
                    continue;
                };
                let taken = count.min(*calls);
                if taken == 0 {
                    continue;
                }
                *calls -= taken;
                // Only some of several calls of one name entered a probed function: it is unknown which.
                let some_answered = self.answered.contains_key(&(index, site.name.as_str()));
                let estimated = some_answered && shared[site.name.as_str()] > count;
                self.exact &= !estimated;
                let cost = taken.saturating_mul(u64::from(site.operations));
                let callee = self.party_of(&site.full_name);
                let sums = self.parties.entry(callee.clone()).or_default();
                sums.calls += taken;
                sums.self_cost += cost;
                sums.inclusive += cost;
                sums.estimated |= estimated;
                let caller = ProbedFunctionKey::Known(region.function);
                let of_caller = &mut self.parties.entry(caller).or_default().self_cost;
                *of_caller = of_caller.saturating_sub(cost);
                let file = &self.table.functions[region.function as usize].file;
                if let Some((_, own)) = self.lines.get_mut(&(file.as_str(), site.line)) {
                    *own = own.saturating_sub(cost);
                }
                let key = (Some(region.function), site.line, callee);
                let sums = self.sites.entry(key).or_default();
                sums.calls += taken;
                sums.inclusive += cost;
                sums.estimated |= estimated;
            }
        }
    }

    /// A function of the sources without probes, if the name can only mean one.
    fn party_of(&self, full_name: &str) -> ProbedFunctionKey {
        let name = last_segment(full_name);
        let written: Vec<&str> = full_name.split("::").collect();
        let qualifier = written.len().checked_sub(2).map(|at| written[at]);
        let fits = |index: &&ProbeFunctionIndex| {
            let own = &self.table.functions[**index as usize].name;
            qualifier.is_none_or(|qualifier| own.rsplit("::").nth(1) == Some(qualifier))
        };
        let mut candidates = self.unprobed.get(name).into_iter().flatten().filter(fits);
        match (candidates.next(), candidates.next()) {
            (Some(only), None) => ProbedFunctionKey::Known(*only),
            _ => ProbedFunctionKey::Named(full_name.to_owned()),
        }
    }

    /// Sums up the inclusive cost of functions without a frame: their self cost and their calls.
    fn sum_frameless(&mut self) {
        let mut called: BTreeMap<ProbeFunctionIndex, u64> = BTreeMap::new();
        for ((caller, _, _), site) in &self.sites {
            if let Some(caller) = caller {
                *called.entry(*caller).or_default() += site.inclusive;
            }
        }
        let total = self.total;
        for (party, sums) in &mut self.parties {
            if let ProbedFunctionKey::Known(index) = party
                && self.table.functions[*index as usize].how == ProbeMode::Frameless
            {
                let below = called.get(index).copied().unwrap_or(0);
                sums.inclusive = sums.self_cost.saturating_add(below).min(total);
            }
        }
    }

    fn close(self, benchmark: &str) -> Profile {
        let mut files: BTreeSet<&str> = self.lines.keys().map(|(file, _)| *file).collect();
        let of_parties = self.parties.keys().filter_map(|party| match party {
            ProbedFunctionKey::Known(index) => Some(self.table.functions[*index as usize].file.as_str()),
            ProbedFunctionKey::Named(_) => None,
        });
        files.extend(of_parties);
        let ids: BTreeMap<&str, ProfileFileId> = indexed_values(&files)
            .map(|(index, file)| (*file, ProfileFileId(index)))
            .collect();
        let mut functions: Vec<(ProbedFunctionKey, profile::ProfileFunction)> = self
            .parties
            .iter()
            .map(|(party, sums)| (party.clone(), function(self.table, party, *sums, &ids)))
            .collect();
        functions.sort_by(|(_, a), (_, b)| {
            (&a.name, a.file, a.line, a.external).cmp(&(&b.name, b.file, b.line, b.external))
        });
        let places: BTreeMap<&ProbedFunctionKey, ProfileFunctionId> = indexed_values(&functions)
            .map(|(index, (party, _))| (party, ProfileFunctionId(index)))
            .collect();
        let mut sites: Vec<ProfileCallSite> = Vec::new();
        for ((caller, line, callee), sums) in &self.sites {
            let Some(caller) = caller else { continue };
            let file = ids.get(self.table.functions[*caller as usize].file.as_str()).copied();
            let ends = (
                places.get(&ProbedFunctionKey::Known(*caller)).copied(),
                places.get(callee).copied(),
            );
            let (Some(caller), Some(callee)) = ends else {
                continue;
            };
            sites.push(ProfileCallSite {
                caller,
                callee,
                file,
                line: *line,
                calls: sums.calls,
                inclusive: sums.inclusive.min(self.total),
                inlined: false,
                estimated: sums.estimated,
            });
        }
        sites.sort_by_key(|site| (site.caller, site.file, site.line, site.callee));
        let lines = self
            .lines
            .iter()
            .map(|((file, line), (executions, self_cost))| ProfileLine {
                file: ids[file],
                line: *line,
                executions: executions + self.rounds.get(&(*file, *line)).unwrap_or(&0),
                self_cost: *self_cost,
                estimated: false,
            })
            .collect();
        Profile {
            benchmark: benchmark.to_owned(),
            unit: CostUnit::Operations,
            profiler: PROFILER.to_owned(),
            exact_counts: self.exact,
            total: self.total,
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            functions: functions.into_iter().map(|(_, function)| function).collect(),
            sites,
            lines,
        }
    }
}

fn function(
    table: &ProbeTable,
    party: &ProbedFunctionKey,
    sums: ProbedFunctionSums,
    ids: &BTreeMap<&str, ProfileFileId>,
) -> profile::ProfileFunction {
    let known: Option<&ProbeFunction> = match party {
        ProbedFunctionKey::Known(index) => table.functions.get(*index as usize),
        ProbedFunctionKey::Named(_) => None,
    };
    let name = match (known, party) {
        (Some(function), _) => function.name.clone(),
        (None, ProbedFunctionKey::Named(name)) => name.clone(),
        (None, ProbedFunctionKey::Known(_)) => String::new(),
    };
    profile::ProfileFunction {
        name,
        file: known.and_then(|function| ids.get(function.file.as_str()).copied()),
        line: known.map_or(0, |function| function.line),
        external: known.is_none_or(|function| function.external),
        calls: sums.calls,
        inlined_calls: 0,
        inclusive: sums.inclusive,
        self_cost: sums.self_cost,
        estimated: sums.estimated,
    }
}

fn last_segment(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

fn indexed<T>(values: &[T]) -> impl Iterator<Item = (u32, &T)> {
    (0u32..).zip(values)
}

fn indexed_values<'v, T: 'v>(values: impl IntoIterator<Item = &'v T>) -> impl Iterator<Item = (u32, &'v T)> {
    (0u32..).zip(values)
}
