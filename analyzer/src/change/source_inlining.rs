//! Functions that one side does not have → their bodies in place of the calls of them, in the functions that call them.
//!
//! To extract a function, or to put it back, moves work without changing it. As written it looks like calls that went and
//! a call of something unknown that came; written out, what is the same on both sides is the same.

use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

use super::function_matching::FileFunction;
use super::text_tokens::{TextToken, TokenHasher, tokens};
use super::thresholds::THRESHOLDS;
use crate::syntax::{
    BlockId, CallArguments, CallReceiver, LineRange, NormalisedText, SyntaxBlock, SyntaxCall, SyntaxCallForm,
    SyntaxFunction, SyntaxNode, TokenDigest,
};

/// The functions of one side that the other has not and that calls can be replaced by, by name.
#[derive(Default)]
pub(super) struct InlinableFunctions<'f>(HashMap<&'f str, &'f Arc<SyntaxFunction>>);

/// A function with its helpers written out.
pub(super) struct InlinedFunction {
    pub(super) function: Arc<SyntaxFunction>,
    /// The names of what was written out.
    pub(super) helpers: HashSet<String>,
    /// For each helper that was written out, its lines and that of the call in the function itself.
    sites: Vec<(LineRange, u32)>,
}

impl InlinedFunction {
    /// The line to show for one that may be a helper's: that of the call.
    pub(super) fn display_line(&self, line: u32) -> u32 {
        let inside = |(lines, _): &&(LineRange, u32)| (lines.first..=lines.last).contains(&line);
        let is_own = {
            let LineRange { first, last } = self.function.lines;
            (first..=last).contains(&line)
        };
        match self.sites.iter().find(inside) {
            Some((_, call)) if !is_own => *call,
            _ => line,
        }
    }
}

impl<'f> InlinableFunctions<'f> {
    /// Those among the functions at some indices of a side. A name that several have says nothing; what implements a trait
    /// may be called without being named; what only tests run is not called by anything that matters.
    pub(super) fn from_unmatched(placed: &'f [FileFunction], alone: impl Iterator<Item = usize>) -> Self {
        let mut named: HashMap<&str, Option<&Arc<SyntaxFunction>>> = HashMap::new();
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
    pub(super) fn inline_into(&self, function: &SyntaxFunction, other: &SyntaxFunction) -> Option<InlinedFunction> {
        if self.0.is_empty() {
            return None;
        }
        let mut writer = SourceInliner {
            helpers: &self.0,
            elsewhere: calls(other).map(|call| call.callee.name.as_str()).collect(),
            blocks: Vec::with_capacity(function.blocks.len()),
            within: Vec::new(),
            written: Vec::new(),
            sites: Vec::new(),
            called_at: 0,
            nodes: 0,
        };
        writer.block(function, BlockId::BODY, None, &ArgumentSubstitution::default());
        if writer.written.is_empty() || writer.nodes > THRESHOLDS.written_out.largest {
            return None;
        }
        let mut digest = TokenHasher::new().number(function.digest.0);
        let mut locals = function.locals.clone();
        for helper in &writer.written {
            digest = digest.number(helper.digest.0);
            locals.extend(helper.locals.iter().cloned());
        }
        Some(InlinedFunction {
            sites: writer.sites,
            helpers: writer.written.iter().map(|helper| helper.name().to_owned()).collect(),
            function: Arc::new(SyntaxFunction {
                blocks: writer.blocks,
                locals,
                digest: TokenDigest(digest.finish()),
                ..function.clone()
            }),
        })
    }
}

fn calls(function: &SyntaxFunction) -> impl Iterator<Item = &SyntaxCall> {
    let nodes = function
        .blocks
        .iter()
        .flat_map(|block| block.head.iter().chain(&block.nodes));
    nodes.filter_map(|node| match node {
        SyntaxNode::Call(call) => Some(call),
        SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
    })
}

/// The arguments that replace a helper's parameters, and `self`, at the call that it is inlined into.
#[derive(Default)]
struct ArgumentSubstitution<'g> {
    parameters: HashMap<&'g str, &'g str>,
    receiver: Option<&'g CallReceiver>,
}

struct SourceInliner<'h, 'f> {
    helpers: &'h HashMap<&'f str, &'f Arc<SyntaxFunction>>,
    /// Names that the other side calls.
    elsewhere: HashSet<&'h str>,
    /// In pre-order, as those of any function.
    blocks: Vec<SyntaxBlock>,
    /// The helpers around what is being written.
    within: Vec<&'f str>,
    written: Vec<&'f Arc<SyntaxFunction>>,
    sites: Vec<(LineRange, u32)>,
    /// The line of the outermost call that is being written out.
    called_at: u32,
    nodes: usize,
}

impl<'f> SourceInliner<'_, 'f> {
    fn block(
        &mut self,
        function: &SyntaxFunction,
        id: BlockId,
        parent: Option<BlockId>,
        given: &ArgumentSubstitution<'_>,
    ) -> BlockId {
        let block = function.block(id);
        let place = self.blocks.len();
        let here = BlockId(u32::try_from(place).unwrap_or(u32::MAX));
        self.blocks.push(SyntaxBlock {
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

    fn nodes(
        &mut self,
        function: &SyntaxFunction,
        nodes: &[SyntaxNode],
        at: BlockId,
        given: &ArgumentSubstitution<'_>,
    ) -> Vec<SyntaxNode> {
        let mut written = Vec::with_capacity(nodes.len());
        for node in nodes {
            self.nodes += 1;
            match node {
                SyntaxNode::Block(id) => {
                    written.push(SyntaxNode::Block(self.block(function, *id, Some(at), given)));
                }
                SyntaxNode::Operation(operation) => {
                    let mut operation = operation.clone();
                    operation.text = given.text(operation.text);
                    written.push(SyntaxNode::Operation(operation));
                }
                SyntaxNode::Call(call) => match self.helper(function, call) {
                    Some(helper) => {
                        if self.within.is_empty() {
                            self.called_at = call.line;
                        }
                        self.sites.push((helper.lines, self.called_at));
                        self.within.push(helper.name());
                        self.written.push(helper);
                        let call = given.call(call);
                        let inside = ArgumentSubstitution::at(&call, helper);
                        written.extend(self.nodes(helper, &helper.body().nodes, at, &inside));
                        self.within.pop();
                    }
                    None => written.push(SyntaxNode::Call(given.call(call))),
                },
            }
        }
        written
    }

    /// The helper that a call in a function surely means.
    fn helper(&self, function: &SyntaxFunction, call: &SyntaxCall) -> Option<&'f Arc<SyntaxFunction>> {
        let helper = *self.helpers.get(call.callee.name.as_str())?;
        let is_meant = match (call.callee.form, &call.callee.receiver) {
            (SyntaxCallForm::Macro | SyntaxCallForm::Value, _) => false,
            (SyntaxCallForm::Method, Some(CallReceiver::SelfValue)) => helper.owner == function.owner,
            (SyntaxCallForm::Method, _) => helper.owner.is_some() && !self.elsewhere.contains(helper.name()),
            (SyntaxCallForm::Path, _) => match call.callee.path.last().map(String::as_str) {
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

impl<'g> ArgumentSubstitution<'g> {
    fn at(call: &'g SyntaxCall, helper: &'g SyntaxFunction) -> Self {
        let mut arguments = call.arguments.each();
        // A method that is called by its path gets its receiver first.
        let receivers = usize::from(call.arguments.arity).saturating_sub(helper.parameters.len());
        arguments.drain(..receivers.min(arguments.len()));
        let parameters = helper.parameters.iter().map(|parameter| parameter.name.as_str());
        Self {
            // A call among the arguments is a node of its own.
            parameters: (parameters.zip(arguments))
                .filter(|(name, given)| !name.is_empty() && !given.contains(NormalisedText::HOLE))
                .collect(),
            receiver: call.callee.receiver.as_ref(),
        }
    }

    fn is_nothing(&self) -> bool {
        self.parameters.is_empty() && self.receiver.is_none()
    }

    fn text(&self, text: NormalisedText) -> NormalisedText {
        if self.is_nothing() {
            return text;
        }
        let own = self.receiver.and_then(|receiver| match receiver {
            CallReceiver::SelfField(field) => Some(format!("self . {field}")),
            CallReceiver::Local(local) => Some(format!("{}{local}", NormalisedText::LOCAL)),
            CallReceiver::SelfValue | CallReceiver::Result { .. } | CallReceiver::Other(_) => None,
        });
        let mut words: Vec<String> = Vec::new();
        for token in tokens(&text) {
            words.push(match token {
                TextToken::Hole => NormalisedText::HOLE.to_string(),
                TextToken::Local(local) => match self.parameters.get(local) {
                    Some(given) => (*given).to_owned(),
                    None => format!("{}{local}", NormalisedText::LOCAL),
                },
                TextToken::Word("self") => own.clone().unwrap_or_else(|| "self".to_owned()),
                TextToken::Word(word) => word.to_owned(),
            });
        }
        NormalisedText(words.join(" "))
    }

    fn call(&self, call: &SyntaxCall) -> SyntaxCall {
        if self.is_nothing() {
            return call.clone();
        }
        let mut call = call.clone();
        call.arguments = CallArguments {
            text: self.text(call.arguments.text),
            ..call.arguments
        };
        call.callee.receiver = call.callee.receiver.map(|receiver| self.receiver(receiver));
        call
    }

    fn receiver(&self, receiver: CallReceiver) -> CallReceiver {
        match (&receiver, self.receiver) {
            (CallReceiver::SelfValue, Some(own)) => own.clone(),
            (CallReceiver::SelfField(_), Some(own)) if *own != CallReceiver::SelfValue => CallReceiver::Other(None),
            (CallReceiver::Local(local), _) => match self.parameters.get(local.as_str()) {
                Some(given) => receiver_of(given),
                None => receiver,
            },
            _ => receiver,
        }
    }
}

/// The receiver of a method call where the source has these tokens.
fn receiver_of(given: &str) -> CallReceiver {
    let given = given.trim_start_matches("& ").trim_start_matches("mut ");
    let words: Vec<&str> = given.split(' ').collect();
    match words[..] {
        ["self"] => CallReceiver::SelfValue,
        ["self", ".", field] => CallReceiver::SelfField(field.to_owned()),
        [word] if word.starts_with(NormalisedText::LOCAL) => {
            CallReceiver::Local(word[NormalisedText::LOCAL.len_utf8()..].to_owned())
        }
        _ => CallReceiver::Other(None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::property_tests::compared_with;
    use super::super::{ChangeSet, InliningMode, SourceChange};

    /// The changes that cost something by themselves.
    fn changes(set: &ChangeSet) -> Vec<&SourceChange> {
        set.changes.iter().filter(|change| !change.needs_mention()).collect()
    }

    fn compared(before: &str, after: &str) -> ChangeSet {
        compared_with(before, after, InliningMode::WrittenOut)
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
            assert_eq!(changes(&set), Vec::<&SourceChange>::new());
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
        assert_eq!(changes(&set).len(), 1);
    }
}
