//! A graph built, its cheapest tree found, and a third of its nodes removed.

use petgraph::algo::min_spanning_tree;
use petgraph::data::FromElements;
use petgraph::graph::{NodeIndex, UnGraph};
use std::hint::black_box;
use study_petgraph::edges;

#[inline(never)]
pub fn subject(edges: &[(u32, u32, u32)]) -> usize {
    let mut graph: UnGraph<(), u32> = UnGraph::from_edges(edges);
    let tree: UnGraph<(), u32> = UnGraph::from_elements(min_spanning_tree(&graph));
    let cost: u32 = tree.raw_edges().iter().map(|edge| edge.weight).sum();
    for node in (0..graph.node_count()).rev().filter(|node| node % 3 == 0) {
        graph.remove_node(NodeIndex::new(node));
    }
    cost as usize + graph.edge_count()
}

fn main() {
    let edges = edges(6_000, 3, 5);
    assert!(black_box(subject(black_box(&edges))) > 10_000);
}
