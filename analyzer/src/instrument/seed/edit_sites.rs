//! One source → the functions that can be edited, and the places of possible edits as offsets into the text.
//!
//! Keeps plain data only; the syntax tree is dropped.

// Over syn's enums, not our own.
#![allow(clippy::wildcard_enum_match_arm)]

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, ImplItem, Item, ReceiverKind, Signature, TraitItem, Visibility};

use super::definitions::{FunctionPartSpans, SeedableDefinition};
use super::item_sites::ItemSites;
use super::signature::{is_exported, is_ordinary, is_plain, passing};
use super::spans::{end, lines, range, start};
use super::statements::StatementCollector;
use super::uses::NameUses;
use crate::languages::rust;
use crate::syntax::LineRange;

/// The editable items of one source.
#[derive(Debug, Default)]
pub(crate) struct SeedableItems {
    /// Functions that can be edited, in the order of the source.
    pub(super) hosts: Vec<SeedableFunction>,
    /// All functions.
    pub(super) definitions: Vec<SeedableDefinition>,
    /// Structs with their fields that hold a number, `bool` or `char`.
    pub(super) types: Vec<(String, Vec<String>)>,
    /// Items whose change shows in code that uses them.
    pub(super) items: ItemSites,
    /// True if the file has a module called `core`.
    pub(super) shadows_core: bool,
}

/// A function that can be edited.
#[derive(Debug)]
pub(super) struct SeedableFunction {
    /// Name inside the file: inline modules, the implementing type, the function's name.
    pub(super) path: Vec<String>,
    /// The inline modules only.
    pub(super) module: Vec<String>,
    /// The type whose method it is.
    pub(super) owner: Option<String>,
    /// True if it takes `&mut self`.
    pub(super) changes_self: bool,
    pub(super) lines: LineRange,
    /// The position behind the enclosing item of its module, where a new function may be inserted.
    pub(super) beside: usize,
    /// The position before that item, for what must stand before its use.
    pub(super) ahead: usize,
    /// Its statements and those of the blocks in it, in source order.
    pub(super) statements: Vec<SeedableStatement>,
}

/// A statement with the places for edits in and before it.
#[derive(Debug)]
pub(super) struct SeedableStatement {
    pub(super) start: usize,
    /// The lines up to the first block in it. They run as often as the statement; for a loop, as often as its body.
    pub(super) lines: LineRange,
    /// The lines that run as often as code inserted before the statement; `None` if no lines of its block do.
    pub(super) reached_with: Option<LineRange>,
    /// The first statement of the function.
    pub(super) is_first: bool,
    /// True if each call of the function comes to it once.
    pub(super) is_reached_once: bool,
    /// True if each call of the function executes its head once: it is no loop, and is reached once.
    pub(super) runs_once: bool,
    /// True inside a closure of the function.
    pub(super) in_closure: bool,
    pub(super) calls: Vec<SeedableCall>,
    /// Conditions of `if` and `while` without `let`.
    pub(super) conditions: Vec<Range<usize>>,
    /// Values assigned to fields.
    pub(super) written: Vec<(String, Range<usize>)>,
    /// For an `if` or a loop: the start of the block's first statement.
    pub(super) inner: Option<SeedableBlock>,
    pub(super) uses: NameUses,
    /// Whole numbers in arguments and in the heads of loops: place, text, and the text of a larger one.
    pub(super) numbers: Vec<(Range<usize>, String, String)>,
}

/// The block of a statement that is an `if` or a loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeedableBlock {
    /// The position of its first statement.
    pub(super) start: usize,
    /// True for a loop.
    pub(super) is_loop: bool,
}

/// A call in the source.
#[derive(Debug)]
pub(super) struct SeedableCall {
    /// The last segment of the callee.
    pub(super) name: String,
    /// The position of this name.
    pub(super) at: Range<usize>,
    /// The range before the arguments.
    pub(super) callee: Range<usize>,
    pub(super) form: CallForm,
    /// True in an expression that decides whether or how often a block runs.
    pub(super) in_head: bool,
    /// The arguments, if they are plain: names, fields, numbers, and references to these, all bound before the
    /// statement.
    pub(super) arguments: Option<Vec<RepeatableArgument>>,
}

/// An argument that can be evaluated a second time.
#[derive(Debug)]
pub(super) struct RepeatableArgument {
    pub(super) at: Range<usize>,
    pub(super) is_reference: bool,
    pub(super) is_literal: bool,
}

/// How a call is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CallForm {
    /// `f(..)`
    Free,
    /// `self.f(..)`
    OnSelf,
    /// `T::f(..)`
    OfType(String),
}

impl SeedableItems {
    /// The editable items of a source; `None` if syn cannot parse it.
    pub(crate) fn of(_path: &str, text: &str) -> Option<Self> {
        let tree = rust::tree(text)?;
        let mut survey = Self::default();
        if !rust::is_excluded_from_build(&tree.attrs) {
            survey.items(text, &tree.items, &[]);
        }
        Some(survey)
    }

    fn items(&mut self, text: &str, items: &[Item], module: &[String]) {
        for item in items {
            let (ahead, beside) = (start(item.span()), end(item.span()));
            if !rust::is_excluded_from_build(attributes(item)) {
                self.items.item(text, item, module);
            }
            match item {
                Item::Fn(item) if !rust::is_excluded_from_build(&item.attrs) => {
                    self.function(
                        SeedEnclosingScope {
                            module,
                            owner: None,
                            beside,
                            ahead,
                            is_inherent: true,
                        },
                        (&item.attrs, Some(&item.vis), &item.sig, &item.block),
                        item.span(),
                    );
                }
                Item::Impl(item) if !rust::is_excluded_from_build(&item.attrs) => {
                    let owner = rust::syn_names::type_name(&item.self_ty);
                    let place = SeedEnclosingScope {
                        module,
                        owner: Some(&owner),
                        beside,
                        ahead,
                        is_inherent: item.trait_.is_none(),
                    };
                    for inside in &item.items {
                        if let ImplItem::Fn(method) = inside {
                            self.function(
                                place,
                                (&method.attrs, Some(&method.vis), &method.sig, &method.block),
                                method.span(),
                            );
                        }
                    }
                }
                Item::Trait(item) if !rust::is_excluded_from_build(&item.attrs) => {
                    let owner = item.ident.to_string();
                    let place = SeedEnclosingScope {
                        module,
                        owner: Some(&owner),
                        beside,
                        ahead,
                        is_inherent: false,
                    };
                    for inside in &item.items {
                        if let TraitItem::Fn(method) = inside
                            && let Some(body) = &method.default
                        {
                            self.function(place, (&method.attrs, None, &method.sig, body), method.span());
                        }
                    }
                }
                Item::Mod(item) if !rust::is_excluded_from_build(&item.attrs) => {
                    self.shadows_core |= item.ident == "core";
                    let inside = [module, &[item.ident.to_string()]].concat();
                    if let Some((_, items)) = &item.content {
                        self.items(text, items, &inside);
                    }
                }
                Item::Struct(item) => {
                    let plain = item.fields.iter().filter(|field| is_plain(&field.ty));
                    let names = plain.filter_map(|field| Some(field.ident.as_ref()?.to_string()));
                    self.types.push((item.ident.to_string(), names.collect()));
                }
                Item::Enum(item) => self.types.push((item.ident.to_string(), Vec::new())),
                _ => {}
            }
        }
    }

    fn function(
        &mut self,
        place: SeedEnclosingScope<'_>,
        (attributes, visibility, signature, body): (&[Attribute], Option<&Visibility>, &Signature, &syn::Block),
        span: Span,
    ) {
        if rust::is_excluded_from_build(attributes) {
            return;
        }
        let name = signature.ident.to_string();
        let first = body
            .stmts
            .first()
            .map_or_else(|| end(body.brace_token.span.open()), |first| start(first.span()));
        self.definitions.push(SeedableDefinition {
            name: name.clone(),
            module: place.module.to_vec(),
            owner: place.owner.map(str::to_owned),
            passing: place.is_inherent.then(|| passing(signature)).flatten(),
            copy: (place.is_inherent && is_ordinary(signature) && !is_exported(attributes)).then(|| {
                let visibility = match visibility {
                    Some(Visibility::Inherited) | None => 0..0,
                    Some(written) => range(written.span()),
                };
                FunctionPartSpans {
                    whole: range(span),
                    visibility,
                    name: range(signature.ident.span()),
                    body: first,
                    ahead: place.ahead,
                    beside: place.beside,
                }
            }),
        });
        if signature.constness.is_some() || body.stmts.is_empty() {
            return;
        }
        let mut walk = StatementCollector::default();
        walk.visit_block(body);
        let own = place.owner.unwrap_or_default();
        let taken_apart = std::mem::take(&mut walk.taken_apart);
        self.items
            .without_drop
            .extend(taken_apart.into_iter().map(|name| match name.as_str() {
                "Self" => own.to_owned(),
                _ => name,
            }));
        let mut path = place.module.to_vec();
        path.extend(place.owner.map(str::to_owned));
        path.push(name);
        if let Some(statement) = walk.statements.first_mut() {
            (statement.is_first, statement.is_reached_once) = (true, true);
        }
        self.hosts.push(SeedableFunction {
            path,
            module: place.module.to_vec(),
            owner: place.owner.map(str::to_owned),
            changes_self: signature
                .receiver()
                .is_some_and(|receiver| matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)))),
            lines: lines(span),
            beside: place.beside,
            ahead: place.ahead,
            statements: walk.statements,
        });
    }
}

/// The attributes of an item of a module.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        _ => &[],
    }
}

/// The scope around a function.
#[derive(Clone, Copy)]
struct SeedEnclosingScope<'a> {
    module: &'a [String],
    owner: Option<&'a str>,
    beside: usize,
    ahead: usize,
    /// False for the methods of a trait.
    is_inherent: bool,
}
