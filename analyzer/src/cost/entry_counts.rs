//! A function that the sampled version did not have → how often its blocks run, derived from its calls in functions
//! with known counts, and in other functions without a sample.
//!
//! No profile holds it. Calls are found by name; where several functions match, they share the calls. The cost that is
//! read from its body is at most the cost that it can hold.

use hashbrown::HashMap;
use std::cell::RefCell;

use crate::cost::executions::{counts_from_entry_count, counts_of_unchanged};
use crate::cost::mention_graph::{MentionGraph, MentionGraphNode};
use crate::cost::reachable_cost::ReachableCost;
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
    /// For each place, the places that mention it.
    pub(super) mentioned_by: HashMap<usize, Vec<usize>>,
    pub(super) found: RefCell<HashMap<usize, f64>>,
}

impl<'a> EntryCountEstimator<'a> {
    pub(super) fn new(
        scene: &'a ScoringContext<'a>,
        profile: &'a IndexedProfile,
        known: &'a [Option<BlockExecutions>],
    ) -> Self {
        let mut mentioned_by: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, place) in scene.mentions().places.iter().enumerate() {
            for &target in &place.mentions {
                mentioned_by.entry(target).or_default().push(index);
            }
        }
        Self {
            scene,
            profile,
            known,
            mentioned_by,
            found: RefCell::default(),
        }
    }

    /// The counts of a changed function that was not sampled; `None` if no call of it was executed.
    pub(super) fn executions(&self, place: usize, reached: &ReachableCost) -> Option<BlockExecutions> {
        let times = self.times(place, 0);
        let index = self.mentions().places[place].pair?;
        let pair = &self.scene.changes.pairs[index];
        let function = &pair.before.as_ref()?.function;
        if times <= 0.0 {
            return None;
        }
        let assumed = self.scene.assumed(index, NewBlockPolicy::Bounded);
        let counts = counts_from_entry_count(function, Estimate::exactly(times), assumed);
        let read = self.read(function, &counts);
        let times = times * (reached.cost / read.max(1.0)).min(1.0);
        BlockExecutions::from_entry_count(pair, Estimate::between(0.0, times, times), assumed)
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
                let function = place.function.as_ref()?;
                let calling = self.calling(place, function, &places[target]);
                if calling.is_empty() || distance > FARTHEST {
                    return None;
                }
                let counts = self.counts(by, place, function, distance)?;
                let calls: f64 = calling.iter().map(|&block| counts[block].expected).sum();
                let meant = place
                    .mentions
                    .iter()
                    .filter(|&&other| places[other].name == places[target].name && places[other].function.is_some());
                Some(calls / meant.count().max(1) as f64)
            })
            .sum();
        self.found.borrow_mut().insert(target, times);
        times
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
        let Some(owner) = target.owner_of_trait_method().filter(|_| named.is_empty()) else {
            return named;
        };
        let file = &self.scene.scanned_files().files[place.file];
        let holds = |block: &SyntaxBlock, line: u32| block.lines.first <= line && line <= block.lines.last;
        lines_naming(&file.bytes, owner)
            .into_iter()
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
        let mut assumed = self.scene.assumed(0, NewBlockPolicy::Bounded);
        (assumed.before, assumed.after) = (KnownValues::default(), KnownValues::default());
        match &place.sampled {
            Some(sampled) => counts_of_unchanged(sampled, function, self.profile, assumed),
            None => {
                let times = self.times(index, distance + 1);
                (times > 0.0).then(|| counts_from_entry_count(function, Estimate::exactly(times), assumed))
            }
        }
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
