//! A function's body in a tree whose nodes have meanings → blocks, calls and operations.

use hashbrown::HashSet;
use tree_sitter::Node;

use super::captures::{NodePart, NodeRole, QueryCaptures};
use super::language::GrammarConfig;
use crate::syntax::builder::{ArgumentRange, FunctionBuilder};
use crate::syntax::model::{BlockKind, OperationKind, SyntaxCallForm, SyntaxCallee};
use crate::syntax::tokens::{ByteRange, TokenizedSource};

/// Lowers the body of one function.
pub(crate) struct TreeSitterBodyLowering<'f, 's, 't> {
    pub(crate) captures: &'f QueryCaptures<'t>,
    pub(crate) words: &'f GrammarConfig,
    pub(crate) tokens: &'f TokenizedSource<'s>,
    pub(crate) builder: FunctionBuilder<'f, 's>,
    /// Conditions of the preprocessor in it.
    pub(crate) guards: Vec<Node<'t>>,
    /// Functions and items inside, lowered after it.
    pub(crate) inner: Vec<Node<'t>>,
    /// The call whose arguments are being walked: it says what a closure among them is.
    pub(crate) caller: Option<Node<'t>>,
}

pub(super) const BLOCKS: [NodeRole; 4] = [NodeRole::Loop, NodeRole::Conditional, NodeRole::Arm, NodeRole::Closure];
pub(super) const OPERATIONS: [NodeRole; 5] = [
    NodeRole::Jump,
    NodeRole::Try,
    NodeRole::Pattern,
    NodeRole::Write,
    NodeRole::Compute,
];
/// Nodes inside a body that are not part of it.
const SEPARATE: [NodeRole; 7] = [
    NodeRole::Function,
    NodeRole::Scope,
    NodeRole::Type,
    NodeRole::Constant,
    NodeRole::Import,
    NodeRole::MacroDefinition,
    NodeRole::Implementation,
];

/// The bytes of a node.
pub(crate) fn range_of(node: Node<'_>) -> ByteRange {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    ByteRange::new(offset(node.start_byte()), offset(node.end_byte()))
}

/// The children of a node, comments left out.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let is_comment = |child: &Node<'_>| child.is_extra() && !child.is_error();
    node.children(&mut cursor).filter(|child| !is_comment(child)).collect()
}

impl<'s, 't> TreeSitterBodyLowering<'_, 's, 't> {
    pub(crate) fn word(&self, node: Node<'_>) -> &'s str {
        self.tokens.source.get(node.byte_range()).unwrap_or("")
    }

    /// Brings every name of a function into scope at once, but for those that it binds outside.
    pub(crate) fn bind_all(&mut self, node: Node<'t>) {
        let [mut locals, mut outer] = <[Vec<&'s str>; 2]>::default();
        self.bound_names(node, &mut locals, &mut outer);
        let outer: HashSet<&str> = outer.into_iter().collect();
        let own = locals.into_iter().filter(|name| !outer.contains(name));
        own.for_each(|name| self.builder.bind(name));
    }

    fn bound_names(&self, node: Node<'t>, locals: &mut Vec<&'s str>, outer: &mut Vec<&'s str>) {
        if self.captures.is(node, NodeRole::Local) {
            locals.push(self.word(node));
        }
        if self.captures.is(node, NodeRole::Outer) {
            outer.push(self.word(node));
        }
        for child in children(node) {
            if !self.captures.is(child, NodeRole::Function) {
                self.bound_names(child, locals, outer);
            }
        }
    }

    /// A node in the block at hand.
    pub(crate) fn node(&mut self, node: Node<'t>) {
        if self.captures.is(node, NodeRole::Comment) || self.captures.is(node, NodeRole::Skip) {
            return;
        }
        // An item in a file may be an operation in a function.
        let is_operation = || self.captures.is(node, NodeRole::Compute);
        if self.captures.any(node, &SEPARATE).is_some() && !is_operation() {
            self.head_of_definition(node);
            self.made(node);
            self.inner.push(node);
            return;
        }
        if self.captures.is(node, NodeRole::Guard) {
            self.guards.push(node);
        }
        let kind = match self.captures.any(node, &BLOCKS) {
            Some(NodeRole::Loop) => BlockKind::Loop,
            Some(NodeRole::Conditional) => BlockKind::Conditional,
            Some(NodeRole::Arm) => BlockKind::Arm,
            Some(NodeRole::Closure) => self.closure_kind(),
            _ if self.captures.is(node, NodeRole::Lazy) && self.holds_nodes(node) => {
                let range = range_of(node);
                self.builder.open(BlockKind::Conditional, range);
                self.builder.body();
                let kind = self.operation_kind(node).unwrap_or(OperationKind::Compute);
                self.value(node, kind);
                self.builder.close_keeping_names(range);
                return;
            }
            _ => return self.plain(node),
        };
        self.block(node, kind);
    }

    fn block(&mut self, node: Node<'t>, kind: BlockKind) {
        let outer = self.builder.mark();
        let caller = self.caller.take();
        let (after, inside): (Vec<_>, Vec<_>) = children(node)
            .into_iter()
            .partition(|child| self.captures.is(*child, NodeRole::After));
        let end = after.first().map_or(node.end_byte(), |first| first.start_byte());
        let range = ByteRange::new(range_of(node).start, u32::try_from(end).unwrap_or(u32::MAX));
        self.builder.open(kind, range);
        let (head, rest): (Vec<_>, Vec<_>) = inside
            .into_iter()
            .partition(|child| self.captures.is(*child, NodeRole::Head));
        self.head(&head);
        self.builder.body();
        if self.captures.is(node, NodeRole::Step) {
            self.builder.step(range);
        }
        if self.captures.any(node, &OPERATIONS).is_some() && head.is_empty() {
            // An expression that is a block by its place alone.
            self.plain(node);
        } else {
            rest.into_iter().for_each(|child| self.node(child));
        }
        self.builder.close(range);
        after.into_iter().for_each(|child| self.node(child));
        self.caller = caller;
        self.builder.settle(outer);
        self.builder.hole(range_of(node));
    }

    /// Lowers the condition of a block as one operation, from the first part to the last.
    fn head(&mut self, head: &[Node<'t>]) {
        let (Some(first), Some(last)) = (head.first(), head.last()) else {
            return;
        };
        let mark = self.builder.mark();
        head.iter().for_each(|part| self.node(*part));
        let range = ByteRange::new(range_of(*first).start, range_of(*last).end);
        self.builder.operation(mark, OperationKind::Compute, range);
        self.builder.settle(mark);
    }

    fn plain(&mut self, node: Node<'t>) {
        match self.operation_kind(node) {
            Some(kind) => self.value(node, kind),
            None => self.operand(node),
        }
    }

    fn operation_kind(&self, node: Node<'t>) -> Option<OperationKind> {
        Some(match self.captures.any(node, &OPERATIONS)? {
            NodeRole::Jump => OperationKind::Jump,
            NodeRole::Try => OperationKind::Try,
            NodeRole::Pattern => OperationKind::Pattern,
            NodeRole::Write => {
                let field = self
                    .captures
                    .part(node, NodePart::Field)
                    .map_or("", |field| self.word(field));
                OperationKind::FieldWrite(field.to_owned())
            }
            _ => OperationKind::Compute,
        })
    }

    pub(super) fn value(&mut self, node: Node<'t>, kind: OperationKind) {
        let mark = self.builder.mark();
        self.operand(node);
        let range = range_of(node);
        self.builder.operation(mark, kind, range);
        self.builder.settle(mark);
        self.builder.hole(range);
    }

    fn operand(&mut self, node: Node<'t>) {
        if self.captures.is(node, NodeRole::Call) {
            return self.call(node);
        }
        if self.captures.is(node, NodeRole::Local) && !self.words.function_scope {
            self.builder.bind(self.word(node));
        }
        if self.captures.is(node, NodeRole::Hint) {
            self.hint(node);
        }
        if node.kind() == "token_tree" {
            return self.token_tree(node);
        }
        let mark = self.builder.mark();
        children(node).into_iter().for_each(|child| self.node(child));
        if self.captures.is(node, NodeRole::Work) {
            self.builder.work();
        }
        self.copied(node);
        self.filled(node);
        self.made(node);
        if self.captures.is(node, NodeRole::Inline) {
            self.builder.settle(mark);
            self.builder.hole(range_of(node));
        }
    }

    /// A value that is made from another one is a call of a function of its class, which the source does not write.
    pub(super) fn copied(&mut self, node: Node<'t>) {
        let of = self.captures.part(node, NodePart::Type);
        let class = of.and_then(|of| self.words.class_name(self.word(of)));
        if let Some(class) = class.filter(|_| self.captures.is(node, NodeRole::Copied)) {
            self.unwritten_call(node, [class.clone(), class], None);
        }
    }

    /// An array that is filled by a list of values is a loop over its length, which the source does not write.
    fn filled(&mut self, node: Node<'t>) {
        let length = self.captures.part(node, NodePart::Arguments);
        if let Some(length) = length.filter(|_| self.captures.is(node, NodeRole::Filled)) {
            self.unwritten_call(node, ["filled", "array"].map(str::to_owned), Some(length));
        }
    }

    /// A statement that makes or loads something is a call of what the language has for its kind.
    fn made(&mut self, node: Node<'t>) {
        if self.captures.is(node, NodeRole::Made) {
            self.unwritten_call(node, ["statement", node.kind()].map(str::to_owned), None);
        }
    }

    /// Defaults and stated types, which making a function evaluates: they stand in its head, and belong to the code around it.
    fn head_of_definition(&mut self, node: Node<'t>) {
        if !self.captures.is(node, NodeRole::Function) {
            return;
        }
        let postponing = self.words.postponing_types.as_ref();
        let are_types_evaluated = postponing.is_some_and(|statement| !self.tokens.source.contains(statement));
        let body = self.captures.part(node, NodePart::Body);
        let mut open = vec![node];
        while let Some(part) = open.pop() {
            let is_type = self.captures.is(part, NodeRole::StatedType);
            if self.captures.is(part, NodeRole::Evaluated) || is_type && are_types_evaluated {
                self.head(&[part]);
            } else if !is_type {
                open.extend(children(part).into_iter().rev().filter(|child| Some(*child) != body));
            }
        }
    }

    fn unwritten_call(&mut self, node: Node<'t>, [of, name]: [String; 2], argument: Option<Node<'t>>) {
        let mark = self.builder.mark();
        let nothing = ByteRange::new(range_of(node).start, range_of(node).start);
        let callee = SyntaxCallee {
            name,
            path: vec![of],
            form: SyntaxCallForm::Path,
            receiver: None,
        };
        let line = u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX);
        let arguments = ArgumentRange {
            arity: 1,
            range: argument.map_or(nothing, range_of),
            format: false,
        };
        self.builder.call(callee, mark, nothing, line, arguments);
        // It leaves no hole: none of the text is the call.
        self.builder.settle(mark);
    }

    fn hint(&mut self, node: Node<'t>) {
        let Some(name) = self.captures.part(node, NodePart::Name) else {
            return;
        };
        let shown = match (
            self.captures.part(node, NodePart::Type),
            self.captures.part(node, NodePart::Constructor),
        ) {
            (Some(ty), _) => self.words.type_name(self.word(ty)),
            // By convention only classes are capitalised.
            (None, Some(class)) => Some(self.word(class))
                .filter(|name| name.starts_with(char::is_uppercase))
                .unwrap_or("")
                .to_owned(),
            _ => String::new(),
        };
        let name = self.word(name);
        self.builder.hint(name, &shown);
    }

    /// True if something below a node is a node of the model.
    fn holds_nodes(&self, node: Node<'t>) -> bool {
        const NODES: [NodeRole; 8] = [
            NodeRole::Call,
            NodeRole::Loop,
            NodeRole::Conditional,
            NodeRole::Closure,
            NodeRole::Jump,
            NodeRole::Try,
            NodeRole::Pattern,
            NodeRole::Write,
        ];
        if !self.tokens.budget.spend(1) {
            return false;
        }
        self.captures.any(node, &NODES).is_some() || children(node).into_iter().any(|child| self.holds_nodes(child))
    }
}
