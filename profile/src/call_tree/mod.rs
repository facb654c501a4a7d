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

pub use builder::{Context, Declared, MOST_CONTEXTS, TreeBuilder};
pub use evolution::{Evolution, EvolutionNode, Kind, Side};
pub use flames::{Flames, Frame};
pub use functions::{Renames, SharedFunction, SharedFunctions};
pub use hot_path::hot_leaves;
pub use matching::{Matching, match_trees};
pub use measure::{Difference, Measure, Noise};
pub use merge::{MergedNode, merge};
pub use model::{CallTree, Calls, Function, FunctionId, Node, NodeId};
pub use paths::match_paths;
pub use prune::{Pruned, SMALLER_CALLS, floor_for, prune};
pub use walk::Subtrees;
