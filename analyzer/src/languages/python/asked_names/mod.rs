//! A Python source → the names that its code may ask for when it runs.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::bindings::TELLING;
use super::loaded_statements::SourceStatements;
use super::loading::{PlacedNode, interpolates};
use super::{GRAMMAR, is_standard_module};
use crate::languages::AskedNames;
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::parse_tree;

/// Words of code that lists the names of any module or class, that runs texts, or whose classes hear of those made from them.
const DYNAMIC: [&str; 15] = [
    "__dict__",
    "__globals__",
    "__init_subclass__",
    "__subclasses__",
    "dir",
    "eval",
    "exec",
    "get_referrers",
    "getmembers",
    "getsource",
    "iter_modules",
    "modules",
    "run_module",
    "vars",
    "walk_packages",
];

/// Those of them that run texts.
const RUNS_TEXTS: [&str; 3] = ["eval", "exec", "run_module"];

/// Methods that make a value of what was typed, with nothing in it but the options of a command.
const PARSING_ARGUMENTS: [&str; 2] = ["parse_args", "parse_intermixed_args"];

/// Functions that list the names of the module that calls them.
const LISTING_OWN: [&str; 2] = ["globals", "locals"];

/// Those of them that list names of something else where a function calls them.
const LISTING_AROUND: [&str; 1] = ["locals"];

/// Functions that are given names as texts, and the first argument that is one.
const BY_NAME: [(&str, u32); 8] = [
    ("__import__", 0),
    ("attrgetter", 0),
    ("delattr", 1),
    ("getattr", 1),
    ("hasattr", 1),
    ("import_module", 0),
    ("methodcaller", 0),
    ("setattr", 1),
];

/// Those of them of which a sample records what they are given.
const RECORDED: [&str; 5] = ["delattr", "getattr", "hasattr", "import_module", "setattr"];

/// Those of them that ask what they are given first.
const ASKING_ITS_FIRST: [&str; 4] = ["delattr", "getattr", "hasattr", "setattr"];

/// Values and classes, as they are written: no modules.
const VALUES: [&str; 8] = [
    "self",
    "cls",
    "type(self)",
    "self.__class__",
    "str",
    "bytes",
    "int",
    "list",
];

/// The first of these arguments that may be a name of which only the start stands there: of an attribute, and not of a module.
const OF_ATTRIBUTE: u32 = 1;

/// Words of code that lists folders.
const LISTING: [&str; 11] = [
    "contents",
    "fwalk",
    "glob",
    "iglob",
    "iter_modules",
    "iterdir",
    "listdir",
    "rglob",
    "scandir",
    "walk",
    "walk_packages",
];

/// Words of code that reads the names that functions and classes are defined by.
pub(super) const NAMES_OF_DEFINITIONS: [&str; 2] = ["__name__", "__qualname__"];

/// Words of code that reads documentation.
pub(super) const DOCUMENTATION: [&str; 4] = ["__doc__", "getcomments", "getdoc", "getsource"];

/// Words of code that looks at stated types.
const TYPE_READERS: [&str; 10] = [
    "__annotations__",
    "get_annotations",
    "get_overloads",
    "get_type_hints",
    "getfullargspec",
    "signature",
    "singledispatch",
    "singledispatchmethod",
    "typechecked",
    "validate_call",
];

/// The names, without the bodies of functions that do not run; `None` for a source with syntax errors.
pub(super) fn asked_names(source: &str, is_idle: &dyn Fn(&str) -> bool) -> Option<AskedNames> {
    let tree = parse_tree(&GRAMMAR, source, &ParseLimits::default())?;
    let statements = SourceStatements::below(tree.root_node(), source)?;
    let mut found = AskedNames {
        loading: statements
            .names_asked_by_statements()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        only_binds: statements.only_bind(),
        bound: statements.bound_names(|_| true),
        looked_through: statements.bound_names(|statement| !statement.is_of_silent_classes()),
        classes: statements.made_from,
        ..AskedNames::default()
    };
    let mut of_standard_modules = StandardModules::default();
    let mut open = vec![(PlacedNode::alone(tree.root_node()), Surroundings::default())];
    while let Some((placed, mut around)) = open.pop() {
        let node = placed.node;
        read(placed, around, source, &mut found)?;
        of_standard_modules.read(placed, source)?;
        let left = node.child_by_field_name("left").filter(|_| node.kind() == "assignment");
        around.is_in_the_list |= left.is_some_and(|left| source.get(left.byte_range()) == Some("__all__"));
        let is_metaclass = is_metaclass(node, source);
        around.is_of_metaclass |= is_metaclass;
        around.is_in_function |= node.kind() == "function_definition";
        around.is_in_import |= matches!(node.kind(), "import_statement" | "import_from_statement");
        around.is_in_stated_type |= node.kind() == "type" && around.is_in_function;
        found.makes_classes |= is_metaclass && !is_made_by_the_language(node, source);
        let name = (node.kind() == "function_definition")
            .then(|| node.child_by_field_name("name"))
            .flatten();
        let is_idle = name.and_then(|name| source.get(name.byte_range())).is_some_and(is_idle);
        let body = node.child_by_field_name("body").filter(|_| is_idle);
        let mut cursor = node.walk();
        let children = node.named_children(&mut cursor).filter(|child| Some(*child) != body);
        open.extend(children.map(|child| (placed.child(child), around)));
    }
    found.attributes = of_standard_modules.attributes_of_others();
    Some(found)
}

/// The code around a part of a source.
#[derive(Debug, Clone, Copy, Default)]
struct Surroundings {
    /// In `__all__ = [...]`.
    is_in_the_list: bool,
    is_in_function: bool,
    is_in_import: bool,
    /// In the stated type of a parameter, a result, or a variable of a function.
    is_in_stated_type: bool,
    /// In a class whose values are classes or modules.
    is_of_metaclass: bool,
}

fn is_metaclass(node: Node<'_>, source: &str) -> bool {
    let bases = node.child_by_field_name("superclasses");
    let bases = bases
        .and_then(|bases| source.get(bases.byte_range()))
        .unwrap_or_default();
    let mut words = bases.split(|sign: char| sign != '_' && !sign.is_alphanumeric());
    words.any(|word| matches!(word, "type" | "ModuleType") || word.ends_with("Meta"))
}

/// True for a class whose bases mention no class of classes but the one that looks for what is abstract.
fn is_made_by_the_language(class: Node<'_>, source: &str) -> bool {
    let Some(bases) = class.child_by_field_name("superclasses") else {
        return true;
    };
    let mut cursor = bases.walk();
    bases.named_children(&mut cursor).all(|base| {
        let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default();
        match base
            .child_by_field_name("value")
            .filter(|_| base.kind() == "keyword_argument")
        {
            Some(value) => !text(base).starts_with("metaclass") || matches!(text(value), "ABCMeta" | "abc.ABCMeta"),
            None => text(base) != "type" && !text(base).ends_with("Meta"),
        }
    })
}

/// The attributes that are asked of names, and the names that stand for nothing but a module of the language: `math.ceil` asks for
/// no `ceil` of the project.
#[derive(Default)]
struct StandardModules<'s> {
    imported: BTreeSet<&'s str>,
    used_otherwise: BTreeSet<&'s str>,
    asked: Vec<(Option<&'s str>, &'s str)>,
}

impl<'s> StandardModules<'s> {
    fn read(&mut self, placed: PlacedNode<'_>, source: &'s str) -> Option<()> {
        let PlacedNode { node, above, beyond } = placed;
        let text = |node: Node<'_>| source.get(node.byte_range());
        let is_field = |field: &str| above.is_some_and(|above| above.child_by_field_name(field) == Some(node));
        match (node.kind(), above.map(|above| above.kind())) {
            ("import_statement", _) => {
                let mut cursor = node.walk();
                for imported in node.named_children(&mut cursor) {
                    let part = |field: &str| imported.child_by_field_name(field).and_then(text);
                    let module = part("name").or_else(|| text(imported))?;
                    let name = part("alias").or_else(|| module.split('.').next())?;
                    match is_standard_module(module) {
                        true => self.imported.insert(name),
                        false => self.used_otherwise.insert(name),
                    };
                }
            }
            ("identifier", Some("attribute")) if is_field("attribute") => {
                let object = above?.child_by_field_name("object")?;
                let object = (object.kind() == "identifier").then(|| text(object)).flatten();
                if !(is_written(above, beyond) && TELLING.contains(&text(node)?)) {
                    self.asked.push((object, text(node)?));
                }
            }
            ("identifier", Some("attribute" | "aliased_import")) => {}
            ("identifier", Some("dotted_name")) if beyond.is_some_and(|beyond| beyond.kind() == "import_statement") => {
            }
            ("identifier", _) => {
                self.used_otherwise.insert(text(node)?);
            }
            _ => {}
        }
        Some(())
    }

    fn attributes_of_others(self) -> BTreeSet<String> {
        let is_module = |name: &str| self.imported.contains(name) && !self.used_otherwise.contains(name);
        let others = self.asked.iter().filter(|(object, _)| !object.is_some_and(is_module));
        others.map(|(_, attribute)| (*attribute).to_owned()).collect()
    }
}

fn read(placed: PlacedNode<'_>, around: Surroundings, source: &str, found: &mut AskedNames) -> Option<()> {
    let PlacedNode { node, above, .. } = placed;
    let text = |node: Node<'_>| source.get(node.byte_range());
    match node.kind() {
        "identifier" => {
            let word = text(node)?;
            let is_of_value = || !around.is_of_metaclass && is_of_value(placed, source);
            let is_of_few_names =
                || is_of_value() || runs_a_plain_text(placed, word) || lists_what_was_typed(placed, word, source);
            let is_listing = DYNAMIC.contains(&word) && !is_of_few_names();
            found.runs_texts |= is_listing && RUNS_TEXTS.contains(&word);
            match given_names(placed, word, source) {
                _ if is_listing => found.is_dynamic = true,
                GivenNames::Seen => {}
                GivenNames::StartingWith(start) => found.starts.extend([start.to_owned()]),
                GivenNames::Unseen if !around.is_of_metaclass && asks_a_value(placed, source) => {
                    found.makes_up_members = true;
                }
                GivenNames::Unseen if RECORDED.contains(&word) => found.makes_up_names = true,
                GivenNames::Unseen => found.is_dynamic = true,
            }
            if LISTING_OWN.contains(&word) && !(around.is_in_function && LISTING_AROUND.contains(&word)) {
                found.lists_own_names.insert(word.to_owned());
            }
            if (NAMES_OF_DEFINITIONS.contains(&word) || DOCUMENTATION.contains(&word)) && is_read(placed, source) {
                match around.is_in_function {
                    true => found.reads_of_definitions.insert(word.to_owned()),
                    false => found.loading_reads_of_definitions.insert(word.to_owned()),
                };
            }
            found.lists_folders |= LISTING.contains(&word);
            found.reads_annotations |= TYPE_READERS.contains(&word);
            let is_field = |field: &str| above?.child_by_field_name(field).filter(|child| *child == node);
            match above.map(|above| above.kind()) {
                Some("attribute") if is_field("attribute").is_some() => false,
                Some("keyword_argument") if is_field("name").is_some() => false,
                _ if around.is_in_import => false,
                _ if around.is_in_stated_type => found.of_stated_types.insert(word.to_owned()),
                _ => found.plain.insert(word.to_owned()),
            };
        }
        "call" => {
            let function = node.child_by_field_name("function")?;
            let arguments = node.child_by_field_name("arguments");
            let first = arguments.and_then(|arguments| arguments.named_child(0));
            if let (Some("eval" | "exec"), Some(first)) = (text(function), first.filter(|first| is_plain_text(*first)))
            {
                let words = text(first)?.split(|sign: char| sign != '_' && !sign.is_alphanumeric());
                found.texts.extend(words.map(str::to_owned));
            }
        }
        "string_content" if !around.is_in_the_list => {
            let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
            let parts = text(node)?.split('.').filter(|part| !part.is_empty());
            if parts.clone().all(|word| word.chars().all(is_part)) {
                found.texts.extend(parts.map(str::to_owned));
            } else if !is_documentation(placed) {
                let words = text(node)?.split(|letter| !is_part(letter));
                found.words_of_texts.extend(words.map(str::to_owned));
            }
        }
        "import_statement" => {
            let mut cursor = node.walk();
            for imported in node.named_children(&mut cursor) {
                let module = imported.child_by_field_name("name").unwrap_or(imported);
                found.modules.insert(text(module)?.to_owned());
            }
        }
        "import_from_statement" => {
            let module_name = node.child_by_field_name("module_name")?;
            let module = text(module_name)?;
            found.modules.insert(module.to_owned());
            let mut cursor = node.walk();
            for imported in node.named_children(&mut cursor).filter(|child| *child != module_name) {
                if imported.kind() == "wildcard_import" {
                    found.takes_all_of.insert(module.to_owned());
                }
                let name = imported.child_by_field_name("name").unwrap_or(imported);
                let modules = found.imported.entry(text(name)?.to_owned()).or_default();
                modules.insert(module.to_owned());
            }
        }
        _ => {}
    }
    Some(())
}

/// True for the left side of an assignment.
fn is_written(part: Option<Node<'_>>, beyond: Option<Node<'_>>) -> bool {
    beyond.is_some_and(|beyond| beyond.kind() == "assignment" && beyond.child_by_field_name("left") == part)
}

/// True for `f.__doc__ = g.__doc__`: who reads the one reads the other.
fn hands_on(assignment: Node<'_>, source: &str) -> bool {
    let told = |side: &str| {
        let side = assignment.child_by_field_name(side)?.child_by_field_name("attribute")?;
        source.get(side.byte_range()).filter(|told| TELLING.contains(told))
    };
    assignment.kind() == "assignment" && told("left").is_some() && told("left") == told("right")
}

/// True for what is read of something: neither alone, as a module's own `__name__`, nor written.
fn is_read(placed: PlacedNode<'_>, source: &str) -> bool {
    let PlacedNode { node, above, beyond } = placed;
    let above = above.filter(|above| above.child_by_field_name("attribute") == Some(node));
    let hands_on = || beyond.is_some_and(|beyond| hands_on(beyond, source));
    above.is_some() && !is_written(above, beyond) && !hands_on()
        || above.is_none() && placed.above.is_some_and(|call| call.kind() == "call")
}

/// True for a part of a text that is a statement by itself.
fn is_documentation(part: PlacedNode<'_>) -> bool {
    part.beyond
        .is_some_and(|beyond| beyond.kind() == "expression_statement")
}

/// True for `self.__dict__`: the names of a value are those that code gives it, and not those of its class. The same where two
/// values are compared.
fn is_of_value(placed: PlacedNode<'_>, source: &str) -> bool {
    let PlacedNode { node, above, beyond } = placed;
    let object = above.and_then(|above| above.child_by_field_name("object"));
    let is_own = object.is_some_and(|object| source.get(object.byte_range()) == Some("self"));
    let is_compared = beyond.is_some_and(|beyond| beyond.kind() == "comparison_operator");
    source.get(node.byte_range()) == Some("__dict__") && (is_own || is_compared)
}

/// True for `getattr(self, name)` and the like: a value of a class is asked, or a class, and no module.
fn asks_a_value(placed: PlacedNode<'_>, source: &str) -> bool {
    let call = placed.above.filter(|above| above.kind() == "call");
    let arguments = call.and_then(|call| call.child_by_field_name("arguments"));
    let asked = arguments.and_then(|arguments| arguments.named_child(0));
    ASKING_ITS_FIRST.contains(&source.get(placed.node.byte_range()).unwrap_or_default())
        && asked.is_some_and(|asked| (source.get(asked.byte_range())).is_some_and(|asked| VALUES.contains(&asked)))
}

/// True for `exec("...")`: the text stands there, and its words are names like others.
fn runs_a_plain_text(placed: PlacedNode<'_>, word: &str) -> bool {
    let call = placed.above.filter(|above| above.kind() == "call");
    let arguments = call.and_then(|call| call.child_by_field_name("arguments"));
    let first = arguments.and_then(|arguments| arguments.named_child(0));
    matches!(word, "eval" | "exec") && first.is_some_and(is_plain_text)
}

/// True for `vars(parser.parse_args())`, and for the same of a variable that is bound to nothing else: the options of a command.
fn lists_what_was_typed(placed: PlacedNode<'_>, word: &str, source: &str) -> bool {
    let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default();
    let is_parsed = |value: Node<'_>| {
        let function = value.child_by_field_name("function").filter(|_| value.kind() == "call");
        let name = function.and_then(|function| function.child_by_field_name("attribute"));
        name.is_some_and(|name| PARSING_ARGUMENTS.contains(&text(name)))
    };
    let call = placed.above.filter(|above| above.kind() == "call" && word == "vars");
    let arguments = call.and_then(|call| call.child_by_field_name("arguments"));
    let Some(listed) = arguments.and_then(|arguments| arguments.named_child(0)) else {
        return false;
    };
    if listed.kind() != "identifier" {
        return is_parsed(listed);
    }
    let mut around = call.and_then(|call| call.parent());
    while let Some(node) = around.filter(|node| node.kind() != "function_definition") {
        around = node.parent();
    }
    let Some(function) = around else { return false };
    let body = function.child_by_field_name("body");
    let is_always_first = |assignment: Node<'_>| {
        let block = assignment.parent().and_then(|statement| statement.parent());
        block == body && call.is_some_and(|call| assignment.end_byte() < call.start_byte())
    };
    let (mut is_bound, mut is_bound_first, mut is_parameter) = (false, false, false);
    let mut open = vec![function];
    while let Some(node) = open.pop() {
        if node.kind() == "identifier" && text(node) == text(listed) {
            let binding = node
                .parent()
                .filter(|parent| parent.kind() == "assignment" && parent.child_by_field_name("left") == Some(node));
            let value = binding.and_then(|binding| binding.child_by_field_name("right"));
            match node.parent().map(|parent| parent.kind()) {
                _ if value.is_some_and(is_parsed) => {
                    is_bound = true;
                    is_bound_first |= binding.is_some_and(is_always_first);
                }
                Some("argument_list" | "attribute" | "comparison_operator" | "not_operator" | "keyword_argument") => {}
                Some("parameters" | "default_parameter" | "typed_parameter" | "typed_default_parameter") => {
                    is_parameter = true;
                }
                _ => return false,
            }
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    is_bound && (is_bound_first || !is_parameter)
}

fn is_plain_text(node: Node<'_>) -> bool {
    node.kind() == "string" && !interpolates(node)
}

/// How much is seen of the names that a function is given as texts.
enum GivenNames<'s> {
    /// All of them, or it is given none.
    Seen,
    /// How the name begins.
    StartingWith(&'s str),
    /// Nothing.
    Unseen,
}

/// The names that a function is given as texts.
fn given_names<'s>(placed: PlacedNode<'_>, word: &str, source: &'s str) -> GivenNames<'s> {
    let Some((_, first)) = BY_NAME.iter().find(|(function, _)| *function == word) else {
        return GivenNames::Seen;
    };
    let Some(above) = placed.above else {
        return GivenNames::Unseen;
    };
    let (function, call) = match above.kind() {
        "dotted_name" | "aliased_import" | "import_from_statement" => return GivenNames::Seen,
        "attribute" => (above, placed.beyond),
        _ => (placed.node, Some(above)),
    };
    let is_call = |call: &Node<'_>| call.kind() == "call" && call.child_by_field_name("function") == Some(function);
    let arguments = call
        .filter(is_call)
        .and_then(|call| call.child_by_field_name("arguments"));
    let Some(arguments) = arguments else {
        return GivenNames::Unseen;
    };
    let name = arguments.named_child(*first);
    let mut cursor = arguments.walk();
    let is_seen = match word {
        "attrgetter" => arguments.named_children(&mut cursor).all(is_plain_text),
        _ => name.is_some_and(is_plain_text),
    };
    let start = || start_of_text(name.filter(|_| *first == OF_ATTRIBUTE)?, source);
    match is_seen {
        true => GivenNames::Seen,
        false => start().map_or(GivenNames::Unseen, GivenNames::StartingWith),
    }
}

/// How a text begins that is made of others, if it begins with a part of a name: `'visit_' + kind`, `f'visit_{kind}'`,
/// `'visit_%s' % kind`.
fn start_of_text<'s>(text: Node<'_>, source: &'s str) -> Option<&'s str> {
    let start = match text.kind() {
        "binary_operator" => {
            let start = start_of_text(text.child_by_field_name("left")?, source)?;
            match text.child_by_field_name("operator")?.kind() {
                "%" => start.split('%').next()?,
                "+" => start,
                _ => return None,
            }
        }
        "string" => {
            let content = text.named_child(1).filter(|part| part.kind() == "string_content")?;
            source.get(content.byte_range())?
        }
        _ => return None,
    };
    let is_of_name = |letter: char| letter == '_' || letter == '%' || letter.is_alphanumeric();
    (!start.is_empty() && start.chars().all(is_of_name)).then_some(start)
}

#[cfg(test)]
mod tests;
