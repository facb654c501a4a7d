//! The body of a function → its statements, with the parts of each that can be repeated, replaced or preceded.

// Over syn's enums, not our own.
#![allow(clippy::wildcard_enum_match_arm)]

use std::collections::BTreeSet;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Item, Member, Stmt, Type};

use super::edit_sites::{CallForm, RepeatableArgument, SeedableBlock, SeedableCall, SeedableStatement};
use super::item_sites::{half_more, larger_number};
use super::spans::{end, line, lines, range, start};
use super::uses::{NameUses, token_words};

/// Collects statements, and for each the expressions that are evaluated before any block in it.
#[derive(Default)]
pub(super) struct StatementCollector {
    pub(super) statements: Vec<SeedableStatement>,
    /// The current statement.
    current: Option<usize>,
    /// True where the statement itself may bind names, or where evaluation is not certain.
    is_apart: bool,
    /// True in an expression that decides whether or how often a block runs.
    in_head: bool,
    /// True in an argument or in the length of an array.
    is_given: bool,
    closures: usize,
    /// Types whose values are taken apart by a pattern.
    pub(super) taken_apart: BTreeSet<String>,
}

impl StatementCollector {
    fn current(&mut self) -> Option<&mut SeedableStatement> {
        self.current.and_then(|at| self.statements.get_mut(at))
    }

    fn call(&mut self, call: SeedableCall) {
        let (is_apart, in_head) = (self.is_apart, self.in_head);
        if let Some(statement) = self.current() {
            statement.calls.push(SeedableCall {
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

    fn word(&mut self, word: String) {
        let steers = self.in_head || self.is_given;
        if let Some(statement) = self.current() {
            if steers {
                statement.uses.steering.insert(word.clone());
            }
            statement.uses.words.insert(word);
        }
    }

    /// Visits an argument or the length of an array.
    fn given(&mut self, expression: &Expr) {
        let before = std::mem::replace(&mut self.is_given, true);
        self.visit_expr(expression);
        self.is_given = before;
    }

    fn built(&mut self, path: &syn::Path) {
        if let (Some(last), Some(statement)) = (path.segments.last(), self.current()) {
            statement.uses.built.insert(last.ident.to_string());
        }
    }

    /// Visits a condition, or the expression that a loop iterates over.
    fn head(&mut self, expression: &Expr) {
        let before = std::mem::replace(&mut self.in_head, true);
        self.visit_expr(expression);
        self.in_head = before;
    }

    /// Visits an expression that may not be evaluated, or whose names the statement may bind.
    fn apart(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_apart, true);
        visit(self);
        self.is_apart = before;
    }
}

impl<'t> Visit<'t> for StatementCollector {
    fn visit_block(&mut self, block: &'t syn::Block) {
        let outer = (self.current, self.is_apart, self.in_head, self.is_given);
        if let Some(statement) = self.current() {
            let first_line = line(block.brace_token.span.open().start().line);
            // A statement that starts with a block consists of that block.
            statement.lines.last = statement.lines.last.min(first_line).max(statement.lines.first);
        }
        // The last statement of this block that is not a loop.
        let mut once: Option<usize> = None;
        for statement in &block.stmts {
            (self.current, self.is_apart, self.in_head, self.is_given) = (None, false, false, false);
            if matches!(statement, Stmt::Item(_)) {
                continue;
            }
            let span = statement.span();
            self.statements.push(SeedableStatement {
                start: start(span),
                lines: lines(span),
                reached_with: None,
                is_first: false,
                is_reached_once: false,
                runs_once: false,
                in_closure: self.closures > 0,
                calls: Vec::new(),
                conditions: Vec::new(),
                written: Vec::new(),
                inner: inner(statement),
                uses: NameUses::default(),
                numbers: Vec::new(),
            });
            let at = self.statements.len() - 1;
            self.current = Some(at);
            visit::visit_stmt(self, statement);
            if !is_loop(statement) {
                once = Some(at);
            }
            // Known only here: the visit has cut the lines at the first block.
            self.statements[at].reached_with = once.map(|once| self.statements[once].lines);
        }
        (self.current, self.is_apart, self.in_head, self.is_given) = outer;
    }

    fn visit_item(&mut self, _: &'t Item) {}

    fn visit_type(&mut self, _: &'t Type) {}

    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'t syn::AngleBracketedGenericArguments) {}

    fn visit_expr_const(&mut self, _: &'t syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'t syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
        self.given(&repeat.len);
    }

    fn visit_pat(&mut self, pattern: &'t syn::Pat) {
        TakenApart(&mut self.taken_apart).visit_pat(pattern);
    }

    fn visit_path_segment(&mut self, segment: &'t syn::PathSegment) {
        self.word(segment.ident.to_string());
    }

    fn visit_macro(&mut self, invocation: &'t syn::Macro) {
        if let Some(last) = invocation.path.segments.last() {
            self.word(last.ident.to_string());
        }
        let mut words = BTreeSet::new();
        token_words(invocation.tokens.clone(), &mut words);
        for word in words {
            self.word(word);
        }
    }

    fn visit_expr_lit(&mut self, literal: &'t syn::ExprLit) {
        let decides = self.in_head || self.is_given;
        let number = Expr::Lit(literal.clone());
        if decides
            && let Some(number) = larger_number(&number, None, half_more)
            && let Some(statement) = self.current()
        {
            statement.numbers.push(number);
        }
    }

    fn visit_expr_struct(&mut self, built: &'t syn::ExprStruct) {
        self.built(&built.path);
        visit::visit_expr_struct(self, built);
    }

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
        // The rest of the statement may use the names that this expression binds.
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
        self.visit_expr(&call.func);
        for argument in &call.args {
            self.given(argument);
        }
        let Expr::Path(callee) = &*call.func else {
            return;
        };
        // A struct without names for its fields is made as if by a call.
        self.built(&callee.path);
        let segments = &callee.path.segments;
        let form = match segments.iter().rev().nth(1) {
            _ if callee.qself.is_some() || segments.len() > 2 => return,
            None => CallForm::Free,
            Some(of) => CallForm::OfType(of.ident.to_string()),
        };
        let Some(last) = segments.last() else { return };
        self.call(SeedableCall {
            name: last.ident.to_string(),
            at: range(last.ident.span()),
            callee: range(callee.span()),
            form,
            in_head: false,
            arguments: call.args.iter().map(argument).collect(),
        });
    }

    fn visit_expr_method_call(&mut self, call: &'t syn::ExprMethodCall) {
        self.visit_expr(&call.receiver);
        for argument in &call.args {
            self.given(argument);
        }
        if let Some(statement) = self.current() {
            statement.uses.methods.insert(call.method.to_string());
        }
        if !is_self(&call.receiver) {
            return;
        }
        self.call(SeedableCall {
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

/// Collects the types that patterns take apart.
struct TakenApart<'f>(&'f mut BTreeSet<String>);

impl<'t> Visit<'t> for TakenApart<'_> {
    fn visit_pat_struct(&mut self, pattern: &'t syn::PatStruct) {
        self.0
            .extend(pattern.path.segments.last().map(|last| last.ident.to_string()));
        visit::visit_pat_struct(self, pattern);
    }

    fn visit_pat_tuple_struct(&mut self, pattern: &'t syn::PatTupleStruct) {
        self.0
            .extend(pattern.path.segments.last().map(|last| last.ident.to_string()));
        visit::visit_pat_tuple_struct(self, pattern);
    }
}

fn inner(statement: &Stmt) -> Option<SeedableBlock> {
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
    let first = block.stmts.first().filter(|first| !matches!(first, Stmt::Item(_)))?;
    Some(SeedableBlock {
        start: start(first.span()),
        is_loop,
    })
}

fn is_loop(statement: &Stmt) -> bool {
    let Stmt::Expr(expression, _) = statement else {
        return false;
    };
    matches!(expression, Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_))
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

/// An argument that can be evaluated again without side effects.
fn argument(expression: &Expr) -> Option<RepeatableArgument> {
    let of = |is_reference, is_literal| RepeatableArgument {
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
