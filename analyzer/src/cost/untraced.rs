//! Functions that an optimised program may execute without a trace in its profile.
//!
//! A compiler folds a short function into its callers so far that no instruction is left which debug information gives to it.
//! A build of cargo is run unoptimised as well, which shows all functions. A command sets the flags by itself.

use std::cell::RefCell;

use hashbrown::HashMap;

use crate::cost::ScoringContext;
use crate::cost::newer_mentions::NewerMention;
use crate::languages::language_of;
use crate::sample::{IndexedProfile, SampledFunction};
use crate::syntax::BlockKind;

/// Nodes of the syntax tree in such a function. Seven libraries of C and C++ execute 1,020 functions in the study's benchmarks,
/// and 142 of them leave no trace at `-O2`: 129 of these are no larger and have no loop.
const MOST_NODES: usize = 10;

/// The functions of the sample that may be executed without a trace, in one benchmark.
pub(super) struct UntracedFunctions<'a> {
    scene: &'a ScoringContext<'a>,
    profile: &'a IndexedProfile,
    /// False if the profile shows every function, or none of these changed.
    matter: bool,
    /// By place.
    known: RefCell<HashMap<usize, bool>>,
}

impl<'a> UntracedFunctions<'a> {
    pub(super) fn of(scene: &'a ScoringContext<'a>, profile: &'a IndexedProfile) -> Self {
        let mut changed = scene.standings.iter().flatten();
        Self {
            scene,
            profile,
            matter: changed.any(|standing| may_lack_a_trace(&standing.sampled, scene, profile)),
            known: RefCell::default(),
        }
    }

    /// Those that a place mentions.
    pub(super) fn mentioned_by(&self, place: usize) -> Vec<NewerMention> {
        if !self.matter {
            return Vec::new();
        }
        let mentions = self.scene.mentions();
        let all = mentions.newer.all_of(place, self.scene);
        let is_untraced = |target: usize| {
            *self.known.borrow_mut().entry(target).or_insert_with(|| {
                let sampled = mentions.places[target].sampled();
                sampled.is_some_and(|sampled| may_lack_a_trace(sampled, self.scene, self.profile))
            })
        };
        all.iter()
            .filter(|mention| is_untraced(mention.target))
            .copied()
            .collect()
    }
}

/// True for a function that a profile does not hold, and of which an optimised program need not show an instruction.
pub(super) fn may_lack_a_trace(
    sampled: &SampledFunction,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> bool {
    let function = &sampled.function;
    let has_loop = || function.blocks.iter().any(|block| block.kind == BlockKind::Loop);
    let is_optimised_alone = || {
        let record = scene.sample.inputs.of(&profile.profile().benchmark);
        let language = language_of(&sampled.file).map(|language| language.support());
        language.is_some_and(|support| match record {
            Some(record) => support.operation_scale() <= 1.0 && !record.compiled.are_of_cargo(),
            None => support.is_linked_into_programs(),
        })
    };
    function.size() <= MOST_NODES
        && !has_loop()
        && is_optimised_alone()
        && sampled.ids_with_closures(profile).is_empty()
}
