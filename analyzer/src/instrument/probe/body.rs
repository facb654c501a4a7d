//! The body of one function → its regions: blocks and statements here, expressions in [`super::expression`].

use hashbrown::{HashMap, HashSet};

use profile::probes::{ProbeCallSite, ProbeFunctionIndex, ProbeMode, ProbeRegion, ProbeRegionIndex};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Item, Local, Pat, Signature, Stmt};

use super::file::{FileInstrumenter, line};
use super::insertions::ProbeFragment;
use super::placement::{begins_as_statement, may_leave};
use crate::languages::rust::method_chain;
use crate::languages::rust::syn_names::{is_capitalised, last_segment, pattern_name, type_name};

/// A function or closure that is being probed.
pub(super) struct FunctionInstrumenter<'b, 'f> {
    pub(super) file: &'b mut FileInstrumenter<'f>,
    pub(super) function: ProbeFunctionIndex,
    pub(super) path: Vec<String>,
    pub(super) owner: Option<String>,
    /// The region of the code that is visited.
    pub(super) region: ProbeRegionIndex,
    /// Above 0 inside a macro's arguments, where nothing can be inserted.
    pub(super) silent: u32,
    /// Above 0 where the number of executions is not known.
    pub(super) unsure: u32,
    /// Every name that is bound so far.
    pub(super) locals: HashSet<String>,
    pub(super) hints: HashMap<String, String>,
    /// The `?` at the end of a statement, with no code after it.
    pub(super) last_try: Option<(u32, u32)>,
    pub(super) routine_next: bool,
    items: Vec<Item>,
}

/// The code at the beginning of a body.
pub(super) enum ProbeBodyEntry<'a> {
    Function(ProbeFunctionIndex, &'a ProbeMode),
    Branch,
}

impl<'b, 'f> FunctionInstrumenter<'b, 'f> {
    pub(super) fn new(
        file: &'b mut FileInstrumenter<'f>,
        function: ProbeFunctionIndex,
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

    /// Probes a function's body; returns the items in it.
    pub(super) fn function(mut self, signature: &Signature, block: &Block, how: &ProbeMode) -> Vec<Item> {
        for argument in &signature.inputs {
            if let syn::FnArg::Typed(typed) = argument {
                self.bind(&typed.pat);
                self.hint(pattern_name(&typed.pat), type_name(&typed.ty));
            }
        }
        let head = line(signature.fn_token.span);
        self.block(block, &ProbeBodyEntry::Function(self.function, how), &[(head, 1)]);
        self.items
    }

    pub(super) fn new_region(&mut self, parent: ProbeRegionIndex) -> ProbeRegionIndex {
        let regions = &mut self.file.table.regions;
        let index = u32::try_from(regions.len()).unwrap_or(u32::MAX);
        regions.push(ProbeRegion {
            function: self.function,
            parent: Some(parent).filter(|parent| *parent > 0),
            ..ProbeRegion::default()
        });
        index
    }

    pub(super) fn add_operations(&mut self, line: u32, operations: u32) {
        let lines = &mut self.file.table.regions[self.region as usize].lines;
        match lines.binary_search_by_key(&line, |(line, _)| *line) {
            Ok(at) => lines[at].1 = lines[at].1.saturating_add(operations),
            Err(at) => lines.insert(at, (line, operations)),
        }
    }

    pub(super) fn site(&mut self, site: ProbeCallSite) {
        self.add_operations(site.line, site.operations);
        if self.unsure == 0 {
            self.file.table.regions[self.region as usize].sites.push(site);
        }
    }

    /// Begins the region of a body with the cost of its head; returns the enclosing region, to continue there later.
    fn begin_region(&mut self, entry: &ProbeBodyEntry<'_>, head: &[(u32, u32)]) -> u32 {
        let outer = self.region;
        let parent = if matches!(entry, ProbeBodyEntry::Function(..)) {
            0
        } else {
            outer
        };
        self.region = self.new_region(parent);
        for (line, operations) in head {
            self.add_operations(*line, *operations);
        }
        outer
    }

    /// A block that may not run: its first region begins at its start.
    pub(super) fn block(&mut self, block: &Block, entry: &ProbeBodyEntry<'_>, head: &[(u32, u32)]) {
        if self.silent > 0 {
            self.unsure += 1;
            self.statements(block, true);
            self.unsure -= 1;
            return;
        }
        let outer = self.begin_region(entry, head);
        let at = match block.stmts.first() {
            Some(first) => self.file.positions.start(first.span()),
            None => self.file.positions.start(block.brace_token.span.close()),
        };
        let mut pieces: Vec<ProbeFragment> = enter(entry).into_iter().collect();
        pieces.extend([ProbeFragment::Count(self.region), ProbeFragment::Text(";")]);
        self.file.edits.before(at, &pieces);
        self.statements(block, true);
        self.region = outer;
    }

    /// An expression that may not run and takes the place of a block.
    pub(super) fn branch(&mut self, body: &Expr, entry: &ProbeBodyEntry<'_>, head: &[(u32, u32)]) {
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
                let outer = self.begin_region(entry, head);
                let (start, end) = self.ends(body);
                let (open, close) = if begins_as_statement(body) {
                    (";(", ")}")
                } else {
                    (";", "}")
                };
                let mut pieces = vec![ProbeFragment::Text("{")];
                pieces.extend(enter(entry));
                pieces.extend([ProbeFragment::Count(self.region), ProbeFragment::Text(open)]);
                self.file.edits.before(start, &pieces);
                self.last_try = Some((start, end));
                self.visit_expr(body);
                self.file.edits.after(end, &[ProbeFragment::Text(close)]);
                self.region = outer;
            }
        }
    }

    pub(super) fn ends(&self, expression: &Expr) -> (u32, u32) {
        let range = self.file.positions.expression(expression);
        (range.start, range.end)
    }

    /// The statements of a block; `counted` if the current region begins with the first.
    pub(super) fn statements(&mut self, block: &Block, counted: bool) {
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
                // The probe is compiled out together with its statement: no code may follow an expression that then is
                // the block's value.
                let mut pieces: Vec<ProbeFragment> = conditions.clone();
                pieces.extend([ProbeFragment::Count(self.region), ProbeFragment::Text(";")]);
                self.file.edits.before(start, &pieces);
            }
            self.statement(statement);
            counted = self.silent > 0 || (!may_leave(statement) && conditions.is_empty());
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
        if self.region == region && self.file.table.regions[region as usize].operations() == before {
            self.add_operations(at, 1);
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
        self.add_operations(start, 0);
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.add_operations(start, 1);
                self.branch(otherwise, &ProbeBodyEntry::Branch, &[]);
            }
        }
        self.bind(&local.pat);
        let shown = match (&local.pat, &local.init) {
            (Pat::Type(typed), _) => type_name(&typed.ty),
            (_, Some(init)) => method_chain::shown_type(&init.expr),
            _ => String::new(),
        };
        self.hint(pattern_name(&local.pat), shown);
    }

    pub(super) fn bind(&mut self, pattern: &Pat) {
        struct BoundNameCollector<'n>(&'n mut HashSet<String>);
        impl<'ast> Visit<'ast> for BoundNameCollector<'_> {
            fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
                self.0.insert(name.ident.to_string());
                visit::visit_pat_ident(self, name);
            }
            fn visit_expr(&mut self, _: &'ast Expr) {}
        }
        BoundNameCollector(&mut self.locals).visit_pat(pattern);
    }

    pub(super) fn hint(&mut self, name: String, shown: String) {
        if !name.is_empty() && !shown.is_empty() {
            self.hints.insert(name, shown);
        }
    }

    pub(super) fn line_of(&self, expression: &Expr) -> u32 {
        self.file.positions.line(self.ends(expression).0)
    }
}

fn enter(entry: &ProbeBodyEntry<'_>) -> Option<ProbeFragment> {
    match entry {
        ProbeBodyEntry::Function(index, ProbeMode::Whole) => Some(ProbeFragment::Enter(*index)),
        ProbeBodyEntry::Function(index, ProbeMode::Frameless) => Some(ProbeFragment::EnterFrameless(*index)),
        ProbeBodyEntry::Function(_, ProbeMode::Not(_)) | ProbeBodyEntry::Branch => None,
    }
}
