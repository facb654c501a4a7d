//! The tree of a file, whose nodes have meanings → functions and items of the model.

use std::sync::Arc;

use tree_sitter::Node;

use super::body::{TreeSitterBodyLowering, children, range_of};
use super::captures::{NodePart, NodeRole, QueryCaptures};
use super::language::GrammarConfig;
use super::signature::FunctionSignature;
use crate::syntax::builder::FunctionBuilder;
use crate::syntax::digest::TokenDigester;
use crate::syntax::integer_expression::value_of_definition;
use crate::syntax::limits::ParseLimits;
use crate::syntax::model::{ItemKind, SyntaxFunction, SyntaxItem, TokenDigest};
use crate::syntax::tokens::{ByteRange, TokenizedSource};

/// Collects what a file holds.
pub(crate) struct TreeSitterFileLowering<'f, 's, 't> {
    pub(crate) captures: &'f QueryCaptures<'t>,
    /// The number of the whole tree.
    pub(crate) root: usize,
    pub(crate) words: &'f GrammarConfig,
    pub(crate) tokens: &'f TokenizedSource<'s>,
    pub(crate) functions: Vec<Arc<SyntaxFunction>>,
    pub(crate) items: Vec<SyntaxItem>,
    pub(crate) nodes: usize,
    pub(crate) limits: &'f ParseLimits,
    /// True if something was left out because a limit was reached.
    pub(crate) is_beyond_limits: bool,
}

/// Where an item stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct TreeSitterScope {
    pub(crate) path: Vec<String>,
    pub(crate) owner: Option<String>,
    pub(crate) of_trait: Option<String>,
    pub(crate) test_only: bool,
    /// The conditions on what is compiled, from the outermost on.
    pub(crate) guards: Vec<String>,
}

/// Attributes that wait for the item they stand on.
#[derive(Debug, Default)]
pub(super) struct PendingAttributes {
    texts: Vec<String>,
    test_only: bool,
    start: Option<u32>,
}

/// Roles of what becomes an item.
pub(super) const ITEMS: [NodeRole; 8] = [
    NodeRole::Constant,
    NodeRole::Type,
    NodeRole::Trait,
    NodeRole::Implementation,
    NodeRole::MacroDefinition,
    NodeRole::Import,
    NodeRole::Invocation,
    NodeRole::FileAttribute,
];

impl<'t> TreeSitterFileLowering<'_, '_, 't> {
    pub(super) fn word(&self, node: Node<'_>) -> &str {
        self.tokens.source.get(node.byte_range()).unwrap_or("")
    }

    pub(super) fn part_text(&self, node: Node<'t>, part: NodePart) -> Option<&str> {
        self.captures.part(node, part).map(|node| self.word(node))
    }

    /// Everything below a node.
    pub(crate) fn inside(&mut self, node: Node<'t>, place: &TreeSitterScope) {
        let mut attributes = PendingAttributes::default();
        self.below(node, place, &mut attributes);
    }

    fn below(&mut self, node: Node<'t>, place: &TreeSitterScope, attributes: &mut PendingAttributes) {
        for child in children(node) {
            self.node(child, node, place, attributes);
        }
    }

    /// A node and everything inside it; `parent` is the one around it.
    pub(super) fn node(
        &mut self,
        node: Node<'t>,
        parent: Node<'t>,
        place: &TreeSitterScope,
        attributes: &mut PendingAttributes,
    ) {
        let definitions = self.functions.len() + self.items.len();
        if (self.limits).are_reached(place.path.len(), definitions, self.nodes) || self.tokens.budget.is_spent() {
            self.is_beyond_limits = true;
            return;
        }
        if self.captures.is(node, NodeRole::Attribute) {
            attributes.start.get_or_insert(range_of(parent).start);
            attributes.test_only |= self.captures.is(node, NodeRole::Test);
            let text = self.tokens.plain(range_of(node));
            let name = text.split([' ', '(']).next().unwrap_or_default();
            if !self.words.free_attributes.contains(name) && !self.words.free_attributes.contains(text.as_str()) {
                attributes.texts.push(text);
            }
            return;
        }
        if self.captures.is(node, NodeRole::Guard) {
            return self.below_guard(node, place);
        }
        if self.is_plain_prototype(node) {
            return;
        }
        let kind = self
            .captures
            .any(node, &ITEMS)
            .or_else(|| self.other_item(node, parent, place));
        let scope = self.captures.is(node, NodeRole::Scope);
        let function = self.captures.is(node, NodeRole::Function);
        let taken = if kind.is_some() || scope || function {
            std::mem::take(attributes)
        } else {
            PendingAttributes::default()
        };
        let here = TreeSitterScope {
            test_only: place.test_only || taken.test_only,
            ..place.clone()
        };
        if let Some(kind) = kind {
            self.item(node, kind, &here, &taken);
        }
        if function {
            return self.function(node, &here, taken);
        }
        if scope {
            let mut inside = here;
            let written = self.part_text(node, NodePart::Name).unwrap_or_default();
            let name = self.words.type_name(written);
            inside.of_trait = self
                .part_text(node, NodePart::Trait)
                .map(|name| self.words.type_name(name));
            let owns = self.captures.is(node, NodeRole::Owner) || self.captures.is(node, NodeRole::Type);
            match owns {
                true => inside.path.push(name.clone()),
                // A name of several segments stands for as many scopes, and none for no other names.
                false => inside.path.extend(
                    self.words
                        .declared_name(written)
                        .into_iter()
                        .filter(|name| !name.is_empty()),
                ),
            }
            inside.owner = owns.then_some(name);
            return self.inside(node, &inside);
        }
        // A declaration may hold a type with functions.
        if (kind.is_none() || self.words.whole_declarations) && !self.captures.is(node, NodeRole::Comment) {
            self.below(node, place, attributes);
        }
    }

    fn item(&mut self, node: Node<'t>, role: NodeRole, place: &TreeSitterScope, attributes: &PendingAttributes) {
        if role == NodeRole::Import {
            return self.import(node, place);
        }
        let name = self.part_text(node, NodePart::Name).unwrap_or_default().to_owned();
        let (kind, name) = match role {
            NodeRole::Constant if self.words.whole_declarations && declares_several(node) => {
                (ItemKind::Constant, String::new())
            }
            NodeRole::Constant => (ItemKind::Constant, name),
            NodeRole::Type => (
                ItemKind::Type {
                    fields: self.fields(node),
                },
                name,
            ),
            NodeRole::Trait => (ItemKind::Trait, name),
            NodeRole::MacroDefinition => (ItemKind::Macro, name),
            NodeRole::Invocation => (ItemKind::Invocation, name),
            NodeRole::FileAttribute if self.words.whole_declarations => {
                (ItemKind::Attribute, self.first_line(range_of(node)))
            }
            NodeRole::FileAttribute => {
                let text = self.tokens.plain(range_of(node));
                let first = text.split([' ', '(']).next().unwrap_or_default();
                if self.words.free_attributes.contains(first) {
                    return;
                }
                (ItemKind::Attribute, text)
            }
            _ => {
                let name = self.words.type_name(&name);
                let of_trait = self
                    .part_text(node, NodePart::Trait)
                    .map(|name| self.words.type_name(name));
                (
                    ItemKind::Implementation,
                    of_trait.map_or_else(|| name.clone(), |of_trait| format!("{of_trait} for {name}")),
                )
            }
        };
        let mut without = Vec::new();
        self.separate_ranges(node, &mut without);
        let texts: Vec<String> = attributes.texts.iter().chain(&place.guards).cloned().collect();
        let digest = self.digest(range_of(node), &texts, &without);
        self.push(kind, name, digest, node, place);
    }

    /// The ranges inside an item that are items or functions of their own, or cannot cost.
    fn separate_ranges(&self, node: Node<'t>, ranges: &mut Vec<ByteRange>) {
        for child in children(node) {
            if !self.tokens.budget.spend(1) {
                return;
            }
            let separate = [NodeRole::Function, NodeRole::Constant, NodeRole::Public];
            if self.captures.any(child, &separate).is_some()
                || child.kind() == "visibility_modifier"
                || self.is_plain_prototype(child)
            {
                ranges.push(range_of(child));
            } else {
                self.separate_ranges(child, ranges);
            }
        }
    }

    pub(super) fn push(
        &mut self,
        kind: ItemKind,
        name: String,
        digest: TokenDigest,
        node: Node<'t>,
        place: &TreeSitterScope,
    ) {
        self.push_at(kind, name, digest, range_of(node), place);
    }

    fn push_at(
        &mut self,
        kind: ItemKind,
        name: String,
        digest: TokenDigest,
        range: ByteRange,
        place: &TreeSitterScope,
    ) {
        let lines = self.tokens.lines(range);
        let value = match kind {
            ItemKind::Constant | ItemKind::Macro => {
                let text = self.tokens.source.get(range.start as usize..range.end as usize);
                text.and_then(value_of_definition)
            }
            ItemKind::Type { .. }
            | ItemKind::Trait
            | ItemKind::Implementation
            | ItemKind::Import { .. }
            | ItemKind::Invocation
            | ItemKind::Module
            | ItemKind::Attribute
            | ItemKind::Prototype => None,
        };
        self.items.push(SyntaxItem {
            kind,
            name,
            path: place.path.clone(),
            digest,
            lines,
            test_only: place.test_only,
            value,
        });
    }

    fn digest(&self, range: ByteRange, attributes: &[String], without: &[ByteRange]) -> TokenDigest {
        let mut digester = TokenDigester::new();
        let mut attributes: Vec<&String> = attributes.iter().collect();
        attributes.sort();
        attributes.iter().for_each(|text| digester.token(text));
        self.tokens.digest_into(&mut digester, range, without);
        digester.finish()
    }

    /// Annotated assignments right inside a class, and fields of a struct.
    fn fields(&self, node: Node<'t>) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        self.collect_fields(node, &mut fields);
        fields
    }

    fn collect_fields(&self, node: Node<'t>, fields: &mut Vec<(String, String)>) {
        for child in children(node) {
            if !self.tokens.budget.spend(1) {
                return;
            }
            if self.captures.is(child, NodeRole::Function) || self.captures.is(child, NodeRole::Scope) {
                continue;
            }
            let name = child
                .child_by_field_name("name")
                .or_else(|| child.child_by_field_name("left"));
            match (name, child.child_by_field_name("type")) {
                (Some(name), Some(ty)) => {
                    fields.push((self.word(name).to_owned(), self.words.type_name(self.word(ty))));
                }
                _ => self.collect_fields(child, fields),
            }
        }
    }

    fn import(&mut self, node: Node<'t>, place: &TreeSitterScope) {
        let target = self.captures.part(node, NodePart::Target).unwrap_or(node);
        let mut imported = Vec::new();
        match (
            self.captures.part(node, NodePart::Path),
            self.part_text(node, NodePart::Name),
        ) {
            (Some(path), name) => {
                let mut segments = self.words.segments(self.word(path));
                segments.extend(self.words.segments(self.word(target)));
                let last = segments.last().cloned().unwrap_or_default();
                imported.push((segments, name.map_or(last, str::to_owned)));
            }
            (None, Some(name)) => {
                imported.push((self.words.segments(self.word(target)), name.to_owned()));
            }
            // `import a.b` brings in `a`; a tree of paths in braces brings in its leaves.
            (None, None) if self.words.dotted_paths => {
                let segments = self.words.segments(self.word(target));
                let first = segments.first().cloned().unwrap_or_default();
                imported.push((segments, first));
            }
            (None, None) => use_tree(&self.tokens.plain(range_of(target)), &[], &mut imported),
        }
        for (segments, name) in imported {
            let mut digester = TokenDigester::new();
            segments.iter().for_each(|segment| digester.token(segment));
            digester.token(&name);
            self.push(
                ItemKind::Import { target: segments },
                name,
                digester.finish(),
                node,
                place,
            );
        }
    }

    fn function(&mut self, node: Node<'t>, place: &TreeSitterScope, attributes: PendingAttributes) {
        let Some(body_node) = self.captures.part(node, NodePart::Body) else {
            return;
        };
        let (captures, words, tokens) = (self.captures, self.words, self.tokens);
        let names = (self.words).declared_name(self.part_text(node, NodePart::Name).unwrap_or_default());
        let name = names.last().cloned().unwrap_or_default();
        let body_range = range_of(body_node);
        let mut lowering = TreeSitterBodyLowering {
            captures,
            words,
            tokens,
            builder: FunctionBuilder::new(tokens, tokens.lines(body_range)),
            guards: Vec::new(),
            inner: Vec::new(),
            caller: None,
        };
        let mut signature = FunctionSignature::default();
        self.signature(node, body_node, &mut signature);
        self.stated_types(node, body_node, &mut signature.without);
        for parameter in signature
            .parameters
            .iter()
            .filter(|parameter| !parameter.name.is_empty())
        {
            lowering.builder.hint(&parameter.name, &parameter.type_name);
        }
        for name in &signature.bound {
            lowering
                .builder
                .bind(tokens.source.get(name.start as usize..name.end as usize).unwrap_or(""));
        }
        if words.function_scope {
            lowering.bind_all(body_node);
        }
        // Initializers run before the body and stand beside it.
        let first: Vec<Node<'t>> = children(node)
            .into_iter()
            .filter(|child| captures.is(*child, NodeRole::Head))
            .collect();
        first.iter().for_each(|child| lowering.node(*child));
        // Who calls the function makes its parameters, and gets what it returns.
        for &parameter in &signature.copied {
            lowering.copied(parameter);
            if self.is_copied_again(parameter, body_node) {
                lowering.copied(parameter);
            }
        }
        lowering.copied(node);
        children(body_node).into_iter().for_each(|child| lowering.node(child));
        let TreeSitterBodyLowering {
            builder, guards, inner, ..
        } = lowering;
        let body = builder.finish();
        self.nodes += body.nodes;

        let mut path = place.path.clone();
        path.extend(names.iter().cloned());
        let owner = match &names[..] {
            [.., owner, _] => Some(owner.clone()),
            _ => place.owner.clone(),
        };
        let range = range_of(node);
        let start = attributes.start.unwrap_or(range.start);
        let name_range = self
            .captures
            .part(node, NodePart::Name)
            .map_or(ByteRange::new(0, 0), range_of);
        let mut without = signature.without;
        let head = ByteRange::new(range.start, body_range.start);
        without.push(name_range);
        let first = first.into_iter().map(range_of).collect();
        let signature_digest = self.digest(head, &[], &[without.clone(), signature.names, first].concat());
        let mut texts = attributes.texts;
        texts.extend(place.guards.iter().cloned());
        texts.sort();
        let private = self
            .words
            .private_prefix
            .as_ref()
            .map(|prefix| name.starts_with(prefix.as_str()));
        let function = SyntaxFunction {
            owner,
            of_trait: place.of_trait.clone(),
            parameters: signature.parameters,
            has_receiver: signature.has_receiver,
            returns: self
                .part_text(node, NodePart::Returns)
                .map(|text| self.words.type_name(text))
                .filter(|name| !name.is_empty()),
            is_precomputed: (children(node).into_iter()).any(|child| captures.is(child, NodeRole::Precomputed)),
            signature: signature_digest,
            digest: self.digest(range, &texts, &without),
            attributes: texts,
            public: private.map_or(signature.public || place.of_trait.is_some(), |private| !private),
            test_only: place.test_only,
            locals: body.hints,
            blocks: body.blocks,
            lines: self.tokens.lines(ByteRange::new(start, range.end)),
            path: path.clone(),
        };
        self.functions.push(Arc::new(function));
        let place = TreeSitterScope {
            path,
            test_only: place.test_only,
            ..TreeSitterScope::default()
        };
        // What they say decides how the function is compiled, and stands in no block of it.
        let mut told: Vec<ByteRange> = guards.into_iter().map(|guard| self.condition_of(guard)).collect();
        told.extend(self.instructions_of_head(node, body_node));
        for range in told {
            let name = self.first_line(range);
            let digest = self.digest(range, &[], &[]);
            self.push_at(ItemKind::Attribute, name, digest, range, &place);
        }
        for item in inner {
            self.node(item, node, &place, &mut PendingAttributes::default());
        }
    }

    /// True for a parameter that nobody may change, and whose value the body gives away.
    fn is_copied_again(&self, parameter: Node<'t>, body: Node<'t>) -> bool {
        let is_constant =
            (children(parameter).into_iter()).any(|child| self.captures.is(child, NodeRole::Unchangeable));
        let name = self
            .captures
            .part(parameter, NodePart::Name)
            .map(|name| self.word(name));
        is_constant && name.is_some_and(|name| self.gives_away(name, body))
    }

    fn gives_away(&self, name: &str, node: Node<'t>) -> bool {
        self.tokens.budget.spend(1)
            && (self.captures.is(node, NodeRole::Moved) && self.word(node) == name
                || children(node).into_iter().any(|child| self.gives_away(name, child)))
    }
}

/// True for a declaration of more than one name.
fn declares_several(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children_by_field_name("declarator", &mut cursor).nth(1).is_some()
}

/// `a :: { b , c as d , e :: * }` → the imported paths with the names they bring in.
fn use_tree(text: &str, before: &[String], imported: &mut Vec<(Vec<String>, String)>) {
    let text = text.trim();
    let (path, rest) = match text.split_once('{') {
        Some((path, rest)) => (path, Some(rest.trim_end().trim_end_matches('}'))),
        None => (text, None),
    };
    let (path, alias) = path
        .split_once(" as ")
        .map_or((path, None), |(path, alias)| (path, Some(alias.trim())));
    let mut segments = before.to_vec();
    segments.extend(
        path.split("::")
            .map(str::trim)
            .filter(|segment| !segment.is_empty())
            .map(str::to_owned),
    );
    let Some(rest) = rest else {
        if segments.last().is_some_and(|last| last == "self") && segments.len() > 1 {
            segments.pop();
        }
        let name = alias.map_or_else(|| segments.last().cloned().unwrap_or_default(), str::to_owned);
        if !name.is_empty() {
            imported.push((segments, name));
        }
        return;
    };
    let mut depth = 0_usize;
    let parts = rest.split(|letter| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    parts.for_each(|part| use_tree(part, &segments, imported));
}
