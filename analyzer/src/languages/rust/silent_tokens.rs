//! Syntax for which an optimising compiler makes no code → tokens that texts and digests leave out, so that nobody behind
//! the front end sees them come or go.
//!
//! Equal digests mean nothing to compare: what is silenced here can hide a change, and must be certain.

use std::collections::HashSet;

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, GenericArgument, GenericParam, Member, Pat, Safety, Signature, Stmt};
use syn::{Token, TypeParamBound, WherePredicate};

use super::items::items_inside;
use super::language::WORDS;
use super::macros::{self, MacroArguments};
use super::settled_casts::{integer, settled_casts};
use super::source_positions::SourcePositions;
use super::syn_names::{is_costly, last_segment};
use crate::syntax::tokens::{ByteRange, TokenKind, TokenizedSource};

/// Silences the tokens of a tree that are no code.
pub(crate) fn mark_silent_tokens<'s>(
    tree: &syn::File,
    positions: &SourcePositions<'s>,
    tokens: &mut TokenizedSource<'s>,
) {
    let mut quiet = SilentTokenVisitor {
        positions,
        tokens,
        is_of_integers: false,
        settled: HashSet::new(),
        own_rebindings: HashSet::new(),
    };
    quiet.visit_file(tree);
}

struct SilentTokenVisitor<'q, 's> {
    positions: &'q SourcePositions<'s>,
    tokens: &'q mut TokenizedSource<'s>,
    /// True in a function without floats, where a cast to an integer is one of an integer.
    is_of_integers: bool,
    /// Where casts are written that change nothing.
    settled: HashSet<u32>,
    /// Where locals are bound to themselves for the rest of a function: not for a round of a loop, or for a block.
    own_rebindings: HashSet<u32>,
}

impl SilentTokenVisitor<'_, '_> {
    fn silence(&mut self, range: ByteRange) {
        self.mark(range, TokenKind::Silent);
    }

    fn mark(&mut self, range: ByteRange, kind: TokenKind) {
        for token in self.tokens.within_mut(range) {
            token.kind = kind;
        }
    }

    fn silence_span(&mut self, span: Span) {
        self.silence(self.positions.range(span));
    }

    /// Silences elements of a list with their separators; true if nothing is left of it.
    fn silence_elements<T: Spanned, P: Spanned>(
        &mut self,
        list: &Punctuated<T, P>,
        is_silent: impl Fn(&T) -> bool,
    ) -> bool {
        let mut kept_separator: Option<&P> = None;
        let mut is_empty = true;
        for (index, pair) in list.pairs().enumerate() {
            let (element, separator) = pair.into_tuple();
            if !is_silent(element) {
                is_empty = false;
                kept_separator = separator;
                continue;
            }
            self.silence_span(element.span());
            let is_last = index + 1 == list.len();
            let separator = if is_last { kept_separator } else { separator };
            if let Some(separator) = separator {
                self.silence_span(separator.span());
            }
        }
        is_empty
    }

    /// `field: field` is `field`.
    fn silence_field_name(&mut self, field: &syn::Ident, colon: Token![:]) {
        let start = self.positions.start(field.span());
        self.silence(ByteRange::new(start, self.positions.end(colon.span)));
    }

    fn silence_bounds(&mut self, colon: Option<Token![:]>, bounds: &Punctuated<TypeParamBound, Token![+]>) {
        let is_empty = self.silence_elements(bounds, is_silent_bound);
        if let Some(colon) = colon.filter(|_| is_empty) {
            self.silence_span(colon.span);
        }
    }

    /// Parentheses around an expression that ends where its place ends.
    fn alone(&mut self, expression: &Expr) {
        match expression {
            Expr::Paren(inner) => {
                self.silence_parentheses(inner);
                self.alone(&inner.expr);
            }
            Expr::Cast(cast) if self.is_free(cast) => self.alone(&cast.expr),
            _ => {}
        }
    }

    fn silence_parentheses(&mut self, e: &syn::ExprParen) {
        self.silence_span(e.paren_token.span.open());
        self.silence_span(e.paren_token.span.close());
    }

    /// True for a cast that costs nothing. `x as u8 as usize` cuts bits off, which can spare a check of bounds.
    fn is_free(&self, cast: &syn::ExprCast) -> bool {
        self.is_of_integers && !matches!(without_parentheses(&cast.expr), Expr::Cast(_)) && integer(&cast.ty).is_some()
    }

    /// True for what needs no parentheses wherever it stands.
    fn is_atomic(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Cast(cast) if self.is_free(cast) => self.is_atomic(&cast.expr),
            Expr::Array(_)
            | Expr::Await(_)
            | Expr::Call(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Lit(_)
            | Expr::Macro(_)
            | Expr::MethodCall(_)
            | Expr::Paren(_)
            | Expr::Path(_)
            | Expr::Try(_)
            | Expr::Tuple(_) => true,
            _ => false,
        }
    }

    /// Visits a function, knowing whether it computes with floats.
    fn function(&mut self, signature: &Signature, body: &Block, visit: impl FnOnce(&mut Self)) {
        let whole = ByteRange::new(
            self.positions.start(signature.fn_token.span),
            self.positions.end(body.brace_token.span.close()),
        );
        let has_floats = self.tokens.within(whole).iter().any(|token| {
            let word = self.tokens.text_of(token);
            match token.kind {
                TokenKind::Word => matches!(word, "f32" | "f64"),
                TokenKind::Number => is_float(word),
                _ => false,
            }
        });
        let around = std::mem::replace(&mut self.is_of_integers, !has_floats);
        self.settled
            .extend(settled_casts(signature, body, |span| self.positions.start(span)));
        let own = (body.stmts.iter()).filter_map(|statement| match statement {
            Stmt::Local(local) if is_rebinding(local) => Some(self.positions.start(local.let_token.span)),
            _ => None,
        });
        self.own_rebindings.extend(own);
        visit(self);
        self.is_of_integers = around;
    }

    /// True for checks that optimised builds leave out.
    fn is_for_debugging(invocation: &syn::Macro) -> bool {
        WORDS.debug_macros.contains(&last_segment(&invocation.path))
    }

    fn macro_range(&self, invocation: &syn::Macro) -> ByteRange {
        ByteRange::new(
            self.positions.path_start(None, &invocation.path),
            self.positions.end(invocation.delimiter.span().close()),
        )
    }
}

pub(super) fn without_parentheses(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => without_parentheses(&inner.expr),
        other => other,
    }
}

fn is_float(number: &str) -> bool {
    let has_exponent = || number.contains(['e', 'E']) && !number.ends_with("size");
    let has_suffix = || number.ends_with("f32") || number.ends_with("f64");
    !number.starts_with("0x") && (number.contains('.') || has_suffix() || has_exponent())
}

/// Lifetimes, what captures them, and `?Sized` say what callers may pass, not what is done with it.
fn is_silent_bound(bound: &TypeParamBound) -> bool {
    match bound {
        TypeParamBound::Lifetime(_) | TypeParamBound::PreciseCapture(_) => true,
        TypeParamBound::Trait(bound) => bound.maybe.is_some(),
        _ => false,
    }
}

fn is_silent_predicate(predicate: &WherePredicate) -> bool {
    match predicate {
        WherePredicate::Lifetime(_) => true,
        WherePredicate::Type(predicate) => predicate.bounds.iter().all(is_silent_bound),
        _ => false,
    }
}

/// `let x = x;`, with or without `mut`.
fn is_rebinding(local: &syn::Local) -> bool {
    let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else {
        return false;
    };
    let is_plain = name.by_ref.is_none() && name.subpat.is_none() && init.diverge.is_none();
    is_plain && matches!(&*init.expr, Expr::Path(path) if path.path.is_ident(&name.ident))
}

impl<'ast> Visit<'ast> for SilentTokenVisitor<'_, '_> {
    fn visit_attribute(&mut self, e: &'ast syn::Attribute) {
        if !is_costly(e, &WORDS) {
            let start = self.positions.start(e.pound_token.span);
            self.silence(ByteRange::new(start, self.positions.end(e.bracket_token.span.close())));
        }
    }

    fn visit_lifetime(&mut self, e: &'ast syn::Lifetime) {
        let start = self.positions.start(e.apostrophe);
        self.silence(ByteRange::new(start, start + 1));
    }

    // Labels look like lifetimes, and say where a jump goes.
    fn visit_label(&mut self, _: &'ast syn::Label) {}

    fn visit_expr_continue(&mut self, _: &'ast syn::ExprContinue) {}

    fn visit_expr_break(&mut self, e: &'ast syn::ExprBreak) {
        if let Some(value) = &e.expr {
            self.alone(value);
            self.visit_expr(value);
        }
    }

    fn visit_generics(&mut self, e: &'ast syn::Generics) {
        let is_lifetime = |parameter: &GenericParam| matches!(parameter, GenericParam::Lifetime(_));
        if self.silence_elements(&e.params, is_lifetime)
            && let (Some(open), Some(close)) = (e.lt_token, e.gt_token)
        {
            self.silence_span(open.span);
            self.silence_span(close.span);
        }
        visit::visit_generics(self, e);
    }

    fn visit_type_param(&mut self, e: &'ast syn::TypeParam) {
        self.silence_bounds(e.colon_token, &e.bounds);
        visit::visit_type_param(self, e);
    }

    fn visit_where_clause(&mut self, e: &'ast syn::WhereClause) {
        if self.silence_elements(&e.predicates, is_silent_predicate) {
            self.silence_span(e.where_token.span);
        }
        visit::visit_where_clause(self, e);
    }

    fn visit_predicate_type(&mut self, e: &'ast syn::PredicateType) {
        self.silence_elements(&e.bounds, is_silent_bound);
        visit::visit_predicate_type(self, e);
    }

    fn visit_type_trait_object(&mut self, e: &'ast syn::TypeTraitObject) {
        self.silence_elements(&e.bounds, is_silent_bound);
        visit::visit_type_trait_object(self, e);
    }

    fn visit_type_impl_trait(&mut self, e: &'ast syn::TypeImplTrait) {
        self.silence_elements(&e.bounds, is_silent_bound);
        visit::visit_type_impl_trait(self, e);
    }

    fn visit_bound_lifetimes(&mut self, e: &'ast syn::BoundLifetimes) {
        let start = self.positions.start(e.for_token.span);
        self.silence(ByteRange::new(start, self.positions.end(e.gt_token.span)));
    }

    fn visit_angle_bracketed_generic_arguments(&mut self, e: &'ast syn::AngleBracketedGenericArguments) {
        let is_lifetime = |argument: &GenericArgument| matches!(argument, GenericArgument::Lifetime(_));
        if self.silence_elements(&e.args, is_lifetime) {
            let first = e.colon2_token.map_or(e.lt_token.span, |colon| colon.spans[0]);
            let start = self.positions.start(first);
            self.silence(ByteRange::new(start, self.positions.end(e.gt_token.span)));
        }
        visit::visit_angle_bracketed_generic_arguments(self, e);
    }

    fn visit_signature(&mut self, e: &'ast Signature) {
        if let Some(token) = e.constness {
            self.silence_span(token.span);
        }
        if let Safety::Unsafe(token) = e.safety {
            self.silence_span(token.span);
        }
        for argument in &e.inputs {
            let token = match argument {
                FnArg::Receiver(receiver) => receiver.mutability,
                FnArg::Typed(typed) => match &*typed.pat {
                    Pat::Ident(name) => name.mutability,
                    _ => None,
                },
            };
            if let Some(token) = token {
                self.silence_span(token.span);
            }
        }
        visit::visit_signature(self, e);
    }

    fn visit_item_impl(&mut self, e: &'ast syn::ItemImpl) {
        if let Some(token) = e.unsafety {
            self.silence_span(token.span);
        }
        visit::visit_item_impl(self, e);
    }

    fn visit_item_trait(&mut self, e: &'ast syn::ItemTrait) {
        if let Some(token) = e.unsafety {
            self.silence_span(token.span);
        }
        self.silence_bounds(e.colon_token, &e.supertraits);
        visit::visit_item_trait(self, e);
    }

    fn visit_trait_item_type(&mut self, e: &'ast syn::TraitItemType) {
        self.silence_bounds(e.colon_token, &e.bounds);
        visit::visit_trait_item_type(self, e);
    }

    fn visit_item_fn(&mut self, e: &'ast syn::ItemFn) {
        self.function(&e.sig, &e.block, |quiet| visit::visit_item_fn(quiet, e));
    }

    fn visit_impl_item_fn(&mut self, e: &'ast syn::ImplItemFn) {
        self.function(&e.sig, &e.block, |quiet| {
            visit::visit_impl_item_fn(quiet, e);
        });
    }

    fn visit_trait_item_fn(&mut self, e: &'ast syn::TraitItemFn) {
        match &e.default {
            Some(body) => self.function(&e.sig, body, |quiet| visit::visit_trait_item_fn(quiet, e)),
            None => visit::visit_trait_item_fn(self, e),
        }
    }

    fn visit_macro(&mut self, e: &'ast syn::Macro) {
        let name = last_segment(&e.path);
        if Self::is_for_debugging(e) {
            return self.silence(self.macro_range(e));
        }
        if WORDS.opaque_macros.contains(&name) {
            return;
        }
        match macros::body(&name, e) {
            MacroArguments::Expressions(expressions) => expressions.iter().for_each(|argument| {
                self.alone(argument);
                self.visit_expr(argument);
            }),
            MacroArguments::Statements(statements) => statements.iter().for_each(|one| self.visit_stmt(one)),
            MacroArguments::Test(value, _, guard) => {
                self.visit_expr(&value);
                guard.iter().for_each(|guard| self.visit_expr(guard));
            }
            MacroArguments::Tokens => {}
        }
    }

    fn visit_item_macro(&mut self, e: &'ast syn::ItemMacro) {
        if e.ident.is_none() {
            let items = items_inside(&last_segment(&e.mac.path), &e.mac);
            let items = items.into_iter().flatten();
            items.for_each(|item| self.visit_item(&item));
        }
    }

    fn visit_stmt(&mut self, e: &'ast Stmt) {
        match e {
            Stmt::Macro(statement) if Self::is_for_debugging(&statement.mac) => {
                if let Some(end) = statement.semi_token {
                    self.silence_span(end.span);
                }
            }
            Stmt::Local(local)
                if let start = self.positions.start(local.let_token.span)
                    && self.own_rebindings.contains(&start) =>
            {
                self.silence(ByteRange::new(start, self.positions.end(local.semi_token.span)));
            }
            Stmt::Expr(expression, _) => self.alone(expression),
            _ => {}
        }
        visit::visit_stmt(self, e);
    }

    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::Array(e) => e.elems.iter().for_each(|element| self.alone(element)),
            Expr::Assign(e) => self.alone(&e.right),
            Expr::Closure(e) => self.alone(&e.body),
            Expr::ForLoop(e) => self.alone(&e.expr),
            Expr::If(e) => self.alone(&e.cond),
            Expr::Index(e) => self.alone(&e.index),
            Expr::Match(e) => self.alone(&e.expr),
            Expr::MethodCall(e) => e.args.iter().for_each(|argument| self.alone(argument)),
            Expr::Paren(e) if self.is_atomic(&e.expr) => self.silence_parentheses(e),
            Expr::Return(e) => e.expr.iter().for_each(|value| self.alone(value)),
            Expr::Struct(e) => e.fields.iter().for_each(|field| self.alone(&field.expr)),
            Expr::Tuple(e) => e.elems.iter().for_each(|element| self.alone(element)),
            Expr::While(e) => self.alone(&e.cond),
            _ => {}
        }
        visit::visit_expr(self, e);
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        e.args.iter().for_each(|argument| {
            self.alone(argument);
            self.visit_expr(argument);
        });
        match &*e.func {
            // `(self.f)(x)` calls what a field holds, `self.f(x)` a method.
            Expr::Paren(callee) => self.visit_expr(&callee.expr),
            callee => self.visit_expr(callee),
        }
    }

    fn visit_expr_cast(&mut self, e: &'ast syn::ExprCast) {
        if self.is_free(e) {
            let start = self.positions.start(e.as_token.span);
            let kind = match self.settled.contains(&start) {
                true => TokenKind::Silent,
                false => TokenKind::Untold,
            };
            self.mark(ByteRange::new(start, self.positions.type_end(&e.ty)), kind);
        }
        // Of a chain of casts, all stay.
        let mut operand = &*e.expr;
        while let Expr::Cast(inner) = without_parentheses(operand) {
            operand = &inner.expr;
        }
        self.visit_expr(operand);
    }

    fn visit_local_init(&mut self, e: &'ast syn::LocalInit) {
        self.alone(&e.expr);
        visit::visit_local_init(self, e);
    }

    fn visit_local(&mut self, e: &'ast syn::Local) {
        let pattern = match &e.pat {
            Pat::Type(typed) => &*typed.pat,
            pattern => pattern,
        };
        // Inside another pattern, `mut` takes a copy where there was a reference.
        if let Pat::Ident(name) = pattern
            && name.subpat.is_none()
            && let Some(token) = name.mutability
        {
            self.silence_span(token.span);
        }
        visit::visit_local(self, e);
    }

    fn visit_field_value(&mut self, e: &'ast syn::FieldValue) {
        if let (Member::Named(field), Some(colon), Expr::Path(value)) = (&e.member, e.colon_token, &e.expr)
            && value.path.is_ident(field)
        {
            self.silence_field_name(field, colon);
        }
        visit::visit_field_value(self, e);
    }

    fn visit_field_pat(&mut self, e: &'ast syn::FieldPat) {
        if let (Member::Named(field), Some(colon), Pat::Ident(value)) = (&e.member, e.colon_token, &*e.pat)
            && value.ident == *field
        {
            self.silence_field_name(field, colon);
        }
        visit::visit_field_pat(self, e);
    }

    fn visit_arm(&mut self, e: &'ast syn::Arm) {
        self.alone(&e.body);
        visit::visit_arm(self, e);
    }
}
