//! Two profiles of one benchmark in, one out: costs of the optimised build, counts of the unoptimised one.
//!
//! The optimiser merges, unrolls and vectorises, so an optimised run alone can't say how often inlined code
//! ran in terms of the source; an unoptimised build of the same source neither inlines nor unrolls, and its
//! counts are exact. Its costs are worthless, and are dropped. See `docs/src/explanation/profiles.md` for the
//! measurement that decided for this.

use std::collections::{BTreeMap, HashMap};

use profile::{CallSite, FileId, Function, FunctionId, Line, Profile};

/// Puts the counts of an unoptimised run into the profile of an optimised one.
///
/// What only the optimised run knows keeps its own counts; what only the unoptimised run knows (a function
/// that the optimiser dissolved) is added at no cost.
#[must_use]
pub fn with_counts_of(costs: &Profile, counts: &Profile) -> Profile {
    let mut files: Vec<String> = costs.files.iter().chain(&counts.files).cloned().collect();
    files.sort_unstable();
    files.dedup();
    let costs = Side::new(costs, &files);
    let counts = Side::new(counts, &files);

    let mut keyed: BTreeMap<FunctionKey<'_>, Function> = BTreeMap::new();
    for function in &costs.profile.functions {
        keyed.insert(costs.key(function), costs.function(function));
    }
    for function in &counts.profile.functions {
        let counted = counts.function(function);
        keyed
            .entry(counts.key(function))
            .and_modify(|known| {
                let own_body = known.calls.saturating_sub(known.inlined_calls);
                known.calls = counted.calls;
                known.inlined_calls = counted.calls.saturating_sub(own_body);
                known.estimated = counted.estimated && known.estimated;
            })
            .or_insert(Function {
                inlined_calls: counted.calls,
                inclusive: 0,
                self_cost: 0,
                ..counted
            });
    }
    let ids: HashMap<FunctionKey<'_>, FunctionId> = keyed
        .keys()
        .enumerate()
        .map(|(id, key)| (*key, FunctionId(u32::try_from(id).unwrap_or(u32::MAX))))
        .collect();
    let sites = merge_sites(&costs, &counts, &ids);
    let lines = merge_lines(&costs, &counts);
    let functions: Vec<Function> = keyed.into_values().collect();
    Profile {
        exact_counts: !functions.iter().any(|f| f.estimated)
            && !sites.iter().any(|s| s.estimated)
            && !lines.iter().any(|l| l.estimated),
        benchmark: costs.profile.benchmark.clone(),
        unit: costs.profile.unit,
        profiler: costs.profile.profiler.clone(),
        total: costs.profile.total,
        files,
        functions,
        sites,
        lines,
    }
}

type FunctionKey<'p> = (&'p str, Option<FileId>, u32, bool);

/// A profile with its files renumbered.
struct Side<'p> {
    profile: &'p Profile,
    files: Vec<FileId>,
}

impl<'p> Side<'p> {
    fn new(profile: &'p Profile, files: &[String]) -> Self {
        let renumber = |name: &String| {
            let at = files.binary_search(name).unwrap_or(usize::MAX);
            FileId(u32::try_from(at).unwrap_or(u32::MAX))
        };
        Self {
            profile,
            files: profile.files.iter().map(renumber).collect(),
        }
    }

    fn file(&self, file: FileId) -> FileId {
        self.files[file.0 as usize]
    }

    fn key(&self, function: &'p Function) -> FunctionKey<'p> {
        (
            &function.name,
            function.file.map(|file| self.file(file)),
            function.line,
            function.external,
        )
    }

    fn function(&self, function: &Function) -> Function {
        Function {
            file: function.file.map(|file| self.file(file)),
            ..function.clone()
        }
    }

    fn key_of(&self, id: FunctionId) -> FunctionKey<'p> {
        self.key(&self.profile.functions[id.0 as usize])
    }
}

fn merge_sites(costs: &Side<'_>, counts: &Side<'_>, ids: &HashMap<FunctionKey<'_>, FunctionId>) -> Vec<CallSite> {
    type Place = (FunctionId, Option<FileId>, u32, FunctionId);
    let renumber = |side: &Side<'_>, site: &CallSite| CallSite {
        caller: ids[&side.key_of(site.caller)],
        callee: ids[&side.key_of(site.callee)],
        file: site.file.map(|file| side.file(file)),
        ..site.clone()
    };
    // at one place: the calls of a body of its own, then the inlined ones
    let mut places: BTreeMap<Place, [Option<CallSite>; 2]> = BTreeMap::new();
    for site in &costs.profile.sites {
        let site = renumber(costs, site);
        let place = (site.caller, site.file, site.line, site.callee);
        let kind = usize::from(site.inlined);
        places.entry(place).or_default()[kind] = Some(site);
    }
    let mut counted: BTreeMap<Place, CallSite> = BTreeMap::new();
    for site in &counts.profile.sites {
        let site = renumber(counts, site);
        let place = (site.caller, site.file, site.line, site.callee);
        counted
            .entry(place)
            .and_modify(|sum| {
                sum.calls = sum.calls.saturating_add(site.calls);
                sum.estimated |= site.estimated;
            })
            .or_insert(site);
    }
    for (place, counted) in counted {
        let [own_body, inlined] = places.entry(place).or_default();
        match (own_body, inlined) {
            (Some(own_body), None) => {
                own_body.calls = counted.calls;
                own_body.estimated &= counted.estimated;
            }
            (own_body, Some(inlined)) => {
                let elsewhere = own_body.as_ref().map_or(0, |site| site.calls);
                inlined.calls = counted.calls.saturating_sub(elsewhere);
                inlined.estimated &= counted.estimated;
            }
            (None, inlined @ None) => {
                *inlined = Some(CallSite {
                    inclusive: 0,
                    inlined: true,
                    ..counted
                });
            }
        }
    }
    places.into_values().flatten().flatten().collect()
}

fn merge_lines(costs: &Side<'_>, counts: &Side<'_>) -> Vec<Line> {
    let mut lines: BTreeMap<(FileId, u32), Line> = BTreeMap::new();
    for line in &costs.profile.lines {
        let file = costs.file(line.file);
        lines.insert((file, line.line), Line { file, ..line.clone() });
    }
    for line in &counts.profile.lines {
        let file = counts.file(line.file);
        let counted = Line {
            file,
            self_cost: 0,
            ..line.clone()
        };
        lines
            .entry((file, line.line))
            .and_modify(|known| {
                known.executions = counted.executions;
                known.estimated = counted.estimated;
            })
            .or_insert(counted);
    }
    lines.into_values().collect()
}
