//! The body of one function → its regions, its calls, the closures in it, and where their probes stand.

use std::collections::{HashMap, HashSet};

use profile::probes::{FunctionIndex, How, Region, RegionIndex, Site};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Item, Local, Pat, Signature, Stmt};

use super::edits::Piece;
use super::file::{Probing, joined, line};
use crate::syntax::rust::chain;
use crate::syntax::rust::names::{is_capitalised, last_segment, pattern_name, type_name};

/// Methods by which benchmark frameworks take the routine to be measured; it is their last closure.
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

/// One function or closure being probed.
pub(super) struct Body<'b, 'f> {
    pub(super) file: &'b mut Probing<'f>,
    function: FunctionIndex,
    path: Vec<String>,
    pub(super) owner: Option<String>,
    /// What is evaluated now belongs to it.
    region: RegionIndex,
    /// Above 0 inside a macro's arguments, where nothing can be put in.
    silent: u32,
    /// Above 0 where it is not known how often something runs.
    unsure: u32,
    /// Every name bound so far.
    pub(super) locals: HashSet<String>,
    pub(super) hints: HashMap<String, String>,
    /// The `?` at the end of a statement, after which nothing comes.
    last_try: Option<(u32, u32)>,
    routine_next: bool,
    items: Vec<Item>,
}

/// What stands at the beginning of a body.
enum Entry<'a> {
    Function(FunctionIndex, &'a How),
    Branch,
}

impl<'b, 'f> Body<'b, 'f> {
    pub(super) fn new(
        file: &'b mut Probing<'f>,
        function: FunctionIndex,
        path: Vec<String>,
        owner: Option<String>,
    ) -> Self {
        Self {
            file,
            function,
            path,
            owner,
            region: 0,
            silent: 0,
            unsure: 0,
            locals: HashSet::new(),
            hints: HashMap::new(),
            last_try: None,
            routine_next: false,
            items: Vec::new(),
        }
    }

    /// Probes a function's body; gives the items in it.
    pub(super) fn function(mut self, signature: &Signature, block: &Block, how: &How) -> Vec<Item> {
        for argument in &signature.inputs {
            if let syn::FnArg::Typed(typed) = argument {
                self.bind(&typed.pat);
                self.hint(pattern_name(&typed.pat), type_name(&typed.ty));
            }
        }
        let head = line(signature.fn_token.span);
        self.block(block, &Entry::Function(self.function, how), &[(head, 1)]);
        self.items
    }

    fn new_region(&mut self, parent: RegionIndex) -> RegionIndex {
        let regions = &mut self.file.table.regions;
        let index = u32::try_from(regions.len()).unwrap_or(u32::MAX);
        regions.push(Region {
            function: self.function,
            parent: Some(parent).filter(|parent| *parent > 0),
            ..Region::default()
        });
        index
    }

    fn work(&mut self, line: u32, operations: u32) {
        let lines = &mut self.file.table.regions[self.region as usize].lines;
        match lines.binary_search_by_key(&line, |(line, _)| *line) {
            Ok(at) => lines[at].1 = lines[at].1.saturating_add(operations),
            Err(at) => lines.insert(at, (line, operations)),
        }
    }

    fn site(&mut self, site: Site) {
        self.work(site.line, site.operations);
        if self.unsure == 0 {
            self.file.table.regions[self.region as usize]
                .sites
                .push(site);
        }
    }

    /// A block that runs or does not: its first region begins at its beginning.
    fn block(&mut self, block: &Block, entry: &Entry<'_>, head: &[(u32, u32)]) {
        if self.silent > 0 {
            self.unsure += 1;
            self.statements(block, true);
            self.unsure -= 1;
            return;
        }
        let outer = self.region;
        let parent = if matches!(entry, Entry::Function(..)) {
            0
        } else {
            outer
        };
        self.region = self.new_region(parent);
        for (line, operations) in head {
            self.work(*line, *operations);
        }
        let at = match block.stmts.first() {
            Some(first) => self.file.positions.start(first.span()),
            None => self.file.positions.start(block.brace_token.span.close()),
        };
        let mut pieces: Vec<Piece> = enter(entry).into_iter().collect();
        pieces.extend([Piece::Count(self.region), Piece::Text(";")]);
        self.file.edits.before(at, &pieces);
        self.statements(block, true);
        self.region = outer;
    }

    /// An expression that runs or does not, in the place of a block.
    fn branch(&mut self, body: &Expr, entry: &Entry<'_>, head: &[(u32, u32)]) {
        match body {
            Expr::Block(inner) if inner.label.is_none() && inner.attrs.is_empty() => {
                self.block(&inner.block, entry, head);
            }
            _ if self.silent > 0 => {
                self.unsure += 1;
                self.visit_expr(body);
                self.unsure -= 1;
            }
            _ => {
                let outer = self.region;
                let parent = if matches!(entry, Entry::Function(..)) {
                    0
                } else {
                    outer
                };
                self.region = self.new_region(parent);
                for (line, operations) in head {
                    self.work(*line, *operations);
                }
                let (start, end) = self.ends(body);
                let (open, close) = if begins_as_statement(body) {
                    (";(", ")}")
                } else {
                    (";", "}")
                };
                let mut pieces = vec![Piece::Text("{")];
                pieces.extend(enter(entry));
                pieces.extend([Piece::Count(self.region), Piece::Text(open)]);
                self.file.edits.before(start, &pieces);
                self.last_try = Some((start, end));
                self.visit_expr(body);
                self.file.edits.after(end, &[Piece::Text(close)]);
                self.region = outer;
            }
        }
    }

    fn ends(&self, expression: &Expr) -> (u32, u32) {
        let range = self.file.positions.expression(expression);
        (range.start, range.end)
    }

    /// The statements of a block; `counted` if the region at hand begins with the first.
    fn statements(&mut self, block: &Block, counted: bool) {
        let mut counted = counted || self.silent > 0;
        for statement in &block.stmts {
            if let Stmt::Item(item) = statement {
                if self.silent == 0 {
                    self.items.push(item.clone());
                }
                continue;
            }
            let start = self.file.positions.start(statement.span());
            let conditions = self.file.conditions(start);
            if self.silent == 0 && (!counted || !conditions.is_empty()) {
                self.region = self.new_region(self.region);
                // Left out with its statement: nothing may follow what then is the block's value.
                let mut pieces: Vec<Piece> = conditions.clone();
                pieces.extend([Piece::Count(self.region), Piece::Text(";")]);
                self.file.edits.before(start, &pieces);
            }
            self.statement(statement);
            counted = self.silent > 0 || !(may_leave(statement) || !conditions.is_empty());
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        let region = self.region;
        let before = self.file.table.regions[region as usize].operations();
        let at = match statement {
            Stmt::Local(local) => line(local.let_token.span),
            Stmt::Macro(invocation) => invocation
                .mac
                .path
                .segments
                .first()
                .map_or(1, |segment| line(segment.ident.span())),
            Stmt::Expr(expression, _) => self.line_of(expression),
            Stmt::Item(_) => return,
        };
        self.last_try = self.try_at_the_end(statement);
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Macro(invocation) => self.visit_macro(&invocation.mac),
            Stmt::Expr(expression, _) => self.visit_expr(expression),
            Stmt::Item(_) => {}
        }
        if self.region == region && self.file.table.regions[region as usize].operations() == before
        {
            self.work(at, 1);
        }
    }

    fn try_at_the_end(&self, statement: &Stmt) -> Option<(u32, u32)> {
        let mut at = match statement {
            Stmt::Local(local) => &*local.init.as_ref()?.expr,
            Stmt::Expr(expression, _) => expression,
            _ => return None,
        };
        loop {
            at = match at {
                Expr::Return(inner) => inner.expr.as_deref()?,
                Expr::Paren(inner) => &inner.expr,
                Expr::Call(call) if call.args.len() == 1 => match &*call.func {
                    Expr::Path(path) if is_capitalised(&last_segment(&path.path)) => &call.args[0],
                    _ => return None,
                },
                Expr::Try(_) => return Some(self.ends(at)),
                _ => return None,
            };
        }
    }

    fn local(&mut self, local: &Local) {
        let start = line(local.let_token.span);
        self.work(start, 0);
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.work(start, 1);
                self.branch(otherwise, &Entry::Branch, &[]);
            }
        }
        self.bind(&local.pat);
        let shown = match (&local.pat, &local.init) {
            (Pat::Type(typed), _) => type_name(&typed.ty),
            (_, Some(init)) => chain::shown_type(&init.expr),
            _ => String::new(),
        };
        self.hint(pattern_name(&local.pat), shown);
    }

    fn bind(&mut self, pattern: &Pat) {
        struct Names<'n>(&'n mut HashSet<String>);
        impl<'ast> Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
                self.0.insert(name.ident.to_string());
                visit::visit_pat_ident(self, name);
            }
            fn visit_expr(&mut self, _: &'ast Expr) {}
        }
        Names(&mut self.locals).visit_pat(pattern);
    }

    fn hint(&mut self, name: String, shown: String) {
        if !name.is_empty() && !shown.is_empty() {
            self.hints.insert(name, shown);
        }
    }

    fn line_of(&self, expression: &Expr) -> u32 {
        self.file.positions.line(self.ends(expression).0)
    }

    /// A condition, or a scrutinee, with a region of its own.
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
        self.work(at, 1);
        let pieces = [
            Piece::Text("("),
            Piece::Count(self.region),
            Piece::Text(","),
        ];
        self.file.edits.before(start, &pieces);
        self.visit_expr(expression);
        self.file.edits.after(end, &[Piece::Text(").1")]);
    }

    /// The right side of `&&` or `||`: a region if there is something in it to be counted.
    fn lazy(&mut self, right: &Expr) {
        if chain::holds_nodes(right) {
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
            How::Frameless
        } else {
            How::Whole
        };
        let path = joined(&self.path, "{closure}".to_owned());
        let index = self.file.enlist(&path, at, how.clone(), routine);
        let outer = (
            std::mem::replace(&mut self.path, path),
            std::mem::replace(&mut self.function, index),
            self.region,
            self.last_try.take(),
        );
        self.branch(&closure.body, &Entry::Function(index, &how), &[(at, 1)]);
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
            let at = self
                .file
                .positions
                .line(self.file.positions.pattern(pattern).start);
            if let Some(guard) = guard {
                self.condition(guard);
                if self.region != outer {
                    self.work(at, 0);
                }
            }
            self.branch(&arm.body, &Entry::Branch, &[(at, 1)]);
        }
        self.region = outer;
    }

    fn conditional(&mut self, conditional: &syn::ExprIf) {
        let outer = self.region;
        self.block(&conditional.then_branch, &Entry::Branch, &[]);
        self.region = outer;
        match conditional
            .else_branch
            .as_ref()
            .map(|(_, otherwise)| &**otherwise)
        {
            Some(Expr::If(next)) => {
                self.condition(&next.cond);
                self.work(line(next.if_token.span), 1);
                self.conditional(next);
            }
            Some(otherwise) => self.branch(otherwise, &Entry::Branch, &[]),
            None => {}
        }
        self.region = outer;
    }
}

fn enter(entry: &Entry<'_>) -> Option<Piece> {
    match entry {
        Entry::Function(index, How::Whole) => Some(Piece::Enter(*index)),
        Entry::Function(index, How::Frameless) => Some(Piece::EnterFrameless(*index)),
        Entry::Function(_, How::Not(_)) | Entry::Branch => None,
    }
}

/// True if an expression begins with a block but goes on after it: as a statement it would end there.
fn begins_as_statement(expression: &Expr) -> bool {
    let mut at = expression;
    loop {
        at = match at {
            Expr::Assign(e) => &e.left,
            Expr::Await(e) => &e.base,
            Expr::Binary(e) => &e.left,
            Expr::Call(e) => &e.func,
            Expr::Cast(e) => &e.expr,
            Expr::Field(e) => &e.base,
            Expr::Index(e) => &e.expr,
            Expr::MethodCall(e) => &e.receiver,
            Expr::Range(e) if let Some(start) = &e.start => start,
            Expr::Try(e) => &e.expr,
            _ => break,
        };
    }
    let is_block = matches!(
        at,
        Expr::Block(_)
            | Expr::If(_)
            | Expr::Match(_)
            | Expr::Loop(_)
            | Expr::While(_)
            | Expr::ForLoop(_)
            | Expr::Unsafe(_)
            | Expr::TryBlock(_)
            | Expr::Async(_)
            | Expr::Const(_)
            | Expr::Macro(_)
    );
    is_block && !std::ptr::eq(at, expression)
}

/// True if what follows a statement may run less often than it, or if calls in it must be told from later ones.
fn may_leave(statement: &Stmt) -> bool {
    match statement {
        Stmt::Local(local) => local
            .init
            .as_ref()
            .is_some_and(|init| init.diverge.is_some() || chain::holds_nodes(&init.expr)),
        Stmt::Expr(expression, _) => chain::holds_nodes(expression),
        Stmt::Macro(_) => true,
        Stmt::Item(_) => false,
    }
}

/// True for expressions that make a value: it may be moved. A place must stay where it is.
fn is_value(expression: &Expr) -> bool {
    match expression {
        Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Try(_)
        | Expr::Await(_)
        | Expr::Binary(_)
        | Expr::Tuple(_)
        | Expr::Struct(_)
        | Expr::Cast(_) => true,
        Expr::Reference(inner) => is_value(&inner.expr),
        Expr::Paren(inner) => is_value(&inner.expr),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Body<'_, '_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        let at = self.line_of(expression);
        self.work(at, 0);
        match expression {
            Expr::Closure(closure) => self.closure(closure, expression),
            Expr::Const(_) => {}
            Expr::Async(block) => {
                let outer = self.region;
                self.block(&block.block, &Entry::Branch, &[]);
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
                self.work(at, 1);
                let evaluated = self.region;
                self.conditional(conditional);
                self.region = evaluated.max(outer);
            }
            Expr::Match(e) => {
                self.visit_expr(&e.expr);
                self.work(at, 1);
                self.arms(&e.arms);
            }
            Expr::While(e) => {
                let outer = self.region;
                self.condition(&e.cond);
                self.work(at, 1);
                self.block(&e.body, &Entry::Branch, &[]);
                self.region = outer;
            }
            Expr::ForLoop(e) => {
                self.visit_expr(&e.expr);
                self.bind(&e.pat);
                let into = self.implied("into_iter", at);
                self.site(into);
                let outer = self.region;
                // The round's own region holds the call of `next` that a loop makes.
                self.block(&e.body, &Entry::Branch, &[(at, 1)]);
                self.region = outer;
                let next = self.implied("next", at);
                self.site(Site {
                    operations: 0,
                    ..next
                });
            }
            Expr::Loop(e) => self.block(&e.body, &Entry::Branch, &[(at, 1)]),
            Expr::Binary(e) if matches!(e.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                self.visit_expr(&e.left);
                self.lazy(&e.right);
                self.work(at, 1);
            }
            Expr::Let(test) => {
                self.visit_expr(&test.expr);
                self.bind(&test.pat);
                self.work(at, 1);
            }
            Expr::Try(e) => {
                let ends = self.ends(expression);
                let goes_on = self.silent == 0 && self.last_try != Some(ends);
                if goes_on {
                    self.file.edits.before(ends.0, &[Piece::Text("(")]);
                }
                self.visit_expr(&e.expr);
                self.work(at, 1);
                if goes_on {
                    self.region = self.new_region(self.region);
                    self.work(at, 0);
                    let pieces = [
                        Piece::Text(","),
                        Piece::Count(self.region),
                        Piece::Text(").0"),
                    ];
                    self.file.edits.after(ends.1, &pieces);
                }
            }
            Expr::Call(e) => self.call(e),
            Expr::MethodCall(e) => self.method_call(e),
            Expr::Repeat(e) => {
                self.visit_expr(&e.expr);
                self.work(at, 1);
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
                self.work(at, 1);
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

impl Body<'_, '_> {
    /// `{ … }`, `unsafe { … }`: its statements simply run.
    fn inline(&mut self, block: &Block) {
        let outer = self.region;
        self.statements(block, false);
        // What comes after runs as often as what came before, unless something left.
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
            return self.work(at, 1);
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
            let closures = e
                .args
                .iter()
                .any(|argument| matches!(argument, Expr::Closure(_)));
            self.file
                .table
                .routines
                .extend(routine.filter(|_| !closures));
        }
        self.arguments(e.args.iter(), takes_routine);
        let site = self.method_site(&e.receiver, &name, line(e.method.span()));
        self.site(site);
    }

    fn arguments<'e>(
        &mut self,
        arguments: impl Iterator<Item = &'e Expr> + Clone,
        takes_routine: bool,
    ) {
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
        use crate::syntax::rust::language::WORDS;
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
                    // `name = value` names an argument.
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
}
