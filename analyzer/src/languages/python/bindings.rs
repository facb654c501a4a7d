//! A statement of a Python source → the names that it binds when it is executed, if it does nothing else.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::is_standard_module;
use super::loading::{PlacedNode, StatedTypes, interpolates, loading_text};
use super::own_names::{BUILT_IN_CALLS, Scope};

/// Decorators that keep what they are given, or wrap it, and tell nobody of it.
const SILENT_DECORATORS: [&str; 18] = [
    "abc.abstractmethod",
    "abstractmethod",
    "cache",
    "classmethod",
    "contextlib.contextmanager",
    "contextmanager",
    "final",
    "functools.cache",
    "functools.lru_cache",
    "lru_cache",
    "overload",
    "override",
    "property",
    "staticmethod",
    "typing.final",
    "typing.overload",
    "typing.override",
    "typing_extensions.override",
];

/// Functions of the language's modules that do no more than [`BUILT_IN_CALLS`].
const SILENT_CALLS: [&str; 19] = [
    "Counter",
    "Decimal",
    "Fraction",
    "MappingProxyType",
    "NewType",
    "OrderedDict",
    "ParamSpec",
    "TypeVar",
    "TypeVarTuple",
    "attrgetter",
    "defaultdict",
    "deque",
    "itemgetter",
    "namedtuple",
    "partial",
    "random.Random",
    "struct.Struct",
    "sys.getrecursionlimit",
    "threading.Lock",
];

/// Modules of the language of which the same holds for every function, but for those in [`CALLING_BACK`].
const SILENT_MODULES: [&str; 12] = [
    "collections",
    "datetime",
    "decimal",
    "fractions",
    "functools",
    "itertools",
    "math",
    "operator",
    "re",
    "string",
    "types",
    "typing",
];

/// Functions of these modules that call or change what they are given.
const CALLING_BACK: [&str; 4] = ["call", "new_class", "reduce", "update_wrapper"];

/// Methods of texts and of bytes that make others.
const METHODS_OF_TEXTS: [&str; 12] = [
    "decode",
    "encode",
    "format",
    "join",
    "lower",
    "lstrip",
    "maketrans",
    "replace",
    "rstrip",
    "split",
    "strip",
    "upper",
];

/// Attributes that tell people, and tools, of a function or class.
pub(super) const TELLING: [&str; 4] = ["__doc__", "__module__", "__name__", "__qualname__"];

/// Names that a statement binds, and the modules that it loads.
#[derive(Debug, Clone, Default)]
pub(super) struct Bindings {
    pub(super) names: Vec<String>,
    pub(super) modules: Vec<String>,
    /// The names that it takes from modules, each after its module.
    pub(super) taken: Vec<(String, String)>,
    /// A definition of one name that is compared with another definition of it, and followed to the code that asks for it: what
    /// that comparison leaves out. `None` for all other statements.
    pub(super) beside_comparison: Option<String>,
}

impl Bindings {
    /// Those of one name.
    pub(super) fn of(name: String) -> Self {
        Self {
            names: vec![name],
            ..Self::default()
        }
    }

    /// The modules that may be of the project.
    pub(super) fn modules_with_code(&self) -> Vec<&str> {
        let modules = self.modules.iter().map(String::as_str);
        modules.filter(|module| !is_standard_module(module)).collect()
    }
}

/// The names that a statement binds; `None` if it may do more. A class binds its name alone only if its head says so.
pub(super) fn bindings(definition: Node<'_>, decorators: &[Node<'_>], scope: Scope<'_>) -> Option<Bindings> {
    match definition.kind() {
        "pass_statement" => Some(Bindings::default()),
        "function_definition" => of_function(definition, decorators, scope),
        "expression_statement" => of_assignment(definition, scope),
        "if_statement" | "try_statement" => of_branches(definition, scope),
        _ => None,
    }
}

fn of_function(function: Node<'_>, decorators: &[Node<'_>], scope: Scope<'_>) -> Option<Bindings> {
    let source = scope.source;
    let mut found = Bindings::of(text_of(function.child_by_field_name("name")?, source)?);
    let is_silent = |decorator: &Node<'_>| {
        decorator_name(*decorator, source).is_some_and(|name| scope.is_one_of(&SILENT_DECORATORS, name))
    };
    if !decorators.iter().all(is_silent) {
        return None;
    }
    // Comparing two functions reads their parameters, and neither the defaults nor what stands before the name.
    let is_plain = function.child(0).is_some_and(|first| first.kind() == "def");
    let mut beside = String::from(if is_plain { "def" } else { "async def" });
    for decorator in decorators {
        beside.push_str(&loading_text(PlacedNode::alone(*decorator), source, StatedTypes::Kept)?);
    }
    let parameters = function.child_by_field_name("parameters")?;
    let mut cursor = parameters.walk();
    for parameter in parameters.named_children(&mut cursor) {
        if let Some(default) = parameter.child_by_field_name("value") {
            if !is_silent_value(default, scope) {
                return None;
            }
            beside.push_str(&text_of(parameter.child_by_field_name("name")?, source)?);
            beside.push_str(&loading_text(PlacedNode::alone(default), source, StatedTypes::Kept)?);
        }
        let stated = parameter.child_by_field_name("type");
        if !stated.is_none_or(|stated| is_silent_value(stated, scope)) {
            return None;
        }
    }
    let result = function.child_by_field_name("return_type");
    found.beside_comparison = Some(beside);
    result
        .is_none_or(|stated| is_silent_value(stated, scope))
        .then_some(found)
}

fn of_assignment(statement: Node<'_>, scope: Scope<'_>) -> Option<Bindings> {
    let source = scope.source;
    let mut assignment = statement.named_child(0).filter(|child| child.kind() == "assignment")?;
    if statement.named_child_count() != 1 {
        return None;
    }
    let mut found = Bindings::default();
    let mut tells = false;
    // `a = b = 1` gives the value to each of them.
    let value = loop {
        let left = assignment.child_by_field_name("left")?;
        let told = left.child_by_field_name("attribute");
        let told = told.filter(|told| {
            source
                .get(told.byte_range())
                .is_some_and(|told| TELLING.contains(&told))
        });
        tells |= told.is_some();
        let name = told.or((left.kind() == "identifier").then_some(left))?;
        found.names.push(text_of(name, source)?);
        let stated = assignment.child_by_field_name("type");
        if !stated.is_none_or(|stated| is_silent_value(stated, scope)) {
            return None;
        }
        match assignment.child_by_field_name("right") {
            Some(next) if next.kind() == "assignment" => assignment = next,
            value => break value,
        }
    };
    // A statement of a type alone binds nothing.
    let Some(value) = value else {
        return Some(Bindings::default());
    };
    found.beside_comparison = (!tells && found.names.len() == 1).then(String::new);
    is_silent_value(value, scope).then_some(found)
}

/// The names of a statement that executes some of its blocks: they may be bound or not.
fn of_branches(statement: Node<'_>, scope: Scope<'_>) -> Option<Bindings> {
    let source = scope.source;
    let mut found = Bindings::default();
    let mut open = vec![statement];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let inner = match child.kind() {
                "comment" => continue,
                "block" | "elif_clause" | "else_clause" | "except_clause" | "finally_clause" => {
                    open.push(child);
                    continue;
                }
                _ if node.kind() != "block" => match is_silent_value(child, scope) {
                    true => continue,
                    false => return None,
                },
                "import_statement" | "import_from_statement" => of_import(child, source)?,
                _ => {
                    let (definition, decorators) = definition_of(child);
                    bindings(definition, &decorators, scope)?
                }
            };
            found.names.extend(inner.names);
            found.modules.extend(inner.modules);
            found.taken.extend(inner.taken);
        }
    }
    Some(found)
}

fn of_import(statement: Node<'_>, source: &str) -> Option<Bindings> {
    let mut found = Bindings::default();
    for import in imports(statement, source)? {
        let import = import.bindings();
        found.names.extend(import.names);
        found.modules.extend(import.modules);
        found.taken.extend(import.taken);
    }
    Some(found)
}

/// A function or class, and its decorators.
pub(super) fn definition_of(statement: Node<'_>) -> (Node<'_>, Vec<Node<'_>>) {
    let definition = (statement.kind() == "decorated_definition")
        .then(|| statement.child_by_field_name("definition"))
        .flatten();
    let Some(definition) = definition else {
        return (statement, Vec::new());
    };
    let mut cursor = statement.walk();
    let decorators = statement.named_children(&mut cursor);
    (
        definition,
        decorators.filter(|child| child.kind() == "decorator").collect(),
    )
}

/// The name of a decorator, without what it is given.
pub(super) fn decorator_name<'s>(decorator: Node<'_>, source: &'s str) -> Option<&'s str> {
    let value = decorator.named_child(0)?;
    let function = match value.kind() {
        "call" => value.child_by_field_name("function")?,
        _ => value,
    };
    source.get(function.byte_range())
}

/// A name that a statement imports.
pub(super) struct ImportedName {
    /// The statement with this name alone.
    pub(super) text: String,
    module: String,
    /// The name of the module that is taken; `None` where the module itself is.
    taken: Option<String>,
    /// The name that it has from then on.
    name: String,
}

impl ImportedName {
    /// The names that the statement with this name alone binds.
    pub(super) fn bindings(self) -> Bindings {
        Bindings {
            taken: (self.taken.map(|taken| (self.module.clone(), taken)))
                .into_iter()
                .collect(),
            modules: vec![self.module],
            ..Bindings::of(self.name)
        }
    }
}

/// The names that a statement imports; `None` for another statement, and for one that imports all names of a module.
pub(super) fn imports(statement: Node<'_>, source: &str) -> Option<Vec<ImportedName>> {
    let text = |node: Node<'_>| text_of(node, source);
    let from = statement.child_by_field_name("module_name");
    if !matches!(statement.kind(), "import_statement" | "import_from_statement") {
        return None;
    }
    let mut cursor = statement.walk();
    let listed = statement.named_children(&mut cursor);
    let listed = listed.filter(|child| Some(*child) != from && child.kind() != "comment");
    listed
        .map(|imported| {
            let (target, alias) = match imported.kind() {
                "dotted_name" => (text(imported)?, None),
                "aliased_import" => (
                    text(imported.child_by_field_name("name")?)?,
                    Some(text(imported.child_by_field_name("alias")?)?),
                ),
                _ => return None,
            };
            let of_target = || target.split('.').next().map(str::to_owned);
            let name = alias.clone().or_else(of_target)?;
            let module = from.map_or_else(|| Some(target.clone()), text)?;
            let whole = format!(
                "{} import {target} as {}",
                from.and_then(text).unwrap_or_default(),
                alias.unwrap_or_default()
            );
            Some(ImportedName {
                text: whole,
                module,
                taken: from.map(|_| target),
                name,
            })
        })
        .collect()
}

/// True for a value that is made without running code of the project.
fn is_silent_value(value: Node<'_>, scope: Scope<'_>) -> bool {
    let mut open = vec![value];
    while let Some(node) = open.pop() {
        match node.kind() {
            "call" if !is_silent_call(node, scope) => return false,
            "lambda" => continue,
            "await" | "yield" | "named_expression" | "list_splat" | "dictionary_splat" | "ERROR" => return false,
            _ => {}
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    true
}

fn is_silent_call(call: Node<'_>, scope: Scope<'_>) -> bool {
    let Some(function) = call.child_by_field_name("function") else {
        return false;
    };
    let text = |node: Node<'_>| scope.source.get(node.byte_range()).unwrap_or_default();
    if [&BUILT_IN_CALLS[..], &SILENT_CALLS]
        .iter()
        .any(|known| scope.is_one_of(known, text(function)))
    {
        return true;
    }
    if text(function) == "getattr" {
        return takes_from_standard_module(call, scope);
    }
    let (Some(object), Some(name)) = (
        function.child_by_field_name("object"),
        function.child_by_field_name("attribute"),
    ) else {
        return false;
    };
    match object.kind() {
        "identifier" => scope.is_one_of(&SILENT_MODULES, text(object)) && !CALLING_BACK.contains(&text(name)),
        "string" | "concatenated_string" => METHODS_OF_TEXTS.contains(&text(name)),
        _ => false,
    }
}

/// True for `getattr(math, 'prod', ...)`: what is taken is the module's, or the default.
fn takes_from_standard_module(call: Node<'_>, scope: Scope<'_>) -> bool {
    let arguments = call.child_by_field_name("arguments");
    let argument = |at| arguments.and_then(|arguments| arguments.named_child(at));
    let (Some(module), Some(name)) = (argument(0), argument(1)) else {
        return false;
    };
    let module = scope.source.get(module.byte_range()).unwrap_or_default();
    name.kind() == "string"
        && !interpolates(name)
        && is_standard_module(module)
        && scope.is_one_of(&[module], module)
        && scope.is_one_of(&["getattr"], "getattr")
}

/// The names of the language and of the project that a text to compare ([`loading_text`]) asks for.
pub(super) fn words_of(loading_text: &str) -> BTreeSet<&str> {
    let mut words = BTreeSet::new();
    let mut rest = loading_text;
    while let Some(end) = rest.find([super::loading::START, super::loading::END]) {
        let (word, sign) = rest.split_at(end);
        // Kinds of nodes end with the other sign.
        if sign.starts_with(super::loading::END) && !word.is_empty() {
            words.insert(word);
        }
        rest = sign.get(1..).unwrap_or_default();
    }
    words
}

fn text_of(node: Node<'_>, source: &str) -> Option<String> {
    source.get(node.byte_range()).map(str::to_owned)
}
