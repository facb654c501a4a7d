//! A Python source → the statements that importing it executes, with the names that each of them binds if it does nothing else.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::GRAMMAR;
use super::loading::{PlacedNode, StatedTypes, is_about_the_module, is_documentation, loading_text};
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::parse_tree;

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

/// Decorators of which the same holds for a class.
const SILENT_CLASS_DECORATORS: [&str; 7] = [
    "dataclass",
    "dataclasses.dataclass",
    "enum.unique",
    "final",
    "functools.total_ordering",
    "total_ordering",
    "typing.final",
];

/// Classes of the language that ask a class made from them for no name but its own special ones.
const SILENT_BASES: [&str; 16] = [
    "ABC",
    "AttributeError",
    "Exception",
    "Generic",
    "IndexError",
    "KeyError",
    "LookupError",
    "NotImplementedError",
    "OSError",
    "Protocol",
    "RuntimeError",
    "TypeError",
    "ValueError",
    "abc.ABC",
    "object",
    "typing.Generic",
];

/// Classes of the language that look through a class made from them, and tell nobody of it.
const LOOKING_BASES: [&str; 12] = [
    "Enum",
    "Flag",
    "IntEnum",
    "IntFlag",
    "NamedTuple",
    "StrEnum",
    "TypedDict",
    "enum.Enum",
    "enum.IntEnum",
    "namedtuple",
    "typing.NamedTuple",
    "typing.TypedDict",
];

/// Functions that make a value of what they are given, and do nothing else.
const SILENT_CALLS: [&str; 9] = [
    "TypeVar",
    "dict",
    "frozenset",
    "object",
    "range",
    "re.compile",
    "set",
    "tuple",
    "typing.TypeVar",
];

/// Names that a statement binds, and the modules that it loads.
#[derive(Debug, Clone, Default)]
pub(super) struct Bindings {
    pub(super) names: Vec<String>,
    pub(super) modules: Vec<String>,
}

/// A statement that importing executes.
pub(super) struct LoadedStatement {
    /// Without the stated types of parameters and results.
    pub(super) text: String,
    pub(super) with_types: String,
    /// The classes around it, outermost first.
    pub(super) classes: Vec<String>,
    /// True if those classes ask for no name that is made up of others.
    pub(super) is_of_silent_classes: bool,
    /// `None` if it may do more than to bind names.
    pub(super) binds: Option<Bindings>,
}

/// The statements of a source.
pub(super) struct SourceStatements {
    pub(super) list: Vec<LoadedStatement>,
    /// The names for those who take all; `None` if these are all that do not begin with an underscore.
    pub(super) exported: Option<BTreeSet<String>>,
    /// Every class: those around it and its own name.
    pub(super) classes: BTreeSet<Vec<String>>,
}

impl SourceStatements {
    /// `None` for a source with syntax errors, and for one that makes up the names for those who take all.
    pub(super) fn of(source: &str) -> Option<Self> {
        let tree = parse_tree(&GRAMMAR, source, &ParseLimits::default())?;
        let mut read = Self {
            list: Vec::new(),
            exported: None,
            classes: BTreeSet::new(),
        };
        let mut silent_classes = BTreeSet::new();
        let mut open = vec![(PlacedNode::alone(tree.root_node()), Vec::new(), true)];
        while let Some((block, classes, is_silent)) = open.pop() {
            let mut cursor = block.node.walk();
            for statement in block.node.named_children(&mut cursor) {
                let placed = block.child(statement);
                if statement.kind() == "comment" || is_documentation(placed) || is_about_the_module(placed, source) {
                    continue;
                }
                if classes.is_empty()
                    && let Some(names) = exported_names(statement, source)
                {
                    // A second list may add to the first one, or take its place.
                    if read.exported.replace(names?).is_some() {
                        return None;
                    }
                    continue;
                }
                let (definition, decorators) = definition_of(statement);
                if definition.kind() == "class_definition" {
                    let head = class_head(definition, &decorators, &silent_classes, source)?;
                    let mut within = classes.clone();
                    within.push(head.name.clone());
                    read.classes.insert(within.clone());
                    let is_silent_class = is_silent && head.is_silent;
                    if is_silent_class && classes.is_empty() {
                        silent_classes.insert(head.name.clone());
                    }
                    read.list.push(LoadedStatement {
                        text: head.text.clone(),
                        with_types: head.text,
                        classes: classes.clone(),
                        is_of_silent_classes: is_silent,
                        binds: head.binds_alone.then(|| Bindings {
                            names: vec![head.name],
                            modules: Vec::new(),
                        }),
                    });
                    let body = PlacedNode::alone(definition).child(definition.child_by_field_name("body")?);
                    open.push((body, within, is_silent_class));
                    continue;
                }
                if let Some(imports) = imports(statement, source) {
                    let alone = imports.into_iter().map(|import| LoadedStatement {
                        text: import.text.clone(),
                        with_types: import.text,
                        classes: classes.clone(),
                        is_of_silent_classes: is_silent,
                        binds: Some(Bindings {
                            names: vec![import.name],
                            modules: vec![import.module],
                        }),
                    });
                    read.list.extend(alone);
                    continue;
                }
                read.list.push(LoadedStatement {
                    text: loading_text(placed, source, StatedTypes::LeftOut)?,
                    with_types: loading_text(placed, source, StatedTypes::Kept)?,
                    classes: classes.clone(),
                    is_of_silent_classes: is_silent,
                    binds: bindings(definition, &decorators, source),
                });
            }
        }
        Some(read)
    }
}

/// A function or class, and its decorators.
fn definition_of(statement: Node<'_>) -> (Node<'_>, Vec<Node<'_>>) {
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

struct ClassHead {
    name: String,
    text: String,
    /// True if making the class calls nothing but what the language does for every class.
    binds_alone: bool,
    is_silent: bool,
}

/// `known` are the silent classes before it.
fn class_head(class: Node<'_>, decorators: &[Node<'_>], known: &BTreeSet<String>, source: &str) -> Option<ClassHead> {
    let text_of = |node: Node<'_>| source.get(node.byte_range());
    let name = text_of(class.child_by_field_name("name")?)?.to_owned();
    // No text of another statement begins so.
    let mut text = format!("class {name}");
    for decorator in decorators {
        text.push_str(&loading_text(PlacedNode::alone(*decorator), source, StatedTypes::Kept)?);
    }
    let mut bases = Vec::new();
    if let Some(arguments) = class.child_by_field_name("superclasses") {
        text.push_str(&loading_text(PlacedNode::alone(arguments), source, StatedTypes::Kept)?);
        let mut cursor = arguments.walk();
        bases = (arguments.named_children(&mut cursor))
            .filter(|base| base.kind() != "comment")
            .collect();
    }
    let parameters = class.child_by_field_name("type_parameters");
    if let Some(parameters) = parameters {
        text.push_str(text_of(parameters)?);
    }
    let base_name = |base: &Node<'_>| {
        let base = match base.kind() {
            "subscript" => base.child_by_field_name("value").unwrap_or(*base),
            _ => *base,
        };
        text_of(base).unwrap_or_default()
    };
    let is_silent_base = |base: &Node<'_>| SILENT_BASES.contains(&base_name(base)) || known.contains(base_name(base));
    let tells_nobody = |base: &Node<'_>| is_silent_base(base) || LOOKING_BASES.contains(&base_name(base));
    let is_silent_decorator = |decorator: &Node<'_>| {
        decorator_name(*decorator, source).is_some_and(|name| SILENT_CLASS_DECORATORS.contains(&name))
    };
    Some(ClassHead {
        name,
        text,
        binds_alone: decorators.iter().all(is_silent_decorator) && bases.iter().all(tells_nobody),
        is_silent: decorators.is_empty() && bases.iter().all(is_silent_base),
    })
}

/// The name of a decorator, without what it is given.
fn decorator_name<'s>(decorator: Node<'_>, source: &'s str) -> Option<&'s str> {
    let value = decorator.named_child(0)?;
    let function = match value.kind() {
        "call" => value.child_by_field_name("function")?,
        _ => value,
    };
    source.get(function.byte_range())
}

/// A name that a statement imports.
struct ImportedName {
    /// The statement with this name alone.
    text: String,
    module: String,
    name: String,
}

/// The names that a statement imports; `None` for another statement, and for one that imports all names of a module.
fn imports(statement: Node<'_>, source: &str) -> Option<Vec<ImportedName>> {
    let text = |node: Node<'_>| source.get(node.byte_range()).map(str::to_owned);
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
            // It changes what the source means.
            if module == "__future__" {
                return None;
            }
            let whole = format!(
                "{} import {target} as {}",
                from.and_then(text).unwrap_or_default(),
                alias.unwrap_or_default()
            );
            Some(ImportedName {
                text: whole,
                module,
                name,
            })
        })
        .collect()
}

/// The names that a statement binds; `None` if it may do more.
fn bindings(statement: Node<'_>, decorators: &[Node<'_>], source: &str) -> Option<Bindings> {
    let text = |node: Node<'_>| source.get(node.byte_range()).map(str::to_owned);
    let mut found = Bindings::default();
    match statement.kind() {
        "pass_statement" => {}
        "function_definition" => {
            found.names.push(text(statement.child_by_field_name("name")?)?);
            let is_silent = |decorator: &Node<'_>| {
                decorator_name(*decorator, source).is_some_and(|name| SILENT_DECORATORS.contains(&name))
            };
            let parameters = statement.child_by_field_name("parameters")?;
            let mut cursor = parameters.walk();
            let defaults =
                (parameters.named_children(&mut cursor)).filter_map(|each| each.child_by_field_name("value"));
            let is_plain = defaults.into_iter().all(|value| is_silent_value(value, source));
            let mut cursor = parameters.walk();
            let mut types = (parameters.named_children(&mut cursor))
                .filter_map(|each| each.child_by_field_name("type"))
                .chain(statement.child_by_field_name("return_type"));
            let is_plain = is_plain && types.all(|stated| is_silent_value(stated, source));
            if !is_plain || !decorators.iter().all(is_silent) {
                return None;
            }
        }
        "expression_statement" if statement.named_child_count() == 1 => {
            let assignment = statement.named_child(0).filter(|child| child.kind() == "assignment")?;
            let name = assignment
                .child_by_field_name("left")
                .filter(|left| left.kind() == "identifier")?;
            let is_silent = |field: &str| {
                let part = assignment.child_by_field_name(field);
                part.is_none_or(|part| is_silent_value(part, source))
            };
            if !is_silent("right") || !is_silent("type") {
                return None;
            }
            // A statement of a type alone binds nothing.
            if assignment.child_by_field_name("right").is_some() {
                found.names.push(text(name)?);
            }
        }
        _ => return None,
    }
    Some(found)
}

/// True for a value that is made without running code of the project.
fn is_silent_value(value: Node<'_>, source: &str) -> bool {
    let is_silent_call = |call: Node<'_>| {
        let function = call.child_by_field_name("function");
        let name = function.and_then(|function| source.get(function.byte_range()));
        name.is_some_and(|name| SILENT_CALLS.contains(&name))
    };
    let mut open = vec![value];
    while let Some(node) = open.pop() {
        match node.kind() {
            "call" if !is_silent_call(node) => return false,
            "lambda" => continue,
            "await"
            | "yield"
            | "named_expression"
            | "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression"
            | "list_splat"
            | "dictionary_splat"
            | "ERROR" => {
                return false;
            }
            _ => {}
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    true
}

/// The names of a statement that lists those for who takes all; `Some(None)` if they are not written there. `None` for another
/// statement.
fn exported_names(statement: Node<'_>, source: &str) -> Option<Option<BTreeSet<String>>> {
    let text = |node: Node<'_>| source.get(node.byte_range());
    let assignment = statement
        .named_child(0)
        .filter(|_| statement.kind() == "expression_statement")?;
    let left = assignment.child_by_field_name("left")?;
    if text(left)? != "__all__" {
        return None;
    }
    let names = || {
        let list = assignment.child_by_field_name("right")?;
        if assignment.kind() != "assignment" || !matches!(list.kind(), "list" | "tuple") {
            return None;
        }
        let mut cursor = list.walk();
        let items = list.named_children(&mut cursor).filter(|item| item.kind() != "comment");
        items
            .map(|item| {
                let content =
                    (item.kind() == "string" && item.named_child_count() == 3).then(|| item.named_child(1))??;
                (content.kind() == "string_content").then(|| text(content).map(str::to_owned))?
            })
            .collect()
    };
    Some(names())
}
