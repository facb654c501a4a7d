//! Calling context trees: what called what, from where, how often and at what cost; and the comparison of two of them.

pub mod binary;
mod builder;
mod evolution;
mod flames;
pub mod folded;
mod functions;
mod hot_path;
mod matching;
mod measure;
mod merge;
mod model;
mod paths;
mod prune;
#[cfg(test)]
mod sketch;
mod walk;

pub use builder::{BuilderContextId, BuilderFunctionId, CallTreeBuilder, MOST_CONTEXTS};
pub use evolution::{EvolutionBlueprint, EvolutionNode, EvolutionNodeKind, EvolutionSide};
pub use flames::{DifferentialFlameGraph, FlameGraphFrame};
pub use functions::{FunctionRenames, SharedFunction, SharedFunctions};
pub use hot_path::hot_leaves;
pub use matching::{CallTreeMatching, match_trees};
pub use measure::{CostDifference, CostMeasure, CostNoise};
pub use merge::{MergedCallTreeNode, merge};
pub use model::{CallCount, CallTree, CallTreeFunction, CallTreeFunctionId, CallTreeNode, CallTreeNodeId};
pub use paths::match_paths;
pub use prune::{PrunedCallTrees, SMALLER_CALLS, prune, prune_floor_for};
pub use walk::SubtreeRanges;
