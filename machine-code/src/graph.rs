//! A program in, which function refers to which out: calls, addresses taken, and addresses in the constants and
//! variables that are used.
//!
//! More than can happen in any run: a function that is referred to need not be called.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::place::{Extent, Place};
use super::program::{CALLED_SECTIONS, Code};
use super::x86_64::Access;

/// A function, or a stretch of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Body(usize),
    Data(Extent),
}

impl Code<'_> {
    /// What the program starts with: its entry, and the tables of functions that run before and after `main`.
    pub(super) fn beginnings(&self) -> Vec<Node> {
        let entry = self.node(self.entry, Access::Taken);
        let tables = (self.sections.iter())
            .filter(|section| called(&section.name))
            .filter_map(|section| self.node(section.start, Access::Taken));
        entry.into_iter().chain(tables).collect()
    }

    fn node(&self, address: u64, access: Access) -> Option<Node> {
        match self.place(address, access) {
            Place::Code { body, .. } => Some(Node::Body(body)),
            Place::Constant(extent) | Place::Mutable(extent) => Some(Node::Data(Extent { offset: 0, ..extent })),
            Place::Section { .. } | Place::Nowhere => None,
        }
    }

    /// What a function or a stretch of data refers to, each once, in the order of addresses.
    fn successors(&self, node: Node) -> Vec<Node> {
        let (start, end) = match node {
            Node::Body(body) => (self.bodies[body].start, self.bodies[body].end),
            Node::Data(extent) => (extent.start, extent.end),
        };
        let found: BTreeSet<Node> = (self.references_in(start, end).iter())
            .flat_map(|reference| {
                let access = reference.access;
                (self.addresses(reference)).filter_map(move |address| self.node(address, access))
            })
            .collect();
        found.into_iter().collect()
    }

    /// Everything that can be reached from some nodes, each with the node that it was first reached from on a
    /// shortest way; those that `enter` refuses are not gone through.
    pub(super) fn reach(
        &self,
        from: impl IntoIterator<Item = Node>,
        enter: impl Fn(Node) -> bool,
    ) -> BTreeMap<Node, Option<Node>> {
        let mut reached: BTreeMap<Node, Option<Node>> = BTreeMap::new();
        let mut waiting = VecDeque::new();
        for node in from {
            if reached.insert(node, None).is_none() {
                waiting.push_back(node);
            }
        }
        while let Some(node) = waiting.pop_front() {
            for next in self.successors(node) {
                if enter(next) && !reached.contains_key(&next) {
                    reached.insert(next, Some(node));
                    waiting.push_back(next);
                }
            }
        }
        reached
    }
}

/// True for the tables of functions that run before and after `main`.
pub(super) fn called(section: &str) -> bool {
    CALLED_SECTIONS.iter().any(|name| section.starts_with(name))
}

/// The functions among nodes.
pub(super) fn bodies(reached: &BTreeMap<Node, Option<Node>>) -> BTreeSet<usize> {
    (reached.keys())
        .filter_map(|node| match node {
            Node::Body(body) => Some(*body),
            Node::Data(_) => None,
        })
        .collect()
}
