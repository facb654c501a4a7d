//! Statements and expressions of syn's tree → blocks, calls and operations in evaluation order.
//!
//! - Of an `if` and its `else`, that which runs where a plain condition holds comes first: `!a` and `a != b` are
//!   turned round.
//! - `else if` is a sibling of the `if`, not a block inside its `else`.
//! - The right operand of `&&` and `||` is a block only if it holds something that is a node of its own;
//!   a plain `a && b > 3` stays one operation.
//! - A block that stands in a head has the block of that head as parent.
//! - The arguments' text of a call begins with its turbofish, if it has one.

use proc_macro2::Span;
use syn::{BinOp, Block, Expr, ExprIf, Local, Member, Pat, Stmt, UnOp};

use super::function::RustBodyLowering;
use super::method_chain;
use super::syn_names::type_name;
use crate::syntax::model::{BlockKind, OperationKind};
use crate::syntax::tokens::ByteRange;

impl RustBodyLowering<'_, '_> {
    /// The statements of a block, in the block at hand.
    pub(crate) fn block(&mut self, block: &Block) {
        let scope = self.builder.enter_scope();
        for statement in &block.stmts {
            self.statement(statement);
        }
        self.builder.leave_scope(scope);
    }

    fn statement(&mut self, statement: &Stmt) {
        let mark = self.builder.mark();
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Item(item) => self.inner.push(item.clone()),
            Stmt::Expr(expression, _) => self.value(expression),
            Stmt::Macro(statement) => {
                let start = self.positions.path_start(None, &statement.mac.path);
                let end = self.positions.end(statement.mac.delimiter.span().close());
                self.statement_macro(&statement.mac, ByteRange::new(start, end));
            }
        }
        self.builder.settle(mark);
    }

    fn local(&mut self, local: &Local) {
        let Some(init) = &local.init else {
            self.bind_hinted(&local.pat, None);
            return;
        };
        let mark = self.builder.mark();
        self.operand(&init.expr);
        self.bind_hinted(&local.pat, Some(&init.expr));
        let start = self.positions.start(local.let_token.span);
        let whole = ByteRange::new(start, self.positions.expression_end(&init.expr));
        let refutable = init.diverge.is_some();
        let kind = if refutable {
            OperationKind::Pattern
        } else {
            OperationKind::Compute
        };
        self.builder.operation(mark, kind, whole);
        if let Some((_, otherwise)) = &init.diverge {
            let range = self.positions.expression(otherwise);
            self.builder.open(BlockKind::Conditional, range);
            self.builder.body();
            self.value(otherwise);
            self.builder.close(range);
        }
    }

    /// Brings a `let`'s names into scope and keeps what shows the type of a plain one.
    fn bind_hinted(&mut self, pattern: &Pat, value: Option<&Expr>) {
        self.bind(pattern);
        let (name, shown) = match pattern {
            Pat::Type(typed) => (super::syn_names::pattern_name(&typed.pat), type_name(&typed.ty)),
            Pat::Ident(name) => (
                name.ident.to_string(),
                value.map(method_chain::shown_type).unwrap_or_default(),
            ),
            _ => return,
        };
        self.builder.hint(&name, &shown);
    }

    /// An expression that stands for itself: its nodes, then the operation that is left.
    pub(crate) fn value(&mut self, expression: &Expr) {
        let mark = self.builder.mark();
        self.operand(expression);
        let range = self.positions.expression(expression);
        self.builder.operation(mark, OperationKind::Compute, range);
    }

    /// The calls, blocks and jumps inside an expression; what else it does is weight of the operation or
    /// call around it.
    pub(crate) fn operand(&mut self, expression: &Expr) {
        match expression {
            Expr::Array(e) => {
                self.builder.work();
                e.elems.iter().for_each(|element| self.operand(element));
            }
            Expr::Assign(e) => {
                let mark = self.builder.mark();
                self.operand(&e.right);
                self.operand(&e.left);
                self.builder.work();
                self.assigned(mark, &e.left, expression);
            }
            Expr::Async(e) => self.inline_block(expression, &e.block),
            Expr::Await(e) => {
                self.operand(&e.base);
                self.builder.work();
            }
            Expr::Binary(e) => self.binary(e, expression),
            Expr::Block(e) => self.inline_block(expression, &e.block),
            Expr::Break(e) => self.jump(e.expr.as_deref(), expression),
            Expr::Call(e) => self.call(e, expression),
            Expr::Cast(e) => {
                self.operand(&e.expr);
                let sign = self.positions.start(e.as_token.span);
                if !self.tokens.shows_nothing(ByteRange::new(sign, sign + 1)) {
                    self.builder.work();
                }
            }
            Expr::Closure(_) => self.closure(expression, BlockKind::Closure),
            Expr::Const(e) => {
                let mark = self.builder.mark();
                self.inline_block(expression, &e.block);
                // The compiler computes what is in it, and puts the value in.
                let sign = self.positions.start(e.const_token.span);
                let sign = ByteRange::new(sign, sign + 1);
                self.builder.operation(mark, OperationKind::Given, sign);
            }
            Expr::Continue(_) => self.jump(None, expression),
            Expr::Field(e) => {
                self.operand(&e.base);
                self.builder.work();
            }
            Expr::ForLoop(e) => {
                let whole = self.positions.expression(expression);
                self.builder.open(BlockKind::Loop, whole);
                let mark = self.builder.mark();
                self.operand(&e.expr);
                self.bind(&e.pat);
                let head = ByteRange::new(
                    self.positions.pattern(&e.pat).start,
                    self.positions.expression_end(&e.expr),
                );
                self.builder.operation(mark, OperationKind::Compute, head);
                self.builder.settle(mark);
                self.builder.body();
                self.block(&e.body);
                self.builder.close(whole);
            }
            Expr::Group(e) => self.operand(&e.expr),
            Expr::If(_) => self.conditionals(expression),
            Expr::Index(e) => {
                self.operand(&e.expr);
                self.operand(&e.index);
                self.builder.work();
            }
            Expr::Let(e) => {
                let mark = self.builder.mark();
                self.operand(&e.expr);
                self.bind(&e.pat);
                let whole = self.positions.expression(expression);
                self.builder.operation(mark, OperationKind::Pattern, whole);
                self.builder.settle(mark);
                self.builder.hole(whole);
            }
            Expr::Loop(e) => {
                let whole = self.positions.expression(expression);
                self.builder.open(BlockKind::Loop, whole);
                self.builder.body();
                self.block(&e.body);
                self.builder.close(whole);
            }
            Expr::Macro(e) => {
                let whole = self.positions.expression(expression);
                self.macro_call(&e.mac, whole);
            }
            Expr::Match(e) => self.match_arms(e, expression),
            Expr::MethodCall(e) => self.method_call(e, expression),
            Expr::Paren(e) => self.operand(&e.expr),
            Expr::Range(e) => {
                e.start.iter().chain(&e.end).for_each(|bound| self.operand(bound));
                self.builder.work();
            }
            Expr::RawAddr(e) => self.operand(&e.expr),
            Expr::Reference(e) => self.operand(&e.expr),
            Expr::Repeat(e) => {
                self.operand(&e.expr);
                self.operand(&e.len);
                self.builder.work();
            }
            Expr::Return(e) => self.jump(e.expr.as_deref(), expression),
            Expr::Struct(e) => {
                e.fields.iter().for_each(|field| self.operand(&field.expr));
                e.rest.iter().for_each(|rest| self.operand(rest));
                self.builder.work();
            }
            Expr::Try(e) => {
                let mark = self.builder.mark();
                self.operand(&e.expr);
                let whole = self.positions.expression(expression);
                self.builder.operation(mark, OperationKind::Try, whole);
                self.builder.settle(mark);
                self.builder.hole(whole);
            }
            Expr::TryBlock(e) => self.inline_block(expression, &e.block),
            Expr::Tuple(e) => e.elems.iter().for_each(|element| self.operand(element)),
            Expr::Unary(e) => {
                self.operand(&e.expr);
                self.builder.work();
            }
            Expr::Unsafe(e) => self.inline_block(expression, &e.block),
            Expr::While(e) => {
                let whole = self.positions.expression(expression);
                self.builder.open(BlockKind::Loop, whole);
                self.condition(&e.cond);
                self.builder.body();
                self.block(&e.body);
                self.builder.close(whole);
            }
            Expr::Yield(e) => self.jump(e.expr.as_deref(), expression),
            Expr::Verbatim(tokens) => self.search_tokens(tokens.clone()),
            // Literals, paths, `_`, and what syn adds later.
            _ => {}
        }
    }

    fn condition(&mut self, condition: &Expr) {
        let mark = self.builder.mark();
        self.value(condition);
        self.builder.settle(mark);
    }

    /// `a.b = c` and `a.b += c` are writes of a field; other assignments compute.
    fn assigned(&mut self, mark: crate::syntax::builder::ExpressionStart, place: &Expr, whole: &Expr) {
        let kind = match place {
            Expr::Field(field) => match &field.member {
                Member::Named(name) => OperationKind::FieldWrite(name.to_string()),
                Member::Unnamed(index) => OperationKind::FieldWrite(index.index.to_string()),
            },
            _ => OperationKind::Compute,
        };
        let range = self.positions.expression(whole);
        self.builder.operation(mark, kind, range);
        self.builder.settle(mark);
        self.builder.hole(range);
    }

    fn binary(&mut self, binary: &syn::ExprBinary, whole: &Expr) {
        let assigns = matches!(
            binary.op,
            BinOp::AddAssign(_)
                | BinOp::SubAssign(_)
                | BinOp::MulAssign(_)
                | BinOp::DivAssign(_)
                | BinOp::RemAssign(_)
                | BinOp::BitXorAssign(_)
                | BinOp::BitAndAssign(_)
                | BinOp::BitOrAssign(_)
                | BinOp::ShlAssign(_)
                | BinOp::ShrAssign(_)
        );
        if assigns {
            let mark = self.builder.mark();
            self.operand(&binary.right);
            self.operand(&binary.left);
            self.builder.work();
            return self.assigned(mark, &binary.left, whole);
        }
        self.operand(&binary.left);
        let lazy = matches!(binary.op, BinOp::And(_) | BinOp::Or(_));
        if lazy && method_chain::holds_nodes(&binary.right) {
            let range = self.positions.expression(&binary.right);
            self.builder.open(BlockKind::Conditional, range);
            self.builder.body();
            self.value(&binary.right);
            // Names of `let` in a chain of conditions live on in the block that the condition guards.
            self.builder.close_keeping_names(range);
        } else {
            self.operand(&binary.right);
        }
        self.builder.work();
    }

    /// A block whose statements simply run: `{ … }`, `unsafe { … }`, `async { … }`.
    fn inline_block(&mut self, whole: &Expr, block: &Block) {
        let mark = self.builder.mark();
        self.block(block);
        self.builder.settle(mark);
        let range = self.positions.expression(whole);
        self.builder.hole(range);
    }

    fn jump(&mut self, value: Option<&Expr>, whole: &Expr) {
        let mark = self.builder.mark();
        if let Some(value) = value {
            self.operand(value);
        }
        let range = self.positions.expression(whole);
        self.builder.operation(mark, OperationKind::Jump, range);
        self.builder.settle(mark);
        self.builder.hole(range);
    }

    fn conditionals(&mut self, whole: &Expr) {
        let outer = self.builder.mark();
        if let Expr::If(conditional) = whole
            && let Some(Expr::Block(otherwise)) = self.otherwise(conditional)
        {
            self.alternatives(conditional, &otherwise.block);
        } else {
            self.chain_of_conditions(whole);
        }
        self.builder.settle(outer);
        let range = self.positions.expression(whole);
        self.builder.hole(range);
    }

    /// `if a {} else {}`, the block that runs where `a` holds first: a condition that says `!a` or `a != b` is
    /// turned round, and so are the blocks, which keep their own lines.
    fn alternatives(&mut self, conditional: &ExprIf, otherwise: &Block) {
        let (condition, is_turned) = self.turned(&conditional.cond);
        let (then, start) = (&conditional.then_branch, conditional.if_token.span);
        let open = otherwise.brace_token.span.open();
        if is_turned {
            self.conditional(Some(condition), open, otherwise);
            self.conditional(None, start, then);
        } else {
            self.conditional(Some(condition), start, then);
            self.conditional(None, open, otherwise);
        }
    }

    /// A condition without its negation; true if it had one. That of `a != b` is read as `a == b`.
    fn turned<'e>(&mut self, condition: &'e Expr) -> (&'e Expr, bool) {
        match condition {
            Expr::Paren(inner) => self.turned(&inner.expr),
            Expr::Unary(inner) if matches!(inner.op, UnOp::Not(_)) => {
                let (inner, is_turned) = self.turned(&inner.expr);
                (inner, !is_turned)
            }
            Expr::Binary(comparison) if let BinOp::Ne(sign) = comparison.op => {
                self.builder.read_as_equality(self.positions.start(sign.spans[0]));
                (condition, true)
            }
            _ => (condition, false),
        }
    }

    /// `if a {} else if b {} else {}`: blocks beside each other.
    fn chain_of_conditions(&mut self, whole: &Expr) {
        let mut rest = Some(whole);
        while let Some(at) = rest.take() {
            match at {
                Expr::If(e) => {
                    self.conditional(Some(&e.cond), e.if_token.span, &e.then_branch);
                    rest = self.otherwise(e);
                }
                Expr::Block(e) => self.conditional(None, e.block.brace_token.span.open(), &e.block),
                _ => {}
            }
        }
    }

    /// The expression after `else`, if it holds any code.
    fn otherwise<'e>(&self, conditional: &'e ExprIf) -> Option<&'e Expr> {
        let (_, otherwise) = conditional.else_branch.as_ref()?;
        let is_empty = matches!(&**otherwise, Expr::Block(e)
            if self.tokens.shows_nothing(self.positions.inside(e.block.brace_token.span)));
        (!is_empty).then_some(otherwise)
    }

    /// A block that starts at a span, and the condition under which it runs; none for an `else`.
    fn conditional(&mut self, condition: Option<&Expr>, start: Span, block: &Block) {
        let range = ByteRange::new(
            self.positions.start(start),
            self.positions.end(block.brace_token.span.close()),
        );
        self.builder.open(BlockKind::Conditional, range);
        if let Some(condition) = condition {
            self.condition(condition);
        }
        self.builder.body();
        self.block(block);
        self.builder.close(range);
    }

    fn match_arms(&mut self, e: &syn::ExprMatch, whole: &Expr) {
        let mark = self.builder.mark();
        self.value(&e.expr);
        self.builder.settle(mark);
        for arm in &e.arms {
            let start = self.positions.pattern(&arm.pat).start;
            let range = ByteRange::new(start, self.positions.expression_end(&arm.body));
            self.builder.open(BlockKind::Arm, range);
            self.arm_head(&arm.pat);
            self.builder.body();
            self.value(&arm.body);
            self.builder.close(range);
        }
        self.builder.settle(mark);
        let range = self.positions.expression(whole);
        self.builder.hole(range);
    }

    fn arm_head(&mut self, pattern: &Pat) {
        let (pattern, guard) = match pattern {
            Pat::Guard(guarded) => (&*guarded.pat, Some(&guarded.guard)),
            plain => (plain, None),
        };
        self.bind(pattern);
        let mark = self.builder.mark();
        let range = self.positions.pattern(pattern);
        self.builder.operation(mark, OperationKind::Pattern, range);
        if let Some(guard) = guard {
            self.condition(guard);
        }
    }

    pub(crate) fn closure(&mut self, expression: &Expr, kind: BlockKind) {
        let Expr::Closure(closure) = expression else {
            return;
        };
        let whole = self.positions.expression(expression);
        self.builder.open(kind, whole);
        closure.inputs.iter().for_each(|input| self.bind(input));
        if let (Some(first), Some(last)) = (closure.inputs.first(), closure.inputs.last()) {
            let range = ByteRange::new(self.positions.pattern(first).start, self.positions.pattern(last).end);
            let mark = self.builder.mark();
            self.builder.operation(mark, OperationKind::Pattern, range);
        }
        self.builder.body();
        self.value(&closure.body);
        self.builder.close(whole);
    }
}

/// The line of a span, 1-based.
pub(crate) fn line(span: Span) -> u32 {
    u32::try_from(span.start().line).unwrap_or(u32::MAX)
}
