//! Shortest paths from a few nodes to all the others.

use petgraph::algo::dijkstra;
use petgraph::graph::{DiGraph, NodeIndex};
use std::hint::black_box;
use study_petgraph::directed;

#[inline(never)]
pub fn subject(graph: &DiGraph<u32, u32>) -> u64 {
    let mut sum = 0;
    for start in 0..4 {
        let lengths = dijkstra(graph, NodeIndex::new(start), None, |edge| *edge.weight());
        sum += lengths
            .values()
            .map(|&length| u64::from(length))
            .sum::<u64>();
    }
    sum
}

fn main() {
    let graph = directed(4_000, 4, 1);
    assert!(black_box(subject(black_box(&graph))) > 100_000);
}
