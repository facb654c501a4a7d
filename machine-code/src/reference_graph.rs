//! A program → the graph of its references: calls, addresses taken, and addresses in used constants and variables.
//!
//! A superset of any run: a referenced function need not be called.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::address::{AddressContent, DataExtent};
use super::program::{CALLED_SECTIONS, MachineCode};
use super::x86_64::AddressAccess;

/// A function, or an extent of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ReferenceGraphNode {
    Body(usize),
    Data(DataExtent),
}

impl MachineCode<'_> {
    /// Start-up code: the entry, and the tables of functions that run before and after `main`.
    pub(super) fn entry_nodes(&self) -> Vec<ReferenceGraphNode> {
        let entry = self.node(self.entry, AddressAccess::Taken);
        let tables = (self.sections.iter())
            .filter(|section| is_startup_table(&section.name))
            .filter_map(|section| self.node(section.start, AddressAccess::Taken));
        entry.into_iter().chain(tables).collect()
    }

    fn node(&self, address: u64, access: AddressAccess) -> Option<ReferenceGraphNode> {
        match self.content_at(address, access) {
            AddressContent::Code { body, .. } => Some(ReferenceGraphNode::Body(body)),
            AddressContent::Constant(extent) | AddressContent::Mutable(extent) => {
                Some(ReferenceGraphNode::Data(DataExtent { offset: 0, ..extent }))
            }
            AddressContent::Section { .. } | AddressContent::Nowhere => None,
        }
    }

    /// Targets of a node's references, each once, in the order of addresses.
    fn successors(&self, node: ReferenceGraphNode) -> Vec<ReferenceGraphNode> {
        let (start, end) = match node {
            ReferenceGraphNode::Body(body) => (self.bodies[body].start, self.bodies[body].end),
            ReferenceGraphNode::Data(extent) => (extent.start, extent.end),
        };
        let found: BTreeSet<ReferenceGraphNode> = (self.references_in(start, end).iter())
            .flat_map(|reference| {
                let access = reference.access;
                (self.addresses(reference)).filter_map(move |address| self.node(address, access))
            })
            .collect();
        found.into_iter().collect()
    }

    /// Everything reachable from some nodes, each with its predecessor on a shortest path; nodes that `enter` refuses
    /// are not traversed.
    pub(super) fn reachable_nodes(
        &self,
        from: impl IntoIterator<Item = ReferenceGraphNode>,
        enter: impl Fn(ReferenceGraphNode) -> bool,
    ) -> BTreeMap<ReferenceGraphNode, Option<ReferenceGraphNode>> {
        let mut reached: BTreeMap<ReferenceGraphNode, Option<ReferenceGraphNode>> = BTreeMap::new();
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
pub(super) fn is_startup_table(section: &str) -> bool {
    CALLED_SECTIONS.iter().any(|name| section.starts_with(name))
}

/// The functions among nodes.
pub(super) fn bodies(reached: &BTreeMap<ReferenceGraphNode, Option<ReferenceGraphNode>>) -> BTreeSet<usize> {
    (reached.keys())
        .filter_map(|node| match node {
            ReferenceGraphNode::Body(body) => Some(*body),
            ReferenceGraphNode::Data(_) => None,
        })
        .collect()
}
