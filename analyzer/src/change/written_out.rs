//! Functions that one side does not have → their bodies in place of the calls of them, in the functions that call them.
//!
//! To extract a function, or to put it back, moves work without changing it. As written it looks like calls that went and
//! a call of something unknown that came; written out, what is the same on both sides is the same.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::functions::Placed;
use super::text::{Hash, Token, tokens};
use super::thresholds::THRESHOLDS;
use crate::syntax::{Arguments, Block, BlockId, Call, CallForm, Digest, Function, Lines, Node, Receiver, Text};

/// The functions of one side that the other has not and that calls can be replaced by, by name.
#[derive(Default)]
pub(super) struct Helpers<'f>(HashMap<&'f str, &'f Arc<Function>>);

/// A function with its helpers written out.
pub(super) struct WrittenOut {
    pub(super) function: Arc<Function>,
    /// The names of what was written out.
    pub(super) helpers: HashSet<String>,
    /// For each helper that was written out, its lines and that of the call in the function itself.
    sites: Vec<(Lines, u32)>,
}

impl WrittenOut {
    /// The line to show for one that may be a helper's: that of the call.
    pub(super) fn shown_at(&self, line: u32) -> u32 {
        let inside = |(lines, _): &&(Lines, u32)| (lines.first..=lines.last).contains(&line);
        let is_own = {
            let Lines { first, last } = self.function.lines;
            (first..=last).contains(&line)
        };
        match self.sites.iter().find(inside) {
            Some((_, call)) if !is_own => *call,
            _ => line,
        }
    }
}

impl<'f> Helpers<'f> {
    /// Those among the functions at some indices of a side. A name that several have says nothing; what implements a trait
    /// may be called without being named; what only tests run is not called by anything that matters.
    pub(super) fn among(placed: &'f [Placed], alone: impl Iterator<Item = usize>) -> Self {
        let mut named: HashMap<&str, Option<&Arc<Function>>> = HashMap::new();
        for index in alone {
            let function = &placed[index].function;
            let is_helper = function.of_trait.is_none()
                && !function.test_only
                && function.size() <= THRESHOLDS.written_out.largest_helper;
            named
                .entry(function.name())
                .and_modify(|known| *known = None)
                .or_insert(Some(function).filter(|_| is_helper));
        }
        let one_each = named.into_iter().filter_map(|(name, one)| Some((name, one?)));
        Self(one_each.collect())
    }

    /// A function with the helpers that it calls written out; `None` if it calls none of them. `other` is the same function
    /// on the other side: what it calls by a helper's name is something else, and so may be what is called here.
    pub(super) fn write_out(&self, function: &Function, other: &Function) -> Option<WrittenOut> {
        if self.0.is_empty() {
            return None;
        }
        let mut writer = Writer {
            helpers: &self.0,
            elsewhere: calls(other).map(|call| call.callee.name.as_str()).collect(),
            blocks: Vec::with_capacity(function.blocks.len()),
            within: Vec::new(),
            written: Vec::new(),
            sites: Vec::new(),
            called_at: 0,
            nodes: 0,
        };
        writer.block(function, BlockId::BODY, None, &Given::default());
        if writer.written.is_empty() || writer.nodes > THRESHOLDS.written_out.largest {
            return None;
        }
        let mut digest = Hash::new().number(function.digest.0);
        let mut locals = function.locals.clone();
        for helper in &writer.written {
            digest = digest.number(helper.digest.0);
            locals.extend(helper.locals.iter().cloned());
        }
        Some(WrittenOut {
            sites: writer.sites,
            helpers: writer.written.iter().map(|helper| helper.name().to_owned()).collect(),
            function: Arc::new(Function {
                blocks: writer.blocks,
                locals,
                digest: Digest(digest.finish()),
                ..function.clone()
            }),
        })
    }
}

fn calls(function: &Function) -> impl Iterator<Item = &Call> {
    let nodes = function
        .blocks
        .iter()
        .flat_map(|block| block.head.iter().chain(&block.nodes));
    nodes.filter_map(|node| match node {
        Node::Call(call) => Some(call),
        Node::Operation(_) | Node::Block(_) => None,
    })
}

/// What the parameters of a helper, and `self`, stand for at the call that it is written out for.
#[derive(Default)]
struct Given<'g> {
    parameters: HashMap<&'g str, &'g str>,
    receiver: Option<&'g Receiver>,
}

struct Writer<'h, 'f> {
    helpers: &'h HashMap<&'f str, &'f Arc<Function>>,
    /// What the other side calls.
    elsewhere: HashSet<&'h str>,
    /// In pre-order, as those of any function.
    blocks: Vec<Block>,
    /// The helpers around what is being written.
    within: Vec<&'f str>,
    written: Vec<&'f Arc<Function>>,
    sites: Vec<(Lines, u32)>,
    /// The line of the outermost call that is being written out.
    called_at: u32,
    nodes: usize,
}

impl<'f> Writer<'_, 'f> {
    fn block(&mut self, function: &Function, id: BlockId, parent: Option<BlockId>, given: &Given<'_>) -> BlockId {
        let block = function.block(id);
        let place = self.blocks.len();
        let here = BlockId(u32::try_from(place).unwrap_or(u32::MAX));
        self.blocks.push(Block {
            kind: block.kind,
            parent,
            head: Vec::new(),
            nodes: Vec::new(),
            lines: block.lines,
        });
        let head = self.nodes(function, &block.head, here, given);
        let nodes = self.nodes(function, &block.nodes, here, given);
        self.blocks[place].head = head;
        self.blocks[place].nodes = nodes;
        here
    }

    fn nodes(&mut self, function: &Function, nodes: &[Node], at: BlockId, given: &Given<'_>) -> Vec<Node> {
        let mut written = Vec::with_capacity(nodes.len());
        for node in nodes {
            self.nodes += 1;
            match node {
                Node::Block(id) => {
                    written.push(Node::Block(self.block(function, *id, Some(at), given)));
                }
                Node::Operation(operation) => {
                    let mut operation = operation.clone();
                    operation.text = given.text(operation.text);
                    written.push(Node::Operation(operation));
                }
                Node::Call(call) => match self.helper(function, call) {
                    Some(helper) => {
                        if self.within.is_empty() {
                            self.called_at = call.line;
                        }
                        self.sites.push((helper.lines, self.called_at));
                        self.within.push(helper.name());
                        self.written.push(helper);
                        let call = given.call(call);
                        let inside = Given::at(&call, helper);
                        written.extend(self.nodes(helper, &helper.body().nodes, at, &inside));
                        self.within.pop();
                    }
                    None => written.push(Node::Call(given.call(call))),
                },
            }
        }
        written
    }

    /// The helper that a call in a function surely means.
    fn helper(&self, function: &Function, call: &Call) -> Option<&'f Arc<Function>> {
        let helper = *self.helpers.get(call.callee.name.as_str())?;
        let is_meant = match (call.callee.form, &call.callee.receiver) {
            (CallForm::Macro | CallForm::Value, _) => false,
            (CallForm::Method, Some(Receiver::SelfValue)) => helper.owner == function.owner,
            (CallForm::Method, _) => helper.owner.is_some() && !self.elsewhere.contains(helper.name()),
            (CallForm::Path, _) => match call.callee.path.last().map(String::as_str) {
                Some("Self") => helper.owner == function.owner,
                Some(segment) if segment.starts_with(char::is_uppercase) => helper.owner.as_deref() == Some(segment),
                Some(_) | None => helper.owner.is_none(),
            },
        };
        let fits = is_meant
            && helper.takes(call)
            && !self.within.contains(&helper.name())
            && self.within.len() < THRESHOLDS.written_out.deepest
            && self.nodes <= THRESHOLDS.written_out.largest;
        fits.then_some(helper)
    }
}

impl<'g> Given<'g> {
    fn at(call: &'g Call, helper: &'g Function) -> Self {
        let mut arguments = call.arguments.each();
        // A method that is called by its path gets its receiver first.
        let receivers = usize::from(call.arguments.arity).saturating_sub(helper.parameters.len());
        arguments.drain(..receivers.min(arguments.len()));
        let parameters = helper.parameters.iter().map(|parameter| parameter.name.as_str());
        Self {
            // A call among the arguments is a node of its own.
            parameters: (parameters.zip(arguments))
                .filter(|(name, given)| !name.is_empty() && !given.contains(Text::HOLE))
                .collect(),
            receiver: call.callee.receiver.as_ref(),
        }
    }

    fn is_nothing(&self) -> bool {
        self.parameters.is_empty() && self.receiver.is_none()
    }

    fn text(&self, text: Text) -> Text {
        if self.is_nothing() {
            return text;
        }
        let own = self.receiver.and_then(|receiver| match receiver {
            Receiver::SelfField(field) => Some(format!("self . {field}")),
            Receiver::Local(local) => Some(format!("{}{local}", Text::LOCAL)),
            Receiver::SelfValue | Receiver::Result { .. } | Receiver::Other(_) => None,
        });
        let mut words: Vec<String> = Vec::new();
        for token in tokens(&text) {
            words.push(match token {
                Token::Hole => Text::HOLE.to_string(),
                Token::Local(local) => match self.parameters.get(local) {
                    Some(given) => (*given).to_owned(),
                    None => format!("{}{local}", Text::LOCAL),
                },
                Token::Word("self") => own.clone().unwrap_or_else(|| "self".to_owned()),
                Token::Word(word) => word.to_owned(),
            });
        }
        Text(words.join(" "))
    }

    fn call(&self, call: &Call) -> Call {
        if self.is_nothing() {
            return call.clone();
        }
        let mut call = call.clone();
        call.arguments = Arguments {
            text: self.text(call.arguments.text),
            ..call.arguments
        };
        call.callee.receiver = call.callee.receiver.map(|receiver| self.receiver(receiver));
        call
    }

    fn receiver(&self, receiver: Receiver) -> Receiver {
        match (&receiver, self.receiver) {
            (Receiver::SelfValue, Some(own)) => own.clone(),
            (Receiver::SelfField(_), Some(own)) if *own != Receiver::SelfValue => Receiver::Other(None),
            (Receiver::Local(local), _) => match self.parameters.get(local.as_str()) {
                Some(given) => receiver_of(given),
                None => receiver,
            },
            _ => receiver,
        }
    }
}

/// What a method is called on where the source has these tokens.
fn receiver_of(given: &str) -> Receiver {
    let given = given.trim_start_matches("& ").trim_start_matches("mut ");
    let words: Vec<&str> = given.split(' ').collect();
    match words[..] {
        ["self"] => Receiver::SelfValue,
        ["self", ".", field] => Receiver::SelfField(field.to_owned()),
        [word] if word.starts_with(Text::LOCAL) => Receiver::Local(word[Text::LOCAL.len_utf8()..].to_owned()),
        _ => Receiver::Other(None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::properties::compared_with;
    use super::super::{ChangeSet, Helpers};

    fn compared(before: &str, after: &str) -> ChangeSet {
        compared_with(before, after, Helpers::WrittenOut)
    }

    const INLINE: &str = "impl Table { fn get(&self, k: &K) -> V { let h = hash(k); \
                          if self.used(h) { return self.slots.read(h); } self.fail() } }";
    const EXTRACTED: &str = "impl Table { fn get(&self, k: &K) -> V { let h = hash(k); \
                             if self.used(h) { return self.at(h); } self.fail() } \
                             fn at(&self, index: usize) -> V { self.slots.read(index) } }";

    #[test]
    fn an_extracted_function_is_no_change_of_work_either_way() {
        for (before, after) in [(INLINE, EXTRACTED), (EXTRACTED, INLINE)] {
            let set = compared(before, after);
            assert_eq!(set.changes, []);
            // The one that calls it and the one that came or went.
            assert_eq!(set.pairs.len(), 2);
            assert!(set.pairs.iter().all(|pair| pair.regrouped));
        }
    }

    #[test]
    fn what_else_was_changed_with_the_extraction_is_listed() {
        let after = EXTRACTED.replace("self.slots.read(index)", "check(index); self.slots.read(index)");
        let set = compared(INLINE, &after);
        let callees: Vec<&str> = (set.changes.iter())
            .filter_map(|change| Some(change.callee.as_ref()?.name.as_str()))
            .collect();
        assert_eq!(callees, ["check"]);
        assert!(
            set.pairs
                .iter()
                .any(|pair| pair.after.is_some() && pair.before.is_some() && !pair.regrouped)
        );
    }

    #[test]
    fn a_helper_in_a_loop_is_in_the_loop() {
        let before = "fn f(a: A) { for x in a { one(x); two(x); } }";
        let after = "fn f(a: A) { for x in a { step(x); } } fn step(y: X) { one(y); two(y); }";
        assert_eq!(compared(before, after).changes, []);
        let outside = "fn f(a: A) { for x in a { one(x); } step(a); } fn step(y: X) { two(y); }";
        assert_eq!(compared(before, outside).changes.len(), 1);
    }

    #[test]
    fn a_helper_of_a_helper_is_written_out_and_recursion_ends() {
        let before = "fn f(a: A) { one(a); two(a); }";
        let after = "fn f(a: A) { g(a); } fn g(b: A) { one(b); h(b); } fn h(c: A) { two(c); }";
        assert_eq!(compared(before, after).changes, []);
        let endless = "fn f(a: A) { g(a); } fn g(b: A) { one(b); h(b); } fn h(c: A) { two(c); g(c); }";
        assert_eq!(compared(before, endless).changes.len(), 1);
    }

    #[test]
    fn a_method_of_an_unknown_type_that_was_called_before_is_not_the_new_one() {
        let before = "fn f(a: A) { a.len(); one(a); }";
        let after = "fn f(a: A) { a.len(); } impl B { fn len(&self) { one(self); } }";
        let set = compared(before, after);
        assert_eq!(set.changes.len(), 1);
    }
}
