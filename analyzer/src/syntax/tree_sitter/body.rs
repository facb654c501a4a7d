//! A function's body in a tree whose nodes have meanings → blocks, calls and operations.

use tree_sitter::Node;

use super::captures::{Captures, Part, Role};
use super::language::Words;
use crate::syntax::builder::{ArgumentRange, FunctionBuilder};
use crate::syntax::model::{BlockKind, CallForm, Callee, OperationKind, Receiver};
use crate::syntax::tokens::{Range, TokenKind, Tokens};

/// Lowers the body of one function.
pub(crate) struct BodyLowering<'f, 's, 't> {
    pub(crate) captures: &'f Captures<'t>,
    pub(crate) words: &'f Words,
    pub(crate) tokens: &'f Tokens<'s>,
    pub(crate) builder: FunctionBuilder<'f, 's>,
    /// Functions and items inside, lowered after it.
    pub(crate) inner: Vec<Node<'t>>,
    /// The call whose arguments are being walked: it says what a closure among them is.
    pub(crate) caller: Option<Node<'t>>,
}

const BLOCKS: [Role; 4] = [Role::Loop, Role::Conditional, Role::Arm, Role::Closure];
const OPERATIONS: [Role; 5] = [
    Role::Jump,
    Role::Try,
    Role::Pattern,
    Role::Write,
    Role::Compute,
];
/// What stands in a body without being part of it.
const SEPARATE: [Role; 7] = [
    Role::Function,
    Role::Scope,
    Role::Type,
    Role::Constant,
    Role::Import,
    Role::MacroDefinition,
    Role::Implementation,
];

/// The bytes of a node.
pub(crate) fn range_of(node: Node<'_>) -> Range {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Range::new(offset(node.start_byte()), offset(node.end_byte()))
}

/// The arguments among a macro's tokens, by its commas.
fn arity_of(tree: Node<'_>) -> usize {
    let parts = children(tree);
    if parts.len() <= 2 {
        0
    } else {
        1 + parts.iter().filter(|part| part.kind() == ",").count()
    }
}

/// The children of a node, comments left out.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .filter(|child| !child.is_extra())
        .collect()
}

impl<'s, 't> BodyLowering<'_, 's, 't> {
    pub(crate) fn word(&self, node: Node<'_>) -> &'s str {
        self.tokens.source.get(node.byte_range()).unwrap_or("")
    }

    /// Brings every name of a function into scope at once.
    pub(crate) fn bind_all(&mut self, node: Node<'t>) {
        if self.captures.is(node, Role::Local) {
            self.builder.bind(self.word(node));
        }
        for child in children(node) {
            if !self.captures.is(child, Role::Function) {
                self.bind_all(child);
            }
        }
    }

    /// A node in the block at hand.
    pub(crate) fn node(&mut self, node: Node<'t>) {
        if self.captures.is(node, Role::Comment) || self.captures.is(node, Role::Skip) {
            return;
        }
        if self.captures.any(node, &SEPARATE).is_some() {
            self.inner.push(node);
            return;
        }
        let kind = match self.captures.any(node, &BLOCKS) {
            Some(Role::Loop) => BlockKind::Loop,
            Some(Role::Conditional) => BlockKind::Conditional,
            Some(Role::Arm) => BlockKind::Arm,
            Some(Role::Closure) => self.closure_kind(),
            _ if self.captures.is(node, Role::Lazy) && self.holds_nodes(node) => {
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
            .partition(|child| self.captures.is(*child, Role::After));
        let end = after
            .first()
            .map_or(node.end_byte(), |first| first.start_byte());
        let range = Range::new(range_of(node).start, u32::try_from(end).unwrap_or(u32::MAX));
        self.builder.open(kind, range);
        let (head, rest): (Vec<_>, Vec<_>) = inside
            .into_iter()
            .partition(|child| self.captures.is(*child, Role::Head));
        self.head(&head);
        self.builder.body();
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

    /// What decides whether a block runs is one operation, from the first part to the last.
    fn head(&mut self, head: &[Node<'t>]) {
        let (Some(first), Some(last)) = (head.first(), head.last()) else {
            return;
        };
        let mark = self.builder.mark();
        head.iter().for_each(|part| self.node(*part));
        let range = Range::new(range_of(*first).start, range_of(*last).end);
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
            Role::Jump => OperationKind::Jump,
            Role::Try => OperationKind::Try,
            Role::Pattern => OperationKind::Pattern,
            Role::Write => {
                let field = self
                    .captures
                    .part(node, Part::Field)
                    .map_or("", |field| self.word(field));
                OperationKind::FieldWrite(field.to_owned())
            }
            _ => OperationKind::Compute,
        })
    }

    fn value(&mut self, node: Node<'t>, kind: OperationKind) {
        let mark = self.builder.mark();
        self.operand(node);
        let range = range_of(node);
        self.builder.operation(mark, kind, range);
        self.builder.settle(mark);
        self.builder.hole(range);
    }

    fn operand(&mut self, node: Node<'t>) {
        if self.captures.is(node, Role::Call) {
            return self.call(node);
        }
        if self.captures.is(node, Role::Local) && !self.words.function_scope {
            self.builder.bind(self.word(node));
        }
        if self.captures.is(node, Role::Hint) {
            self.hint(node);
        }
        if node.kind() == "token_tree" {
            return self.token_tree(node);
        }
        let mark = self.builder.mark();
        children(node)
            .into_iter()
            .for_each(|child| self.node(child));
        if self.captures.is(node, Role::Work) {
            self.builder.work();
        }
        if self.captures.is(node, Role::Inline) {
            self.builder.settle(mark);
            self.builder.hole(range_of(node));
        }
    }

    fn hint(&mut self, node: Node<'t>) {
        let Some(name) = self.captures.part(node, Part::Name) else {
            return;
        };
        let shown = match (
            self.captures.part(node, Part::Type),
            self.captures.part(node, Part::Constructor),
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

    fn call(&mut self, node: Node<'t>) {
        let mark = self.builder.mark();
        let part = |part| self.captures.part(node, part);
        let (receiver, value, arguments) = (
            part(Part::Receiver),
            part(Part::Value),
            part(Part::Arguments),
        );
        let (name, path) = (part(Part::Name), part(Part::Path));
        let dotted = receiver.and_then(|receiver| self.dotted_path(receiver));
        if let Some(receiver) = receiver
            && dotted.is_none()
        {
            self.receiver(receiver);
        }
        if let Some(value) = value {
            self.node(value);
        }
        self.builder.settle(mark);
        let mut arity = 0;
        if let Some(arguments) = arguments {
            let caller = self.caller.replace(node);
            if arguments.kind() == "token_tree" {
                arity = arity_of(arguments);
                self.token_tree(arguments);
            } else if self.captures.any(arguments, &BLOCKS).is_some() {
                // `sum(x for x in y)`: the only argument is a block.
                arity = 1;
                self.node(arguments);
            } else {
                let list: Vec<_> = children(arguments)
                    .into_iter()
                    .filter(Node::is_named)
                    .collect();
                arity = list.len();
                list.into_iter().for_each(|argument| self.node(argument));
            }
            self.caller = caller;
        }
        let text = name.or(value).map_or("", |name| self.word(name));
        let local = receiver.is_none() && path.is_none() && self.builder.is_local(text);
        let form = match (self.captures.is(node, Role::Macro), &receiver) {
            (true, _) => CallForm::Macro,
            (_, Some(_)) if dotted.is_none() => CallForm::Method,
            _ if value.is_some() || local => CallForm::Value,
            _ => CallForm::Path,
        };
        let segments = dotted.unwrap_or_else(|| {
            path.map(|path| self.words.segments(self.word(path)))
                .unwrap_or_default()
        });
        let receiver = if form == CallForm::Method {
            receiver.map(|receiver| self.shown_receiver(receiver))
        } else {
            None
        };
        let name_text = if value.is_some() {
            self.tokens
                .plain(name.or(value).map_or(Range::new(0, 0), range_of))
        } else {
            text.to_owned()
        };
        let callee = Callee {
            name: name_text,
            path: segments,
            form,
            receiver,
        };
        let line = name.or(value).map_or(1, |name| {
            u32::try_from(name.start_position().row + 1).unwrap_or(u32::MAX)
        });
        let inside = arguments.map_or(Range::new(0, 0), |arguments| {
            let whole = range_of(arguments);
            Range::new(
                whole.start + 1,
                whole.end.saturating_sub(1).max(whole.start + 1),
            )
        });
        let format = self.words.format_macros.contains(text);
        self.builder.call(
            callee,
            mark,
            range_of(node),
            line,
            ArgumentRange {
                arity,
                range: inside,
                format,
            },
        );
    }

    /// `a.b` in `a.b.c()` where `a` is no local: a module or class.
    fn dotted_path(&self, receiver: Node<'t>) -> Option<Vec<String>> {
        if !self.words.dotted_paths {
            return None;
        }
        let tokens = self.tokens.within(range_of(receiver));
        let plain = tokens
            .iter()
            .all(|token| token.kind == TokenKind::Word || self.tokens.text_of(token) == ".");
        let root = self.tokens.text_of(tokens.first()?);
        let value =
            self.builder.is_local(root) || self.words.self_names.iter().any(|name| name == root);
        (plain && !value).then(|| self.words.segments(self.word(receiver)))
    }

    /// An operation where the callee does not show what it is called on.
    fn receiver(&mut self, receiver: Node<'t>) {
        let shown = !matches!(self.shown_receiver(receiver), Receiver::Other(_));
        if shown || self.captures.any(receiver, &OPERATIONS).is_some() {
            self.node(receiver);
        } else {
            self.value(receiver, OperationKind::Compute);
        }
    }

    fn shown_receiver(&self, receiver: Node<'t>) -> Receiver {
        let is_self = |word: &str| self.words.self_names.iter().any(|name| name == word);
        if self.captures.is(receiver, Role::Call) {
            let callee = self
                .captures
                .part(receiver, Part::Name)
                .map_or("", |name| self.word(name))
                .to_owned();
            let path = self
                .captures
                .part(receiver, Part::Path)
                .map(|path| self.words.segments(self.word(path)));
            let of_type = path
                .and_then(|mut path| path.pop())
                .filter(|segment| segment.starts_with(char::is_uppercase));
            return Receiver::Result { callee, of_type };
        }
        let tokens = self.tokens.within(range_of(receiver));
        let words: Vec<&str> = tokens
            .iter()
            .take(4)
            .map(|token| self.tokens.text_of(token))
            .collect();
        match words[..] {
            [word] if is_self(word) => Receiver::SelfValue,
            [word] if self.builder.is_local(word) => Receiver::Local(word.to_owned()),
            [word, ".", field] if is_self(word) => Receiver::SelfField(field.to_owned()),
            _ => match children(receiver).as_slice() {
                // `(x)`, `x?`, `&x`: passes a value on.
                [inner, last] if !last.is_named() => self.shown_receiver(*inner),
                [open, inner, _] if !open.is_named() => self.shown_receiver(*inner),
                _ => Receiver::Other(None),
            },
        }
    }

    /// What kind of block a closure is among the arguments of the call at hand.
    fn closure_kind(&self) -> BlockKind {
        let Some(call) = self.caller else {
            return BlockKind::Closure;
        };
        let name = |call| {
            self.captures
                .part(call, Part::Name)
                .map_or("", |name| self.word(name))
        };
        if !self.words.adaptors.contains(name(call)) {
            return BlockKind::Closure;
        }
        if !self.words.ambiguous_adaptors.contains(name(call)) {
            return BlockKind::Loop;
        }
        let mut at = self.captures.part(call, Part::Receiver);
        while let Some(node) = at {
            if self.words.iterator_evidence.contains(name(node)) {
                return BlockKind::Loop;
            }
            if self.words.single_evidence.contains(name(node)) {
                return BlockKind::Closure;
            }
            at = self.captures.part(node, Part::Receiver);
        }
        BlockKind::Loop
    }

    /// A macro's arguments, of which the grammar knows tokens only: what looks like a call is one.
    fn token_tree(&mut self, tree: Node<'t>) {
        let list = children(tree);
        for (index, child) in list.iter().enumerate() {
            if child.kind() != "token_tree" {
                continue;
            }
            let mark = self.builder.mark();
            self.token_tree(*child);
            let at = |back: usize| index.checked_sub(back).map(|index| list[index]);
            let Some(before) = at(1) else { continue };
            let parenthesised = self.word(*child).starts_with('(');
            let (name, form) = match (before.kind(), at(2)) {
                ("!", Some(name)) if name.kind() == "identifier" => (name, CallForm::Macro),
                ("identifier", Some(dot)) if parenthesised && dot.kind() == "." => {
                    (before, CallForm::Method)
                }
                ("identifier", _) if parenthesised => (before, CallForm::Path),
                _ => continue,
            };
            let word = self.word(name);
            if form != CallForm::Macro && word.starts_with(char::is_uppercase) {
                continue;
            }
            let receiver = (form == CallForm::Method).then_some(Receiver::Other(None));
            let callee = Callee {
                name: word.to_owned(),
                path: Vec::new(),
                form,
                receiver,
            };
            let line = u32::try_from(name.start_position().row + 1).unwrap_or(u32::MAX);
            let inner = range_of(*child);
            let arity = arity_of(*child);
            let inside = Range::new(
                inner.start + 1,
                inner.end.saturating_sub(1).max(inner.start + 1),
            );
            let whole = Range::new(range_of(name).start, inner.end);
            self.builder.call(
                callee,
                mark,
                whole,
                line,
                ArgumentRange {
                    arity,
                    range: inside,
                    format: false,
                },
            );
        }
    }

    /// True if something below a node is a node of the model.
    fn holds_nodes(&self, node: Node<'t>) -> bool {
        const NODES: [Role; 8] = [
            Role::Call,
            Role::Loop,
            Role::Conditional,
            Role::Closure,
            Role::Jump,
            Role::Try,
            Role::Pattern,
            Role::Write,
        ];
        self.captures.any(node, &NODES).is_some()
            || children(node)
                .into_iter()
                .any(|child| self.holds_nodes(child))
    }
}
