//! The items of one source → edits of items that change the cost of code which uses them and stays as it is.
//!
//! Only edits that probably compile are kept: nothing here knows types.

// Over syn's enums, not our own.
#![allow(clippy::wildcard_enum_match_arm)]

use std::collections::BTreeSet;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ImplItem, Item, ReceiverKind, Signature};

use super::edit::SeedEdit;
use super::handwritten::{self, TypeDefinition};
use super::macro_bodies::{self, LOOP_HERE};
use super::planted_kind::PlantedKind;
use super::spans::{end, lines, range, start};
use super::uses::token_words;
use crate::languages::{FOR_PEOPLE, rust};
use crate::syntax::LineRange;

/// Stands for the call of the new function in the text of an edit: a statement without its semicolon.
pub(super) const WORK_HERE: &str = "planted_work_goes_here";

/// Traits whose methods are written as operators.
const OPERATORS: [&str; 24] = [
    "Add",
    "AddAssign",
    "BitAnd",
    "BitAndAssign",
    "BitOr",
    "BitOrAssign",
    "BitXor",
    "BitXorAssign",
    "Div",
    "DivAssign",
    "Index",
    "IndexMut",
    "Mul",
    "MulAssign",
    "Neg",
    "Not",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Rem",
    "Shl",
    "Shr",
    "Sub",
    "SubAssign",
];

/// The items of a source that can be changed, and what decides where that is possible.
#[derive(Debug, Default)]
pub(super) struct ItemSites {
    /// The changes, in the order of the source.
    pub(super) sites: Vec<ItemSite>,
    /// Constants and macros, with the words in their values: code that names one depends on these, too.
    pub(super) carriers: Vec<(String, BTreeSet<String>)>,
    /// Files that are compiled in, as they are named.
    pub(super) included: BTreeSet<String>,
    /// Types that cannot get `Drop`: they have it, are `Copy`, or their fields are moved out of them.
    pub(super) without_drop: BTreeSet<String>,
    /// Methods of a type itself: type and method.
    pub(super) inherent: BTreeSet<(String, String)>,
    /// Words in the lengths of arrays.
    pub(super) lengths: BTreeSet<String>,
    /// Words in `const` functions, where no loop can be planted.
    pub(super) in_constants: BTreeSet<String>,
}

/// An item that can be changed.
#[derive(Debug)]
pub(super) struct ItemSite {
    pub(super) kind: PlantedKind,
    /// Name inside the file: inline modules, the type, the item.
    pub(super) path: Vec<String>,
    /// Its first line.
    pub(super) line: u32,
    pub(super) reach: SiteReach,
    /// Edits that contain [`WORK_HERE`] or [`LOOP_HERE`], or neither.
    pub(super) edits: Vec<SeedEdit>,
    /// Where the new function goes: behind the item.
    pub(super) beside: usize,
    /// The change, in one clause.
    pub(super) description: String,
}

/// How an item reaches the code whose cost it changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SiteReach {
    /// It is executed itself.
    Executed(LineRange),
    /// A statement names all of these words.
    Named(Vec<String>),
    /// A statement names it where it decides how much is done.
    Steers(String),
    /// A statement makes a value of the type.
    Built(String),
    /// A statement calls the method, and the implementation at these lines is executed.
    Called(String, LineRange),
}

impl ItemSites {
    /// Adds what an item of a module offers.
    pub(super) fn item(&mut self, text: &str, item: &Item, module: &[String]) {
        let path = |names: &[&str]| -> Vec<String> {
            let names = names.iter().map(|name| (*name).to_owned());
            module.iter().cloned().chain(names).collect()
        };
        SourceWords(self).visit_item(item);
        match item {
            Item::Const(item) => {
                let name = item.ident.to_string();
                self.value(path(&[&name]), &item.ty, &item.expr, "the constant");
            }
            Item::Static(item) => {
                let name = item.ident.to_string();
                self.value(path(&[&name]), &item.ty, &item.expr, "the static");
            }
            Item::Fn(item) => self.function(path(&[]), &item.sig, &item.block),
            Item::Struct(of) => {
                let definition = TypeDefinition::of_struct(of);
                self.definition(path(&[&of.ident.to_string()]), &definition, true, item);
            }
            Item::Enum(of) => {
                let definition = TypeDefinition::of_enum(of);
                self.definition(path(&[&of.ident.to_string()]), &definition, false, item);
            }
            Item::Impl(item) => self.implementation(text, item, module),
            Item::Macro(item) => {
                if let Some(name) = &item.ident {
                    let mut words = BTreeSet::new();
                    token_words(item.mac.tokens.clone(), &mut words);
                    self.carriers.push((name.to_string(), words));
                    let edits = macro_bodies::edits(&item.mac.tokens);
                    if !edits.is_empty() {
                        let name = name.to_string();
                        self.sites.push(ItemSite {
                            kind: PlantedKind::MacroBody,
                            path: path(&[&name]),
                            line: lines(item.span()).first,
                            reach: SiteReach::Named(vec![name.clone()]),
                            edits,
                            beside: end(item.span()),
                            description: format!("the macro `{name}` does more"),
                        });
                    }
                }
            }
            _ => {}
        }
    }

    /// A type whose derives can be written by hand, or that can get `Drop`.
    fn definition(&mut self, path: Vec<String>, definition: &TypeDefinition<'_>, is_struct: bool, item: &Item) {
        let name = definition.ident.to_string();
        let mut line = lines(item.span());
        line.first = lines(definition.ident.span()).first;
        let beside = end(item.span());
        for derived in handwritten::derives(definition) {
            self.sites.push(ItemSite {
                kind: PlantedKind::DeriveByHand,
                path: path.clone(),
                line: derived.lines.first,
                reach: SiteReach::Executed(derived.lines),
                edits: vec![
                    SeedEdit::replace(derived.at, derived.without),
                    SeedEdit::replace(beside..beside, format!("\n\n{}", derived.implementation.trim_end())),
                ],
                beside,
                description: format!(
                    "`{}` of `{name}` is written by hand instead of derived",
                    derived.of_trait
                ),
            });
        }
        if handwritten::derived_traits(definition.attributes)
            .iter()
            .any(|derived| derived == "Copy")
        {
            self.without_drop.insert(name.clone());
        }
        if is_struct {
            let implementation = handwritten::drop(definition);
            self.sites.push(ItemSite {
                kind: PlantedKind::DropAddition,
                path,
                line: line.first,
                reach: SiteReach::Built(name.clone()),
                edits: vec![SeedEdit::replace(
                    beside..beside,
                    format!("\n\n{}", implementation.trim_end()),
                )],
                beside,
                description: format!("`{name}` implements `Drop`"),
            });
        }
    }

    fn implementation(&mut self, text: &str, item: &syn::ItemImpl, module: &[String]) {
        let owner = rust::syn_names::type_name(&item.self_ty);
        let of_trait = item
            .trait_
            .as_ref()
            .and_then(|(path, _)| Some(path.segments.last()?.ident.to_string()));
        if of_trait
            .as_deref()
            .is_some_and(|of_trait| of_trait == "Drop" || of_trait == "Copy")
        {
            self.without_drop.insert(owner.clone());
        }
        let path =
            |name: &str| -> Vec<String> { module.iter().cloned().chain([owner.clone(), name.to_owned()]).collect() };
        let beside = end(item.span());
        for inside in &item.items {
            match inside {
                ImplItem::Const(value) => {
                    let name = value.ident.to_string();
                    self.value(path(&name), &value.ty, &value.expr, "the associated constant");
                }
                ImplItem::Fn(method) if !rust::is_excluded_from_build(&method.attrs) => {
                    let name = method.sig.ident.to_string();
                    if method
                        .sig
                        .receiver()
                        .is_some_and(|receiver| matches!(receiver.kind, ReceiverKind::Value))
                    {
                        self.without_drop.insert(owner.clone());
                    }
                    let Some(of_trait) = of_trait.as_deref() else {
                        self.inherent.insert((owner.clone(), name));
                        let mut module = path("");
                        module.pop();
                        self.function(module, &method.sig, &method.block);
                        continue;
                    };
                    let mut site = |kind, reach, edits, description| {
                        self.sites.push(ItemSite {
                            kind,
                            path: path(&name),
                            line: lines(method.span()).first,
                            reach,
                            edits,
                            beside,
                            description,
                        });
                    };
                    let kind = match of_trait {
                        "Deref" | "DerefMut" => Some(PlantedKind::DerefImplementation),
                        _ => OPERATORS
                            .contains(&of_trait)
                            .then_some(PlantedKind::OperatorImplementation),
                    };
                    if let (Some(kind), Some(first)) = (kind, method.block.stmts.first()) {
                        let work = SeedEdit::before(text, start(first.span()), &format!("{WORK_HERE};"));
                        let reach = SiteReach::Executed(lines(method.span()));
                        site(kind, reach, vec![work], format!("`{of_trait}` of `{owner}` does more"));
                    }
                    if !FOR_PEOPLE.contains(&of_trait)
                        && let Some(shadow) = handwritten::shadow(item, method)
                    {
                        let edit = SeedEdit::replace(beside..beside, format!("\n\n{}", shadow.trim_end()));
                        let reach = SiteReach::Called(name.clone(), lines(method.span()));
                        let words = format!("a method of `{owner}` shadows `{of_trait}::{name}`");
                        site(PlantedKind::MethodShadowing, reach, vec![edit], words);
                    }
                    if of_trait == "Default" && name == "default" {
                        self.default_values(&path(&name), &owner, method);
                    }
                }
                _ => {}
            }
        }
    }

    /// A constant whose value is a number.
    fn value(&mut self, path: Vec<String>, ty: &syn::Type, value: &Expr, what: &str) {
        let mut words = BTreeSet::new();
        NumberWords(&mut words).visit_expr(value);
        let Some(name) = path.last().cloned() else { return };
        self.carriers.push((name.clone(), words));
        let Some((at, number, larger)) = larger_number(value, Some(ty), twice) else {
            return;
        };
        self.sites.push(ItemSite {
            kind: PlantedKind::ConstantValue,
            path,
            line: lines(value.span()).first,
            reach: SiteReach::Steers(name.clone()),
            edits: vec![SeedEdit::replace(at, larger.clone())],
            beside: end(value.span()),
            description: format!("{what} `{name}` is {larger} instead of {number}"),
        });
    }

    /// A `const fn` that is a number.
    fn function(&mut self, module: Vec<String>, signature: &Signature, body: &syn::Block) {
        if signature.constness.is_none() {
            return;
        }
        let [syn::Stmt::Expr(value, None)] = body.stmts.as_slice() else {
            return;
        };
        let syn::ReturnType::Type(_, ty) = &signature.output else {
            return;
        };
        let Some((at, number, larger)) = larger_number(value, Some(ty), twice) else {
            return;
        };
        let name = signature.ident.to_string();
        self.sites.push(ItemSite {
            kind: PlantedKind::ConstFunction,
            path: module.into_iter().chain([name.clone()]).collect(),
            line: lines(value.span()).first,
            reach: SiteReach::Named(vec![name.clone()]),
            edits: vec![SeedEdit::replace(at, larger.clone())],
            beside: end(body.span()),
            description: format!("`{name}` gives {larger} instead of {number}"),
        });
    }

    /// Numbers that `Default` gives to fields.
    fn default_values(&mut self, path: &[String], owner: &str, method: &syn::ImplItemFn) {
        let mut fields = FieldNumbers::default();
        fields.visit_block(&method.block);
        for (field, at, number, larger) in fields.found {
            self.sites.push(ItemSite {
                kind: PlantedKind::DefaultValue,
                path: path.to_vec(),
                line: lines(method.span()).first,
                reach: SiteReach::Named(vec![owner.to_owned(), String::from("default")]),
                edits: vec![SeedEdit::replace(at, larger.clone())],
                beside: end(method.span()),
                description: format!("the default of `{owner}::{field}` is {larger} instead of {number}"),
            });
        }
    }
}

impl ItemSite {
    /// The edits with the planted work in place.
    pub(super) fn written(&self, call: &str, repeat: &str) -> Vec<SeedEdit> {
        let repeat = repeat.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        self.edits
            .iter()
            .map(|edit| {
                let by = edit
                    .by
                    .replace(&format!("{WORK_HERE};"), call)
                    .replace(LOOP_HERE, &repeat);
                SeedEdit::replace(edit.at.clone(), by)
            })
            .collect()
    }

    /// True if the edits call the new function.
    pub(super) fn calls_work(&self) -> bool {
        self.edits.iter().any(|edit| edit.by.contains(WORK_HERE))
    }
}

/// Twice a number.
fn twice(number: u128) -> u128 {
    number.saturating_mul(2)
}

/// Half as much again, at least one more: a benchmark's own input may enter its cost as a power.
pub(super) fn half_more(number: u128) -> u128 {
    number.saturating_add((number / 2).max(1))
}

/// A whole number: its place, its text, and the text of a larger one. `None` for zero, and where the larger one does not
/// fit into the type.
pub(super) fn larger_number(
    value: &Expr,
    ty: Option<&syn::Type>,
    larger: fn(u128) -> u128,
) -> Option<(Range<usize>, String, String)> {
    let Expr::Lit(literal) = value else { return None };
    let syn::Lit::Int(number) = &literal.lit else {
        return None;
    };
    let known: u128 = number.base10_parse().ok()?;
    let more = larger(known);
    let suffix = number.suffix();
    let ty = match (suffix, ty) {
        ("", Some(ty)) => rust::syn_names::type_name(ty),
        ("", None) => String::from("i32"),
        (suffix, _) => suffix.to_owned(),
    };
    (known > 0 && more <= largest(&ty)?).then(|| {
        let range = range(literal.span());
        (range, number.to_string(), format!("{more}{suffix}"))
    })
}

/// The largest value of a type of whole numbers; `None` for others.
fn largest(ty: &str) -> Option<u128> {
    Some(match ty {
        "u8" => u128::from(u8::MAX),
        "i8" => i8::MAX as u128,
        "u16" => u128::from(u16::MAX),
        "i16" => i16::MAX as u128,
        "u32" => u128::from(u32::MAX),
        "i32" => i32::MAX as u128,
        // On 32-bit machines larger sizes could not be allocated anyway.
        "u64" | "usize" | "u128" => u128::from(u64::MAX),
        "i64" | "isize" | "i128" => i64::MAX as u128,
        _ => return None,
    })
}

/// Collects what is true of a whole source: patterns, lengths, included files, words of `const` functions.
struct SourceWords<'s>(&'s mut ItemSites);

impl<'t> Visit<'t> for SourceWords<'_> {
    fn visit_type_array(&mut self, array: &'t syn::TypeArray) {
        NumberWords(&mut self.0.lengths).visit_expr(&array.len);
        visit::visit_type_array(self, array);
    }

    fn visit_expr_repeat(&mut self, repeat: &'t syn::ExprRepeat) {
        NumberWords(&mut self.0.lengths).visit_expr(&repeat.len);
        visit::visit_expr_repeat(self, repeat);
    }

    fn visit_macro(&mut self, invocation: &'t syn::Macro) {
        let is_inclusion = ["include_str", "include_bytes"]
            .iter()
            .any(|name| invocation.path.is_ident(name));
        if is_inclusion && let Ok(name) = invocation.parse_body::<syn::LitStr>() {
            self.0.included.insert(name.value());
        }
    }

    fn visit_item_fn(&mut self, function: &'t syn::ItemFn) {
        if function.sig.constness.is_some() {
            NumberWords(&mut self.0.in_constants).visit_block(&function.block);
        }
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'t syn::ImplItemFn) {
        if function.sig.constness.is_some() {
            NumberWords(&mut self.0.in_constants).visit_block(&function.block);
        }
        visit::visit_impl_item_fn(self, function);
    }

    // Modules are visited one by one: a module that is not built offers nothing.
    fn visit_item_mod(&mut self, _: &'t syn::ItemMod) {}
}

/// Collects the words of an expression.
struct NumberWords<'f>(&'f mut BTreeSet<String>);

impl<'t> Visit<'t> for NumberWords<'_> {
    fn visit_ident(&mut self, word: &'t proc_macro2::Ident) {
        self.0.insert(word.to_string());
    }

    fn visit_macro(&mut self, invocation: &'t syn::Macro) {
        visit::visit_macro(self, invocation);
        token_words(invocation.tokens.clone(), self.0);
    }
}

/// Collects the fields that are given a number: field, place, number, larger number.
#[derive(Default)]
struct FieldNumbers {
    found: Vec<(String, Range<usize>, String, String)>,
}

impl<'t> Visit<'t> for FieldNumbers {
    fn visit_field_value(&mut self, field: &'t syn::FieldValue) {
        if let syn::Member::Named(name) = &field.member
            && let Some((at, number, larger)) = larger_number(&field.expr, None, twice)
        {
            self.found.push((name.to_string(), at, number, larger));
        }
        visit::visit_field_value(self, field);
    }
}
