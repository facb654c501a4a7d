//! Calling context trees: what called what, from where, how often and at what cost; and the comparison of two of them.

mod builder;
mod model;

pub use builder::{Context, Declared, MOST_CONTEXTS, TreeBuilder};
pub use model::{CallTree, Calls, Function, FunctionId, Node, NodeId};
