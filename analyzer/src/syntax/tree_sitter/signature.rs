//! The head of a function → its parameters, and the parts of it that no digest holds.

use tree_sitter::Node;

use super::body::{children, range_of};
use super::captures::{NodePart, NodeRole};
use super::items::TreeSitterFileLowering;
use crate::syntax::model::SyntaxParameter;
use crate::syntax::tokens::ByteRange;

/// The head of a function.
#[derive(Debug, Default)]
pub(super) struct FunctionSignature<'t> {
    pub(super) parameters: Vec<SyntaxParameter>,
    /// Where the names of parameters stand.
    pub(super) names: Vec<ByteRange>,
    /// Where names that are in scope in the body stand.
    pub(super) bound: Vec<ByteRange>,
    /// Parameters that are given as values of a class.
    pub(super) copied: Vec<Node<'t>>,
    pub(super) has_receiver: bool,
    pub(super) public: bool,
    /// Ranges that are not part of any digest.
    pub(super) without: Vec<ByteRange>,
}

impl<'t> TreeSitterFileLowering<'_, '_, 't> {
    pub(super) fn signature(&self, node: Node<'t>, body: Node<'t>, signature: &mut FunctionSignature<'t>) {
        for child in children(node) {
            if child.id() == body.id() {
                continue;
            }
            if child.kind() == "visibility_modifier" || self.is_free_attribute(child) {
                signature.without.push(range_of(child));
            }
            signature.public |= self.captures.is(child, NodeRole::Public);
            signature.has_receiver |= self.captures.is(child, NodeRole::Receiver);
            if self.captures.is(child, NodeRole::Parameter)
                && let Some(name) = self.captures.part(child, NodePart::Name)
            {
                let text = self.word(name).trim_start_matches("mut ").to_owned();
                if signature.parameters.is_empty() && self.words.self_names.contains(&text) {
                    signature.has_receiver = true;
                    continue;
                }
                if self.captures.is(child, NodeRole::Copied) {
                    signature.copied.push(child);
                }
                let attributes = children(child).into_iter().filter(|part| self.is_free_attribute(*part));
                signature.without.extend(attributes.map(range_of));
                let plain = text.chars().all(|letter| letter == '_' || letter.is_alphanumeric());
                let type_name = self
                    .part_text(child, NodePart::Type)
                    .map(|text| self.words.type_name(text));
                let parameter = SyntaxParameter {
                    name: if plain { text } else { String::new() },
                    type_name: type_name.unwrap_or_default(),
                };
                signature.parameters.push(parameter);
                signature.names.push(range_of(name));
                self.bound(name, plain, signature);
            } else {
                self.signature(child, body, signature);
            }
        }
    }

    /// The types that the head of a function states and that its calls do not evaluate, with the signs before them.
    pub(super) fn stated_types(&self, node: Node<'t>, body: Node<'t>, found: &mut Vec<ByteRange>) {
        let mut start = range_of(node).start;
        for child in children(node).into_iter().filter(|child| child.id() != body.id()) {
            let range = range_of(child);
            if self.captures.is(child, NodeRole::StatedType) {
                found.push(ByteRange::new(start, range.end));
            } else {
                self.stated_types(child, body, found);
            }
            start = range.start;
        }
    }

    /// The names that a parameter's pattern binds.
    fn bound(&self, name: Node<'t>, plain: bool, signature: &mut FunctionSignature<'t>) {
        let leaf = name.child_count() == 0;
        if leaf && (plain || self.captures.is(name, NodeRole::Local)) {
            signature.bound.push(range_of(name));
        }
        children(name)
            .into_iter()
            .for_each(|child| self.bound(child, plain, signature));
    }
}
