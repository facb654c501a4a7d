//! Contexts in any order, costs and calls added piece by piece → a [`CallTree`] in its promised order. The order of
//! additions does not change the result.
//!
//! Nothing here recurses: depth is bounded by memory only.

use std::collections::HashMap;

use super::traversal::preorder;
use super::{CallCount, CallTree, CallTreeFunction, CallTreeFunctionId, CallTreeNode, CallTreeNodeId};

/// Most contexts that a builder takes: ten times the largest tree that a report can show. Trees that unrolled recursion
/// makes endless stop here before they fill the memory.
pub const MOST_CONTEXTS: usize = 1 << 21;

/// A function declared in a [`CallTreeBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuilderFunctionId(u32);

/// A context of a [`CallTreeBuilder`]: a function and the path of calls to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuilderContextId(u32);

/// A call tree under construction.
///
/// Ids are valid only for the builder that returned them.
#[derive(Debug, Clone)]
pub struct CallTreeBuilder {
    functions: Vec<CallTreeFunction>,
    by_name: HashMap<String, BuilderFunctionId>,
    contexts: Vec<BuilderContext>,
    by_call: HashMap<(BuilderContextId, BuilderFunctionId), BuilderContextId>,
    most: usize,
    full: bool,
}

#[derive(Debug, Clone, Copy)]
struct BuilderContext {
    parent: Option<BuilderContextId>,
    function: BuilderFunctionId,
    self_cost: u64,
    calls: Option<CallCount>,
}

impl CallTreeBuilder {
    /// Starts a tree that has only its root.
    #[must_use]
    pub fn new(root: CallTreeFunction) -> Self {
        let mut builder = Self {
            functions: Vec::new(),
            by_name: HashMap::new(),
            contexts: Vec::new(),
            by_call: HashMap::new(),
            most: MOST_CONTEXTS,
            full: false,
        };
        let function = builder.declare(root);
        builder.contexts.push(BuilderContext::new(None, function));
        builder
    }

    /// The context of the root.
    #[must_use]
    pub fn root(&self) -> BuilderContextId {
        BuilderContextId(0)
    }

    /// Declares a function and returns its id. Declarations of one name are merged, in any order: a known file wins
    /// over an unknown one, then the first file in the alphabet and the lower line. The function is external only if
    /// all declarations say so.
    pub fn declare(&mut self, function: CallTreeFunction) -> BuilderFunctionId {
        if let Some(&declared) = self.by_name.get(&function.name) {
            self.functions[declared.0 as usize].learn(function);
            return declared;
        }
        let declared = BuilderFunctionId(index(self.functions.len()));
        self.by_name.insert(function.name.clone(), declared);
        self.functions.push(function);
        declared
    }

    /// Declares a function by its name alone.
    pub fn declare_named(&mut self, name: &str) -> BuilderFunctionId {
        match self.by_name.get(name) {
            Some(&declared) => declared,
            None => self.declare(CallTreeFunction::named(name)),
        }
    }

    /// Enters a call from `parent` and returns its context: always the same one for the same call. In a full tree
    /// ([`MOST_CONTEXTS`]) returns `parent` itself, so that added costs stay in the total.
    pub fn enter(&mut self, parent: BuilderContextId, function: BuilderFunctionId) -> BuilderContextId {
        if let Some(&context) = self.by_call.get(&(parent, function)) {
            return context;
        }
        if self.contexts.len() >= self.most {
            self.full = true;
            return parent;
        }
        let context = BuilderContextId(index(self.contexts.len()));
        self.contexts.push(BuilderContext::new(Some(parent), function));
        self.by_call.insert((parent, function), context);
        context
    }

    /// Adds cost of the context's own instructions, in the unit of the run; saturates at `u64::MAX`.
    pub fn add_self(&mut self, context: BuilderContextId, cost: u64) {
        let growing = &mut self.contexts[context.0 as usize];
        growing.self_cost = growing.self_cost.saturating_add(cost);
    }

    /// Adds calls of a context. Calls are unknown until some are added; one estimate makes the sum an estimate.
    pub fn add_calls(&mut self, context: BuilderContextId, calls: CallCount) {
        let growing = &mut self.contexts[context.0 as usize];
        let known = growing.calls.unwrap_or(CallCount {
            count: 0,
            estimated: false,
        });
        growing.calls = Some(CallCount {
            count: known.count.saturating_add(calls.count),
            estimated: known.estimated || calls.estimated,
        });
    }

    /// True if a context did not fit: the total is right, but contexts are missing.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Number of contexts.
    #[must_use]
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// Finishes the tree, with its functions and contexts in the order that [`CallTree`] promises. Functions without a
    /// context are left out.
    #[must_use]
    pub fn finish(self) -> CallTree {
        let mut used = vec![false; self.functions.len()];
        for context in &self.contexts {
            used[context.function.0 as usize] = true;
        }
        let mut functions: Vec<(usize, CallTreeFunction)> = (self.functions.into_iter().enumerate())
            .filter(|&(at, _)| used[at])
            .collect();
        functions.sort_unstable_by(|(_, one), (_, other)| one.name.cmp(&other.name));
        let mut ids = vec![CallTreeFunctionId(0); used.len()];
        for (id, &(at, _)) in functions.iter().enumerate() {
            ids[at] = CallTreeFunctionId(index(id));
        }
        CallTree {
            functions: functions.into_iter().map(|(_, function)| function).collect(),
            nodes: in_preorder(&self.contexts, &ids),
        }
    }
}

/// Sorts contexts: callers before callees, callees of one context by function.
fn in_preorder(contexts: &[BuilderContext], ids: &[CallTreeFunctionId]) -> Vec<CallTreeNode> {
    let function = |at: usize| ids[contexts[at].function.0 as usize];
    let parents: Vec<Option<usize>> = (contexts.iter())
        .map(|context| context.parent.map(|parent| parent.0 as usize))
        .collect();
    let order = preorder(&parents, function);
    let mut places = vec![CallTreeNodeId(0); contexts.len()];
    for (place, &at) in (0..).map(CallTreeNodeId).zip(&order) {
        places[at] = place;
    }
    (order.into_iter())
        .map(|at| CallTreeNode {
            parent: parents[at].map(|parent| places[parent]),
            function: function(at),
            self_cost: contexts[at].self_cost,
            calls: contexts[at].calls,
        })
        .collect()
}

/// Converts an index that is known to be small: there are at most [`MOST_CONTEXTS`] contexts, and that many names fill
/// the memory long before their number exceeds 32 bits.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl BuilderContext {
    fn new(parent: Option<BuilderContextId>, function: BuilderFunctionId) -> Self {
        Self {
            parent,
            function,
            self_cost: 0,
            calls: None,
        }
    }
}

impl CallTreeFunction {
    /// A function known by its name alone, as in stacks of other profilers.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            file: None,
            line: 0,
            external: true,
        }
    }

    fn learn(&mut self, other: CallTreeFunction) {
        self.external &= other.external;
        // no file comes last
        let place = |file: &Option<String>, line| (file.is_none(), file.clone(), line == 0, line);
        if place(&other.file, other.line) < place(&self.file, self.line) {
            (self.file, self.line) = (other.file, other.line);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{CallTreeBuilder, CallTreeFunction};
    use crate::call_tree::{CallCount, CallTree, CallTreeNode, CallTreeNodeId};

    fn known(name: &str, file: &str, line: u32) -> CallTreeFunction {
        CallTreeFunction {
            name: name.to_owned(),
            file: Some(file.to_owned()),
            line,
            external: false,
        }
    }

    fn lines(tree: &CallTree) -> Vec<(Option<u32>, &str, u64)> {
        let line = |node: &CallTreeNode| {
            let name = &tree.functions[node.function.0 as usize].name;
            (node.parent.map(|CallTreeNodeId(at)| at), &**name, node.self_cost)
        };
        tree.nodes.iter().map(line).collect()
    }

    #[test]
    fn contexts_come_in_preorder_and_sorted_by_name() {
        let mut builder = CallTreeBuilder::new(CallTreeFunction::named("main"));
        let [z, a, unused] = ["z", "a", "unused"].map(|name| builder.declare(CallTreeFunction::named(name)));
        let in_z = builder.enter(builder.root(), z);
        let in_a = builder.enter(builder.root(), a);
        let deep = builder.enter(in_z, a);
        builder.add_self(deep, 3);
        builder.add_self(in_a, 1);
        builder.add_self(in_z, 2);
        assert_ne!(unused, z);
        let tree = builder.finish();
        assert_eq!(
            lines(&tree),
            [
                (None, "main", 0),
                (Some(0), "a", 1),
                (Some(0), "z", 2),
                (Some(2), "a", 3)
            ]
        );
        assert_eq!(tree.functions.len(), 3, "what no context is of is left out");
    }

    #[test]
    fn one_path_is_one_context_however_often_it_is_entered() {
        let mut builder = CallTreeBuilder::new(CallTreeFunction::named("main"));
        let f = builder.declare(CallTreeFunction::named("f"));
        for estimated in [false, true] {
            let again = builder.declare(CallTreeFunction::named("f"));
            assert_eq!(again, f);
            let context = builder.enter(builder.root(), again);
            builder.add_self(context, u64::MAX - 1);
            builder.add_calls(context, CallCount { count: 2, estimated });
        }
        let tree = builder.finish();
        assert_eq!(lines(&tree), [(None, "main", 0), (Some(0), "f", u64::MAX)]);
        let calls = CallCount {
            count: 4,
            estimated: true,
        };
        assert_eq!(tree.nodes[1].calls, Some(calls));
        assert_eq!(tree.nodes[0].calls, None, "nobody said how often");
    }

    #[test]
    fn declarations_of_a_function_merge_in_any_order() {
        let said = [
            CallTreeFunction::named("main"),
            known("main", "src/b.rs", 1),
            known("main", "src/a.rs", 0),
            known("main", "src/a.rs", 7),
        ];
        for first in 0..said.len() {
            let mut builder = CallTreeBuilder::new(said[first].clone());
            for function in said.iter().rev() {
                builder.declare(function.clone());
            }
            assert_eq!(builder.finish().functions, [known("main", "src/a.rs", 7)]);
        }
    }

    #[test]
    fn a_hundred_thousand_calls_deep_is_a_tree_like_any_other() {
        let mut builder = CallTreeBuilder::new(CallTreeFunction::named("main"));
        let f = builder.declare(CallTreeFunction::named("f"));
        let mut context = builder.root();
        for _ in 0..100_000 {
            context = builder.enter(context, f);
        }
        builder.add_self(context, 1);
        let tree = builder.finish();
        assert_eq!(tree.nodes.len(), 100_001);
        assert_eq!(tree.nodes[100_000].self_cost, 1);
    }

    #[test]
    fn a_full_tree_keeps_its_total() {
        let mut builder = CallTreeBuilder::new(CallTreeFunction::named("main"));
        let f = builder.declare(CallTreeFunction::named("f"));
        let mut context = builder.root();
        builder.most = 5;
        for _ in 0..9 {
            context = builder.enter(context, f);
            builder.add_self(context, 1);
        }
        assert!(builder.is_full());
        assert_eq!(builder.contexts(), 5);
        assert_eq!(builder.finish().total(), 9);
    }

    proptest! {
        #[test]
        fn the_order_of_additions_does_not_matter(
            stacks in prop::collection::vec((prop::collection::vec("[a-e]", 0..5), 0u64..9), 0..20),
            turn in any::<prop::sample::Index>(),
        ) {
            let build = |stacks: &[(Vec<String>, u64)]| {
                let mut builder = CallTreeBuilder::new(CallTreeFunction::named("main"));
                for (stack, cost) in stacks {
                    let mut context = builder.root();
                    for name in stack {
                        let function = builder.declare(CallTreeFunction::named(name.clone()));
                        context = builder.enter(context, function);
                    }
                    builder.add_self(context, *cost);
                }
                builder.finish()
            };
            let tree = build(&stacks);
            let mut turned = stacks.clone();
            if !turned.is_empty() {
                turned.rotate_left(turn.index(stacks.len()));
            }
            prop_assert_eq!(&build(&turned), &tree);
            for (at, node) in tree.nodes.iter().enumerate() {
                prop_assert_eq!(node.parent.is_none(), at == 0);
                prop_assert!(node.parent.is_none_or(|parent| (parent.0 as usize) < at));
            }
            prop_assert_eq!(tree.nodes.iter().map(|n| n.self_cost).sum::<u64>(), stacks.iter().map(|s| s.1).sum::<u64>());
        }
    }
}
