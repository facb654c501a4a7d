//! The tree of a grammar → the functions that can be edited, and the places of possible edits as offsets into the text.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::definitions::{FunctionPartSpans, SeedableDefinition};
use super::edit_sites::{CallForm, SeedableBlock, SeedableCall, SeedableFunction, SeedableItems, SeedableStatement};
use super::uses::NameUses;
use crate::syntax::{LineRange, SourceFile, SyntaxFunction};

/// Code that is nested deeper is not edited.
const DEEPEST: usize = 200;

/// The kinds of a grammar's nodes that say where code can be planted.
pub(crate) struct SiteGrammar {
    /// Bodies of functions, conditionals and loops.
    pub(crate) blocks: &'static [&'static str],
    /// Nodes whose items may stand beside new functions: a file, a namespace.
    pub(crate) scopes: &'static [&'static str],
    pub(crate) conditionals: &'static [&'static str],
    pub(crate) loops: &'static [&'static str],
    pub(crate) calls: &'static [&'static str],
    pub(crate) assignments: &'static [&'static str],
    /// A field of a value, written with it.
    pub(crate) fields: &'static [&'static str],
    /// Values that an expression cannot hold in parentheses.
    pub(crate) bare_values: &'static [&'static str],
    /// Statements before which nothing is planted.
    pub(crate) no_sites: &'static [&'static str],
    /// Functions with one of these in them do not run from their start to their end, or run while compiling.
    pub(crate) refused: &'static [&'static str],
    /// What may leave a function, or what stands around it, before its end.
    pub(crate) leaving: &'static [&'static str],
    /// Functions and types within functions.
    pub(crate) nested: &'static [&'static str],
    /// True if a statement must have a line of its own.
    pub(crate) is_by_lines: bool,
    /// True if a string at the start of a body is its documentation.
    pub(crate) has_docstrings: bool,
}

impl SiteGrammar {
    /// The editable items of a source: those functions of `file` in which the tree has no error.
    pub(crate) fn items(&self, text: &str, tree: &Tree, file: &SourceFile) -> SeedableItems {
        let mut survey = SeedableItems::default();
        let mut waiting = vec![tree.root_node()];
        while let Some(node) = waiting.pop() {
            if node.kind() == "function_definition" {
                self.function(text, node, file, &mut survey);
                continue;
            }
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            waiting.extend(children.into_iter().rev());
        }
        survey
    }

    fn function(&self, text: &str, node: Node<'_>, file: &SourceFile, survey: &mut SeedableItems) {
        let Some(function) = known_function(node, file).filter(|function| !function.test_only) else {
            return;
        };
        let Some(body) = node
            .child_by_field_name("body")
            .filter(|body| is_one_of(*body, self.blocks))
        else {
            return;
        };
        let Some(item) = self.item_of_scope(node).filter(|item| starts_its_line(text, *item)) else {
            return;
        };
        if node.has_error() || self.is_refused(node) {
            return;
        }
        let mut walk = StatementWalk {
            grammar: self,
            text,
            statements: Vec::new(),
            current: None,
            in_head: false,
        };
        walk.block(body, true, 0);
        let name = function.path.last().cloned().unwrap_or_default();
        let copy = walk.statements.first().and_then(|first| {
            let declared = declared_name(node).filter(|declared| text.get(declared.clone()) == Some(name.as_str()))?;
            // A template or a decorated function would lose what stands before it.
            let around = node.parent().map_or("", |around| around.kind());
            let is_whole = !["template_declaration", "decorated_definition"].contains(&around);
            (is_whole && first.is_first).then(|| FunctionPartSpans {
                whole: node.byte_range(),
                visibility: 0..0,
                name: declared,
                body: first.start,
                ahead: item.start_byte(),
                beside: item.end_byte(),
            })
        });
        survey.definitions.push(SeedableDefinition {
            name,
            module: Vec::new(),
            owner: function.owner.clone(),
            passing: None,
            copy,
        });
        survey.hosts.push(SeedableFunction {
            path: function.path.clone(),
            module: Vec::new(),
            owner: function.owner.clone(),
            changes_self: false,
            lines: function.lines,
            beside: item.end_byte(),
            ahead: item.start_byte(),
            statements: walk.statements,
        });
    }

    /// The outermost item around a function that stands beside others of a file or namespace; `None` within a function.
    fn item_of_scope<'t>(&self, function: Node<'t>) -> Option<Node<'t>> {
        let mut item = function;
        loop {
            let around = item.parent()?;
            if is_one_of(around, self.scopes) {
                return Some(item);
            }
            if around.kind() == "function_definition" {
                return None;
            }
            item = around;
        }
    }

    fn is_refused(&self, function: Node<'_>) -> bool {
        holds(function, self.refused, self.nested)
    }
}

/// The number of syntax errors in a tree.
pub(crate) fn errors(tree: &Tree) -> usize {
    let mut count = 0;
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        count += usize::from(node.is_error() || node.is_missing());
        if node.has_error() {
            let mut cursor = node.walk();
            waiting.extend(node.children(&mut cursor));
        }
    }
    count
}

/// Collects statements, and for each the expressions that are evaluated before any block in it.
struct StatementWalk<'g> {
    grammar: &'g SiteGrammar,
    text: &'g str,
    statements: Vec<SeedableStatement>,
    /// The current statement.
    current: Option<usize>,
    /// True in an expression that decides whether or how often a block runs.
    in_head: bool,
}

impl StatementWalk<'_> {
    /// Visits the statements of a block. `runs_once` says that each call of the function comes to its start once.
    fn block(&mut self, block: Node<'_>, runs_once: bool, depth: usize) {
        let outer = (self.current, self.in_head);
        if let Some(statement) = self.current.and_then(|at| self.statements.get_mut(at)) {
            // A block may start on the line below its head.
            let before = LineRange {
                first: statement.lines.first,
                last: line(block.start_position().row).saturating_sub(u32::from(self.grammar.is_by_lines)),
            };
            statement.lines.last = statement.lines.last.min(before.last).max(before.first);
        }
        let mut cursor = block.walk();
        let statements: Vec<Node<'_>> = block.named_children(&mut cursor).collect();
        let mut is_reached_once = runs_once;
        // The last statement of this block that is not a loop.
        let mut once: Option<usize> = None;
        for statement in statements {
            (self.current, self.in_head) = (None, false);
            if self.is_site(statement) {
                let is_loop = is_one_of(statement, self.grammar.loops);
                let at = self.statements.len();
                self.statements.push(SeedableStatement {
                    start: statement.start_byte(),
                    lines: LineRange {
                        first: line(statement.start_position().row),
                        last: line(statement.end_position().row),
                    },
                    reached_with: None,
                    is_first: runs_once && at == 0,
                    is_reached_once,
                    runs_once: is_reached_once && !is_loop,
                    in_closure: false,
                    calls: Vec::new(),
                    conditions: Vec::new(),
                    written: Vec::new(),
                    inner: self.inner(statement, is_loop),
                    uses: NameUses::default(),
                    numbers: Vec::new(),
                });
                self.current = Some(at);
                self.visit(statement, depth + 1);
                if !is_loop {
                    once = Some(at);
                }
                // Known only here: the visit has cut the lines at the first block.
                self.statements[at].reached_with = once.map(|once| self.statements[once].lines);
            }
            is_reached_once &= !holds(statement, self.grammar.leaving, self.grammar.nested);
        }
        (self.current, self.in_head) = outer;
    }

    /// True if code can be planted before a node of a block.
    fn is_site(&self, node: Node<'_>) -> bool {
        let is_docstring = || {
            let first = node.named_child(0);
            self.grammar.has_docstrings
                && node.prev_named_sibling().is_none()
                && first.is_some_and(|first| first.kind() == "string" && first.next_named_sibling().is_none())
        };
        !node.is_extra()
            && !node.kind().starts_with("preproc")
            && !is_one_of(node, self.grammar.no_sites)
            && !is_one_of(node, self.grammar.nested)
            && (!self.grammar.is_by_lines || starts_its_line(self.text, node))
            && !is_docstring()
    }

    /// The block of a conditional or loop, if code can be planted at its start.
    fn inner(&self, statement: Node<'_>, is_loop: bool) -> Option<SeedableBlock> {
        let field = match is_loop {
            true => "body",
            false if is_one_of(statement, self.grammar.conditionals) => "consequence",
            false => return None,
        };
        let block = statement.child_by_field_name(field)?;
        if !is_one_of(block, self.grammar.blocks) {
            return None;
        }
        let mut cursor = block.walk();
        let first = block.named_children(&mut cursor).find(|child| !child.is_extra())?;
        self.is_site(first).then(|| SeedableBlock {
            start: first.start_byte(),
            is_loop,
        })
    }

    fn visit(&mut self, node: Node<'_>, depth: usize) {
        if depth > DEEPEST || is_one_of(node, self.grammar.nested) {
            return;
        }
        if is_one_of(node, self.grammar.blocks) {
            self.block(node, false, depth);
            return;
        }
        let condition = node
            .child_by_field_name("condition")
            .filter(|_| is_one_of(node, self.grammar.conditionals) || is_one_of(node, self.grammar.loops));
        if let Some(condition) = condition {
            self.condition(node, condition);
        } else if is_one_of(node, self.grammar.calls) {
            self.call(node);
        } else if is_one_of(node, self.grammar.assignments) {
            self.assignment(node);
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in children {
            let in_head = self.in_head;
            self.in_head |= Some(child) == condition;
            self.visit(child, depth + 1);
            self.in_head = in_head;
        }
    }

    fn current(&mut self) -> Option<&mut SeedableStatement> {
        self.current.and_then(|at| self.statements.get_mut(at))
    }

    /// The condition of the statement itself: that of a later branch is not always evaluated.
    fn condition(&mut self, node: Node<'_>, condition: Node<'_>) {
        let text = self.text;
        let asked = match condition.kind() {
            "parenthesized_expression" | "condition_clause" => {
                condition.named_child(0).filter(|_| condition.named_child_count() == 1)
            }
            _ => Some(condition),
        };
        // `if constexpr`, and the condition of a `for`, have something else between the keyword and the condition.
        let follows_keyword = text
            .get(node.start_byte()..condition.start_byte())
            .is_some_and(|before| before.chars().all(|letter| letter.is_alphabetic() || letter == ' '))
            && !text[node.start_byte()..condition.start_byte()].contains("constexpr");
        if let Some(asked) = asked
            && follows_keyword
            && !is_one_of(asked, self.grammar.bare_values)
            && let Some(statement) = self.current()
            && statement.start == node.start_byte()
        {
            statement.conditions.push(asked.byte_range());
        }
    }

    fn call(&mut self, node: Node<'_>) {
        let Some(callee) = node.child_by_field_name("function") else {
            return;
        };
        let (name, form) = match callee.kind() {
            "identifier" => (callee, CallForm::Free),
            _ if is_one_of(callee, self.grammar.fields) => {
                let of_self = ["object", "argument"].into_iter().any(|field| {
                    let object = callee.child_by_field_name(field);
                    object.is_some_and(|object| ["self", "this"].contains(&&self.text[object.byte_range()]))
                });
                match ["attribute", "field"]
                    .into_iter()
                    .find_map(|field| callee.child_by_field_name(field))
                {
                    Some(name) if of_self => (name, CallForm::OnSelf),
                    _ => return,
                }
            }
            _ => return,
        };
        let call = SeedableCall {
            name: self.text[name.byte_range()].to_owned(),
            at: name.byte_range(),
            callee: callee.byte_range(),
            form,
            in_head: self.in_head,
            arguments: None,
        };
        if let Some(statement) = self.current() {
            statement.calls.push(call);
        }
    }

    fn assignment(&mut self, node: Node<'_>) {
        let [Some(left), Some(right)] = ["left", "right"].map(|side| node.child_by_field_name(side)) else {
            return;
        };
        let is_plain = self.text[left.end_byte()..right.start_byte()].trim() == "=";
        if !is_plain || !is_one_of(left, self.grammar.fields) || is_one_of(right, self.grammar.bare_values) {
            return;
        }
        let name = ["attribute", "field"]
            .into_iter()
            .find_map(|field| left.child_by_field_name(field));
        let name = name.map_or("", |name| &self.text[name.byte_range()]).to_owned();
        if let Some(statement) = self.current() {
            statement.written.push((name, right.byte_range()));
        }
    }
}

/// The function of the model that a node is: the innermost one that ends with it.
fn known_function<'f>(node: Node<'_>, file: &'f SourceFile) -> Option<&'f SyntaxFunction> {
    let (first, last) = (line(node.start_position().row), line(node.end_position().row));
    let functions = file.functions.iter().map(AsRef::as_ref);
    let ends_here = |function: &&SyntaxFunction| function.lines.last == last && function.lines.first <= first;
    functions.filter(ends_here).max_by_key(|function| function.lines.first)
}

/// The place of a function's name in its declaration; `None` for a method that is declared elsewhere.
fn declared_name(function: Node<'_>) -> Option<Range<usize>> {
    let mut at = function;
    while let Some(inner) = at.child_by_field_name("declarator") {
        at = inner;
    }
    let is_elsewhere = at.kind() == "qualified_identifier";
    let name = at.child_by_field_name("name").unwrap_or(at);
    (name != function && !is_elsewhere).then(|| name.byte_range())
}

/// True if a node of one of these kinds is in a node, outside of `nested` nodes.
fn holds(node: Node<'_>, kinds: &[&str], nested: &[&str]) -> bool {
    let mut waiting = vec![node];
    while let Some(inside) = waiting.pop() {
        if is_one_of(inside, kinds) {
            return true;
        }
        let mut cursor = inside.walk();
        waiting.extend(inside.children(&mut cursor).filter(|child| !is_one_of(*child, nested)));
    }
    false
}

fn is_one_of(node: Node<'_>, kinds: &[&str]) -> bool {
    kinds.contains(&node.kind())
}

fn starts_its_line(text: &str, node: Node<'_>) -> bool {
    let before = &text[..node.start_byte()];
    before
        .chars()
        .rev()
        .take_while(|&letter| letter != '\n')
        .all(char::is_whitespace)
}

fn line(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}
