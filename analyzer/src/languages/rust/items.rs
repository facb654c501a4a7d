//! The items of a file of syn's tree → functions and items of the model.

use std::sync::Arc;

use proc_macro2::{Delimiter, TokenTree};
use syn::spanned::Spanned;
use syn::{Attribute, Fields, Item as SynItem, UseTree};

use super::cfg_conditions::{holds_inside, is_excluded_from_build};
use super::function::{FunctionParts, RustScope, attributes, function};
use super::implementations::{implementation, trait_definition};
use super::language::RustLanguageConfig;
use super::macro_definitions::written_functions;
use super::source_positions::SourcePositions;
use super::syn_names::{decides_on_a_module, is_costly, last_segment, type_name};
use crate::syntax::digest::TokenDigester;
use crate::syntax::integer_expression::value_of_definition;
use crate::syntax::limits::ParseLimits;
use crate::syntax::model::{ItemKind, SyntaxFunction, SyntaxItem, TokenDigest};
use crate::syntax::tokens::{ByteRange, TokenKind, TokenizedSource};

/// Collects what a file holds.
pub(crate) struct RustFileLowering<'f, 's> {
    pub(crate) positions: &'f SourcePositions<'s>,
    pub(crate) tokens: &'f TokenizedSource<'s>,
    pub(crate) words: &'f RustLanguageConfig,
    pub(crate) functions: Vec<Arc<SyntaxFunction>>,
    pub(crate) items: Vec<SyntaxItem>,
    pub(crate) nodes: usize,
    pub(crate) limits: &'f ParseLimits,
    /// True if something was left out because a limit was reached.
    pub(crate) is_beyond_limits: bool,
}

impl RustFileLowering<'_, '_> {
    /// An item and everything inside it.
    pub(crate) fn item(&mut self, item: &SynItem, place: &RustScope) {
        let definitions = self.functions.len() + self.items.len();
        if (self.limits).are_reached(place.path.len(), definitions, self.nodes) || self.tokens.budget.is_spent() {
            self.is_beyond_limits = true;
            return;
        }
        match item {
            SynItem::Fn(e) => {
                let parts = FunctionParts {
                    attributes: &e.attrs,
                    visibility: Some(&e.vis),
                    signature: &e.sig,
                    body: &e.block,
                };
                function(self, parts, place);
            }
            SynItem::Impl(e) => implementation(self, e, place),
            SynItem::Trait(e) => trait_definition(self, e, place),
            SynItem::Mod(e) => {
                let test_only = place.test_only || is_excluded_from_build(&e.attrs);
                let mut inside = RustScope {
                    path: place.path.clone(),
                    test_only,
                    ..RustScope::default()
                };
                if e.content.is_none() {
                    let range = self.positions.range(e.ident.span());
                    let paths: Vec<Attribute> = (e.attrs.iter())
                        .filter(|attribute| decides_on_a_module(attribute))
                        .cloned()
                        .collect();
                    let digest = self.range_digest(range, &paths, &[]);
                    self.push(ItemKind::Module, e.ident.to_string(), digest, range, &inside);
                }
                inside.path.push(e.ident.to_string());
                self.attribute_items(&e.attrs, &inside);
                for item in e.content.iter().flat_map(|(_, items)| items) {
                    self.item(item, &inside);
                }
            }
            SynItem::Const(e) => self.leaf(
                ItemKind::Constant,
                &e.ident.to_string(),
                &e.attrs,
                e.const_token.span,
                item,
                place,
            ),
            SynItem::Static(e) => self.leaf(
                ItemKind::Constant,
                &e.ident.to_string(),
                &e.attrs,
                e.static_token.span,
                item,
                place,
            ),
            SynItem::Struct(e) => {
                let kind = ItemKind::Type {
                    fields: fields(&e.fields),
                };
                self.leaf(kind, &e.ident.to_string(), &e.attrs, e.struct_token.span, item, place);
            }
            SynItem::Union(e) => {
                let kind = ItemKind::Type {
                    fields: fields(&Fields::Named(e.fields.clone())),
                };
                self.leaf(kind, &e.ident.to_string(), &e.attrs, e.union_token.span, item, place);
            }
            SynItem::Enum(e) => {
                let kind = ItemKind::Type {
                    fields: e.variants.iter().flat_map(|variant| fields(&variant.fields)).collect(),
                };
                self.leaf(kind, &e.ident.to_string(), &e.attrs, e.enum_token.span, item, place);
            }
            SynItem::Type(e) => {
                let kind = ItemKind::Type { fields: Vec::new() };
                self.leaf(kind, &e.ident.to_string(), &e.attrs, e.type_token.span, item, place);
            }
            SynItem::TraitAlias(e) => self.leaf(
                ItemKind::Trait,
                &e.ident.to_string(),
                &e.attrs,
                e.trait_token.span,
                item,
                place,
            ),
            SynItem::ExternCrate(e) => {
                let name = e.rename.as_ref().map_or(&e.ident, |(_, name)| name).to_string();
                let kind = ItemKind::Import {
                    target: vec![e.ident.to_string()],
                };
                self.leaf(kind, &name, &e.attrs, e.extern_token.span, item, place);
            }
            SynItem::Use(e) => {
                let test_only = place.test_only || is_excluded_from_build(&e.attrs);
                let place = RustScope {
                    path: place.path.clone(),
                    test_only,
                    ..RustScope::default()
                };
                let whole = ByteRange::new(
                    self.positions.start(e.use_token.span),
                    self.positions.end(e.semi_token.span),
                );
                self.imports(&e.tree, &mut Vec::new(), whole, &place);
            }
            SynItem::Macro(e) => self.macro_item(&e.attrs, e.ident.as_ref(), &e.mac, place),
            // Declarations of functions that stand elsewhere.
            SynItem::ForeignMod(e) => {
                self.leaf(
                    ItemKind::Invocation,
                    "extern",
                    &e.attrs,
                    e.abi.extern_token.span,
                    item,
                    place,
                );
            }
            other => {
                let range = self.positions.range(other.span());
                let digest = self.range_digest(range, &[], &[]);
                self.push(ItemKind::Invocation, String::new(), digest, range, place);
            }
        }
    }

    /// An item without functions inside: from its keyword to its end.
    fn leaf(
        &mut self,
        kind: ItemKind,
        name: &str,
        attributes_of: &[Attribute],
        keyword: proc_macro2::Span,
        item: &SynItem,
        place: &RustScope,
    ) {
        let range = ByteRange::new(self.positions.start(keyword), self.item_end(item));
        let digest = self.range_digest(range, attributes_of, &[]);
        let place = RustScope {
            test_only: place.test_only || is_excluded_from_build(attributes_of),
            path: place.path.clone(),
            ..RustScope::default()
        };
        self.push(kind, name.to_owned(), digest, range, &place);
    }

    fn item_end(&self, item: &SynItem) -> u32 {
        let span = match item {
            SynItem::Const(e) => e.semi_token.span,
            SynItem::Static(e) => e.semi_token.span,
            SynItem::Struct(e) => match (&e.semi_token, &e.fields) {
                (Some(semi), _) => semi.span,
                (None, Fields::Named(fields)) => fields.brace_token.span.close(),
                (None, _) => e.ident.span(),
            },
            SynItem::Union(e) => e.fields.brace_token.span.close(),
            SynItem::Enum(e) => e.brace_token.span.close(),
            SynItem::Type(e) => e.semi_token.span,
            SynItem::TraitAlias(e) => e.semi_token.span,
            SynItem::ExternCrate(e) => e.semi_token.span,
            SynItem::ForeignMod(e) => e.brace_token.span.close(),
            other => return self.positions.end(other.span()),
        };
        self.positions.end(span)
    }

    pub(crate) fn push(
        &mut self,
        kind: ItemKind,
        name: String,
        digest: TokenDigest,
        range: ByteRange,
        place: &RustScope,
    ) {
        let lines = self.tokens.lines(range);
        let path = place.path.clone();
        let value = match kind {
            ItemKind::Constant => self.value(range),
            _ => None,
        };
        self.items.push(SyntaxItem {
            kind,
            name,
            path,
            digest,
            lines,
            test_only: place.test_only,
            value,
        });
    }

    /// The value of a constant, if it is a number.
    fn value(&self, range: ByteRange) -> Option<u64> {
        let text = (self.tokens.source).get(range.start as usize..range.end as usize)?;
        // Other constants may stand in a part of the file that is lowered at another time.
        value_of_definition(text)
    }

    /// Digest of a range with its costly attributes, visibility left out.
    pub(crate) fn range_digest(
        &self,
        range: ByteRange,
        attributes_of: &[Attribute],
        without: &[ByteRange],
    ) -> TokenDigest {
        let mut digester = TokenDigester::new();
        for text in attributes(self, attributes_of) {
            digester.token(&text);
        }
        let mut gaps = self.visibilities(range);
        gaps.extend_from_slice(without);
        self.tokens.digest_into(&mut digester, range, &gaps);
        digester.finish()
    }

    /// `pub` and `pub(crate)` inside a range.
    fn visibilities(&self, range: ByteRange) -> Vec<ByteRange> {
        let tokens = self.tokens.within(range);
        let mut gaps = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Word || self.tokens.text_of(token) != "pub" {
                continue;
            }
            let word = |ahead: usize| tokens.get(index + ahead).map_or("", |token| self.tokens.text_of(token));
            let restricted = word(1) == "(" && matches!(word(2), "crate" | "self" | "super" | "in");
            let close = tokens[index..].iter().find(|token| token.kind == TokenKind::Close);
            match close {
                Some(close) if restricted => gaps.push(ByteRange::new(token.start, close.end)),
                _ => gaps.push(ByteRange::new(token.start, token.end)),
            }
        }
        gaps
    }

    /// Attributes of a file or of an inline module that can change code.
    pub(crate) fn attribute_items(&mut self, attributes_of: &[Attribute], place: &RustScope) {
        for attribute in attributes_of
            .iter()
            .filter(|attribute| is_costly(attribute, self.words))
        {
            let Some(text) = attributes(self, std::slice::from_ref(attribute)).pop() else {
                continue;
            };
            let range = ByteRange::new(
                self.positions.start(attribute.pound_token.span),
                self.positions.end(attribute.bracket_token.span.close()),
            );
            let mut digester = TokenDigester::new();
            digester.token(&text);
            self.push(ItemKind::Attribute, text, digester.finish(), range, place);
        }
    }

    fn imports(&mut self, tree: &UseTree, before: &mut Vec<String>, whole: ByteRange, place: &RustScope) {
        let (target, name) = match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.imports(&path.tree, before, whole, place);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|tree| self.imports(tree, before, whole, place));
                return;
            }
            // `use a::{self}` brings in `a`.
            UseTree::Name(name) if name.ident == "self" => (before.clone(), before.last().cloned().unwrap_or_default()),
            UseTree::Rename(name) if name.ident == "self" => (before.clone(), name.rename.to_string()),
            UseTree::Name(name) => (joined(before, name.ident.to_string()), name.ident.to_string()),
            UseTree::Rename(name) => (joined(before, name.ident.to_string()), name.rename.to_string()),
            UseTree::Glob(_) => (joined(before, "*".to_owned()), "*".to_owned()),
        };
        let mut digester = TokenDigester::new();
        target.iter().for_each(|segment| digester.token(segment));
        digester.token(&name);
        self.push(ItemKind::Import { target }, name, digester.finish(), whole, place);
    }

    /// A `macro_rules!` definition, or an invocation: what parses as items inside is lowered, too.
    pub(crate) fn macro_item(
        &mut self,
        attributes_of: &[Attribute],
        defines: Option<&syn::Ident>,
        invocation: &syn::Macro,
        place: &RustScope,
    ) {
        let start = self.positions.path_start(None, &invocation.path);
        let range = ByteRange::new(start, self.positions.end(invocation.delimiter.span().close()));
        let test_only = place.test_only || is_excluded_from_build(attributes_of);
        let inside = RustScope {
            path: place.path.clone(),
            test_only,
            ..RustScope::default()
        };
        if let Some(name) = defines {
            let mut written = inside.clone();
            written.path.push(format!("{name}!"));
            let functions = written_functions(self, &invocation.tokens, &written);
            let digest = self.range_digest(range, attributes_of, &functions);
            return self.push(ItemKind::Macro, name.to_string(), digest, range, &inside);
        }
        let name = last_segment(&invocation.path);
        if let Some(items) = items_inside(&name, invocation) {
            items.iter().for_each(|item| self.item(item, &inside));
            return;
        }
        let digest = self.range_digest(range, attributes_of, &[]);
        self.push(ItemKind::Invocation, name, digest, range, &inside);
    }
}

fn joined(before: &[String], last: String) -> Vec<String> {
    before.iter().cloned().chain(std::iter::once(last)).collect()
}

/// Named fields → name and last segment of the type; a tuple's by number.
pub(crate) fn fields(fields: &Fields) -> Vec<(String, String)> {
    let name = |(index, field): (usize, &syn::Field)| {
        let name = field
            .ident
            .as_ref()
            .map_or_else(|| index.to_string(), ToString::to_string);
        (name, type_name(&field.ty))
    };
    fields.iter().enumerate().map(name).collect()
}

/// The items among a macro's arguments: `cfg_if!`'s branches one after the other, or all arguments if they
/// are items. `None` if they are something else. Branches that no measured build takes are left out.
pub(crate) fn items_inside(name: &str, invocation: &syn::Macro) -> Option<Vec<SynItem>> {
    if name != "cfg_if" {
        let file = syn::parse2::<syn::File>(invocation.tokens.clone()).ok()?;
        return Some(file.items).filter(|items| !items.is_empty());
    }
    let mut items = Vec::new();
    // Of the branch at hand, and whether an earlier one is taken.
    let (mut holds, mut is_settled) = (None, false);
    for tree in invocation.tokens.clone() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        match group.delimiter() {
            Delimiter::Bracket => holds = holds_inside(group.stream()),
            Delimiter::Brace => {
                if holds != Some(false) && !is_settled {
                    items.extend(syn::parse2::<syn::File>(group.stream()).ok()?.items);
                }
                is_settled |= holds == Some(true);
                holds = None;
            }
            _ => {}
        }
    }
    Some(items)
}
