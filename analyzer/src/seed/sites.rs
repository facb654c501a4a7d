//! One source → the functions in it that can be edited, with the places where, as offsets into its text.
//!
//! Nothing of the syntax tree outlives this: what it says is kept as plain data.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, FnArg, ImplItem, Item, Member, ReceiverKind, ReturnType, Signature, Stmt,
    TraitItem, Type, Visibility,
};

use super::definitions::{Copy, Definition, Passing};
use crate::syntax::{self, Lines};

/// What one source offers.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Functions that can be edited, in the order of the source.
    pub(super) hosts: Vec<Host>,
    /// All functions.
    pub(super) definitions: Vec<Definition>,
    /// Structs with their fields that hold a number, `bool` or `char`.
    pub(super) types: Vec<(String, Vec<String>)>,
    /// True if a module in it is called `core`.
    pub(super) shadows_core: bool,
}

/// A function that can be edited.
#[derive(Debug)]
pub(super) struct Host {
    /// Name inside the file: inline modules, the implementing type, the name itself.
    pub(super) path: Vec<String>,
    /// The inline modules alone.
    pub(super) module: Vec<String>,
    /// The type whose method it is.
    pub(super) owner: Option<String>,
    /// True if it takes `&mut self`.
    pub(super) changes_self: bool,
    pub(super) lines: Lines,
    /// Behind the item of the module that it is in: where a new function may stand.
    pub(super) beside: usize,
    /// Its statements and those of the blocks in it, in the order of the source.
    pub(super) statements: Vec<Statement>,
}

/// A statement, before which another one may stand.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) start: usize,
    /// Up to the first block in it.
    pub(super) lines: Lines,
    /// The first statement of the function.
    pub(super) is_first: bool,
    /// In a closure that stands in the function.
    pub(super) in_closure: bool,
    pub(super) calls: Vec<SiteCall>,
    /// Conditions of `if` and `while` without `let`.
    pub(super) conditions: Vec<Range<usize>>,
    /// Values that are given to fields.
    pub(super) written: Vec<(String, Range<usize>)>,
    /// If it is an `if` or a loop: the start of the block's first statement.
    pub(super) inner: Option<Inner>,
}

/// The block of a statement that is an `if` or a loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inner {
    /// Where its first statement starts.
    pub(super) start: usize,
    /// True for a loop.
    pub(super) is_loop: bool,
}

/// A call in the source.
#[derive(Debug)]
pub(super) struct SiteCall {
    /// The last segment of what is called.
    pub(super) name: String,
    /// Where this name stands.
    pub(super) at: Range<usize>,
    /// What stands before the arguments.
    pub(super) callee: Range<usize>,
    pub(super) form: CallForm,
    /// In what decides whether or how often a block runs.
    pub(super) in_head: bool,
    /// The arguments, if they are plain: names, fields, numbers, and references to these, bound before the statement.
    pub(super) arguments: Option<Vec<Argument>>,
}

/// An argument that can be written once more.
#[derive(Debug)]
pub(super) struct Argument {
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

impl Survey {
    /// Of a source that syn can parse.
    pub(super) fn of(text: &str) -> Option<Self> {
        let tree = syntax::rust_tree(text)?;
        let mut survey = Self::default();
        if !syntax::for_tests(&tree.attrs) {
            survey.items(&tree.items, &[]);
        }
        Some(survey)
    }

    fn items(&mut self, items: &[Item], module: &[String]) {
        for item in items {
            let beside = end(item.span());
            match item {
                Item::Fn(item) if !syntax::for_tests(&item.attrs) => {
                    self.function(
                        Place {
                            module,
                            owner: None,
                            beside,
                            is_inherent: true,
                        },
                        (&item.attrs, Some(&item.vis), &item.sig, &item.block),
                        item.span(),
                    );
                }
                Item::Impl(item) if !syntax::for_tests(&item.attrs) => {
                    let owner = syntax::type_name(&item.self_ty);
                    let place = Place {
                        module,
                        owner: Some(&owner),
                        beside,
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
                Item::Trait(item) if !syntax::for_tests(&item.attrs) => {
                    let owner = item.ident.to_string();
                    let place = Place {
                        module,
                        owner: Some(&owner),
                        beside,
                        is_inherent: false,
                    };
                    for inside in &item.items {
                        if let TraitItem::Fn(method) = inside
                            && let Some(body) = &method.default
                        {
                            self.function(
                                place,
                                (&method.attrs, None, &method.sig, body),
                                method.span(),
                            );
                        }
                    }
                }
                Item::Mod(item) if !syntax::for_tests(&item.attrs) => {
                    self.shadows_core |= item.ident == "core";
                    let inside = [module, &[item.ident.to_string()]].concat();
                    if let Some((_, items)) = &item.content {
                        self.items(items, &inside);
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
        place: Place<'_>,
        (attributes, visibility, signature, body): (
            &[Attribute],
            Option<&Visibility>,
            &Signature,
            &syn::Block,
        ),
        span: Span,
    ) {
        if syntax::for_tests(attributes) {
            return;
        }
        let name = signature.ident.to_string();
        let first = body.stmts.first().map_or_else(
            || end(body.brace_token.span.open()),
            |first| start(first.span()),
        );
        self.definitions.push(Definition {
            name: name.clone(),
            module: place.module.to_vec(),
            owner: place.owner.map(str::to_owned),
            passing: place.is_inherent.then(|| passing(signature)).flatten(),
            copy: (place.is_inherent && is_ordinary(signature) && !is_exported(attributes)).then(
                || {
                    let visibility = match visibility {
                        Some(Visibility::Inherited) | None => 0..0,
                        Some(written) => range(written.span()),
                    };
                    Copy {
                        whole: range(span),
                        visibility,
                        name: range(signature.ident.span()),
                        body: first,
                        beside: place.beside,
                    }
                },
            ),
        });
        if signature.constness.is_some() || body.stmts.is_empty() {
            return;
        }
        let mut walk = Walk::default();
        walk.visit_block(body);
        let mut path = place.module.to_vec();
        path.extend(place.owner.map(str::to_owned));
        path.push(name);
        if let Some(statement) = walk.statements.first_mut() {
            statement.is_first = true;
        }
        self.hosts.push(Host {
            path,
            module: place.module.to_vec(),
            owner: place.owner.map(str::to_owned),
            changes_self: signature.receiver().is_some_and(|receiver| {
                matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)))
            }),
            lines: lines(span),
            beside: place.beside,
            statements: walk.statements,
        });
    }
}

/// Where a function stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    module: &'a [String],
    owner: Option<&'a str>,
    beside: usize,
    /// False for the methods of a trait.
    is_inherent: bool,
}

/// Collects statements, and for each what is evaluated before any block in it.
#[derive(Default)]
struct Walk {
    statements: Vec<Statement>,
    /// The statement that is being read.
    current: Option<usize>,
    /// True where names may be bound by the statement itself, or where it is not certain to be evaluated.
    is_apart: bool,
    /// True in what decides whether or how often a block runs.
    in_head: bool,
    closures: usize,
}

impl Walk {
    fn current(&mut self) -> Option<&mut Statement> {
        self.current.and_then(|at| self.statements.get_mut(at))
    }

    fn call(&mut self, call: SiteCall) {
        let (is_apart, in_head) = (self.is_apart, self.in_head);
        if let Some(statement) = self.current() {
            statement.calls.push(SiteCall {
                in_head,
                arguments: call.arguments.filter(|_| !is_apart),
                ..call
            });
        }
    }

    fn condition(&mut self, condition: &Expr) {
        if !holds_let(condition)
            && let Some(statement) = self.current()
        {
            statement.conditions.push(range(condition.span()));
        }
    }

    /// Visits a condition, or what a loop goes over.
    fn head(&mut self, expression: &Expr) {
        let before = std::mem::replace(&mut self.in_head, true);
        self.visit_expr(expression);
        self.in_head = before;
    }

    /// Visits what may not be evaluated, or not with the names of the statement.
    fn apart(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_apart, true);
        visit(self);
        self.is_apart = before;
    }
}

impl<'t> Visit<'t> for Walk {
    fn visit_block(&mut self, block: &'t syn::Block) {
        let outer = (self.current, self.is_apart, self.in_head);
        if let Some(statement) = self.current() {
            let first_line = line(block.brace_token.span.open().start().line);
            // A statement that starts with a block is that block.
            statement.lines.last = statement
                .lines
                .last
                .min(first_line)
                .max(statement.lines.first);
        }
        for statement in &block.stmts {
            (self.current, self.is_apart, self.in_head) = (None, false, false);
            if matches!(statement, Stmt::Item(_)) {
                continue;
            }
            let span = statement.span();
            self.statements.push(Statement {
                start: start(span),
                lines: lines(span),
                is_first: false,
                in_closure: self.closures > 0,
                calls: Vec::new(),
                conditions: Vec::new(),
                written: Vec::new(),
                inner: inner(statement),
            });
            self.current = Some(self.statements.len() - 1);
            visit::visit_stmt(self, statement);
        }
        (self.current, self.is_apart, self.in_head) = outer;
    }

    fn visit_item(&mut self, _: &'t Item) {}

    fn visit_type(&mut self, _: &'t Type) {}

    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'t syn::AngleBracketedGenericArguments,
    ) {
    }

    fn visit_expr_const(&mut self, _: &'t syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'t syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_pat(&mut self, _: &'t syn::Pat) {}

    fn visit_expr_closure(&mut self, closure: &'t syn::ExprClosure) {
        self.closures += 1;
        self.apart(|walk| visit::visit_expr_closure(walk, closure));
        self.closures -= 1;
    }

    fn visit_expr_async(&mut self, block: &'t syn::ExprAsync) {
        self.closures += 1;
        self.apart(|walk| visit::visit_expr_async(walk, block));
        self.closures -= 1;
    }

    fn visit_arm(&mut self, arm: &'t syn::Arm) {
        self.apart(|walk| visit::visit_arm(walk, arm));
    }

    fn visit_expr_let(&mut self, pattern: &'t syn::ExprLet) {
        visit::visit_expr_let(self, pattern);
        // What follows in the statement may use what it binds.
        self.is_apart = true;
    }

    fn visit_expr_binary(&mut self, binary: &'t syn::ExprBinary) {
        self.visit_expr(&binary.left);
        if matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) {
            let is_apart = self.is_apart;
            self.apart(|walk| walk.visit_expr(&binary.right));
            self.is_apart = is_apart || holds_let(&binary.left);
        } else {
            self.visit_expr(&binary.right);
        }
    }

    fn visit_expr_if(&mut self, conditional: &'t syn::ExprIf) {
        self.condition(&conditional.cond);
        self.head(&conditional.cond);
        self.apart(|walk| {
            walk.visit_block(&conditional.then_branch);
            if let Some((_, other)) = &conditional.else_branch {
                walk.visit_expr(other);
            }
        });
    }

    fn visit_expr_while(&mut self, repeated: &'t syn::ExprWhile) {
        self.condition(&repeated.cond);
        self.head(&repeated.cond);
        self.visit_block(&repeated.body);
    }

    fn visit_expr_for_loop(&mut self, repeated: &'t syn::ExprForLoop) {
        self.head(&repeated.expr);
        self.visit_block(&repeated.body);
    }

    fn visit_expr_assign(&mut self, assignment: &'t syn::ExprAssign) {
        if let Expr::Field(field) = &*assignment.left
            && let Member::Named(name) = &field.member
            && assignment.attrs.is_empty()
            && let Some(statement) = self.current()
        {
            let value = range(assignment.right.span());
            statement.written.push((name.to_string(), value));
        }
        visit::visit_expr_assign(self, assignment);
    }

    fn visit_expr_call(&mut self, call: &'t syn::ExprCall) {
        visit::visit_expr_call(self, call);
        let Expr::Path(callee) = &*call.func else {
            return;
        };
        let segments = &callee.path.segments;
        let form = match segments.iter().rev().nth(1) {
            _ if callee.qself.is_some() || segments.len() > 2 => return,
            None => CallForm::Free,
            Some(of) => CallForm::OfType(of.ident.to_string()),
        };
        let Some(last) = segments.last() else { return };
        self.call(SiteCall {
            name: last.ident.to_string(),
            at: range(last.ident.span()),
            callee: range(callee.span()),
            form,
            in_head: false,
            arguments: call.args.iter().map(argument).collect(),
        });
    }

    fn visit_expr_method_call(&mut self, call: &'t syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        if !is_self(&call.receiver) {
            return;
        }
        self.call(SiteCall {
            name: call.method.to_string(),
            at: range(call.method.span()),
            callee: start(call.receiver.span())..end(call.method.span()),
            form: CallForm::OnSelf,
            in_head: false,
            arguments: match call.turbofish {
                None => call.args.iter().map(argument).collect(),
                Some(_) => None,
            },
        });
    }
}

fn inner(statement: &Stmt) -> Option<Inner> {
    let Stmt::Expr(expression, _) = statement else {
        return None;
    };
    let (block, is_loop) = match expression {
        Expr::If(e) => (&e.then_branch, false),
        Expr::ForLoop(e) => (&e.body, true),
        Expr::While(e) => (&e.body, true),
        Expr::Loop(e) => (&e.body, true),
        _ => return None,
    };
    let first = block
        .stmts
        .first()
        .filter(|first| !matches!(first, Stmt::Item(_)))?;
    Some(Inner {
        start: start(first.span()),
        is_loop,
    })
}

fn is_self(expression: &Expr) -> bool {
    matches!(expression, Expr::Path(path) if path.path.is_ident("self"))
}

fn holds_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(e) => holds_let(&e.left) || holds_let(&e.right),
        Expr::Paren(e) => holds_let(&e.expr),
        _ => false,
    }
}

/// An argument that can be evaluated once more without consequences.
fn argument(expression: &Expr) -> Option<Argument> {
    let of = |is_reference, is_literal| Argument {
        at: range(expression.span()),
        is_reference,
        is_literal,
    };
    match expression {
        Expr::Lit(_) => Some(of(false, true)),
        Expr::Reference(e) if e.mutability.is_none() && is_named(&e.expr) => Some(of(true, false)),
        _ if is_named(expression) => Some(of(false, false)),
        _ => None,
    }
}

/// A name, or a field of one.
fn is_named(expression: &Expr) -> bool {
    match expression {
        Expr::Path(path) => path.qself.is_none() && path.path.get_ident().is_some(),
        Expr::Field(field) => is_named(&field.base),
        _ => false,
    }
}

/// How each parameter is passed, if the function can be called twice.
fn passing(signature: &Signature) -> Option<Vec<Passing>> {
    let gives = match &signature.output {
        ReturnType::Default => false,
        ReturnType::Type(_, ty) => match &**ty {
            Type::Never(_) | Type::ImplTrait(_) => false,
            Type::Tuple(tuple) => !tuple.elems.is_empty(),
            Type::Reference(reference) => reference.mutability.is_none(),
            _ => true,
        },
    };
    if !gives || !is_ordinary(signature) {
        return None;
    }
    let of = |argument: &FnArg| match argument {
        FnArg::Receiver(receiver) => {
            matches!(receiver.kind, ReceiverKind::Reference(_, _, None)).then_some(None)
        }
        FnArg::Typed(typed) => match &*typed.ty {
            Type::Reference(reference) if reference.mutability.is_none() => {
                Some(Some(Passing::Shared))
            }
            ty if is_plain(ty) => Some(Some(Passing::Value)),
            _ => None,
        },
    };
    let all: Option<Vec<Option<Passing>>> = signature.inputs.iter().map(of).collect();
    Some(all?.into_iter().flatten().collect())
}

/// Neither `const`, nor `async`, nor `unsafe`, nor of another language.
fn is_ordinary(signature: &Signature) -> bool {
    signature.constness.is_none()
        && signature.asyncness.is_none()
        && matches!(signature.safety, syn::Safety::Default)
        && signature.abi.is_none()
}

/// True if the linker knows the function by a name that a copy cannot have as well.
fn is_exported(attributes: &[Attribute]) -> bool {
    const EXPORTING: [&str; 4] = ["no_mangle", "export_name", "link_section", "unsafe"];
    attributes
        .iter()
        .any(|attribute| EXPORTING.iter().any(|name| attribute.path().is_ident(name)))
}

/// Numbers, `bool` and `char`.
fn is_plain(ty: &Type) -> bool {
    const PLAIN: [&str; 16] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
        "u32", "u64", "u128", "usize",
    ];
    matches!(ty, Type::Path(path) if path.qself.is_none()
        && PLAIN.iter().any(|name| path.path.is_ident(name)))
}

fn start(span: Span) -> usize {
    span.byte_range().start
}

fn end(span: Span) -> usize {
    span.byte_range().end
}

fn range(span: Span) -> Range<usize> {
    span.byte_range()
}

fn line(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn lines(span: Span) -> Lines {
    Lines {
        first: line(span.start().line),
        last: line(span.end().line),
    }
}
