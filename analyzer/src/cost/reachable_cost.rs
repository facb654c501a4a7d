//! Functions that a profile does not show → how much of a benchmark's cost they may hold, derived from the executed
//! functions that mention them and from deleted functions.
//!
//! An executed function that mentions a new one may have moved into it its own work, and the work of the functions that
//! it no longer mentions, but never the work of functions that it still calls. Into a function that the sample had, it
//! moved no more than it lost. A deleted function leaves its cost to the functions of its name.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use profile::ProfileFunctionId;

use crate::change::FunctionFeatures;
use crate::cost::ScoringContext;
use crate::cost::mention_graph::{MentionGraph, MentionGraphNode};
use crate::cost::newer_mentions::NewerMention;
use crate::cost::untraced::UntracedFunctions;
use crate::sample::{IndexedProfile, is_closure, last_segment};

/// The cost that a function which the profile does not show may hold.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReachableCost {
    /// In the profile's unit, at most the total.
    pub(super) cost: f64,
    /// The executed function that the cost comes from.
    pub(super) from: ProfileFunctionId,
    /// How likely the names that lead here mean this function, in 0..=1.
    pub(super) certainty: f64,
}

/// The longest chain of functions that are not in the profile that is followed.
const FARTHEST: u32 = 12;

/// The places that are not in the profile of a benchmark and that it may execute before the change.
#[derive(Debug, Default)]
pub(super) struct ReachablePlaces {
    /// The cost that each may hold.
    pub(super) costs: BTreeMap<usize, ReachableCost>,
    /// For each executed or reachable place, the reachable places that it may call, and how likely it calls them.
    pub(super) calls: BTreeMap<usize, PlacesCalled>,
}

/// Places with how likely each is called, in 0..=1; by place, each once.
#[derive(Debug, Default)]
pub(super) struct PlacesCalled(Vec<(usize, f64)>);

impl PlacesCalled {
    /// The places, in ascending order.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|&(place, _)| place)
    }

    /// How likely a place is called; 0 for one that is not among them.
    pub(super) fn likelihood(&self, place: usize) -> f64 {
        let found = self.0.binary_search_by_key(&place, |&(place, _)| place);
        found.map_or(0.0, |at| self.0[at].1)
    }

    /// Adds mentions; what is said last of a place counts.
    fn extend(&mut self, followed: &[FollowedMention]) {
        self.0
            .extend(followed.iter().map(|mention| (mention.target, mention.share)));
        // Stable, so that the last of a place comes first once all are turned around.
        self.0.sort_by_key(|&(place, _)| place);
        self.0.reverse();
        self.0.dedup_by_key(|&mut (place, _)| place);
        self.0.reverse();
    }
}

/// A mention to follow.
#[derive(Debug, Clone, Copy)]
struct FollowedMention {
    target: usize,
    /// How likely the target is meant, in 0..=1.
    share: f64,
    /// False for a macro or constant that was mentioned at the sampled version: it leads to functions that the sample did
    /// not have, and not to those that the profile would show.
    is_newer: bool,
}

/// A place with the cost that it may have taken from an executed function. Ordered by cost.
#[derive(Debug, Clone, Copy)]
struct GivenCost {
    /// If the sample did not have the place: everything that may have moved.
    to_new: f64,
    /// If the sample had it: no more than the executed function lost.
    to_sampled: f64,
    /// See [`ReachableCost::certainty`].
    certainty: f64,
    from: ProfileFunctionId,
    mention: FollowedMention,
    /// Number of places between the two.
    distance: u32,
}

impl PartialEq for GivenCost {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for GivenCost {}

impl Ord for GivenCost {
    fn cmp(&self, other: &Self) -> Ordering {
        let cost = self.to_new.total_cmp(&other.to_new);
        // Of equals, the first by place.
        let place = |given: &Self| Reverse((given.distance, given.from, given.mention.target, given.mention.is_newer));
        // Two ways of one length may differ in what was lost on them.
        cost.then(place(self).cmp(&place(other)))
            .then(self.to_sampled.total_cmp(&other.to_sampled))
            .then(self.certainty.total_cmp(&other.certainty))
    }
}

impl PartialOrd for GivenCost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl GivenCost {
    /// The cost that goes on from a place to another one that it mentions.
    fn along(self, mention: FollowedMention) -> Self {
        Self {
            to_new: self.to_new * mention.share,
            to_sampled: self.to_sampled * mention.share,
            certainty: self.certainty * mention.share,
            from: self.from,
            mention,
            distance: self.distance + 1,
        }
    }
}

/// Costs on their way to places, the highest first. Of those that wait for one place only the highest is kept: the others
/// can only show that the place is surer to be meant.
#[derive(Debug, Default)]
struct WaitingCosts {
    queue: BinaryHeap<GivenCost>,
    /// For each place, and each kind of mention of it, the highest cost that was given.
    highest: HashMap<(usize, bool), GivenCost>,
    /// For each place, how likely the surest names that lead there mean it.
    certainty: HashMap<usize, f64>,
}

impl WaitingCosts {
    fn push(&mut self, given: GivenCost) {
        if given.to_new <= 0.0 || given.distance > FARTHEST {
            return;
        }
        let certainty = self.certainty.entry(given.mention.target).or_default();
        *certainty = certainty.max(given.certainty);
        match self.highest.entry((given.mention.target, given.mention.is_newer)) {
            Entry::Occupied(highest) if *highest.get() >= given => return,
            Entry::Occupied(mut highest) => {
                highest.insert(given);
            }
            Entry::Vacant(none) => {
                none.insert(given);
            }
        }
        self.queue.push(given);
    }

    /// The highest cost of all. Each place is handed out once for each kind of mention of it: what is given on from a cost
    /// is lower than that cost, so nothing higher comes later.
    fn pop(&mut self) -> Option<GivenCost> {
        loop {
            let given = self.queue.pop()?;
            // One that is lower than another was replaced by it before it was handed out.
            if self.highest.get(&(given.mention.target, given.mention.is_newer)) == Some(&given) {
                return Some(given);
            }
        }
    }
}

impl ReachablePlaces {
    #[must_use]
    pub(super) fn of(scene: &ScoringContext<'_>, profile: &IndexedProfile) -> Self {
        let places = &scene.mentions().places;
        let mut is_there = vec![false; profile.profile().functions.len()];
        let executed: Vec<_> = places.iter().map(|place| executed(place, profile)).collect();
        let untraced = UntracedFunctions::of(scene, profile);
        let followed = |place, are_all_newer| {
            let is_executed = |place: usize| executed[place].is_some();
            followed((place, are_all_newer), scene, is_executed, &untraced)
        };
        let mut reachable = Self::default();
        // Each place takes its cost from the function that gives it most.
        let mut waiting = WaitingCosts::default();
        for (index, (place, executed_as)) in places.iter().zip(&executed).enumerate() {
            let Some((from, ids)) = executed_as else {
                continue;
            };
            ids.iter().for_each(|id| is_there[id.0 as usize] = true);
            let followed = followed(index, false);
            if !followed.is_empty() {
                let mentions =
                    |name: &str| (scene.later_files.vocabulary.known(name)).is_some_and(|name| place.mentions(name));
                let (to_new, to_sampled) = handed_on(place, mentions, (*from, ids), profile);
                reachable.add_calls(index, &followed);
                for mention in followed {
                    waiting.push(GivenCost {
                        to_new: to_new * mention.share,
                        to_sampled: to_sampled * mention.share,
                        certainty: mention.share,
                        from: *from,
                        mention,
                        distance: 0,
                    });
                }
            }
        }
        inherited(places, &is_there, profile)
            .into_iter()
            .for_each(|given| waiting.push(given));
        while let Some(given) = waiting.pop() {
            let mention = given.mention;
            let is_sampled = places[mention.target].sampled().is_some();
            let cost = if is_sampled { given.to_sampled } else { given.to_new };
            reachable.costs.entry(mention.target).or_insert(ReachableCost {
                cost: cost.min(profile.total()),
                from: given.from,
                certainty: given.certainty,
            });
            let next = followed(mention.target, mention.is_newer);
            reachable.add_calls(mention.target, &next);
            next.into_iter().for_each(|next| waiting.push(given.along(next)));
        }
        for (place, reached) in &mut reachable.costs {
            reached.certainty = waiting.certainty[place];
        }
        reachable
    }

    fn add_calls(&mut self, by: usize, followed: &[FollowedMention]) {
        if !followed.is_empty() {
            self.calls.entry(by).or_default().extend(followed);
        }
    }
}

/// The places that a place mentions and whose cost the profile does not show: what the sample did not have, and what it
/// had and the benchmark did not execute then, if all that the place mentions is new or if that mention is. A function that may
/// have left no trace counts as such.
fn followed(
    (index, are_all_newer): (usize, bool),
    scene: &ScoringContext<'_>,
    is_executed: impl Fn(usize) -> bool,
    untraced: &UntracedFunctions<'_>,
) -> Vec<FollowedMention> {
    let mentions = scene.mentions();
    let is_function = |target: usize| mentions.places[target].function().is_some();
    let in_the_sample = match are_all_newer {
        true => mentions.newer.all_of(index, scene),
        false => mentions.newer.since_the_sample(index, scene),
    };
    let unsampled = mentions.places[index].mentions.iter().map(|&target| FollowedMention {
        target,
        share: 1.0,
        is_newer: is_function(target),
    });
    let newer = in_the_sample.iter().filter(|mention| !is_executed(mention.target));
    let newer = newer.copied().chain(untraced.mentioned_by(index));
    let newer = newer.map(|NewerMention { target, share }| FollowedMention {
        target,
        share,
        is_newer: true,
    });
    unsampled.chain(newer).collect()
}

/// The functions of the profile that match a place, the most called one first; `None` if it was not executed.
fn executed(place: &MentionGraphNode, profile: &IndexedProfile) -> Option<(ProfileFunctionId, Vec<ProfileFunctionId>)> {
    let sampled = place.sampled()?;
    let mut ids = sampled.ids(profile);
    let calls = |id: &ProfileFunctionId| profile.profile().function(*id).calls;
    let most = *ids.iter().max_by_key(|id| (calls(id), Reverse(**id)))?;
    ids.extend(sampled.closures(profile));
    (calls(&most) > 0).then_some((most, ids))
}

/// The cost that an executed function may have moved into functions that it mentions now: into new ones, and into those
/// of the sample.
fn handed_on(
    place: &MentionGraphNode,
    mentions: impl Fn(&str) -> bool,
    (from, ids): (ProfileFunctionId, &[ProfileFunctionId]),
    profile: &IndexedProfile,
) -> (f64, f64) {
    let function = |id: ProfileFunctionId| profile.profile().function(id);
    let own: u64 = ids.iter().map(|&id| function(id).self_cost).sum();
    let given_up: u64 = ids
        .iter()
        .flat_map(|&id| profile.sites(id))
        .filter(|site| !ids.contains(&site.callee))
        .filter(|site| !mentions(last_segment(&function(site.callee).name)))
        .map(|site| site.inclusive)
        .sum();
    let all = ids.iter().map(|&id| function(id).inclusive).max().unwrap_or(0);
    let sides = place.sampled().zip(place.function());
    let gone = sides
        .filter(|(was, is)| was.function.digest != is.digest)
        .map_or(0.0, |(was, is)| {
            let [was, is] = [&was.function, is].map(|function| FunctionFeatures::new(Arc::clone(function)));
            was.share_gone_from(&is)
        });
    // A call costs something, also where its caller had nothing to hand on.
    let calls = function(from).calls as f64;
    let handed = |own: f64| (own + given_up as f64).min(all as f64).max(calls);
    (handed(own as f64), handed(own as f64 * gone))
}

/// The cost of executed functions that were deleted. Functions of the same name (one for each kind of machine, for
/// example) may share it: methods of the type of that name if there are any, else everything of that name.
fn inherited(places: &[MentionGraphNode], is_there: &[bool], profile: &IndexedProfile) -> Vec<GivenCost> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, place) in places.iter().enumerate() {
        if place.is_new_function() {
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
            let function = places[heir].function();
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
        let cost = function.inclusive as f64;
        inherited.extend(heirs.into_iter().map(|target| GivenCost {
            to_new: cost,
            to_sampled: cost,
            certainty: 1.0,
            from: id,
            mention: FollowedMention {
                target,
                share: 1.0,
                is_newer: true,
            },
            distance: 0,
        }));
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
