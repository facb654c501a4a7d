//! Calling context trees: what called what, from where, how often and at what cost; and the comparison of two of them.

pub mod binary;
mod builder;
mod cost_difference;
mod evolution;
#[cfg(test)]
mod fixtures;
mod flame_graph;
pub mod folded_stacks;
mod hot_path;
mod matching;
mod merge;
mod model;
mod path_matching;
mod prune;
mod shared_functions;
mod traversal;

pub use builder::{BuilderContextId, BuilderFunctionId, CallTreeBuilder, MOST_CONTEXTS};
pub use cost_difference::{CostDifference, CostMeasure, CostNoise};
pub use evolution::{EvolutionBlueprint, EvolutionNode, EvolutionNodeKind, EvolutionSide};
pub use flame_graph::{DifferentialFlameGraph, FlameGraphFrame};
pub use hot_path::hot_leaves;
pub use matching::{CallTreeMatching, match_trees};
pub use merge::{MergedCallTreeNode, merge};
pub use model::{CallCount, CallTree, CallTreeFunction, CallTreeFunctionId, CallTreeNode, CallTreeNodeId};
pub use path_matching::match_paths;
pub use prune::{PrunedCallTrees, SMALLER_CALLS, prune, prune_floor_for};
pub use shared_functions::{FunctionRenames, SharedFunction, SharedFunctions};
pub use traversal::SubtreeRanges;
