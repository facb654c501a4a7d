//! A function's blocks → the same with digests, read in the names of the after side, ready to be compared.

use super::function_matching::dice;
use super::text_tokens::{NameTranslation, TokenHasher};
use crate::syntax::{
    BlockId, BlockKind, CallReceiver, OperationKind, SyntaxBlock, SyntaxCall, SyntaxFunction, SyntaxNode,
};

/// One node with its digest.
#[derive(Debug, Clone, Copy)]
pub(super) struct DigestedNode<'f> {
    pub(super) node: &'f SyntaxNode,
    /// With all names; for a call its callee, receiver and arguments; for a block that of its whole subtree.
    pub(super) exact: u64,
    /// Of a call: its arguments alone.
    pub(super) arguments: u64,
}

/// A function, ready to be compared.
#[derive(Debug)]
pub(super) struct DigestedBody<'f> {
    pub(super) function: &'f SyntaxFunction,
    pub(super) heads: Vec<Vec<DigestedNode<'f>>>,
    pub(super) nodes: Vec<Vec<DigestedNode<'f>>>,
    pub(super) children: Vec<Vec<BlockId>>,
    /// Digest of each block with everything in it.
    pub(super) subtree: Vec<u64>,
    /// The features of each block, everything in it included, as a sorted bag.
    features: Vec<Vec<u64>>,
    /// The same for what is in the head, and for what is not.
    head_features: Vec<Vec<u64>>,
    node_features: Vec<Vec<u64>>,
}

impl<'f> DigestedBody<'f> {
    /// Reads a function in the names of `reading`.
    pub(super) fn new(function: &'f SyntaxFunction, reading: NameTranslation<'_>) -> Self {
        let count = function.blocks.len();
        let mut body = Self {
            function,
            heads: vec![Vec::new(); count],
            nodes: vec![Vec::new(); count],
            children: vec![Vec::new(); count],
            subtree: vec![0; count],
            features: vec![Vec::new(); count],
            head_features: vec![Vec::new(); count],
            node_features: vec![Vec::new(); count],
        };
        // Blocks come in pre-order: backwards, children are ready before their parents.
        for index in (0..count).rev() {
            body.read(index, reading);
        }
        body
    }

    pub(super) fn block(&self, id: BlockId) -> &'f SyntaxBlock {
        self.function.block(id)
    }

    /// How alike two blocks are, from 0 to 1. Blocks of different kinds are not.
    pub(super) fn similarity(&self, id: BlockId, other: &DigestedBody<'_>, other_id: BlockId) -> f64 {
        let (one, two) = (id.0 as usize, other_id.0 as usize);
        let (left, right) = (&self.function.blocks[one], &other.function.blocks[two]);
        if left.kind != right.kind {
            return 0.0;
        }
        let bodies = dice(&self.node_features[one], &other.node_features[two]);
        // `else` and `loop`: one of each at a place is common, so that alone says something.
        match (left.head.is_empty(), right.head.is_empty()) {
            (true, true) => return 0.3 + 0.7 * bodies,
            (true, false) | (false, true) => return 0.7 * bodies,
            (false, false) => {}
        }
        let heads = dice(&self.head_features[one], &other.head_features[two]);
        0.5 * heads + 0.5 * bodies
    }

    /// How many calls, operations and blocks a block holds, everything in it included.
    pub(super) fn size(&self, id: BlockId) -> usize {
        self.features[id.0 as usize].len()
    }

    fn read(&mut self, index: usize, reading: NameTranslation<'_>) {
        let function = self.function;
        let block = &function.blocks[index];
        let mut features = vec![TokenHasher::new().number(block.kind as u64).finish()];
        let heads = self.units(&block.head, index, reading, &mut features);
        let mut head_features: Vec<u64> = heads.iter().map(|unit| unit.exact).collect();
        head_features.sort_unstable();
        let mut node_features = Vec::new();
        let nodes = self.units(&block.nodes, index, reading, &mut node_features);
        node_features.sort_unstable();
        features.extend_from_slice(&node_features);
        let mut hash = TokenHasher::new().number(block.kind as u64);
        for unit in heads.iter().chain(&nodes) {
            hash = hash.number(unit.exact);
        }
        self.subtree[index] = hash.number(heads.len() as u64).finish();
        features.sort_unstable();
        self.features[index] = features;
        self.head_features[index] = head_features;
        self.node_features[index] = node_features;
        self.heads[index] = heads;
        self.nodes[index] = nodes;
    }

    fn units(
        &mut self,
        nodes: &'f [SyntaxNode],
        parent: usize,
        reading: NameTranslation<'_>,
        features: &mut Vec<u64>,
    ) -> Vec<DigestedNode<'f>> {
        let mut units = Vec::with_capacity(nodes.len());
        for node in nodes {
            let (exact, arguments) = match node {
                SyntaxNode::Call(call) => {
                    let name = TokenHasher::new().number(7).word(reading.word(&call.callee.name));
                    features.push(name.finish());
                    let arguments = reading.exact(&call.arguments.text);
                    (call_digest(call, name, reading).number(arguments).finish(), arguments)
                }
                SyntaxNode::Operation(operation) => {
                    let text = reading.exact(&operation.text);
                    features.push(text);
                    let hash = TokenHasher::new().number(8).number(kind_number(&operation.kind));
                    (hash.number(text).finish(), 0)
                }
                SyntaxNode::Block(id) => {
                    let child = id.0 as usize;
                    // A front end that numbers a child before its parent would break the order above.
                    if child > parent && child < self.subtree.len() {
                        self.children[parent].push(*id);
                        features.extend_from_slice(&self.features[child]);
                        (TokenHasher::new().number(9).number(self.subtree[child]).finish(), 0)
                    } else {
                        continue;
                    }
                }
            };
            units.push(DigestedNode { node, exact, arguments });
        }
        units
    }
}

fn call_digest(call: &SyntaxCall, name: TokenHasher, reading: NameTranslation<'_>) -> TokenHasher {
    let mut hash = name.number(call.callee.form as u64);
    for segment in &call.callee.path {
        hash = hash.word(reading.word(segment));
    }
    match &call.callee.receiver {
        None => hash.number(0),
        Some(CallReceiver::SelfValue) => hash.number(1),
        Some(CallReceiver::SelfField(field)) => hash.number(2).word(reading.word(field)),
        Some(CallReceiver::Local(local)) => hash.number(3).word(reading.local(local)),
        Some(CallReceiver::Result { callee, of_type }) => {
            let of_type = of_type.as_deref().map_or("", |name| reading.word(name));
            hash.number(4).word(reading.word(callee)).word(of_type)
        }
        Some(CallReceiver::Other(of_type)) => {
            let of_type = of_type.as_deref().map_or("", |name| reading.word(name));
            hash.number(5).word(of_type)
        }
    }
}

const fn kind_number(kind: &OperationKind) -> u64 {
    match kind {
        OperationKind::FieldWrite(_) => 0,
        OperationKind::Compute => 1,
        OperationKind::Jump => 2,
        OperationKind::Try => 3,
        OperationKind::Pattern => 4,
        OperationKind::Given => 5,
    }
}

/// True for blocks that are listed as changes of their own.
pub(super) const fn is_listed(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Loop | BlockKind::Conditional | BlockKind::Arm)
}
