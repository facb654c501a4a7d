//! Two call trees → which of their contexts match, one merged tree, the blueprint of their differences, and the frames
//! of differential flame graphs.
//!
//! The steps build on each other: `shared_functions` (one table of names) → `matching` or `path_matching` (pairs of
//! contexts) → `merge` (one tree) → `evolution` (kinds and differences of nodes) → `causes`, `hot_path` and `flame_graph`. `prune`
//! shortens both trees beforehand. Does not know how the trees were recorded, nor how a difference is drawn.

mod causes;
mod cost_difference;
mod evolution;
mod flame_graph;
mod hot_path;
mod matching;
mod merge;
mod path_matching;
mod prune;
mod shared_functions;

pub use causes::{CauseOrigin, DifferenceCause, causes};
pub use cost_difference::{CostDifference, CostMeasure, CostNoise};
pub use evolution::{EvolutionBlueprint, EvolutionNode, EvolutionNodeKind, EvolutionSide};
pub use flame_graph::{DifferentialFlameGraph, FlameGraphFrame};
pub use hot_path::hot_leaves;
pub use matching::{CallTreeMatching, match_trees};
pub use merge::{MergedCallTreeNode, merge};
pub use path_matching::match_paths;
pub use prune::{PrunedCallTrees, SMALLER_CALLS, prune, prune_floor_for};
pub use shared_functions::{FunctionRenames, SharedFunction, SharedFunctions};
