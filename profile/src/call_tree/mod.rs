//! Calling context trees: which function calls which, on which path, how often and at what cost.
//!
//! Contexts in any order → a [`CallTree`] (`builder`), bytes ([`binary`]) or folded stacks ([`folded_stacks`]) and back;
//! two trees → their differences (`comparison`). Does not know which profiler recorded a tree.

pub mod binary;
mod builder;
mod comparison;
#[cfg(test)]
mod fixtures;
pub mod folded_stacks;
mod minus;
mod model;
mod naming;
mod traversal;

pub use builder::{BuilderContextId, BuilderFunctionId, CallTreeBuilder, MOST_CONTEXTS};
pub use comparison::{
    CallTreeMatching, CauseOrigin, CostDifference, CostMeasure, CostNoise, DifferenceCause, DifferentialFlameGraph,
    EvolutionBlueprint, EvolutionNode, EvolutionNodeKind, EvolutionSide, FlameGraphFrame, FunctionRenames,
    MergedCallTreeNode, PrunedCallTrees, SMALLER_CALLS, SharedFunction, SharedFunctions, causes, hot_leaves,
    match_paths, match_trees, merge, prune, prune_floor_for,
};
pub use model::{CallCount, CallTree, CallTreeFunction, CallTreeFunctionId, CallTreeNode, CallTreeNodeId};
pub use traversal::SubtreeRanges;
