//! A calling context tree (Ammons, Ball and Larus, PLDI 1997): one node for each distinct path of calls, inlined ones
//! included.

use serde::{Deserialize, Serialize};

/// Index into [`CallTree::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallTreeFunctionId(pub u32);

/// Index into [`CallTree::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallTreeNodeId(pub u32);

/// What one run executed, by calling context.
///
/// Nodes are in preorder: the root first, each before what it calls, what one node calls sorted by name. No node has two
/// children of one name, and no two functions have one name: in a tree, a function is its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTree {
    /// Every function of the tree, sorted by name.
    pub functions: Vec<CallTreeFunction>,
    /// Every context; never empty.
    pub nodes: Vec<CallTreeNode>,
}

/// A function that occurs in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTreeFunction {
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
pub struct CallTreeNode {
    /// The context that calls it; `None` for the root alone.
    pub parent: Option<CallTreeNodeId>,
    /// What is called.
    pub function: CallTreeFunctionId,
    /// Cost of its own instructions in this context, in the unit of the run.
    pub self_cost: u64,
    /// How often it was called in this context; `None` where that is not known, as in stacks that were sampled.
    pub calls: Option<CallCount>,
}

/// A number of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallCount {
    /// How many.
    pub count: u64,
    /// True if it was read off optimised code, where inlined copies are merged and unrolled.
    pub estimated: bool,
}
