//! Self costs and costs of calls → inclusive costs, with recursion taken into account.
//!
//! Outside of cycles, an inclusive cost is the self cost plus the costs of the calls: exact. In a cycle of functions
//! that call each other, the calls' costs overlap, and no sum over edges is exact: the cost of all members together is
//! an upper bound for each, and so is the cost of the calls that reach it. Knows functions as numbers only.

use std::collections::BTreeMap;

/// Inclusive cost of each function.
///
/// `edges` maps (caller, callee) to the cost of its calls, in recursion counting an instruction once for each level.
/// `outside` marks functions that are entered from code that was not collected: the subject.
pub(in crate::callgrind) fn inclusive_costs(
    own: &[u64],
    edges: &BTreeMap<(usize, usize), u64>,
    outside: &[bool],
    total: u64,
) -> Vec<u64> {
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); own.len()];
    for (caller, callee) in edges.keys() {
        callees[*caller].push(*callee);
    }
    let component = components(&callees);
    let count = component.iter().max().map_or(0, |last| last + 1);
    let mut members = vec![0usize; count];
    let mut together = vec![0u64; count];
    for (function, cost) in own.iter().enumerate() {
        members[component[function]] += 1;
        together[component[function]] = together[component[function]].saturating_add(*cost);
    }
    let mut calls_itself = vec![false; own.len()];
    let mut reached = vec![0u64; own.len()];
    for ((caller, callee), cost) in edges {
        if caller == callee {
            calls_itself[*caller] = true;
            continue;
        }
        reached[*callee] = reached[*callee].saturating_add(*cost);
        if component[*caller] != component[*callee] {
            let sum = &mut together[component[*caller]];
            *sum = sum.saturating_add(*cost);
        }
    }
    (0..own.len())
        .map(|function| {
            let bound = together[component[function]].min(total);
            let alone = members[component[function]] == 1;
            if alone || outside[function] {
                bound
            } else {
                reached[function].max(own[function]).min(bound)
            }
        })
        .collect()
}

/// The strongly connected component of each function (Tarjan's algorithm, without recursion).
fn components(callees: &[Vec<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let mut index = vec![UNSEEN; callees.len()];
    let mut low = vec![0; callees.len()];
    let mut component = vec![UNSEEN; callees.len()];
    let mut open = Vec::new();
    let (mut next, mut found) = (0, 0);
    for start in 0..callees.len() {
        if index[start] != UNSEEN {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((function, position)) = path.last_mut() {
            let function = *function;
            if *position == 0 {
                index[function] = next;
                low[function] = next;
                next += 1;
                open.push(function);
            }
            if let Some(callee) = callees[function].get(*position) {
                *position += 1;
                if index[*callee] == UNSEEN {
                    path.push((*callee, 0));
                } else if component[*callee] == UNSEEN {
                    low[function] = low[function].min(index[*callee]);
                }
                continue;
            }
            if low[function] == index[function] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == function {
                        break;
                    }
                }
                found += 1;
            }
            path.pop();
            if let Some((caller, _)) = path.last() {
                low[*caller] = low[*caller].min(low[function]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::inclusive_costs;

    #[test]
    fn without_recursion_costs_add_up() {
        // 0 calls 1 and 2, 1 calls 2
        let edges = BTreeMap::from([((0, 1), 30), ((0, 2), 20), ((1, 2), 10)]);
        let costs = inclusive_costs(&[5, 20, 30], &edges, &[true, false, false], 55);
        assert_eq!(costs, [55, 30, 30]);
    }

    #[test]
    fn direct_recursion_counts_once() {
        // 0 calls 1 for 50 in all; 1 calls itself on several levels
        let edges = BTreeMap::from([((0, 1), 50), ((1, 1), 120)]);
        assert_eq!(inclusive_costs(&[5, 50], &edges, &[true, false], 55), [55, 50]);
    }

    #[test]
    fn mutual_recursion_never_exceeds_the_cycle() {
        let edges = BTreeMap::from([((0, 1), 50), ((1, 2), 90), ((2, 1), 80), ((2, 3), 10)]);
        let costs = inclusive_costs(&[5, 20, 20, 10], &edges, &[true, false, false, false], 55);
        assert_eq!(costs, [55, 50, 50, 10]);
    }

    proptest! {
        #[test]
        fn no_inclusive_cost_leaves_own_to_total(
            own in prop::collection::vec(0u64..1000, 1..8),
            edges in prop::collection::btree_map((0usize..8, 0usize..8), 0u64..5000, 0..30),
        ) {
            let edges = edges
                .into_iter()
                .map(|((a, b), cost)| ((a % own.len(), b % own.len()), cost))
                .collect();
            let total = own.iter().sum();
            let costs = inclusive_costs(&own, &edges, &vec![false; own.len()], total);
            for (cost, own) in costs.iter().zip(&own) {
                prop_assert!(own <= cost && *cost <= total);
            }
        }
    }
}
