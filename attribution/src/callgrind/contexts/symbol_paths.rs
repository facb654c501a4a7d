//! A path of calls, function by function in; a context of the tree out, recursion folded.
//!
//! A function that is on the path already is entered no second time: the path goes back to where it was entered
//! first. So each function is on a path at most once, and the costs of its contexts add up to its inclusive cost. What
//! counts is the copy of a generic function, by its symbol: `Option::map` within another type's `Option::map` is no
//! recursion.

use std::collections::HashMap;

use profile::call_tree::{
    BuilderContextId, BuilderFunctionId, CallCount, CallTree, CallTreeBuilder, CallTreeFunction, MOST_CONTEXTS,
};

/// The function of a path, and what tells it from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PathFunction {
    /// One number for each symbol.
    pub(super) key: u32,
    pub(super) declared: BuilderFunctionId,
}

/// A place in the tree: one for each path of symbols, of which several may be one context of the tree, since that goes
/// by names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SymbolPathId(u32);

#[derive(Debug, Clone, Copy)]
struct SymbolPath {
    caller: Option<SymbolPathId>,
    key: u32,
    context: BuilderContextId,
}

/// All paths of a tree.
#[derive(Debug)]
pub(super) struct SymbolPaths {
    builder: CallTreeBuilder,
    entered: Vec<SymbolPath>,
    known: HashMap<(SymbolPathId, u32), SymbolPathId>,
}

impl SymbolPaths {
    /// The path that ends at the root.
    pub(super) const ROOT: SymbolPathId = SymbolPathId(0);

    pub(super) fn new(root: CallTreeFunction) -> Self {
        let builder = CallTreeBuilder::new(root);
        let entered = vec![SymbolPath {
            caller: None,
            key: u32::MAX,
            context: builder.root(),
        }];
        Self {
            builder,
            entered,
            known: HashMap::new(),
        }
    }

    pub(super) fn declare(&mut self, function: CallTreeFunction) -> BuilderFunctionId {
        self.builder.declare(function)
    }

    /// The path of a call; the caller's own where the tree is full.
    pub(super) fn enter(&mut self, caller: SymbolPathId, callee: PathFunction) -> SymbolPathId {
        if let Some(path) = self.known.get(&(caller, callee.key)) {
            return *path;
        }
        let path = self.find_entry(caller, callee.key).unwrap_or_else(|| {
            if self.entered.len() >= MOST_CONTEXTS {
                return caller;
            }
            let path = SymbolPathId(u32::try_from(self.entered.len()).unwrap_or(u32::MAX));
            let context = self.entered[caller.0 as usize].context;
            self.entered.push(SymbolPath {
                caller: Some(caller),
                key: callee.key,
                context: self.builder.enter(context, callee.declared),
            });
            path
        });
        self.known.insert((caller, callee.key), path);
        path
    }

    /// Where a path entered a function, if it did.
    pub(super) fn find_entry(&self, path: SymbolPathId, key: u32) -> Option<SymbolPathId> {
        let mut next = Some(path);
        while let Some(path) = next {
            let entered = &self.entered[path.0 as usize];
            if entered.key == key {
                return Some(path);
            }
            next = entered.caller;
        }
        None
    }

    pub(super) fn add_self(&mut self, path: SymbolPathId, cost: u64) {
        let context = self.entered[path.0 as usize].context;
        self.builder.add_self(context, cost);
    }

    pub(super) fn add_calls(&mut self, path: SymbolPathId, calls: CallCount) {
        let context = self.entered[path.0 as usize].context;
        self.builder.add_calls(context, calls);
    }

    /// The tree, and whether everything had room in it.
    pub(super) fn finish(self) -> (CallTree, bool) {
        let complete = !self.builder.is_full() && self.entered.len() < MOST_CONTEXTS;
        (self.builder.finish(), complete)
    }
}
