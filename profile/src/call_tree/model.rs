//! A calling context tree (Ammons, Ball and Larus, PLDI 1997): one node for each distinct path of calls, inlined ones
//! included.

use serde::{Deserialize, Serialize};

/// Index into [`CallTree::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FunctionId(pub u32);

/// Index into [`CallTree::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// What one run executed, by calling context.
///
/// Nodes are in preorder: the root first, each before what it calls, what one node calls sorted by name. No node has two
/// children of one name, and no two functions have one name: in a tree, a function is its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTree {
    /// Every function of the tree, sorted by name.
    pub functions: Vec<Function>,
    /// Every context; never empty.
    pub nodes: Vec<Node>,
}

/// A function that occurs in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// As in a profile: `crate::module::Type::method`. Of stacks that another profiler wrote, what stands there.
    pub name: String,
    /// Where it is declared, named as in a profile, if that is known.
    pub file: Option<String>,
    /// First line of its declaration, 1-based; 0 where unknown.
    pub line: u32,
    /// True for everything outside the versioned tree.
    pub external: bool,
}

/// A function in one calling context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The context that calls it; `None` for the root alone.
    pub parent: Option<NodeId>,
    /// What is called.
    pub function: FunctionId,
    /// Cost of its own instructions in this context, in the unit of the run.
    pub self_cost: u64,
    /// How often it was called in this context; `None` where that is not known, as in stacks that were sampled.
    pub calls: Option<Calls>,
}

/// A number of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// How many.
    pub count: u64,
    /// True if it was read off optimised code, where inlined copies are merged and unrolled.
    pub estimated: bool,
}
