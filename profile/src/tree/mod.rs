//! Calling context trees: what called what, from where, how often and at what cost; and the comparison of two of them.

mod model;

pub use model::{CallTree, Calls, Function, FunctionId, Node, NodeId};
