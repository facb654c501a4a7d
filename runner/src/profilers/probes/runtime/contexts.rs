//! Entries and ends of functions, each at so many operations → a tree of calling contexts: which function was entered
//! from which context how often, and how many operations each executed itself.

use std::fmt::Write;

/// Most contexts of one thread: half of what a reader takes, so that recursion without end fills no memory. What is
/// entered beyond them counts as its caller's own.
const MOST_CONTEXTS: usize = 1 << 20;

/// There is none.
const NONE: u32 = u32::MAX;

/// The contexts of one thread.
pub(crate) struct ContextRecorder {
    /// The first stands for what runs outside of every function.
    nodes: Vec<RecordedContext>,
    here: u32,
    /// Where to go back to, for each function on the stack.
    callers: Vec<u32>,
    /// Operations at the last change of `here`.
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

    /// An entry of a function that has no end of its own.
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

    /// `t OPERATIONS FULL`, then for each context `n PARENT FUNCTION ENTRIES OPERATIONS`: the parent's number, 0 where
    /// no function is around it; a context's own number is its line's, from 1. Operations are its own.
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

    /// What ran since the last change was the context's that was current.
    fn settle(&mut self, now: u64) {
        self.nodes[self.here as usize].operations += now - self.since;
        self.since = now;
    }

    /// The context of a function called from here.
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
