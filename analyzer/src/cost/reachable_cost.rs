//! Functions that the sampled version did not have → how much of a benchmark's cost they may hold, derived from the
//! executed functions that mention them and from deleted functions.
//!
//! An executed function that mentions a new one may have moved into it its own work, and the work of the functions that
//! it no longer mentions, but never the work of functions that it still calls. A deleted function leaves its cost to
//! the functions of its name.

use std::collections::BTreeMap;

use profile::ProfileFunctionId;

use crate::cost::mention_graph::{MentionGraph, MentionGraphNode};
use crate::sample::{IndexedProfile, is_closure, last_segment};

/// The cost that a function without a sample may hold.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReachableCost {
    /// In the profile's unit, at most the total.
    pub(super) cost: f64,
    /// The executed function that the cost comes from.
    pub(super) from: ProfileFunctionId,
}

/// The longest chain of functions without a sample that is followed.
const FARTHEST: u32 = 12;

/// For each place that was not sampled and may be executed, the cost that it may hold.
#[must_use]
pub(super) fn reachable_costs(mentions: &MentionGraph, profile: &IndexedProfile) -> BTreeMap<usize, ReachableCost> {
    let places = &mentions.places;
    let mut given: Vec<(f64, ProfileFunctionId, usize)> = Vec::new();
    let mut is_there = vec![false; profile.profile().functions.len()];
    for place in places {
        let Some((from, ids)) = executed(place, profile) else {
            continue;
        };
        ids.iter().for_each(|id| is_there[id.0 as usize] = true);
        // A call costs something, also where its caller had nothing to hand on.
        let calls = profile.profile().function(from).calls as f64;
        let cost = handed_on(place, &ids, profile).max(calls);
        given.extend(place.mentions.iter().map(|&target| (cost, from, target)));
    }
    given.extend(inherited(places, &is_there, profile));
    // Each place takes its cost from the most expensive function.
    given.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)).then(one.2.cmp(&two.2)));
    let mut found: BTreeMap<usize, ReachableCost> = BTreeMap::new();
    for (cost, from, target) in given {
        let mut waiting = vec![(target, 0)];
        while let Some((target, distance)) = waiting.pop() {
            if cost <= 0.0 || distance > FARTHEST || found.contains_key(&target) {
                continue;
            }
            found.insert(
                target,
                ReachableCost {
                    cost: cost.min(profile.total()),
                    from,
                },
            );
            let next = places[target].mentions.iter();
            waiting.extend(next.map(|&next| (next, distance + 1)));
        }
    }
    found
}

/// The functions of the profile that match a place, the most called one first; `None` if it was not executed.
fn executed(place: &MentionGraphNode, profile: &IndexedProfile) -> Option<(ProfileFunctionId, Vec<ProfileFunctionId>)> {
    let sampled = place.sampled.as_ref()?;
    let mut ids = sampled.ids(profile);
    let calls = |id: &ProfileFunctionId| profile.profile().function(*id).calls;
    let most = *ids.iter().max_by_key(|id| (calls(id), std::cmp::Reverse(**id)))?;
    ids.extend(sampled.closures(profile));
    (calls(&most) > 0).then_some((most, ids))
}

/// The cost that an executed function may have moved into a function that it mentions now.
fn handed_on(place: &MentionGraphNode, ids: &[ProfileFunctionId], profile: &IndexedProfile) -> f64 {
    let function = |id: ProfileFunctionId| profile.profile().function(id);
    let own: u64 = ids.iter().map(|&id| function(id).self_cost).sum();
    let given_up: u64 = ids
        .iter()
        .flat_map(|&id| profile.sites(id))
        .filter(|site| !ids.contains(&site.callee))
        .filter(|site| !place.words.contains(last_segment(&function(site.callee).name)))
        .map(|site| site.inclusive)
        .sum();
    let all = ids.iter().map(|&id| function(id).inclusive).max().unwrap_or(0);
    ((own + given_up) as f64).min(all as f64)
}

/// The cost of executed functions that were deleted. Functions of the same name (one for each kind of machine, for
/// example) may share it: methods of the type of that name if there are any, else everything of that name.
fn inherited(
    places: &[MentionGraphNode],
    is_there: &[bool],
    profile: &IndexedProfile,
) -> Vec<(f64, ProfileFunctionId, usize)> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, place) in places.iter().enumerate() {
        if place.sampled.is_none() && place.function.is_some() {
            by_name.entry(&place.name).or_default().push(index);
        }
    }
    let mut inherited = Vec::new();
    for (index, function) in profile.profile().functions.iter().enumerate() {
        if function.external || function.calls == 0 || is_closure(&function.name) {
            continue;
        }
        let Some(heirs) = by_name.get(last_segment(&function.name)) else {
            continue;
        };
        let id = ProfileFunctionId(u32::try_from(index).expect("a profile has fewer than 2^32 functions"));
        let owner = function.name.rsplit("::").nth(1).unwrap_or_default();
        let owner_of = |heir: usize| {
            let function = places[heir].function.as_ref();
            function.and_then(|function| function.owner.as_deref())
        };
        let is_method = owner.starts_with(char::is_uppercase);
        let of_owner = |heir: usize| match owner_of(heir) {
            Some(of_type) => of_type == owner,
            None => !is_method,
        };
        let same: Vec<usize> = heirs.iter().copied().filter(|&heir| of_owner(heir)).collect();
        let heirs = match (same.is_empty(), is_there[index]) {
            (false, _) => same,
            (true, false) => heirs.clone(),
            (true, true) => continue,
        };
        inherited.extend(heirs.into_iter().map(|heir| (function.inclusive as f64, id, heir)));
    }
    inherited
}

/// The share of the project's own self cost that deleted functions held, in 0..=1.
#[must_use]
pub(super) fn gone_cost_share(mentions: &MentionGraph, profile: &IndexedProfile) -> f64 {
    let mut left: BTreeMap<ProfileFunctionId, u64> = BTreeMap::new();
    for (index, function) in profile.profile().functions.iter().enumerate() {
        if !function.external {
            let id = ProfileFunctionId(u32::try_from(index).expect("a profile has fewer than 2^32 functions"));
            left.insert(id, function.self_cost);
        }
    }
    let all: u64 = left.values().sum();
    for place in &mentions.places {
        for id in executed(place, profile).map_or_else(Vec::new, |(_, ids)| ids) {
            left.remove(&id);
        }
    }
    left.values().sum::<u64>() as f64 / (all as f64).max(1.0)
}
