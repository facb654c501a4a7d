//! A function that a profile does not show → how often its blocks run, derived from its calls in functions with known
//! counts, and in other functions that the profile does not show.
//!
//! No profile holds it. Calls are found by name; where several functions match, they share the calls. The cost that is
//! read from its body is at most the cost that it can hold.

use std::cell::RefCell;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::cost::executions::{counts_from_entry_count, counts_of_unchanged};
use crate::cost::mention_graph::{MentionGraph, MentionGraphNode};
use crate::cost::reachable_cost::{PlacesCalled, ReachableCost};
use crate::cost::{BlockExecutions, Estimate, KnownValues, NewBlockPolicy, ScoringContext};
use crate::sample::IndexedProfile;
use crate::syntax::{SyntaxBlock, SyntaxFunction, SyntaxNode};
use crate::text_search::lines_naming;

/// The longest chain of functions without a sample that is followed.
const FARTHEST: u32 = 6;

/// How often functions that were not sampled are entered in one benchmark.
pub(super) struct EntryCountEstimator<'a> {
    pub(super) scene: &'a ScoringContext<'a>,
    pub(super) profile: &'a IndexedProfile,
    /// The counts of the changed pairs that were sampled.
    pub(super) known: &'a [Option<BlockExecutions>],
    /// For each place, the places without a profile that it may call.
    calls: &'a BTreeMap<usize, PlacesCalled>,
    /// For each place, the places that mention it.
    pub(super) mentioned_by: HashMap<usize, Vec<usize>>,
    pub(super) found: RefCell<HashMap<usize, f64>>,
}

impl<'a> EntryCountEstimator<'a> {
    pub(super) fn new(
        scene: &'a ScoringContext<'a>,
        profile: &'a IndexedProfile,
        known: &'a [Option<BlockExecutions>],
        calls: &'a BTreeMap<usize, PlacesCalled>,
    ) -> Self {
        let mut mentioned_by: HashMap<usize, Vec<usize>> = HashMap::new();
        for (&place, targets) in calls {
            for target in targets.places() {
                mentioned_by.entry(target).or_default().push(place);
            }
        }
        Self {
            scene,
            profile,
            known,
            calls,
            mentioned_by,
            found: RefCell::default(),
        }
    }

    /// The counts of a changed function that the profile does not show, `None` if no call of it was executed, and the cost
    /// that it may hold.
    pub(super) fn executions(
        &self,
        pair: usize,
        (place, reached): (usize, ReachableCost),
    ) -> (Option<BlockExecutions>, ReachableCost) {
        let times = self.times(place, 0);
        let sides = &self.scene.changes.pairs[pair];
        let Some(before) = sides.before.as_ref().filter(|_| times > 0.0) else {
            return (None, reached);
        };
        let assumed = self.scene.assumed(pair, NewBlockPolicy::Bounded, self.profile);
        let counts = counts_from_entry_count(&before.function, Estimate::exactly(times), assumed);
        let read = self.read(&before.function, &counts);
        // Only a function that is new took its cost from others.
        let (cost, times) = match self.mentions().places[place].sampled() {
            Some(_) => (reached.cost.max(read).min(self.profile.total()), times),
            None => (reached.cost, times * (reached.cost / read.max(1.0)).min(1.0)),
        };
        let counts = BlockExecutions::from_entry_count(sides, Estimate::between(0.0, times, times), assumed);
        (counts, ReachableCost { cost, ..reached })
    }

    fn mentions(&self) -> &'a MentionGraph {
        self.scene.mentions()
    }

    /// How often a place that was not sampled is called.
    fn times(&self, target: usize, distance: u32) -> f64 {
        if let Some(known) = self.found.borrow().get(&target) {
            return *known;
        }
        // A cycle finds this entry and adds nothing.
        self.found.borrow_mut().insert(target, 0.0);
        let places = &self.mentions().places;
        let mentioning = self.mentioned_by.get(&target).map_or(&[][..], Vec::as_slice);
        let times = mentioning
            .iter()
            .filter_map(|&by| {
                let place = &places[by];
                let Some(function) = place.function() else {
                    // A macro, constant or import is called in the place of what it mentions.
                    return (distance <= FARTHEST).then(|| self.times(by, distance + 1));
                };
                let calling = self.calling(place, function, &places[target]);
                if calling.is_empty() || distance > FARTHEST {
                    return None;
                }
                let counts = self.counts(by, place, function, distance)?;
                let calls: f64 = calling.iter().map(|&block| counts[block].expected).sum();
                Some(calls * self.share_of_calls(by, target))
            })
            .sum();
        self.found.borrow_mut().insert(target, times);
        times
    }

    /// The share of a place's calls of a name that a function gets: functions that the sample did not have take them from
    /// all others.
    fn share_of_calls(&self, by: usize, target: usize) -> f64 {
        let places = &self.mentions().places;
        let Some(calls) = self.calls.get(&by) else {
            return 0.0;
        };
        if !places[target].is_new_function() {
            return calls.likelihood(target);
        }
        let meant = calls.places().map(|other| &places[other]);
        let meant = meant.filter(|other| other.is_new_function() && other.name == places[target].name);
        1.0 / meant.count() as f64
    }

    /// The indices of the blocks that call a function, one entry for each call. A method that is called without its name
    /// is called where the name of its type stands: there a value is made.
    fn calling(&self, place: &MentionGraphNode, function: &SyntaxFunction, target: &MentionGraphNode) -> Vec<usize> {
        let blocks = function.blocks.iter().enumerate();
        let named: Vec<usize> = blocks
            .flat_map(|(index, block)| {
                let nodes = block.head.iter().chain(&block.nodes);
                nodes
                    .filter(|node| matches!(node, SyntaxNode::Call(call) if call.callee.name == target.name))
                    .map(move |_| index)
            })
            .collect();
        let Some(owner) = target.owner_of_unwritten_call().filter(|_| named.is_empty()) else {
            return named;
        };
        let text = &self.scene.scanned_files().files[place.file].bytes[place.text.clone()];
        let holds = |block: &SyntaxBlock, line: u32| block.lines.first <= line && line <= block.lines.last;
        let lines = lines_naming(text, owner)
            .into_iter()
            .map(|line| function.lines.first + line - 1);
        lines
            .filter_map(|line| function.blocks.iter().rposition(|block| holds(block, line)))
            .collect()
    }

    fn counts(
        &self,
        index: usize,
        place: &MentionGraphNode,
        function: &SyntaxFunction,
        distance: u32,
    ) -> Option<Vec<Estimate>> {
        if let Some(known) = place.pair.and_then(|pair| self.known[pair].as_ref()) {
            return Some(known.before.clone());
        }
        let mut assumed = self.scene.assumed(0, NewBlockPolicy::Bounded, self.profile);
        (assumed.before, assumed.after) = (KnownValues::default(), KnownValues::default());
        let measured = |sampled| counts_of_unchanged(sampled, function, self.profile, assumed);
        place.sampled().and_then(measured).or_else(|| {
            let times = self.times(index, distance + 1);
            (times > 0.0).then(|| counts_from_entry_count(function, Estimate::exactly(times), assumed))
        })
    }

    /// The self cost of a function, read from its body.
    fn read(&self, function: &SyntaxFunction, counts: &[Estimate]) -> f64 {
        let costs = self.scene.costs;
        let each = |block: &SyntaxBlock| -> f64 {
            let nodes = block.head.iter().chain(&block.nodes);
            nodes
                .map(|node| match node {
                    SyntaxNode::Operation(operation) => f64::from(operation.weight) * costs.operation.expected,
                    SyntaxNode::Call(call) => f64::from(call.arguments.weight) * costs.operation.expected,
                    SyntaxNode::Block(_) => 0.0,
                })
                .sum()
        };
        let blocks = function.blocks.iter().zip(counts);
        blocks.map(|(block, count)| each(block) * count.expected).sum()
    }
}
