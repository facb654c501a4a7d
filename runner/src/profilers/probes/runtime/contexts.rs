//! Entries and exits of functions, each with the number of operations so far → a tree of calling contexts: how often
//! each function was entered from each context, and its own operations.

use std::fmt::Write;

/// Most contexts of one thread: half of the reader's limit, so that endless recursion does not fill the memory. Entries
/// beyond them count as their caller's own.
const MOST_CONTEXTS: usize = 1 << 20;

/// Marks a missing context.
const NONE: u32 = u32::MAX;

/// The contexts of one thread.
pub(crate) struct ContextRecorder {
    /// The first represents code outside every function.
    nodes: Vec<RecordedContext>,
    here: u32,
    /// The context to return to, for each function on the stack.
    callers: Vec<u32>,
    /// The number of operations at the last change of `here`.
    since: u64,
    full: bool,
}

struct RecordedContext {
    parent: u32,
    function: u32,
    first_child: u32,
    sibling: u32,
    entries: u64,
    operations: u64,
}

impl ContextRecorder {
    pub(crate) fn new() -> Self {
        let mut contexts = ContextRecorder {
            nodes: Vec::new(),
            here: 0,
            callers: Vec::new(),
            since: 0,
            full: false,
        };
        contexts.add(NONE, NONE);
        contexts
    }

    /// Records the entry of a function without an end of its own.
    pub(crate) fn call(&mut self, function: u32) {
        if let Some(child) = self.child(function) {
            self.nodes[child as usize].entries += 1;
        }
    }

    pub(crate) fn enter(&mut self, function: u32, now: u64) {
        self.settle(now);
        self.callers.push(self.here);
        if let Some(child) = self.child(function) {
            self.nodes[child as usize].entries += 1;
            self.here = child;
        }
    }

    pub(crate) fn leave(&mut self, now: u64) {
        self.settle(now);
        self.here = self.callers.pop().unwrap_or(0);
    }

    /// Writes `t OPERATIONS FULL`, then for each context `n PARENT FUNCTION ENTRIES OPERATIONS`. PARENT is the parent's
    /// number, 0 outside every function; a context's own number is that of its line, from 1. OPERATIONS are the
    /// context's own.
    pub(crate) fn write(&self, now: u64, text: &mut String) {
        let left = now - self.since;
        let of = |number: usize| {
            let own = if number == self.here as usize {
                left
            } else {
                0
            };
            self.nodes[number].operations + own
        };
        let _ = writeln!(text, "t {} {}", of(0), u8::from(self.full));
        for (number, node) in self.nodes.iter().enumerate().skip(1) {
            let (parent, function, entries) = (node.parent, node.function, node.entries);
            let _ = writeln!(text, "n {parent} {function} {entries} {}", of(number));
        }
    }

    /// Adds the operations since the last change to the current context.
    fn settle(&mut self, now: u64) {
        self.nodes[self.here as usize].operations += now - self.since;
        self.since = now;
    }

    /// The context of a function called from the current one.
    fn child(&mut self, function: u32) -> Option<u32> {
        let parent = &self.nodes[self.here as usize];
        let (first, mut at) = (parent.first_child, parent.first_child);
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.function == function {
                return Some(at);
            }
            at = node.sibling;
        }
        if self.nodes.len() >= MOST_CONTEXTS {
            self.full = true;
            return None;
        }
        let child = self.add(self.here, function);
        self.nodes[child as usize].sibling = first;
        self.nodes[self.here as usize].first_child = child;
        Some(child)
    }

    fn add(&mut self, parent: u32, function: u32) -> u32 {
        self.nodes.push(RecordedContext {
            parent,
            function,
            first_child: NONE,
            sibling: NONE,
            entries: 0,
            operations: 0,
        });
        self.nodes.len() as u32 - 1
    }
}
