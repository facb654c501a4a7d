//! Two profiles of one benchmark → one with the costs of the optimised build and the counts of the unoptimised one.
//!
//! The optimiser merges, unrolls and vectorises, so an optimised run alone can't say how often inlined code ran in
//! terms of the source. An unoptimised build of the same source neither inlines nor unrolls, and its counts are exact.
//! Its costs say nothing about the optimised program, and are dropped. `docs/src/explanation/profiles.md` has the measurement behind
//! this decision.

use std::collections::{BTreeMap, HashMap};

use profile::{Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId, ProfileLine};

/// Puts the counts of an unoptimised run into the profile of an optimised one.
///
/// Entries that only the optimised run has keep their counts; entries that only the unoptimised run has (functions that
/// the optimiser removed) are added at no cost.
#[must_use]
pub fn merge_exact_counts(costs: &Profile, counts: &Profile) -> Profile {
    let mut files: Vec<String> = costs.files.iter().chain(&counts.files).cloned().collect();
    files.sort_unstable();
    files.dedup();
    let costs = RenumberedProfile::new(costs, &files);
    let counts = RenumberedProfile::new(counts, &files);

    let mut keyed: BTreeMap<MergedFunctionKey<'_>, ProfileFunction> = BTreeMap::new();
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
            .or_insert(ProfileFunction {
                inlined_calls: counted.calls,
                inclusive: 0,
                self_cost: 0,
                ..counted
            });
    }
    let ids: HashMap<MergedFunctionKey<'_>, ProfileFunctionId> = keyed
        .keys()
        .enumerate()
        .map(|(id, key)| (*key, ProfileFunctionId(u32::try_from(id).unwrap_or(u32::MAX))))
        .collect();
    let sites = merge_sites(&costs, &counts, &ids);
    let lines = merge_lines(&costs, &counts);
    let functions: Vec<ProfileFunction> = keyed.into_values().collect();
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

type MergedFunctionKey<'p> = (&'p str, Option<ProfileFileId>, u32, bool);

/// A profile with its files renumbered.
struct RenumberedProfile<'p> {
    profile: &'p Profile,
    files: Vec<ProfileFileId>,
}

impl<'p> RenumberedProfile<'p> {
    fn new(profile: &'p Profile, files: &[String]) -> Self {
        let renumber = |name: &String| {
            let at = files.binary_search(name).unwrap_or(usize::MAX);
            ProfileFileId(u32::try_from(at).unwrap_or(u32::MAX))
        };
        Self {
            profile,
            files: profile.files.iter().map(renumber).collect(),
        }
    }

    fn file(&self, file: ProfileFileId) -> ProfileFileId {
        self.files[file.0 as usize]
    }

    fn key(&self, function: &'p ProfileFunction) -> MergedFunctionKey<'p> {
        (
            &function.name,
            function.file.map(|file| self.file(file)),
            function.line,
            function.external,
        )
    }

    fn function(&self, function: &ProfileFunction) -> ProfileFunction {
        ProfileFunction {
            file: function.file.map(|file| self.file(file)),
            ..function.clone()
        }
    }

    fn key_of(&self, id: ProfileFunctionId) -> MergedFunctionKey<'p> {
        self.key(&self.profile.functions[id.0 as usize])
    }
}

fn merge_sites(
    costs: &RenumberedProfile<'_>,
    counts: &RenumberedProfile<'_>,
    ids: &HashMap<MergedFunctionKey<'_>, ProfileFunctionId>,
) -> Vec<ProfileCallSite> {
    type MergedSiteKey = (ProfileFunctionId, Option<ProfileFileId>, u32, ProfileFunctionId);
    let renumber = |side: &RenumberedProfile<'_>, site: &ProfileCallSite| ProfileCallSite {
        caller: ids[&side.key_of(site.caller)],
        callee: ids[&side.key_of(site.callee)],
        file: site.file.map(|file| side.file(file)),
        ..site.clone()
    };
    // at one place: the calls of a body of its own, then the inlined ones
    let mut places: BTreeMap<MergedSiteKey, [Option<ProfileCallSite>; 2]> = BTreeMap::new();
    for site in &costs.profile.sites {
        let site = renumber(costs, site);
        let place = (site.caller, site.file, site.line, site.callee);
        let kind = usize::from(site.inlined);
        places.entry(place).or_default()[kind] = Some(site);
    }
    let mut counted: BTreeMap<MergedSiteKey, ProfileCallSite> = BTreeMap::new();
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
                *inlined = Some(ProfileCallSite {
                    inclusive: 0,
                    inlined: true,
                    ..counted
                });
            }
        }
    }
    places.into_values().flatten().flatten().collect()
}

fn merge_lines(costs: &RenumberedProfile<'_>, counts: &RenumberedProfile<'_>) -> Vec<ProfileLine> {
    let mut lines: BTreeMap<(ProfileFileId, u32), ProfileLine> = BTreeMap::new();
    for line in &costs.profile.lines {
        let file = costs.file(line.file);
        lines.insert((file, line.line), ProfileLine { file, ..line.clone() });
    }
    for line in &counts.profile.lines {
        let file = counts.file(line.file);
        let counted = ProfileLine {
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
