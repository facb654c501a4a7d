//! A call tree and other names of its functions → the same tree under these.

use super::{BuilderContextId, CallTree, CallTreeBuilder, CallTreeFunction, CallTreeNodeId};

impl CallTree {
    /// The tree with other names of functions. Functions that get one name are joined, and so are contexts that differed
    /// in their names alone.
    #[must_use]
    pub fn with_names(&self, name: impl Fn(&CallTreeFunction) -> String) -> Self {
        let named: Vec<CallTreeFunction> = (self.functions.iter())
            .map(|function| CallTreeFunction {
                name: name(function),
                ..function.clone()
            })
            .collect();
        if named == self.functions {
            return self.clone();
        }
        let function = |at: usize| named[self.nodes[at].function.0 as usize].clone();
        let mut builder = CallTreeBuilder::new(function(0));
        let mut contexts: Vec<BuilderContextId> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let context = match node.parent.map(CallTreeNodeId::index) {
                None => builder.root(),
                Some(parent) => {
                    let declared = builder.declare(function(at));
                    builder.enter(contexts[parent], declared)
                }
            };
            builder.add_self(context, node.self_cost);
            if let Some(calls) = node.calls {
                builder.add_calls(context, calls);
            }
            contexts.push(context);
        }
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::call_tree::fixtures::tree;

    #[test]
    fn a_renamed_tree_is_the_tree_of_the_new_names() {
        let renamed = |from: &str, to: &str| {
            tree("main\n a\n  c\n b\n").with_names(|function| match function.name == from {
                true => to.to_owned(),
                false => function.name.clone(),
            })
        };
        assert_eq!(renamed("a", "z"), tree("main\n b\n z\n  c\n"));
        assert_eq!(renamed("nowhere", "z"), tree("main\n a\n  c\n b\n"));
    }
}
