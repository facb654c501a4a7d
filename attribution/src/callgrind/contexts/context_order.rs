//! Calls between contexts → the contexts in which collection starts, and an order with callers before callees, as far
//! as recursion allows one.

use crate::callgrind::trace::{ContextCall, ContextTrace};

/// Contexts that collected something, callers first.
#[derive(Debug, Default)]
pub(super) struct ContextOrder {
    /// Each context once. A context that calls an earlier one does so in a recursion that callgrind cut.
    pub(super) sequence: Vec<u32>,
    /// Index of each context in the sequence; `u32::MAX` if it is not in it.
    pub(super) rank: Vec<u32>,
    /// Contexts entered from contexts that collected nothing.
    pub(super) tops: Vec<u32>,
}

/// The calls of one context; all calls are sorted by caller.
pub(super) fn calls_of(trace: &ContextTrace, context: u32) -> &[ContextCall] {
    let begin = trace.calls.partition_point(|call| call.from < context);
    let end = trace.calls.partition_point(|call| call.from <= context);
    &trace.calls[begin..end]
}

/// Puts the contexts in order. `own` is the self cost of each.
pub(super) fn order(trace: &ContextTrace, own: &[u64]) -> ContextOrder {
    let mut order = ContextOrder {
        rank: vec![u32::MAX; own.len()],
        ..ContextOrder::default()
    };
    let mut seen = vec![false; own.len()];
    let mut found: Vec<Vec<u32>> = Vec::new();
    for top in tops(trace, own) {
        if !seen[top as usize] {
            order.tops.push(top);
            found.push(descend(trace, top, &mut seen));
        }
    }
    // Contexts that no caller leads to: their callers were lost, or they call themselves through others.
    for (context, cost) in own.iter().enumerate() {
        if *cost > 0 && !seen[context] {
            let context = index(context);
            order.tops.push(context);
            found.push(descend(trace, context, &mut seen));
        }
    }
    // A later search never leads into an earlier one, but an earlier one may be led into: the last search comes first.
    order.sequence = found.into_iter().rev().flatten().collect();
    for (rank, context) in order.sequence.iter().enumerate() {
        order.rank[*context as usize] = index(rank);
    }
    order
}

/// From contexts that nobody calls down to the first that executed something.
fn tops(trace: &ContextTrace, own: &[u64]) -> Vec<u32> {
    let mut called = vec![false; own.len()];
    for call in trace.calls.iter().filter(|call| call.from != call.to) {
        called[call.to as usize] = true;
    }
    let mut seen = vec![false; own.len()];
    let mut open: Vec<u32> = (0..own.len()).filter(|context| !called[*context]).map(index).collect();
    let mut tops = Vec::new();
    while let Some(context) = open.pop() {
        if std::mem::replace(&mut seen[context as usize], true) {
            continue;
        }
        if own[context as usize] > 0 {
            tops.push(context);
        } else {
            open.extend(calls_of(trace, context).iter().map(|call| call.to));
        }
    }
    tops.sort_unstable();
    tops
}

/// Contexts reachable from one context and not seen before, in reverse postorder.
fn descend(trace: &ContextTrace, top: u32, seen: &mut [bool]) -> Vec<u32> {
    let mut after = Vec::new();
    let mut path: Vec<(u32, usize)> = vec![(top, 0)];
    seen[top as usize] = true;
    while let Some((context, next)) = path.last_mut() {
        match calls_of(trace, *context).get(*next) {
            None => {
                after.push(*context);
                path.pop();
            }
            Some(call) => {
                *next += 1;
                if call.cost > 0 && !std::mem::replace(&mut seen[call.to as usize], true) {
                    path.push((call.to, 0));
                }
            }
        }
    }
    after.reverse();
    after
}

fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
