//! Indented text → a call tree for tests; random trees of few names.

use proptest::prelude::*;

use super::{BuilderContextId, CallCount, CallTree, CallTreeBuilder, CallTreeFunction};

/// Parses one node per line, indented by one space more than its caller: `name`, self cost (0 if left out), and `xN`
/// for N calls.
pub(crate) fn tree(text: &str) -> CallTree {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (_, root, cost, calls) = words(lines.next().expect("a root"));
    let mut builder = CallTreeBuilder::new(ours(root));
    let mut path = vec![builder.root()];
    fill(&mut builder, path[0], cost, calls);
    for line in lines {
        let (depth, name, cost, calls) = words(line);
        path.truncate(depth);
        let function = builder.declare(ours(name));
        let context = builder.enter(path[depth - 1], function);
        fill(&mut builder, context, cost, calls);
        path.push(context);
    }
    builder.finish()
}

/// Trees of up to `size` nodes with few names, so that functions have many contexts.
pub(crate) fn trees(size: usize) -> impl Strategy<Value = CallTree> {
    let node = (any::<prop::sample::Index>(), "[a-f]", 0u64..50, 0u64..4);
    ("[ab]", prop::collection::vec(node, 0..size)).prop_map(|(root, nodes)| {
        let mut builder = CallTreeBuilder::new(ours(&root));
        let mut contexts = vec![builder.root()];
        for (parent, name, cost, calls) in nodes {
            let function = builder.declare(ours(&name));
            let context = builder.enter(contexts[parent.index(contexts.len())], function);
            fill(&mut builder, context, cost, Some(calls));
            if !contexts.contains(&context) {
                contexts.push(context);
            }
        }
        builder.finish()
    })
}

fn ours(name: &str) -> CallTreeFunction {
    CallTreeFunction {
        external: false,
        ..CallTreeFunction::named(name)
    }
}

fn fill(builder: &mut CallTreeBuilder, context: BuilderContextId, cost: u64, calls: Option<u64>) {
    builder.add_self(context, cost);
    if let Some(count) = calls {
        let estimated = false;
        builder.add_calls(context, CallCount { count, estimated });
    }
}

fn words(line: &str) -> (usize, &str, u64, Option<u64>) {
    let name = line.trim_start();
    let mut words = name.split_whitespace();
    let (name, mut cost, mut calls) = (words.next().expect("a name"), 0, None);
    for word in words {
        match word.strip_prefix('x') {
            Some(count) => calls = Some(count.parse().expect("a number of calls")),
            None => cost = word.parse().expect("a cost"),
        }
    }
    (line.len() - line.trim_start().len(), name, cost, calls)
}
