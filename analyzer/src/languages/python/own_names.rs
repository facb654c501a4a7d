//! A Python source → the names of the language that it binds to something of its own: `list` after `from .tools import list`.
//!
//! Where a name is the project's, nothing is known of it that is known of the function or class of the language.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::is_standard_module;
use crate::languages::{ImportedClass, submodule};

/// Functions and classes that are there without an import, make a value of what they are given, and do nothing else.
pub(super) const BUILT_IN_CALLS: [&str; 24] = [
    "bool",
    "bytearray",
    "bytes",
    "chr",
    "classmethod",
    "complex",
    "dict",
    "enumerate",
    "float",
    "frozenset",
    "int",
    "len",
    "list",
    "object",
    "ord",
    "property",
    "range",
    "reversed",
    "set",
    "slice",
    "staticmethod",
    "str",
    "tuple",
    "zip",
];

/// Classes of errors that are there without an import.
pub(super) const BUILT_IN_ERRORS: [&str; 10] = [
    "AttributeError",
    "Exception",
    "IndexError",
    "KeyError",
    "LookupError",
    "NotImplementedError",
    "OSError",
    "RuntimeError",
    "TypeError",
    "ValueError",
];

/// The names that a source binds, each with the classes around it, and where it has others from.
#[derive(Debug, Default)]
pub(super) struct OwnNames {
    own: BTreeMap<Vec<String>, BTreeSet<String>>,
    of_language: BTreeSet<String>,
    /// Those that come from other modules, with what each stands for.
    imported: BTreeMap<String, Imported>,
    takes_all: bool,
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) source: &'s str,
    pub(super) own: &'s OwnNames,
    /// The classes around it, outermost first.
    pub(super) classes: &'s [String],
}

impl Scope<'_> {
    /// True for a name, or a part of a module, that is one of these and that only the language binds.
    pub(super) fn is_one_of(&self, known: &[&str], path: &str) -> bool {
        let name = path.split('.').next().unwrap_or(path);
        known.contains(&path) && !self.own.may_stand_for_another(name, self.classes)
    }
}

/// The meaning of an imported name.
#[derive(Debug, Clone)]
enum Imported {
    Module(String),
    /// A name of a module.
    Part(ImportedClass),
}

impl Scope<'_> {
    /// The class that a path stands for, if an import of something else than the language's modules binds the start of it.
    pub(super) fn imported_class(&self, path: &str) -> Option<ImportedClass> {
        let (first, rest) = path
            .split_once('.')
            .map_or((path, None), |(first, rest)| (first, Some(rest)));
        let module = match (self.own.imported.get(first)?, rest) {
            (Imported::Part(class), None) => return Some(class.clone()),
            (Imported::Module(_), None) => return None,
            (Imported::Part(ImportedClass { module, name }), Some(_)) => submodule(module, name),
            (Imported::Module(module), Some(_)) => module.clone(),
        };
        let mut parts = rest?.split('.');
        let name = parts.next_back()?.to_owned();
        Some(ImportedClass {
            module: parts.fold(module, |module, part| submodule(&module, part)),
            name,
        })
    }
}

impl OwnNames {
    /// Those of a source, without the ones that functions bind when they are called.
    pub(super) fn of(root: Node<'_>, source: &str) -> Self {
        let mut found = Self::default();
        let mut open = vec![(root, Vec::new())];
        while let Some((node, classes)) = open.pop() {
            let field = |field: &str| node.child_by_field_name(field);
            let mut own = BTreeSet::new();
            let mut within = classes.clone();
            match node.kind() {
                "import_statement" | "import_from_statement" => found.add_imported(node, source, &mut own),
                "function_definition" => own.extend(field("name").and_then(|name| text_of(name, source))),
                "class_definition" => {
                    let name = field("name").and_then(|name| text_of(name, source));
                    within.extend(name.clone());
                    own.extend(name);
                }
                "assignment" | "for_statement" => own.extend(field("left").into_iter().flat_map(words(source))),
                "named_expression" => own.extend(field("name").into_iter().flat_map(words(source))),
                "as_pattern_target" => own.extend(words(source)(node)),
                _ => {}
            }
            if !own.is_empty() {
                found.own.entry(classes).or_default().extend(own);
            }
            if !matches!(
                node.kind(),
                "import_statement" | "import_from_statement" | "function_definition" | "lambda"
            ) {
                let mut cursor = node.walk();
                open.extend(node.named_children(&mut cursor).map(|child| (child, within.clone())));
            }
        }
        found
    }

    fn add_imported(&mut self, import: Node<'_>, source: &str, own: &mut BTreeSet<String>) {
        let text = |node: Node<'_>| text_of(node, source).unwrap_or_default();
        let from = import.child_by_field_name("module_name");
        let mut cursor = import.walk();
        for imported in import.named_children(&mut cursor).filter(|child| Some(*child) != from) {
            let path = imported.child_by_field_name("name").unwrap_or(imported);
            let is_of_language = is_of_language(&text(from.unwrap_or(path)));
            if imported.kind() == "wildcard_import" {
                self.takes_all |= !is_of_language;
                continue;
            }
            let name = text(imported.child_by_field_name("alias").unwrap_or(path));
            let name = name.split('.').next().unwrap_or_default().to_owned();
            match is_of_language {
                true => self.of_language.insert(name),
                false => {
                    let target = text(path);
                    let is_first_part = imported.kind() != "aliased_import" && from.is_none();
                    let meaning = match from {
                        Some(module) => Imported::Part(ImportedClass {
                            module: text(module),
                            name: target,
                        }),
                        None => Imported::Module(if is_first_part { name.clone() } else { target }),
                    };
                    self.imported.insert(name.clone(), meaning);
                    own.insert(name)
                }
            };
        }
    }

    /// True if a name of the language may be the project's own in these classes.
    fn may_stand_for_another(&self, name: &str, classes: &[String]) -> bool {
        let is_own = |classes: &[String]| self.own.get(classes).is_some_and(|own| own.contains(name));
        let is_built_in = BUILT_IN_CALLS.contains(&name) || BUILT_IN_ERRORS.contains(&name);
        let may_be_taken = self.takes_all && !is_built_in && !self.of_language.contains(name);
        is_own(&[]) || is_own(classes) || may_be_taken
    }
}

/// The module of the newer types has what `typing` has.
fn is_of_language(module: &str) -> bool {
    is_standard_module(module) || module == "typing_extensions"
}

/// The names below a part of a statement that is bound.
fn words<'t>(source: &str) -> impl Fn(Node<'t>) -> Vec<String> {
    move |bound| {
        let mut found = Vec::new();
        let mut open = vec![bound];
        while let Some(node) = open.pop() {
            match node.kind() {
                "identifier" => found.extend(text_of(node, source)),
                // They are asked for.
                "attribute" | "subscript" => continue,
                _ => {}
            }
            let mut cursor = node.walk();
            open.extend(node.named_children(&mut cursor));
        }
        found
    }
}

fn text_of(node: Node<'_>, source: &str) -> Option<String> {
    source.get(node.byte_range()).map(str::to_owned)
}
