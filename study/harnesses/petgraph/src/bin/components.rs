//! Components that are strongly connected, and an order of what depends on what.

use petgraph::algo::{kosaraju_scc, tarjan_scc, toposort};
use petgraph::graph::DiGraph;
use std::hint::black_box;
use study_petgraph::directed;

#[inline(never)]
pub fn subject(graph: &DiGraph<u32, u32>, acyclic: &DiGraph<u32, u32>) -> usize {
    let order = toposort(acyclic, None).map_or(0, |order| order.len());
    order + tarjan_scc(graph).len() + kosaraju_scc(graph).len()
}

fn main() {
    let graph = directed(20_000, 2, 2);
    let mut acyclic = directed(20_000, 3, 3);
    acyclic.retain_edges(|graph, edge| {
        graph
            .edge_endpoints(edge)
            .map_or(false, |(from, to)| from < to)
    });
    assert!(black_box(subject(black_box(&graph), black_box(&acyclic))) > 20_000);
}
