//! Two versions of a function with the same calls and operations → whether they compute the same values.
//!
//! Value numbering (Cocke and Schwartz, 1970): what a local was bound to stands for its name, so that names, and values that
//! get a name or lose it, make no difference; which value goes where does. Follows no loop and no branch: a local that is
//! assigned again is another value after each assignment, in the order in which the source is written.

use std::collections::{BTreeMap, BTreeSet};

use super::assignment::{Assignment, told_tokens};
use super::renames::RenameMap;
use super::text_tokens::{self, TextToken, TokenHasher};
use crate::syntax::{
    BlockId, BlockKind, CallReceiver, NormalisedText, OperationKind, SyntaxBlock, SyntaxCall, SyntaxFunction,
    SyntaxNode, SyntaxOperation,
};

/// True unless two versions of a function may compute different values. `ends_in_value` is true for a language in which a
/// block's last expression is its value: a `return` in front of the last one changes nothing there.
pub(super) fn are_same(
    before: &SyntaxFunction,
    after: &SyntaxFunction,
    renames: &RenameMap,
    ends_in_value: bool,
) -> bool {
    let of = |function, is_before| Numbering::new(function, (renames, is_before), ends_in_value).of_body();
    of(before, true) == of(after, false)
}

/// The number of a value, or of something that a block does.
type ValueNumber = u64;

struct Numbering<'f> {
    function: &'f SyntaxFunction,
    renames: &'f RenameMap,
    is_before: bool,
    ends_in_value: bool,
    /// The present value of each local.
    locals: BTreeMap<&'f str, ValueNumber>,
    /// Locals that are bound once and assigned again.
    assigned: BTreeSet<&'f str>,
    /// Locals that have been met, and assignments: what the next one is called.
    met: u64,
}

/// The steps of a block, and the value that it ends with.
struct NumberedBlock {
    done: Vec<ValueNumber>,
    value: Option<ValueNumber>,
}

impl<'f> Numbering<'f> {
    fn new(function: &'f SyntaxFunction, (renames, is_before): (&'f RenameMap, bool), ends_in_value: bool) -> Self {
        let mut numbering = Self {
            function,
            renames,
            is_before,
            ends_in_value,
            locals: BTreeMap::new(),
            assigned: assigned_again(function),
            met: 0,
        };
        for parameter in &function.parameters {
            let value = numbering.next(TokenHasher::new().word("parameter"));
            numbering.locals.insert(&parameter.name, value);
        }
        numbering
    }

    fn of_body(mut self) -> ValueNumber {
        let body = self.block(BlockId::BODY, self.ends_in_value);
        number_of(BlockKind::Body, &[], &body)
    }

    fn next(&mut self, hash: TokenHasher) -> ValueNumber {
        self.met += 1;
        hash.number(self.met).finish()
    }

    fn block(&mut self, id: BlockId, is_last: bool) -> NumberedBlock {
        let function = self.function;
        let nodes = &function.block(id).nodes;
        self.nodes(nodes, is_last)
    }

    /// The nodes of a head or of a block. The blocks that end a function's last block may end it, too.
    fn nodes(&mut self, nodes: &'f [SyntaxNode], is_last: bool) -> NumberedBlock {
        // The values for the holes of the texts to come.
        let mut results = Vec::new();
        let mut done = Vec::new();
        // Steps that only moved past others are told by what they depend on.
        let mut since_block = 0;
        let mut value = None;
        let mut called = None;
        // Where the arms of a match begin, in both lists.
        let mut plain_arms = None;
        let returned = |node: &SyntaxNode| is_last && is_bare_return(node);
        let end = nodes.len() - usize::from(nodes.last().is_some_and(returned));
        let trailing = nodes[..end]
            .iter()
            .rev()
            .take_while(|node| matches!(node, SyntaxNode::Block(_)));
        let first_trailing = end - trailing.count();
        for (at, node) in nodes[..end].iter().enumerate() {
            let is_last_node = at + 1 == end;
            match node {
                SyntaxNode::Call(call) => {
                    let number = self.call(call, &mut results);
                    results.push(number);
                    done.push(number);
                    called = Some(number);
                    plain_arms = None;
                }
                SyntaxNode::Operation(operation) => {
                    let place = (is_last_node, is_last && is_last_node);
                    value = self.operation(operation, &mut results, place, &mut done);
                    // A result that is named before it is given.
                    value = value.filter(|_| is_last_node && value != called);
                    plain_arms = None;
                }
                SyntaxNode::Block(id) => {
                    let function = self.function;
                    let block = function.block(*id);
                    let (kind, head) = (block.kind, &block.head);
                    let head = self.nodes(head, false);
                    let ends_function =
                        is_last && at >= first_trailing && kind != BlockKind::Loop && kind != BlockKind::Closure;
                    let body = self.block(*id, ends_function);
                    let mut asked = head.done;
                    asked.extend(head.value);
                    let number = number_of(kind, &asked, &body);
                    done[since_block..].sort_unstable();
                    if !is_plain_arm(block) {
                        plain_arms = None;
                    } else if plain_arms.is_none() {
                        plain_arms = Some((done.len(), results.len()));
                    }
                    done.push(number);
                    results.push(number);
                    if let Some((first, first_result)) = plain_arms {
                        done[first..].sort_unstable();
                        results.truncate(first_result);
                        results.push(number_of_list(TokenHasher::new(), &done[first..]).finish());
                    }
                    since_block = done.len();
                }
            }
        }
        done[since_block..].sort_unstable();
        NumberedBlock { done, value }
    }

    fn call(&mut self, call: &'f SyntaxCall, results: &mut Vec<ValueNumber>) -> ValueNumber {
        // That calls of what was renamed still go there was compared before.
        let name = match self.renames.is_of_renamed(&call.callee.name) {
            true => "",
            false => self.word(&call.callee.name),
        };
        let mut hash = TokenHasher::new().word("call").word(name);
        hash = hash.number(self.text(&call.arguments.text, results));
        match &call.callee.receiver {
            Some(CallReceiver::Local(local)) => {
                hash = hash.number(self.local(local));
                self.changed(local);
            }
            Some(CallReceiver::Result { .. } | CallReceiver::Other(_)) => {
                hash = hash.number(results.pop().unwrap_or_default());
            }
            Some(CallReceiver::SelfField(field)) => hash = hash.word(self.word(field)),
            Some(CallReceiver::SelfValue) => hash = hash.word("self"),
            None => {}
        }
        hash.finish()
    }

    /// Numbers what an operation does, unless it only binds a local or is the value of its block.
    fn operation(
        &mut self,
        operation: &'f SyntaxOperation,
        results: &mut Vec<ValueNumber>,
        (is_last_node, ends_function): (bool, bool),
        done: &mut Vec<ValueNumber>,
    ) -> Option<ValueNumber> {
        let text = &operation.text;
        if operation.kind == OperationKind::Pattern {
            done.push(self.pattern(text, results));
            return None;
        }
        if let Some(assignment) = Assignment::of(text) {
            let value = self.tokens(assignment.value, results);
            let is_whole = assignment.targets.len() == 1;
            for (at, &local) in (0..).zip(&assignment.targets) {
                let part = TokenHasher::new().word("part").number(at).number(value).finish();
                let value = if is_whole { value } else { part };
                if assignment.binds && !self.assigned.contains(local) {
                    self.locals.insert(local, value);
                    continue;
                }
                let old = self.local(local);
                done.push(
                    TokenHasher::new()
                        .word(assignment.sign)
                        .number(old)
                        .number(value)
                        .finish(),
                );
                self.changed(local);
            }
            return None;
        }
        let mut tokens = told_tokens(text);
        let returns = ends_function && tokens.first() == Some(&TextToken::Word("return"));
        if returns {
            tokens.remove(0);
        }
        let is_value = operation.kind != OperationKind::Jump || returns;
        let value = self.tokens(tokens, results);
        if !is_value || !is_last_node {
            done.push(value);
        }
        is_value.then_some(value)
    }

    /// A pattern binds each local in it anew.
    fn pattern(&mut self, text: &'f NormalisedText, results: &mut Vec<ValueNumber>) -> ValueNumber {
        let tokens = told_tokens(text);
        let end = tokens.iter().position(|token| *token == TextToken::Word("="));
        let (bound, value) = tokens.split_at(end.unwrap_or(tokens.len()));
        let value = self.tokens(value.to_vec(), results);
        for token in bound {
            if let TextToken::Local(local) = token {
                let number = self.next(TokenHasher::new().word("bound"));
                self.locals.insert(local, number);
            }
        }
        let bound = self.tokens(bound.to_vec(), results);
        TokenHasher::new().number(value).number(bound).finish()
    }

    fn text(&mut self, text: &'f NormalisedText, results: &mut Vec<ValueNumber>) -> ValueNumber {
        self.tokens(told_tokens(text), results)
    }

    /// The number of a text with the values of its locals and holes; that of a local or hole alone is the value itself.
    fn tokens(&mut self, mut tokens: Vec<TextToken<'f>>, results: &mut Vec<ValueNumber>) -> ValueNumber {
        if tokens.last() == Some(&TextToken::Word(",")) {
            tokens.pop();
        }
        let holes = tokens.iter().filter(|token| **token == TextToken::Hole).count();
        let filled = results.split_off(results.len().saturating_sub(holes));
        let mut filled = filled.into_iter();
        let mut numbers = Vec::with_capacity(tokens.len());
        let mut lent = Vec::new();
        let mut previous = "";
        for (at, token) in tokens.iter().enumerate() {
            let is_qualifier = tokens.get(at + 1) == Some(&TextToken::Word("::"));
            match token {
                TextToken::Hole => numbers.push(filled.next().unwrap_or_default()),
                TextToken::Local(local) => {
                    numbers.push(self.local(local));
                    if previous == "mut" {
                        lent.push(*local);
                    }
                }
                // Which definition a path leads to was compared before.
                TextToken::Word("::") => {}
                TextToken::Word(_) if is_qualifier => {}
                TextToken::Word(word) => numbers.push(TokenHasher::new().word(self.word(word)).finish()),
            }
            previous = match token {
                TextToken::Word(word) => word,
                TextToken::Local(_) | TextToken::Hole => "",
            };
        }
        lent.into_iter().for_each(|local| self.changed(local));
        match numbers[..] {
            [value] => value,
            _ => number_of_list(TokenHasher::new(), &numbers).finish(),
        }
    }

    fn word<'w>(&self, word: &'w str) -> &'w str
    where
        'f: 'w,
    {
        match self.is_before {
            true => self.renames.word(word),
            false => word,
        }
    }

    /// The present value of a local. One that nothing has bound yet is bound here: by a loop, a closure or a `with`.
    fn local(&mut self, local: &'f str) -> ValueNumber {
        if let Some(value) = self.locals.get(local) {
            return *value;
        }
        let value = self.next(TokenHasher::new().word("bound"));
        self.locals.insert(local, value);
        value
    }

    /// Something may have written to a local.
    fn changed(&mut self, local: &'f str) {
        // One that is assigned once, and lent to nothing that writes, has one value.
        if self.assigned.contains(local) {
            let new = self.next(TokenHasher::new().word("assigned"));
            self.locals.insert(local, new);
        }
    }
}

fn number_of(kind: BlockKind, asked: &[ValueNumber], block: &NumberedBlock) -> ValueNumber {
    let lists = [asked, &block.done, block.value.as_slice()];
    let hash = TokenHasher::new().number(kind as u64);
    lists.into_iter().fold(hash, number_of_list).finish()
}

fn number_of_list(hash: TokenHasher, list: &[ValueNumber]) -> TokenHasher {
    let hash = hash.number(list.len() as u64);
    list.iter().copied().fold(hash, TokenHasher::number)
}

/// True for an arm of literals or cases: only one of them holds, in whatever order they are asked.
fn is_plain_arm(block: &SyntaxBlock) -> bool {
    let [SyntaxNode::Operation(pattern)] = &block.head[..] else {
        return false;
    };
    let tokens: Vec<TextToken<'_>> = text_tokens::tokens(&pattern.text).collect();
    let is_alone = |(at, token): (usize, &TextToken<'_>)| match token {
        TextToken::Word("_" | ".." | "..=" | "...") | TextToken::Local(_) | TextToken::Hole => false,
        TextToken::Word(word) => !is_constant(word) || is_case_of_type(&tokens[..at]),
    };
    block.kind == BlockKind::Arm && pattern.kind == OperationKind::Pattern && tokens.iter().enumerate().all(is_alone)
}

/// True if a path goes on after the name of a type.
fn is_case_of_type(before: &[TextToken<'_>]) -> bool {
    matches!(before, [.., TextToken::Word(of), TextToken::Word("::" | ".")] if of.contains(char::is_lowercase)
        && of.starts_with(char::is_uppercase))
}

/// True for a name as constants have it: another one may have the same value, or a number may be it.
fn is_constant(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && !word.contains(char::is_lowercase)
}

/// `return <call>`: as its block's last node, what the call gives is its value with or without it.
fn is_bare_return(node: &SyntaxNode) -> bool {
    matches!(node, SyntaxNode::Operation(operation)
        if operation.kind == OperationKind::Jump && text_tokens::returns_a_call(&operation.text))
}

/// The locals that are assigned more than once, lent for writing, or declared as what changes.
fn assigned_again(function: &SyntaxFunction) -> BTreeSet<&str> {
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    let parameters = function.parameters.iter().map(|parameter| parameter.name.as_str());
    parameters.for_each(|parameter| *times.entry(parameter).or_default() += 1);
    let nodes = function
        .blocks
        .iter()
        .flat_map(|block| block.head.iter().chain(&block.nodes));
    for node in nodes {
        let text = match node {
            SyntaxNode::Operation(operation) => &operation.text,
            SyntaxNode::Call(call) => &call.arguments.text,
            SyntaxNode::Block(_) => continue,
        };
        if let SyntaxNode::Operation(_) = node
            && let Some(assignment) = Assignment::of(text)
        {
            for local in assignment.targets {
                *times.entry(local).or_default() += if assignment.sign == "=" { 1 } else { 2 };
            }
        }
        let tokens: Vec<TextToken<'_>> = text_tokens::tokens(text).collect();
        for pair in tokens.windows(2) {
            if let [TextToken::Word("mut"), TextToken::Local(local)] = pair {
                *times.entry(local).or_default() += 2;
            }
        }
    }
    times
        .into_iter()
        .filter(|(_, times)| *times > 1)
        .map(|(local, _)| local)
        .collect()
}
