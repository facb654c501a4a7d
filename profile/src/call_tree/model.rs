//! A calling context tree (Ammons, Ball and Larus, PLDI 1997): one node for each distinct path of calls, inlined calls
//! included.

use serde::{Deserialize, Serialize};

/// Index into [`CallTree::functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallTreeFunctionId(pub u32);

/// Index into [`CallTree::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallTreeNodeId(pub u32);

/// Functions that one run executed, by calling context.
///
/// Nodes are in preorder: the root first, callers before callees, callees of one node by name. No node has two children
/// of one name, and no two functions share a name: within a tree, the name identifies the function.
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
    /// As in a profile: `crate::module::Type::method`. For stacks of other profilers, the frame's text.
    pub name: String,
    /// File of its declaration, named as in a profile, if known.
    pub file: Option<String>,
    /// First line of its declaration, 1-based; 0 where unknown.
    pub line: u32,
    /// True for everything outside the versioned source tree.
    pub external: bool,
}

/// A function in one calling context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTreeNode {
    /// The caller's context; `None` for the root alone.
    pub parent: Option<CallTreeNodeId>,
    /// The called function.
    pub function: CallTreeFunctionId,
    /// Cost of its own instructions in this context, in the unit of the run.
    pub self_cost: u64,
    /// Number of calls in this context; `None` where unknown, as in sampled stacks.
    pub calls: Option<CallCount>,
}

/// A number of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallCount {
    /// The number.
    pub count: u64,
    /// True if it was derived from optimised code, where inlined copies are merged and unrolled.
    pub estimated: bool,
}
