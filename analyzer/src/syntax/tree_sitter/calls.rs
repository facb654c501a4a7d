//! Calls in a tree whose nodes have meanings → calls of the model: callee, receiver, arguments, and what a
//! closure among them is.

use tree_sitter::Node;

use super::body::{BLOCKS, OPERATIONS, TreeSitterBodyLowering, children, range_of};
use super::captures::{NodePart, NodeRole};
use crate::syntax::builder::ArgumentRange;
use crate::syntax::model::{BlockKind, CallReceiver, OperationKind, SyntaxCallForm, SyntaxCallee};
use crate::syntax::tokens::{ByteRange, TokenKind};

impl<'t> TreeSitterBodyLowering<'_, '_, 't> {
    pub(super) fn call(&mut self, node: Node<'t>) {
        let mark = self.builder.mark();
        let part = |part| self.captures.part(node, part);
        let (receiver, value, arguments) = (
            part(NodePart::Receiver),
            part(NodePart::Value),
            part(NodePart::Arguments),
        );
        let (name, path) = (part(NodePart::Name), part(NodePart::Path));
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
                let list: Vec<_> = children(arguments).into_iter().filter(Node::is_named).collect();
                arity = list.len();
                list.into_iter().for_each(|argument| self.node(argument));
            }
            self.caller = caller;
        }
        let written = name.or(value).map_or("", |name| self.word(name));
        // `a::b<T>`, where a grammar has no parts for the path.
        let mut written_path = match path.is_none() && value.is_none() && written.contains(['<', ':']) {
            true => self.words.declared_name(written),
            false => vec![written.to_owned()],
        };
        let text = &*written_path.pop().unwrap_or_default();
        let local = receiver.is_none() && path.is_none() && written_path.is_empty() && self.builder.is_local(text);
        let form = match (self.captures.is(node, NodeRole::Macro), &receiver) {
            (true, _) => SyntaxCallForm::Macro,
            (_, Some(_)) if dotted.is_none() => SyntaxCallForm::Method,
            _ if value.is_some() || local => SyntaxCallForm::Value,
            _ => SyntaxCallForm::Path,
        };
        let segments = dotted.unwrap_or_else(|| path.map_or(written_path, |path| self.words.segments(self.word(path))));
        let receiver = if form == SyntaxCallForm::Method {
            receiver.map(|receiver| self.shown_receiver(receiver))
        } else {
            None
        };
        let name_text = if value.is_some() {
            self.tokens.plain(name.or(value).map_or(ByteRange::new(0, 0), range_of))
        } else {
            text.to_owned()
        };
        let callee = SyntaxCallee {
            name: name_text,
            path: segments,
            form,
            receiver,
        };
        let line = name.or(value).map_or(1, |name| {
            u32::try_from(name.start_position().row + 1).unwrap_or(u32::MAX)
        });
        let inside = arguments.map_or(ByteRange::new(0, 0), |arguments| {
            let whole = range_of(arguments);
            if self.captures.any(arguments, &BLOCKS).is_some() {
                return whole;
            }
            match name.and_then(turbofish_of) {
                Some(turbofish) => ByteRange::new(range_of(turbofish).start, whole.end),
                None => ByteRange::new(whole.start + 1, whole.end.saturating_sub(1).max(whole.start + 1)),
            }
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
        let value = self.builder.is_local(root) || self.words.self_names.iter().any(|name| name == root);
        (plain && !value).then(|| self.words.segments(self.word(receiver)))
    }

    /// An operation where the callee does not show what it is called on.
    fn receiver(&mut self, receiver: Node<'t>) {
        let shown = !matches!(self.shown_receiver(receiver), CallReceiver::Other(_));
        if shown || self.captures.any(receiver, &OPERATIONS).is_some() {
            self.node(receiver);
        } else {
            self.value(receiver, OperationKind::Compute);
        }
    }

    fn shown_receiver(&self, receiver: Node<'t>) -> CallReceiver {
        let is_self = |word: &str| self.words.self_names.iter().any(|name| name == word);
        if self.captures.is(receiver, NodeRole::Call) {
            let callee = self
                .captures
                .part(receiver, NodePart::Name)
                .map_or("", |name| self.word(name))
                .to_owned();
            let path = self
                .captures
                .part(receiver, NodePart::Path)
                .map(|path| self.words.segments(self.word(path)));
            let of_type = path
                .and_then(|mut path| path.pop())
                .filter(|segment| segment.starts_with(char::is_uppercase));
            return CallReceiver::Result { callee, of_type };
        }
        let tokens = self.tokens.within(range_of(receiver));
        let words: Vec<&str> = tokens.iter().take(4).map(|token| self.tokens.text_of(token)).collect();
        match words[..] {
            [word] if is_self(word) => CallReceiver::SelfValue,
            [word] if self.builder.is_local(word) => CallReceiver::Local(word.to_owned()),
            [word, ".", field] if is_self(word) => CallReceiver::SelfField(field.to_owned()),
            _ => match children(receiver).as_slice() {
                // `(x)`, `x?`, `&x`: passes a value on.
                [inner, last] if !last.is_named() => self.shown_receiver(*inner),
                [open, inner, _] if !open.is_named() => self.shown_receiver(*inner),
                _ => CallReceiver::Other(None),
            },
        }
    }

    /// The kind of block that a closure among the arguments of the current call is.
    pub(super) fn closure_kind(&self) -> BlockKind {
        let Some(call) = self.caller else {
            return BlockKind::Closure;
        };
        let name = |call| {
            self.captures
                .part(call, NodePart::Name)
                .map_or("", |name| self.word(name))
        };
        if !self.words.adaptors.contains(name(call)) {
            return BlockKind::Closure;
        }
        if !self.words.ambiguous_adaptors.contains(name(call)) {
            return BlockKind::Loop;
        }
        let mut at = self.captures.part(call, NodePart::Receiver);
        while let Some(node) = at {
            if self.words.iterator_evidence.contains(name(node)) {
                return BlockKind::Loop;
            }
            if self.words.single_evidence.contains(name(node)) {
                return BlockKind::Closure;
            }
            at = self.captures.part(node, NodePart::Receiver);
        }
        BlockKind::Loop
    }

    /// A macro's arguments, of which the grammar knows tokens only: what looks like a call is one.
    pub(super) fn token_tree(&mut self, tree: Node<'t>) {
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
                ("!", Some(name)) if name.kind() == "identifier" => (name, SyntaxCallForm::Macro),
                ("identifier", Some(dot)) if parenthesised && dot.kind() == "." => (before, SyntaxCallForm::Method),
                ("identifier", _) if parenthesised => (before, SyntaxCallForm::Path),
                _ => continue,
            };
            let word = self.word(name);
            if form != SyntaxCallForm::Macro && word.starts_with(char::is_uppercase) {
                continue;
            }
            let receiver = (form == SyntaxCallForm::Method).then_some(CallReceiver::Other(None));
            let callee = SyntaxCallee {
                name: word.to_owned(),
                path: Vec::new(),
                form,
                receiver,
            };
            let line = u32::try_from(name.start_position().row + 1).unwrap_or(u32::MAX);
            let inner = range_of(*child);
            let arity = arity_of(*child);
            let inside = ByteRange::new(inner.start + 1, inner.end.saturating_sub(1).max(inner.start + 1));
            let whole = ByteRange::new(range_of(name).start, inner.end);
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
}

/// The types and values that a callee is given beside its arguments: the last of its name's parts.
fn turbofish_of(name: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(Some(name), |part| part.child_by_field_name("name"))
        .find_map(|part| part.child_by_field_name("arguments"))
        .filter(|arguments| arguments.end_byte() == name.end_byte())
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
