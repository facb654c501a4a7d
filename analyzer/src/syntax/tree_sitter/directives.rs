//! Conditions on what is compiled, and what tells the compiler more than types → items of their own.
//!
//! They stand in no block of a function and decide how it is compiled.

use tree_sitter::Node;

use super::body::{children, range_of};
use super::captures::{NodePart, NodeRole};
use super::items::{PendingAttributes, TreeSitterFileLowering, TreeSitterScope};
use crate::syntax::call::split;
use crate::syntax::digest::TokenDigester;
use crate::syntax::model::ItemKind;
use crate::syntax::tokens::ByteRange;

/// An item without a name is called by so many letters of its text.
const LONGEST_NAME: usize = 60;

/// Lines of a preprocessor that are no conditions, as grammars name them.
const DIRECTIVES: [&str; 4] = ["preproc_include", "preproc_def", "preproc_function_def", "preproc_call"];

/// True for a line of a preprocessor that is no condition.
pub(super) fn is_directive(node: Node<'_>) -> bool {
    DIRECTIVES.contains(&node.kind())
}

/// The name of a condition that can only end the build.
pub(crate) const REFUSAL: &str = "#error";

impl<'t> TreeSitterFileLowering<'_, '_, 't> {
    /// The code under a condition on what is compiled.
    pub(super) fn below_guard(&mut self, node: Node<'t>, place: &TreeSitterScope) {
        let mut inside = place.clone();
        let condition = self.captures.part(node, NodePart::Condition);
        if self.only_refuses(node) {
            let digest = TokenDigester::new().finish();
            return self.push(ItemKind::Attribute, REFUSAL.to_owned(), digest, node, place);
        }
        let decides = !self.is_include_guard(node);
        if decides {
            inside.guards.push(self.tokens.plain(self.condition_of(node)));
        }
        let (items, functions) = (self.items.len(), self.functions.len());
        let mut attributes = PendingAttributes::default();
        for child in children(node) {
            if condition.is_none_or(|condition| condition.id() != child.id()) {
                self.node(child, node, &inside, &mut attributes);
            }
        }
        if decides && self.functions.len() > functions {
            self.guard_item(node, &inside, (items, functions));
        }
    }

    /// True for a condition under which there is nothing but the end of the build: the code that was built does not depend on
    /// it.
    fn only_refuses(&self, node: Node<'t>) -> bool {
        let condition = self
            .captures
            .part(node, NodePart::Condition)
            .map(|condition| condition.id());
        let mut inside = children(node)
            .into_iter()
            .filter(|child| child.is_named() && Some(child.id()) != condition)
            .peekable();
        inside.peek().is_some() && inside.all(|child| self.captures.is(child, NodeRole::Refusal))
    }

    /// A condition as an item of its own, with the functions that it decides about. `items` and `functions` are how many there
    /// were before it.
    fn guard_item(&mut self, node: Node<'t>, inside: &TreeSitterScope, (items, functions): (usize, usize)) {
        let mut digester = TokenDigester::new();
        inside.guards.iter().for_each(|guard| digester.token(guard));
        let guarded = self.functions[functions..].iter().flat_map(|function| &function.path);
        guarded.for_each(|name| digester.token(name));
        let name = inside.guards.last().cloned().unwrap_or_default();
        self.push(ItemKind::Attribute, name, digester.finish(), node, inside);
        // Before what stands inside, in the order of the source.
        self.items[items..].rotate_right(1);
    }

    /// The words of a condition on what is compiled: `#ifdef NAME`, `#else`.
    pub(super) fn condition_of(&self, guard: Node<'t>) -> ByteRange {
        let condition = self.captures.part(guard, NodePart::Condition);
        let end = condition.or_else(|| guard.child(0)).unwrap_or(guard);
        ByteRange::new(range_of(guard).start, range_of(end).end)
    }

    /// Where a function's head tells the compiler more than types.
    pub(super) fn instructions_of_head(&self, node: Node<'t>, body: Node<'t>) -> Vec<ByteRange> {
        let mut found = Vec::new();
        let mut waiting: Vec<Node<'t>> = children(node);
        while let Some(part) = waiting.pop() {
            if part.id() == body.id() || !self.tokens.budget.spend(1) {
                continue;
            }
            match self.is_instruction(part) {
                true => found.push(range_of(part)),
                false => waiting.extend(children(part)),
            }
        }
        found
    }

    /// The beginning of a text, to name it by.
    pub(super) fn first_line(&self, range: ByteRange) -> String {
        let text = self
            .tokens
            .source
            .get(range.start as usize..range.end as usize)
            .unwrap_or("");
        text.trim_start()
            .lines()
            .next()
            .unwrap_or("")
            .chars()
            .take(LONGEST_NAME)
            .collect()
    }

    /// True for `#ifndef NAME` around a file, whose first line defines the name: it lets the file in once.
    fn is_include_guard(&self, node: Node<'t>) -> bool {
        let condition = self.captures.part(node, NodePart::Condition);
        let mut defined = children(node)
            .into_iter()
            .filter(|child| self.captures.is(*child, NodeRole::MacroDefinition));
        match (condition, defined.next()) {
            (Some(condition), Some(first)) => self.part_text(first, NodePart::Name) == Some(self.word(condition)),
            _ => false,
        }
    }

    /// True for a declaration of a function that says no more than its types.
    pub(super) fn is_plain_prototype(&self, node: Node<'t>) -> bool {
        self.captures.is(node, NodeRole::Prototype) && !self.holds_instruction(node)
    }

    /// True for what tells the compiler more than types, and can change what runs.
    fn is_instruction(&self, node: Node<'t>) -> bool {
        self.captures.is(node, NodeRole::Instruction) && !self.is_free_attribute(node)
    }

    /// True for an attribute that cannot change what runs.
    pub(super) fn is_free_attribute(&self, node: Node<'t>) -> bool {
        let is_free = || {
            let text = self.tokens.plain(range_of(node));
            all_attributes(&text, |name| self.words.free_attributes.contains(name))
        };
        self.captures.is(node, NodeRole::Instruction) && is_free()
    }

    fn holds_instruction(&self, node: Node<'t>) -> bool {
        self.tokens.budget.spend(1)
            && (self.is_instruction(node) || children(node).into_iter().any(|child| self.holds_instruction(child)))
    }

    /// An item that no capture names, in a language where anything between functions may matter.
    pub(super) fn other_item(&self, node: Node<'t>, parent: Node<'t>, place: &TreeSitterScope) -> Option<NodeRole> {
        const HOLDERS: [NodeRole; 5] = [
            NodeRole::Function,
            NodeRole::Scope,
            NodeRole::Group,
            NodeRole::Comment,
            NodeRole::Attribute,
        ];
        let stands_in_a_file = match parent.is_error() {
            // The other parts of an error are told of as such.
            true => is_directive(node),
            false => {
                parent.id() == self.root || self.captures.any(parent, &[NodeRole::Group, NodeRole::Guard]).is_some()
            }
        };
        let is_other = self.words.whole_declarations
            && place.owner.is_none()
            && node.is_named()
            && !node.is_error()
            && stands_in_a_file
            && self.captures.any(node, &HOLDERS).is_none();
        is_other.then_some(NodeRole::FileAttribute)
    }
}

/// True if a text is a list of attributes (`__attribute__((noinline, cold))`, `[[gnu::cold]]`) and each is such a one. Their
/// names are given without namespaces and without the underscores around them.
pub(crate) fn all_attributes(text: &str, is_such: impl Fn(&str) -> bool) -> bool {
    let text: String = text.split_whitespace().collect();
    let inside = ["__attribute__((", "__attribute((", "[["]
        .into_iter()
        .find_map(|start| {
            let inside = text.strip_prefix(start)?;
            inside.strip_suffix(if start == "[[" { "]]" } else { "))" })
        });
    let Some(inside) = inside else {
        return false;
    };
    split(inside).into_iter().all(|attribute| {
        let name = attribute.split('(').next().unwrap_or(attribute);
        let name = name.rsplit("::").next().unwrap_or(name).trim_matches('_');
        is_such(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_attributes_is_read_name_by_name() {
        let is_cold_or_format = |name: &str| ["cold", "format"].contains(&name);
        for text in [
            "__attribute__((cold))",
            "__attribute__ ( ( __cold__ , format ( printf , 1 , 2 ) ) )",
            "[[gnu::cold]]",
        ] {
            assert!(all_attributes(text, is_cold_or_format), "{text}");
        }
        for text in [
            "__attribute__((cold, constructor))",
            "__attribute__((cold",
            "__declspec(noinline)",
            "asm(\"nop\")",
            "COLD",
            "",
        ] {
            assert!(!all_attributes(text, is_cold_or_format), "{text}");
        }
    }
}
