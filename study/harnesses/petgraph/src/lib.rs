//! Input for the benchmarks: the same in every run and for every version.

use petgraph::graph::{DiGraph, NodeIndex, UnGraph};

/// A linear congruential generator with the constants of Knuth's MMIX.
pub struct Numbers(u64);

impl Numbers {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Numbers(seed)
    }

    /// The next number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// Edges between `nodes` nodes, `degree` for each, with weights.
pub fn edges(nodes: u64, degree: u64, seed: u64) -> Vec<(u32, u32, u32)> {
    let mut numbers = Numbers::new(seed);
    (0..nodes * degree)
        .map(|edge| {
            (
                (edge / degree) as u32,
                numbers.below(nodes) as u32,
                1 + numbers.below(100) as u32,
            )
        })
        .collect()
}

/// A directed graph of them.
pub fn directed(nodes: u64, degree: u64, seed: u64) -> DiGraph<u32, u32> {
    let mut graph = DiGraph::new();
    for node in 0..nodes {
        graph.add_node(node as u32);
    }
    for (from, to, weight) in edges(nodes, degree, seed) {
        graph.add_edge(
            NodeIndex::new(from as usize),
            NodeIndex::new(to as usize),
            weight,
        );
    }
    graph
}

/// An undirected one.
pub fn undirected(nodes: u64, degree: u64, seed: u64) -> UnGraph<u32, u32> {
    let mut graph = UnGraph::new_undirected();
    for node in 0..nodes {
        graph.add_node(node as u32);
    }
    for (from, to, weight) in edges(nodes, degree, seed) {
        graph.add_edge(
            NodeIndex::new(from as usize),
            NodeIndex::new(to as usize),
            weight,
        );
    }
    graph
}
