//! A call graph with costs → the same without some of its nodes: their costs and calls are their callers'.
//!
//! Exact for a node that calls nothing else, and for one with a single caller: the cost of each arc is known. The cost of a
//! node with several callers that calls something else is divided in proportion to the cost of its arcs, and the calls
//! below it are then estimates. Knows functions as numbers only.

use std::collections::{BTreeMap, BTreeSet};

/// All calls from one function to another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CallArc {
    /// Number of calls.
    pub(super) calls: u64,
    /// Cost of these calls, callees included; recursion counts an instruction once for each level.
    pub(super) cost: u64,
    /// True if the number is an estimate.
    pub(super) estimated: bool,
}

/// Self costs, and the calls between functions.
#[derive(Debug, Clone, Default)]
pub(super) struct CallGraph {
    own: Vec<u64>,
    callees: Vec<BTreeMap<usize, CallArc>>,
    callers: Vec<BTreeSet<usize>>,
}

impl CallGraph {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            own: vec![0; nodes],
            callees: vec![BTreeMap::new(); nodes],
            callers: vec![BTreeSet::new(); nodes],
        }
    }

    pub(super) fn add_cost(&mut self, node: usize, cost: u64) {
        self.own[node] = self.own[node].saturating_add(cost);
    }

    pub(super) fn add_arc(&mut self, from: usize, to: usize, more: CallArc) {
        let arc = self.callees[from].entry(to).or_default();
        arc.calls = arc.calls.saturating_add(more.calls);
        arc.cost = arc.cost.saturating_add(more.cost);
        arc.estimated |= more.estimated;
        self.callers[to].insert(from);
    }

    pub(super) fn own(&self) -> &[u64] {
        &self.own
    }

    pub(super) fn arcs(&self) -> impl Iterator<Item = ((usize, usize), CallArc)> + '_ {
        let of = |(from, callees): (usize, &BTreeMap<usize, CallArc>)| {
            let arcs: Vec<_> = callees.iter().map(|(to, arc)| ((from, *to), *arc)).collect();
            arcs
        };
        self.callees.iter().enumerate().flat_map(of)
    }

    /// Takes nodes out. One without callers stays: nobody else could have its cost.
    pub(super) fn fold(&mut self, is_folded: &[bool]) {
        for node in self.callees_first(is_folded) {
            self.fold_node(node);
        }
    }

    /// The nodes to fold, each behind those that it calls, as far as they do not call each other.
    fn callees_first(&self, is_folded: &[bool]) -> Vec<usize> {
        let folded = |callees: &BTreeMap<usize, CallArc>| -> Vec<usize> {
            callees.keys().copied().filter(|to| is_folded[*to]).collect()
        };
        let mut is_seen = vec![false; self.own.len()];
        let mut order = Vec::new();
        for start in (0..self.own.len()).filter(|node| is_folded[*node]) {
            if is_seen[start] {
                continue;
            }
            is_seen[start] = true;
            let mut open = vec![(start, folded(&self.callees[start]))];
            while let Some((node, left)) = open.last_mut() {
                match left.pop() {
                    Some(next) if !is_seen[next] => {
                        is_seen[next] = true;
                        let below = folded(&self.callees[next]);
                        open.push((next, below));
                    }
                    Some(_) => {}
                    None => {
                        order.push(*node);
                        open.pop();
                    }
                }
            }
        }
        order
    }

    fn fold_node(&mut self, node: usize) {
        self.callers[node].remove(&node);
        self.callees[node].remove(&node);
        let callers: Vec<usize> = self.callers[node].iter().copied().collect();
        let costs: Vec<u64> = callers
            .iter()
            .map(|from| self.callees[*from].get(&node).map_or(0, |arc| arc.cost))
            .collect();
        let whole: u128 = costs.iter().map(|cost| u128::from(*cost)).sum();
        if whole == 0 {
            return;
        }
        let own = std::mem::take(&mut self.own[node]);
        let below = std::mem::take(&mut self.callees[node]);
        for to in below.keys() {
            self.callers[*to].remove(&node);
        }
        for (from, cost) in callers.iter().zip(own_parts(own, &costs)) {
            self.callees[*from].remove(&node);
            self.add_cost(*from, cost);
        }
        self.callers[node].clear();
        let is_certain = callers.len() == 1;
        for (to, arc) in below {
            let calls = own_parts(arc.calls, &costs);
            let parts = calls.into_iter().zip(own_parts(arc.cost, &costs));
            for (from, (calls, cost)) in callers.iter().zip(parts) {
                let part = CallArc {
                    calls,
                    cost,
                    estimated: arc.estimated || !is_certain,
                };
                self.add_arc(*from, to, part);
            }
        }
    }
}

/// Parts of a sum in proportion to weights, at least one of them positive; what rounding leaves is the heaviest one's.
fn own_parts(sum: u64, weights: &[u64]) -> Vec<u64> {
    let whole: u128 = weights.iter().map(|weight| u128::from(*weight)).sum::<u128>().max(1);
    let mut parts: Vec<u64> = weights
        .iter()
        .map(|weight| u64::try_from(u128::from(sum) * u128::from(*weight) / whole).unwrap_or(u64::MAX))
        .collect();
    let given = parts.iter().fold(0u64, |given, part| given.saturating_add(*part));
    let heaviest = (0..weights.len()).max_by_key(|at| weights[*at]);
    if let Some(at) = heaviest {
        parts[at] = parts[at].saturating_add(sum.saturating_sub(given));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{CallArc, CallGraph};

    fn graph(own: &[u64], arcs: &[(usize, usize, u64, u64)]) -> CallGraph {
        let mut graph = CallGraph::new(own.len());
        for (node, cost) in own.iter().enumerate() {
            graph.add_cost(node, *cost);
        }
        for (from, to, calls, cost) in arcs {
            let arc = CallArc {
                calls: *calls,
                cost: *cost,
                estimated: false,
            };
            graph.add_arc(*from, *to, arc);
        }
        graph
    }

    fn arcs(graph: &CallGraph) -> Vec<(usize, usize, u64, u64, bool)> {
        graph
            .arcs()
            .map(|((from, to), arc)| (from, to, arc.calls, arc.cost, arc.estimated))
            .collect()
    }

    #[test]
    fn a_leaf_is_divided_by_the_cost_of_each_call() {
        let mut found = graph(&[10, 20, 30], &[(0, 1, 1, 45), (0, 2, 1, 5), (1, 2, 3, 25)]);
        found.fold(&[false, false, true]);
        assert_eq!(found.own(), [15, 45, 0]);
        assert_eq!(arcs(&found), [(0, 1, 1, 45, false)]);
    }

    #[test]
    fn a_node_with_one_caller_hands_its_calls_over() {
        let mut found = graph(&[10, 20, 30], &[(0, 1, 2, 50), (1, 2, 7, 30)]);
        found.fold(&[false, true, false]);
        assert_eq!(found.own(), [30, 0, 30]);
        assert_eq!(arcs(&found), [(0, 2, 7, 30, false)]);
    }

    #[test]
    fn a_leaf_below_a_folded_node_is_folded_first() {
        // Nodes 2 and 3 are folded; without 3, node 2 is a leaf.
        let mut found = graph(
            &[1, 1, 10, 10],
            &[(0, 2, 1, 5), (1, 2, 1, 15), (2, 3, 2, 10), (0, 1, 1, 16)],
        );
        found.fold(&[false, false, true, true]);
        assert_eq!(found.own(), [6, 16, 0, 0]);
        assert_eq!(arcs(&found), [(0, 1, 1, 16, false)]);
    }

    #[test]
    fn calls_below_a_node_of_several_callers_are_estimates() {
        let mut found = graph(&[0, 0, 8, 4], &[(0, 2, 1, 9), (1, 2, 1, 3), (2, 3, 4, 4)]);
        found.fold(&[false, false, true, false]);
        assert_eq!(found.own(), [6, 2, 0, 4]);
        assert_eq!(arcs(&found), [(0, 3, 3, 3, true), (1, 3, 1, 1, true)]);
    }

    #[test]
    fn recursion_and_nodes_without_callers_lose_no_cost() {
        let mut found = graph(
            &[3, 5, 7, 9],
            &[(1, 1, 2, 4), (0, 1, 1, 21), (1, 2, 1, 16), (2, 1, 1, 9)],
        );
        found.fold(&[true, true, true, true]);
        assert_eq!(found.own().iter().sum::<u64>(), 24);
    }
}
