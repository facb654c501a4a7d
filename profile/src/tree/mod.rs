//! Calling context trees: what called what, from where, how often and at what cost; and the comparison of two of them.

mod builder;
mod functions;
mod matching;
mod model;
#[cfg(test)]
mod sketch;
mod walk;

pub use builder::{Context, Declared, MOST_CONTEXTS, TreeBuilder};
pub use functions::{Renames, SharedFunction, SharedFunctions};
pub use matching::{Matching, match_trees};
pub use model::{CallTree, Calls, Function, FunctionId, Node, NodeId};
pub use walk::Subtrees;
