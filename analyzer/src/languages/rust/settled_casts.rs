//! A function → its casts between integers that change nothing if they come or go: the place of the result, or the operand, has
//! that type anyway. Elsewhere the type of the result may choose a method, an implementation, a bound or a width.

use std::collections::{HashMap, HashSet};

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Lit, Pat, ReturnType, Signature, Stmt, Type};

use super::silent_tokens::without_parentheses;

/// Types between which a cast is at most one instruction, and mostly none. Those of 128 bits are not among them:
/// what is computed in them costs more.
const INTEGERS: [&str; 10] = ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];

/// The integer that a type is.
pub(super) fn integer(of: &Type) -> Option<&'static str> {
    match of {
        Type::Path(path) => INTEGERS.into_iter().find(|name| path.path.is_ident(name)),
        _ => None,
    }
}

/// Where the signs `as` of the settled casts of a function start.
pub(super) fn settled_casts(signature: &Signature, body: &Block, start: impl Fn(Span) -> u32) -> HashSet<u32> {
    let mut declared = DeclaredIntegers::default();
    declared.visit_signature(signature);
    declared.visit_block(body);
    let mut casts = SettledCastVisitor {
        declared,
        returned: returned(&signature.output),
        start,
        settled: HashSet::new(),
    };
    casts.end_of_block(body, casts.returned);
    casts.visit_block(body);
    casts.settled
}

fn returned(output: &ReturnType) -> Option<&'static str> {
    match output {
        ReturnType::Type(_, of) => integer(of),
        ReturnType::Default => None,
    }
}

/// How often a function binds each name, and the integer that it declares it to be.
#[derive(Default)]
struct DeclaredIntegers {
    bound: HashMap<String, u32>,
    types: HashMap<String, &'static str>,
}

impl DeclaredIntegers {
    /// The type of a name that means the same throughout the function.
    fn of(&self, name: &str) -> Option<&'static str> {
        let is_one = self.bound.get(name) == Some(&1);
        self.types.get(name).copied().filter(|_| is_one)
    }
}

impl<'ast> Visit<'ast> for DeclaredIntegers {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_pat_ident(&mut self, e: &'ast syn::PatIdent) {
        *self.bound.entry(e.ident.to_string()).or_default() += 1;
        visit::visit_pat_ident(self, e);
    }

    fn visit_pat_type(&mut self, e: &'ast syn::PatType) {
        if let (Pat::Ident(name), Some(of)) = (&*e.pat, integer(&e.ty)) {
            self.types.insert(name.ident.to_string(), of);
        }
        visit::visit_pat_type(self, e);
    }
}

struct SettledCastVisitor<F> {
    declared: DeclaredIntegers,
    /// The type that the function or closure around returns.
    returned: Option<&'static str>,
    start: F,
    settled: HashSet<u32>,
}

impl<F: Fn(Span) -> u32> SettledCastVisitor<F> {
    /// A value in a place of a type.
    fn value(&mut self, value: &Expr, wanted: Option<&str>) {
        if let Expr::Cast(cast) = without_parentheses(value)
            && integer(&cast.ty).is_some_and(|of| Some(of) == wanted)
        {
            self.settled.insert((self.start)(cast.as_token.span));
        }
    }

    /// The value that a block ends with.
    fn end_of_block(&mut self, block: &Block, wanted: Option<&str>) {
        if let Some(Stmt::Expr(last, None)) = block.stmts.last() {
            self.end(last, wanted);
        }
    }

    fn end(&mut self, last: &Expr, wanted: Option<&str>) {
        match last {
            Expr::Block(block) => self.end_of_block(&block.block, wanted),
            Expr::Unsafe(block) => self.end_of_block(&block.block, wanted),
            Expr::If(choice) => {
                self.end_of_block(&choice.then_branch, wanted);
                if let Some((_, otherwise)) = &choice.else_branch {
                    self.end(otherwise, wanted);
                }
            }
            Expr::Match(choice) => choice.arms.iter().for_each(|arm| self.end(&arm.body, wanted)),
            value => self.value(value, wanted),
        }
    }

    /// The integer that an expression shows itself to be.
    fn shown(&self, expression: &Expr) -> Option<&'static str> {
        match without_parentheses(expression) {
            Expr::Path(path) => self.declared.of(&path.path.get_ident()?.to_string()),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => INTEGERS.into_iter().find(|name| *name == number.suffix()),
                _ => None,
            },
            _ => None,
        }
    }
}

impl<'ast, F: Fn(Span) -> u32> Visit<'ast> for SettledCastVisitor<F> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_closure(&mut self, e: &'ast syn::ExprClosure) {
        let around = std::mem::replace(&mut self.returned, returned(&e.output));
        self.end(&e.body, self.returned);
        visit::visit_expr_closure(self, e);
        self.returned = around;
    }

    fn visit_expr_async(&mut self, e: &'ast syn::ExprAsync) {
        let around = self.returned.take();
        visit::visit_expr_async(self, e);
        self.returned = around;
    }

    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        if let Some(value) = &e.expr {
            self.value(value, self.returned);
        }
        visit::visit_expr_return(self, e);
    }

    fn visit_local(&mut self, e: &'ast syn::Local) {
        if let (Pat::Type(typed), Some(init)) = (&e.pat, &e.init) {
            self.value(&init.expr, integer(&typed.ty));
        }
        visit::visit_local(self, e);
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        let wanted = self.shown(&e.left);
        self.value(&e.right, wanted);
        visit::visit_expr_assign(self, e);
    }

    fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
        self.value(&e.index, Some("usize"));
        visit::visit_expr_index(self, e);
    }

    fn visit_field_value(&mut self, e: &'ast syn::FieldValue) {
        if let Expr::Cast(cast) = without_parentheses(&e.expr) {
            self.value(&e.expr, integer(&cast.ty));
        }
        visit::visit_field_value(self, e);
    }

    fn visit_expr_cast(&mut self, e: &'ast syn::ExprCast) {
        let of = self.shown(&e.expr);
        if of.is_some() && of == integer(&e.ty) {
            self.settled.insert((self.start)(e.as_token.span));
        }
        visit::visit_expr_cast(self, e);
    }
}
