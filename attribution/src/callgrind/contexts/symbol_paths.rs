//! A path of calls, function by function → a context of the tree, with recursion folded.
//!
//! A function that is already on the path is not entered again: the path returns to its first entry. So each function
//! is on a path at most once, and the costs of its contexts add up to its inclusive cost. Copies of a generic function
//! are told apart by their symbols: `Option::map` within another type's `Option::map` is not recursion. Knows no
//! addresses.

use std::collections::HashMap;

use profile::call_tree::{
    BuilderContextId, BuilderFunctionId, CallCount, CallTree, CallTreeBuilder, CallTreeFunction, MOST_CONTEXTS,
};

/// A function on a path, and the key that identifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PathFunction {
    /// Number of its symbol.
    pub(super) key: u32,
    pub(super) declared: BuilderFunctionId,
}

/// A path of symbols. Several of them may be one context of the tree, which goes by names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SymbolPathId(u32);

#[derive(Debug, Clone, Copy)]
struct SymbolPath {
    caller: Option<SymbolPathId>,
    key: u32,
    context: BuilderContextId,
}

/// All paths of a tree under construction.
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

    /// Enters a call and returns its path; the caller's own path if the tree is full.
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

    /// Where the path entered a function, if it did.
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

    /// The tree, and whether it is complete.
    pub(super) fn finish(self) -> (CallTree, bool) {
        let complete = !self.builder.is_full() && self.entered.len() < MOST_CONTEXTS;
        (self.builder.finish(), complete)
    }
}
