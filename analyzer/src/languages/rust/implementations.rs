//! Implementations and traits of syn's tree → their methods, associated constants, and an item for the head.

use syn::spanned::Spanned;
use syn::{Attribute, ImplItem, ItemImpl, ItemTrait, TraitItem};

use super::cfg_conditions::is_excluded_from_build;
use super::function::{FunctionParts, RustScope, function};
use super::items::RustFileLowering;
use super::syn_names::{is_public, last_segment, type_name};
use crate::syntax::model::ItemKind;
use crate::syntax::tokens::ByteRange;

/// `impl Trait for Type { … }`.
pub(crate) fn implementation(file: &mut RustFileLowering<'_, '_>, e: &ItemImpl, place: &RustScope) {
    let shown = type_name(&e.self_ty);
    let owner = if shown.is_empty() {
        file.tokens.plain(file.positions.range(e.self_ty.span()))
    } else {
        shown
    };
    let of_trait = e.trait_.as_ref().map(|(path, _)| last_segment(path));
    let inside = RustScope {
        path: place.path.iter().cloned().chain([owner.clone()]).collect(),
        owner: Some(owner.clone()),
        public: of_trait.is_some(),
        of_trait: of_trait.clone(),
        test_only: place.test_only || is_excluded_from_build(&e.attrs),
    };
    let start = e.unsafety.map_or(e.impl_token.span, |token| token.span);
    let range = ByteRange::new(
        file.positions.start(start),
        file.positions.end(e.brace_token.span.close()),
    );
    let mut functions = Vec::new();
    for item in &e.items {
        match item {
            ImplItem::Fn(_) => functions.push(file.positions.range(item.span())),
            ImplItem::Macro(_) => functions.push(file.positions.range(item.span())),
            ImplItem::Const(_) => functions.push(file.positions.range(item.span())),
            _ => {}
        }
    }
    let name = match &of_trait {
        Some(of_trait) => format!("{of_trait} for {owner}"),
        None => owner,
    };
    let digest = file.range_digest(range, &e.attrs, &functions);
    let head = RustScope {
        path: place.path.clone(),
        test_only: inside.test_only,
        ..RustScope::default()
    };
    file.push(ItemKind::Implementation, name, digest, range, &head);
    for item in &e.items {
        match item {
            ImplItem::Fn(e) => {
                let parts = FunctionParts {
                    attributes: &e.attrs,
                    visibility: Some(&e.vis),
                    signature: &e.sig,
                    body: &e.block,
                };
                function(file, parts, &inside);
            }
            ImplItem::Const(e) => {
                let range = ByteRange::new(
                    file.positions.start(e.const_token.span),
                    file.positions.end(e.semi_token.span),
                );
                constant(file, &e.ident.to_string(), &e.attrs, range, &inside);
            }
            ImplItem::Macro(e) => file.macro_item(&e.attrs, None, &e.mac, &inside),
            _ => {}
        }
    }
}

/// `trait Name { … }`: provided methods are functions, what is required belongs to the item.
pub(crate) fn trait_definition(file: &mut RustFileLowering<'_, '_>, e: &ItemTrait, place: &RustScope) {
    let name = e.ident.to_string();
    let inside = RustScope {
        path: place.path.iter().cloned().chain([name.clone()]).collect(),
        owner: None,
        of_trait: Some(name.clone()),
        test_only: place.test_only || is_excluded_from_build(&e.attrs),
        public: is_public(&e.vis),
    };
    let start = e.unsafety.map_or(e.trait_token.span, |token| token.span);
    let range = ByteRange::new(
        file.positions.start(start),
        file.positions.end(e.brace_token.span.close()),
    );
    let provided: Vec<ByteRange> = e
        .items
        .iter()
        .filter(|item| {
            matches!(item, TraitItem::Fn(method) if method.default.is_some()) || matches!(item, TraitItem::Const(_))
        })
        .map(|item| file.positions.range(item.span()))
        .collect();
    let digest = file.range_digest(range, &e.attrs, &provided);
    let head = RustScope {
        path: place.path.clone(),
        test_only: inside.test_only,
        ..RustScope::default()
    };
    file.push(ItemKind::Trait, name, digest, range, &head);
    for item in &e.items {
        match item {
            TraitItem::Fn(e) => {
                if let Some(body) = &e.default {
                    let parts = FunctionParts {
                        attributes: &e.attrs,
                        visibility: None,
                        signature: &e.sig,
                        body,
                    };
                    function(file, parts, &inside);
                }
            }
            TraitItem::Const(e) => {
                let range = ByteRange::new(
                    file.positions.start(e.const_token.span),
                    file.positions.end(e.semi_token.span),
                );
                constant(file, &e.ident.to_string(), &e.attrs, range, &inside);
            }
            TraitItem::Macro(e) => file.macro_item(&e.attrs, None, &e.mac, &inside),
            _ => {}
        }
    }
}

fn constant(
    file: &mut RustFileLowering<'_, '_>,
    name: &str,
    attributes: &[Attribute],
    range: ByteRange,
    place: &RustScope,
) {
    let digest = file.range_digest(range, attributes, &[]);
    let place = RustScope {
        path: place.path.clone(),
        test_only: place.test_only || is_excluded_from_build(attributes),
        ..RustScope::default()
    };
    file.push(ItemKind::Constant, name.to_owned(), digest, range, &place);
}
