//! Expressions → operations, calls, and the regions that begin inside a statement: conditions, lazy operands, the code
//! after a `?`, arms, closures.

use profile::probes::{ProbeCallSite, ProbeMode};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Item, Pat};

use super::body::{FunctionInstrumenter, ProbeBodyEntry};
use super::file::{line, path_with};
use super::insertions::ProbeFragment;
use super::placement::is_value;
use crate::languages::rust::language::WORDS;
use crate::languages::rust::method_chain;
use crate::languages::rust::syn_names::{is_capitalised, last_segment};

/// Methods by which benchmark frameworks take the measured routine; it is their last closure.
const ROUTINE_METHODS: [&str; 12] = [
    "bench",
    "bench_local",
    "bench_local_refs",
    "bench_local_values",
    "bench_refs",
    "bench_values",
    "iter",
    "iter_batched",
    "iter_batched_ref",
    "iter_custom",
    "iter_with_large_drop",
    "iter_with_setup",
];

impl<'ast> Visit<'ast> for FunctionInstrumenter<'_, '_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        let at = self.line_of(expression);
        self.add_operations(at, 0);
        match expression {
            Expr::Closure(closure) => self.closure(closure, expression),
            Expr::Const(_) => {}
            Expr::Async(block) => {
                let outer = self.region;
                self.block(&block.block, &ProbeBodyEntry::Branch, &[]);
                self.region = outer;
            }
            Expr::Block(block) => self.inline(&block.block),
            Expr::Unsafe(block) => self.inline(&block.block),
            Expr::TryBlock(block) => self.inline(&block.block),
            Expr::If(conditional) => {
                let outer = self.region;
                match &*conditional.cond {
                    Expr::Let(test) => {
                        self.visit_expr(&test.expr);
                        self.bind(&test.pat);
                    }
                    plain => self.visit_expr(plain),
                }
                self.add_operations(at, 1);
                let evaluated = self.region;
                self.conditional(conditional);
                self.region = evaluated.max(outer);
            }
            Expr::Match(e) => {
                self.visit_expr(&e.expr);
                self.add_operations(at, 1);
                self.arms(&e.arms);
            }
            Expr::While(e) => {
                let outer = self.region;
                self.condition(&e.cond);
                self.add_operations(at, 1);
                self.block(&e.body, &ProbeBodyEntry::Branch, &[]);
                self.region = outer;
            }
            Expr::ForLoop(e) => {
                self.visit_expr(&e.expr);
                self.bind(&e.pat);
                let into = self.implied("into_iter", at);
                self.site(into);
                let outer = self.region;
                // The region of a round holds the loop's call of `next`.
                let round = self.file.table.regions.len();
                self.block(&e.body, &ProbeBodyEntry::Branch, &[(at, 1)]);
                let begins = e.body.stmts.first().map(|first| line(first.span()));
                if begins.is_some_and(|begins| begins > at)
                    && let Some(round) = self.file.table.regions.get_mut(round)
                {
                    round.head = Some(at);
                }
                self.region = outer;
                let next = self.implied("next", at);
                self.site(ProbeCallSite { operations: 0, ..next });
            }
            Expr::Loop(e) => self.block(&e.body, &ProbeBodyEntry::Branch, &[(at, 1)]),
            Expr::Binary(e) if matches!(e.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                self.visit_expr(&e.left);
                self.lazy(&e.right);
                self.add_operations(at, 1);
            }
            Expr::Let(test) => {
                self.visit_expr(&test.expr);
                self.bind(&test.pat);
                self.add_operations(at, 1);
            }
            Expr::Try(e) => {
                let ends = self.ends(expression);
                let goes_on = self.silent == 0 && self.last_try != Some(ends);
                if goes_on {
                    self.file.edits.before(ends.0, &[ProbeFragment::Text("(")]);
                }
                self.visit_expr(&e.expr);
                self.add_operations(at, 1);
                if goes_on {
                    self.region = self.new_region(self.region);
                    self.add_operations(at, 0);
                    let pieces = [
                        ProbeFragment::Text(","),
                        ProbeFragment::Count(self.region),
                        ProbeFragment::Text(").0"),
                    ];
                    self.file.edits.after(ends.1, &pieces);
                }
            }
            Expr::Call(e) => self.call(e),
            Expr::MethodCall(e) => self.method_call(e),
            Expr::Repeat(e) => {
                self.visit_expr(&e.expr);
                self.add_operations(at, 1);
            }
            Expr::Array(_)
            | Expr::Assign(_)
            | Expr::Await(_)
            | Expr::Binary(_)
            | Expr::Break(_)
            | Expr::Cast(_)
            | Expr::Continue(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Range(_)
            | Expr::Return(_)
            | Expr::Struct(_)
            | Expr::Unary(_)
            | Expr::Yield(_) => {
                visit::visit_expr(self, expression);
                self.add_operations(at, 1);
            }
            _ => visit::visit_expr(self, expression),
        }
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.macro_call(invocation);
    }

    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
}

impl FunctionInstrumenter<'_, '_> {
    /// `{ … }`, `unsafe { … }`: its statements always run.
    fn inline(&mut self, block: &Block) {
        let outer = self.region;
        self.statements(block, false);
        // The code after it runs as often as the code before, unless control left.
        self.region = outer;
    }

    fn call(&mut self, e: &syn::ExprCall) {
        let Expr::Path(path) = &*e.func else {
            self.visit_expr(&e.func);
            self.arguments(e.args.iter(), false);
            let site = self.implied("", self.line_of(&e.func));
            return self.site(site);
        };
        self.arguments(e.args.iter(), false);
        let at = path
            .path
            .segments
            .last()
            .map_or(1, |segment| line(segment.ident.span()));
        if is_capitalised(&last_segment(&path.path)) {
            return self.add_operations(at, 1);
        }
        let site = self.path_site(path, at);
        self.site(site);
    }

    fn method_call(&mut self, e: &syn::ExprMethodCall) {
        self.visit_expr(&e.receiver);
        let name = e.method.to_string();
        let takes_routine = ROUTINE_METHODS.contains(&name.as_str());
        if takes_routine {
            let routine = e.args.iter().find_map(|argument| match argument {
                Expr::Path(path) => Some(last_segment(&path.path)),
                _ => None,
            });
            let closures = e.args.iter().any(|argument| matches!(argument, Expr::Closure(_)));
            self.file.table.routines.extend(routine.filter(|_| !closures));
        }
        self.arguments(e.args.iter(), takes_routine);
        let site = self.method_site(&e.receiver, &name, line(e.method.span()));
        self.site(site);
    }

    fn arguments<'e>(&mut self, arguments: impl Iterator<Item = &'e Expr> + Clone, takes_routine: bool) {
        let closures = arguments
            .clone()
            .filter(|argument| matches!(argument, Expr::Closure(_)))
            .count();
        let mut seen = 0;
        for argument in arguments {
            if matches!(argument, Expr::Closure(_)) {
                seen += 1;
                self.routine_next = takes_routine && seen == closures;
            }
            self.visit_expr(argument);
            self.routine_next = false;
        }
    }

    fn macro_call(&mut self, invocation: &syn::Macro) {
        let name = last_segment(&invocation.path);
        if WORDS.constant_macros.contains(&name) {
            return;
        }
        let at = invocation
            .path
            .segments
            .last()
            .map_or(1, |segment| line(segment.ident.span()));
        if !WORDS.opaque_macros.contains(&name) {
            self.silent += 1;
            let parse = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
            let arguments = syn::parse::Parser::parse2(parse, invocation.tokens.clone());
            for argument in arguments.iter().flatten() {
                match argument {
                    // `name = value` is a named argument.
                    Expr::Assign(named) if matches!(&*named.left, Expr::Path(_)) => {
                        self.visit_expr(&named.right);
                    }
                    other => self.visit_expr(other),
                }
            }
            self.silent -= 1;
        }
        let site = self.macro_site(&name, at);
        self.site(site);
    }

    /// A condition, or a scrutinee, with its own region.
    fn condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Binary(both) if matches!(both.op, syn::BinOp::And(_)) => {
                self.condition(&both.left);
                self.lazy(&both.right);
            }
            Expr::Let(test) if is_value(&test.expr) => {
                self.wrapped(&test.expr);
                self.bind(&test.pat);
            }
            Expr::Let(test) => {
                self.visit_expr(&test.expr);
                self.bind(&test.pat);
            }
            other => self.wrapped(other),
        }
    }

    /// Counts just before an expression is evaluated. A pair keeps its temporaries alive as long as before.
    fn wrapped(&mut self, expression: &Expr) {
        if self.silent > 0 {
            self.unsure += 1;
            self.visit_expr(expression);
            self.unsure -= 1;
            return;
        }
        let (start, end) = self.ends(expression);
        self.region = self.new_region(self.region);
        let at = self.file.positions.line(start);
        self.add_operations(at, 1);
        let pieces = [
            ProbeFragment::Text("("),
            ProbeFragment::Count(self.region),
            ProbeFragment::Text(","),
        ];
        self.file.edits.before(start, &pieces);
        self.visit_expr(expression);
        self.file.edits.after(end, &[ProbeFragment::Text(").1")]);
    }

    /// The right side of `&&` or `||`: a region if it contains something to count.
    fn lazy(&mut self, right: &Expr) {
        if method_chain::holds_nodes(right) {
            let outer = self.region;
            self.condition(right);
            self.region = outer;
        } else {
            self.visit_expr(right);
        }
    }

    fn closure(&mut self, closure: &syn::ExprClosure, whole: &Expr) {
        let routine = std::mem::take(&mut self.routine_next);
        for input in &closure.inputs {
            self.bind(input);
        }
        if self.silent > 0 {
            self.unsure += 1;
            self.visit_expr(&closure.body);
            self.unsure -= 1;
            return;
        }
        if closure.constness.is_some() {
            return;
        }
        let at = self.line_of(whole);
        let how = if closure.asyncness.is_some() {
            ProbeMode::Frameless
        } else {
            ProbeMode::Whole
        };
        let path = path_with(&self.path, "{closure}".to_owned());
        let index = self.file.add_function(&path, at, how.clone(), routine);
        let outer = (
            std::mem::replace(&mut self.path, path),
            std::mem::replace(&mut self.function, index),
            self.region,
            self.last_try.take(),
        );
        self.branch(&closure.body, &ProbeBodyEntry::Function(index, &how), &[(at, 1)]);
        (self.path, self.function, self.region, self.last_try) = outer;
    }

    fn arms(&mut self, arms: &[syn::Arm]) {
        let outer = self.region;
        for arm in arms {
            self.region = outer;
            let (pattern, guard) = match &arm.pat {
                Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                plain => (plain, None),
            };
            self.bind(pattern);
            let at = self.file.positions.line(self.file.positions.pattern(pattern).start);
            if let Some(guard) = guard {
                self.condition(guard);
                if self.region != outer {
                    self.add_operations(at, 0);
                }
            }
            self.branch(&arm.body, &ProbeBodyEntry::Branch, &[(at, 1)]);
        }
        self.region = outer;
    }

    fn conditional(&mut self, conditional: &syn::ExprIf) {
        let outer = self.region;
        self.block(&conditional.then_branch, &ProbeBodyEntry::Branch, &[]);
        self.region = outer;
        match conditional.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
            Some(Expr::If(next)) => {
                self.condition(&next.cond);
                self.add_operations(line(next.if_token.span), 1);
                self.conditional(next);
            }
            Some(otherwise) => self.branch(otherwise, &ProbeBodyEntry::Branch, &[]),
            None => {}
        }
        self.region = outer;
    }
}
