//! Everything that can be reached, in breadth and in depth.

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Bfs, Dfs, DfsPostOrder};
use std::hint::black_box;
use study_petgraph::directed;

#[inline(never)]
pub fn subject(graph: &DiGraph<u32, u32>) -> u64 {
    let start = NodeIndex::new(7);
    let mut mixed = 0u64;
    let mut breadth = Bfs::new(graph, start);
    while let Some(node) = breadth.next(graph) {
        mixed = mixed.wrapping_mul(31).wrapping_add(u64::from(graph[node]));
    }
    let mut depth = Dfs::new(graph, start);
    while let Some(node) = depth.next(graph) {
        mixed = mixed.wrapping_mul(37).wrapping_add(u64::from(graph[node]));
    }
    let mut after = DfsPostOrder::new(graph, start);
    while let Some(node) = after.next(graph) {
        mixed ^= u64::from(graph[node]) + graph.neighbors(node).count() as u64;
    }
    mixed
}

fn main() {
    let graph = directed(25_000, 3, 4);
    assert!(black_box(subject(black_box(&graph))) > 0);
}
