//! A Python source → what importing it executes: everything except the bodies of functions, comments and documentation.
//!
//! Decorators, default arguments, annotations and the statements of classes belong to it, also where they stand in a
//! function. Two sources of which this is the same differ in bodies of functions only. What a module says of itself
//! (`__version__ = "1.2"`) does not belong to it: it is compared as a constant, and followed to the code that asks for it.
//! Neither does what only a type checker reads, nor what a formatter decides: quotes, parentheses, a last comma. Documentation belongs to
//! it in a source that reads some, and an encoding that is not the usual one.

use tree_sitter::Node;

use super::GRAMMAR;
use super::asked_names::DOCUMENTATION;
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::parse_tree;

/// One step of walking over a tree.
enum WalkStep<'t> {
    Enter(PlacedNode<'t>, CodePlace),
    Leave,
}

/// A node with those around it: to ask a node of a large tree for them takes as long as the tree is wide.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedNode<'t> {
    pub(super) node: Node<'t>,
    pub(super) above: Option<Node<'t>>,
    pub(super) beyond: Option<Node<'t>>,
}

impl<'t> PlacedNode<'t> {
    /// A node of which nothing around it matters.
    pub(super) fn alone(node: Node<'t>) -> Self {
        Self {
            node,
            above: None,
            beyond: None,
        }
    }

    pub(super) fn child(&self, node: Node<'t>) -> Self {
        Self {
            node,
            above: Some(self.node),
            beyond: self.above,
        }
    }
}

/// Whether code is executed when its file is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodePlace {
    Loading,
    FunctionBody,
}

/// The start and the end of a node in the text that is compared; no source holds such characters as a word.
pub(super) const START: char = '\u{1}';
pub(super) const END: char = '\u{2}';

/// Whether the stated types of parameters and results belong to the text that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatedTypes {
    Kept,
    LeftOut,
}

/// The code in an order that keeps its structure, as text to compare; `None` for a source with syntax errors.
pub(super) fn loading_code(source: &str) -> Option<String> {
    let tree = parse_tree(&GRAMMAR, source, &ParseLimits::default())?;
    let mut text = loading_text(PlacedNode::alone(tree.root_node()), source, StatedTypes::Kept)?;
    text.extend(other_encoding(source));
    if DOCUMENTATION.iter().any(|word| source.contains(word)) {
        text.push_str(&documentation(tree.root_node(), source));
    }
    Some(text)
}

/// The encoding that a source states for itself, if it is not the one that every source has.
pub(super) fn other_encoding(source: &str) -> Option<String> {
    let stated = source.lines().take(2).find_map(|line| {
        let comment = line.trim_start().strip_prefix('#')?;
        let (_, stated) = comment.split_once("coding")?;
        let name = stated.strip_prefix([':', '='])?.trim_start();
        let is_part = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        let name = name.split(|letter| !is_part(letter)).next()?;
        Some(name.to_lowercase().replace('_', "-"))
    });
    stated.filter(|name| !matches!(name.as_str(), "" | "utf-8" | "utf8" | "utf-8-sig"))
}

/// The texts at the start of a module, its classes and its functions.
pub(super) fn documentation(root: Node<'_>, source: &str) -> String {
    let mut text = String::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        let block = match node.kind() {
            "module" => Some(node),
            "function_definition" | "class_definition" => node.child_by_field_name("body"),
            _ => None,
        };
        let first = block.and_then(|block| {
            let mut cursor = block.walk();
            block
                .named_children(&mut cursor)
                .find(|child| child.kind() != "comment")
        });
        let first = first.filter(|first| first.kind() == "expression_statement");
        let literal = first.and_then(|first| first.named_child(0));
        if let Some(literal) = literal.filter(|literal| matches!(literal.kind(), "string" | "concatenated_string")) {
            text.push_str(source.get(literal.byte_range()).unwrap_or_default());
            text.push(END);
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    text
}

/// The same of a part of a source.
pub(super) fn loading_text(part: PlacedNode<'_>, source: &str, types: StatedTypes) -> Option<String> {
    let mut text = String::new();
    let mut open = vec![WalkStep::Enter(part, CodePlace::Loading)];
    while let Some(step) = open.pop() {
        let (placed, place) = match step {
            WalkStep::Enter(placed, place) => (placed, place),
            WalkStep::Leave => {
                text.push(END);
                continue;
            }
        };
        let node = placed.node;
        if node.kind() == "comment" || is_not_loaded(placed, source) {
            continue;
        }
        let place = match node.kind() {
            "decorator" | "class_definition" => CodePlace::Loading,
            _ => place,
        };
        let is_seen = place == CodePlace::Loading;
        // The plain parts of a text around its escapes are no nodes.
        let is_leaf = node.child_count() == 0 || node.kind() == "string_content" && !interpolates(node);
        if is_leaf && is_seen {
            let word = source.get(node.byte_range())?;
            text.push_str(match node.kind() {
                "string_start" | "string_end" => word.trim_end_matches(['"', '\'']),
                _ => word,
            });
            text.push(END);
            continue;
        }
        let kind = match (types, node.kind()) {
            (_, "parenthesized_expression") => "",
            (StatedTypes::LeftOut, "typed_parameter") => "",
            (StatedTypes::LeftOut, "typed_default_parameter") => "default_parameter",
            (_, kind) => kind,
        };
        if is_seen && !kind.is_empty() {
            text.push_str(kind);
            text.push(START);
            open.push(WalkStep::Leave);
        }
        let body = match node.kind() {
            "function_definition" => node.child_by_field_name("body"),
            _ => None,
        };
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for (at, &child) in children.iter().enumerate().rev() {
            let is_stated_type = types == StatedTypes::LeftOut && states_a_type(placed, child);
            if is_stated_type || is_a_matter_of_form(node, &children[at..], source) {
                continue;
            }
            let place = match (node.kind(), Some(child) == body) {
                ("function_definition", true) => CodePlace::FunctionBody,
                ("function_definition", false) => CodePlace::Loading,
                _ => place,
            };
            open.push(WalkStep::Enter(placed.child(child), place));
        }
    }
    Some(text)
}

/// True for what importing a source does not execute, or what nothing can ask for.
pub(super) fn is_not_loaded(placed: PlacedNode<'_>, source: &str) -> bool {
    is_documentation(placed)
        || is_about_the_module(placed, source)
        || is_for_type_checkers(placed.node, source)
        || is_overload(placed.node, source)
}

/// True for `if TYPE_CHECKING:` without another branch: the name is false when a program runs.
fn is_for_type_checkers(node: Node<'_>, source: &str) -> bool {
    if node.kind() != "if_statement" || node.child_by_field_name("alternative").is_some() {
        return false;
    }
    let condition = node.child_by_field_name("condition");
    let condition = condition.and_then(|condition| source.get(condition.byte_range()));
    condition.is_some_and(|condition| matches!(condition, "TYPE_CHECKING" | "typing.TYPE_CHECKING"))
        && !source.contains("TYPE_CHECKING = True")
}

/// True for a function that only tells a type checker of another way to call the last one of its name.
fn is_overload(node: Node<'_>, source: &str) -> bool {
    // The language keeps them for who asks.
    if node.kind() != "decorated_definition" || source.contains("get_overloads") {
        return false;
    }
    let mut cursor = node.walk();
    let mut decorators = (node.named_children(&mut cursor)).filter(|child| child.kind() == "decorator");
    decorators.any(|decorator| {
        let name = decorator.named_child(0).and_then(|name| source.get(name.byte_range()));
        name.is_some_and(|name| match name {
            "typing.overload" | "typing_extensions.overload" => true,
            "overload" => takes_from_typing("overload", source),
            _ => false,
        })
    })
}

/// True if a source imports a name from `typing`, and does not import or define it otherwise.
fn takes_from_typing(name: &str, source: &str) -> bool {
    let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
    let holds = |text: &str| text.split(|letter| !is_part(letter)).any(|word| word == name);
    let imports = source.match_indices(" import ").map(|(at, sign)| {
        let (before, listed) = (&source[..at], source[at + sign.len()..].trim_start());
        let end = if listed.starts_with('(') { ')' } else { '\n' };
        let module = before.rsplit('\n').next().unwrap_or_default().trim();
        (module, listed.split(end).next().unwrap_or_default())
    });
    let mut taken = imports.filter(|(_, listed)| holds(listed)).peekable();
    let is_of_typing = |(module, _)| matches!(module, "from typing" | "from typing_extensions");
    taken.peek().is_some() && taken.all(is_of_typing) && !source.contains(&format!("def {name}("))
}

/// True if the first of these children of a node changes nothing: parentheses around a value, the comma after the last of several
/// parts, and the list of bases of a class that has none but `object`.
fn is_a_matter_of_form(parent: Node<'_>, children: &[Node<'_>], source: &str) -> bool {
    let Some((child, next)) = children.split_first() else {
        return false;
    };
    match (child.kind(), parent.kind()) {
        ("(" | ")", "parenthesized_expression") => true,
        (",", "parameters" | "argument_list" | "list" | "tuple" | "set" | "dictionary") => {
            let next = next.iter().find(|next| next.kind() != "comment");
            next.is_some_and(|next| matches!(next.kind(), ")" | "]" | "}"))
        }
        ("argument_list", "class_definition") => names_no_base(*child, source),
        _ => false,
    }
}

/// True for the bases of a class if there are none but `object`.
pub(super) fn names_no_base(bases: Node<'_>, source: &str) -> bool {
    let mut cursor = bases.walk();
    let mut bases = bases.named_children(&mut cursor);
    bases.all(|base| base.kind() == "comment" || source.get(base.byte_range()) == Some("object"))
}

/// True for the part of a parameter, a function or a module's variable that states a type, and for the sign before it.
fn states_a_type(placed: PlacedNode<'_>, child: Node<'_>) -> bool {
    let node = placed.node;
    let is_of_module = || placed.beyond.is_some_and(|beyond| beyond.kind() == "module");
    match node.kind() {
        "assignment" if is_of_module() && node.child_by_field_name("right").is_some() => {
            child.kind() == ":" || node.child_by_field_name("type") == Some(child)
        }
        "typed_parameter" | "typed_default_parameter" => {
            child.kind() == ":" || node.child_by_field_name("type") == Some(child)
        }
        "function_definition" => child.kind() == "->" || node.child_by_field_name("return_type") == Some(child),
        _ => false,
    }
}

/// True for the text at the start of a module or class: it is kept, and nothing is executed for it.
fn is_documentation(placed: PlacedNode<'_>) -> bool {
    let PlacedNode { node, above, beyond } = placed;
    let is_first = |above: Node<'_>| {
        let mut cursor = above.walk();
        let first = above
            .named_children(&mut cursor)
            .find(|child| child.kind() != "comment");
        first == Some(node)
    };
    let is_plain_text = || {
        let literal = node.named_child(0).filter(|child| child.kind() == "string");
        literal.is_some_and(|literal| !interpolates(literal))
    };
    node.kind() == "expression_statement"
        && node.named_child_count() == 1
        && is_plain_text()
        && above.is_some_and(|above| {
            let is_of_class = || beyond.is_some_and(|class| class.kind() == "class_definition");
            (above.kind() == "module" || above.kind() == "block" && is_of_class()) && is_first(above)
        })
}

/// True for a plain text that a module gives a name like `__version__`, which nothing else in the source asks for.
fn is_about_the_module(placed: PlacedNode<'_>, source: &str) -> bool {
    let PlacedNode { node, above, .. } = placed;
    let at_module = above.is_some_and(|above| above.kind() == "module");
    if node.kind() != "expression_statement" || !at_module || node.named_child_count() != 1 {
        return false;
    }
    let Some(assignment) = node.named_child(0).filter(|child| child.kind() == "assignment") else {
        return false;
    };
    let part = |field: &str| assignment.child_by_field_name(field);
    let (Some(name), Some(value), None) = (part("left"), part("right"), part("type")) else {
        return false;
    };
    let is_plain = value.kind() == "string" && !interpolates(value);
    let name = source.get(name.byte_range()).unwrap_or_default();
    let is_of_python = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    is_plain && is_of_python && source.matches(name).count() == 1
}

/// True for a text that holds values.
pub(super) fn interpolates(string: Node<'_>) -> bool {
    let mut cursor = string.walk();
    let mut parts = string.named_children(&mut cursor);
    parts.any(|part| part.kind() == "interpolation")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::loading_code;

    const SOURCE: &str = "\"\"\"Text.\"\"\"\nimport a\nLIMIT = 3\n\n@mark(1)\ndef f(x, y=LIMIT):\n    z = x\n    \
                          @inner(2)\n    def g(q=1):\n        return q\n    class K:\n        size = 4\n    return z\n\n\
                          class C(Base):\n    \"\"\"Text.\"\"\"\n    field = 5\n    def m(self):\n        return 6\n\
                          if LIMIT:\n    use(a)\nend()\n";

    fn is_same(old: &str, new: &str) -> bool {
        assert!(SOURCE.contains(old), "{old}");
        loading_code(SOURCE).unwrap() == loading_code(&SOURCE.replacen(old, new, 1)).unwrap()
    }

    #[test]
    fn bodies_comments_and_documentation_are_left_out() {
        for (old, new) in [
            ("z = x", "z = x + 1"),
            ("return z", "return z  # why"),
            ("return q", "return q, q"),
            ("return 6", "return 7"),
            ("\"\"\"Text.\"\"\"\nimport", "\"\"\"More.\"\"\"\n# and\nimport"),
            ("Base):\n    \"\"\"Text.\"\"\"", "Base):\n    \"\"\"More.\"\"\""),
            ("LIMIT = 3", "LIMIT  =  3"),
            ("LIMIT = 3", "LIMIT = (3)"),
            ("y=LIMIT)", "y=LIMIT,)"),
            ("@mark(1)", "@mark(\n    1,  # why\n)"),
            ("C(Base)", "C(Base,)"),
            ("class K:", "class K(object):"),
            ("class K:", "class K():"),
            ("import a\n", "import a\nif TYPE_CHECKING:\n    import b\n"),
            ("class C(", "@typing.overload\ndef f(x: int): ...\n\nclass C("),
        ] {
            assert!(is_same(old, new), "{old} → {new}");
        }
    }

    #[test]
    fn what_overloads_a_function_for_type_checkers_is_left_out() {
        let is_same = |imports: &str| {
            let of = |overloads: &str| format!("{imports}\n{overloads}def f(x): pass\n");
            loading_code(&of("")).unwrap() == loading_code(&of("@overload\ndef f(x: int): ...\n")).unwrap()
        };
        assert!(is_same("from typing import Any, overload"));
        assert!(is_same("from typing_extensions import (\n    Any,\n    overload,\n)"));
        for imports in [
            "from .dispatch import overload",
            "from typing import Any\nfrom .dispatch import overload",
            "try:\n    from typing import overload\nexcept ImportError:\n    from .a import b as overload",
            "from typing import overload\ndef overload(f): pass",
            "from .dispatch import *",
        ] {
            assert!(!is_same(imports), "{imports}");
        }
    }

    #[test]
    fn what_a_module_says_of_itself_is_left_out() {
        let is_same = |before: &str, after: &str| loading_code(before).unwrap() == loading_code(after).unwrap();
        assert!(is_same(
            "__version__ = '1.0'\nf()\n",
            "__version__ = '1.1'  # by hand\nf()\n"
        ));
        assert!(is_same("f()\n", "__author__ = \"me\"\nf()\n"));
        for (before, after) in [
            ("VERSION = '1.0'\n", "VERSION = '1.1'\n"),
            ("__all__ = ['a']\n", "__all__ = ['b']\n"),
            (
                "__version__ = '1.0'\nuse(__version__)\n",
                "__version__ = '1.1'\nuse(__version__)\n",
            ),
            ("__version__ = f'{a}'\n", "__version__ = f'{b}'\n"),
            ("__version__ = '1' + a\n", "__version__ = '2' + a\n"),
            ("class C:\n    __doc__ = '1'\n", "class C:\n    __doc__ = '2'\n"),
        ] {
            assert!(!is_same(before, after), "{before}");
        }
    }

    #[test]
    fn everything_that_importing_executes_counts() {
        for (old, new) in [
            ("import a", "import b"),
            ("LIMIT = 3", "LIMIT = 4"),
            ("@mark(1)", "@mark(2)"),
            ("@mark(1)\n", ""),
            ("y=LIMIT", "y=5"),
            ("x, y", "x: int, y"),
            ("@inner(2)", "@inner(3)"),
            ("q=1", "q=2"),
            ("size = 4", "size = 5"),
            ("C(Base)", "C(Other)"),
            ("field = 5", "field = 6"),
            ("    use(a)\nend()", "    use(a)\n    end()"),
            ("def m(self)", "def n(self)"),
            ("def f(", "async def f("),
            (
                "import a\n",
                "import a\nif TYPE_CHECKING:\n    import b\nelse:\n    import c\n",
            ),
            ("import a\n", "TYPE_CHECKING = True\nif TYPE_CHECKING:\n    import b\n"),
            ("LIMIT = 3", "LIMIT = 3,"),
            ("LIMIT = 3", "LIMIT = (3,)"),
            ("class K:", "class K(Other):"),
        ] {
            assert!(!is_same(old, new), "{old} → {new}");
        }
    }

    #[test]
    fn a_text_is_the_same_in_other_quotes_and_another_one_around_an_escape() {
        let is_same = |before: &str, after: &str| loading_code(before).unwrap() == loading_code(after).unwrap();
        assert!(is_same("f('a')\n", "f(\"a\")\n"));
        for (before, after) in [
            ("f('a\\n')\n", "f('b\\n')\n"),
            ("f('a\\nc')\n", "f('a\\nd')\n"),
            ("f(f'a{b}c')\n", "f(f'a{b}d')\n"),
            ("f(f'a\\n{b}')\n", "f(f'c\\n{b}')\n"),
            ("f('a')\n", "f(b'a')\n"),
            ("f('\\n')\n", "f(r'\\n')\n"),
        ] {
            assert!(!is_same(before, after), "{before}");
        }
    }

    #[test]
    fn what_overloads_a_function_belongs_to_a_source_that_asks_for_it() {
        let of = |stated: &str| {
            format!("from typing import get_overloads, overload\n@overload\ndef f(x: {stated}): ...\ndef f(x): pass\n")
        };
        assert_ne!(loading_code(&of("int")).unwrap(), loading_code(&of("str")).unwrap());
    }

    #[test]
    fn documentation_belongs_to_a_source_that_reads_some() {
        let is_same = |reads: &str| {
            let of = |text: &str| format!("{reads}def f(x):\n    # why\n    r\"{text}\"\n    return x\n");
            loading_code(&of("[a-z]")).unwrap() == loading_code(&of("[a-z]+")).unwrap()
        };
        assert!(is_same("import a\n"));
        assert!(!is_same("RULE = f.__doc__\n"));
        assert!(!is_same("from inspect import getsource\n"));
    }

    #[test]
    fn another_encoding_makes_another_source() {
        let is_same = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|line| loading_code(&format!("{line}\nA = 'é'\n")).unwrap());
            one == other
        };
        let (usual, other) = ("# -*- coding: utf-8 -*-", "# vim: set fileencoding=latin_1 :");
        assert!(is_same("", usual) && is_same(usual, "# coding=UTF8"));
        assert!(is_same(other, "#!/usr/bin/python\n# -*- coding: latin-1 -*-"));
        assert!(!is_same(usual, other) && !is_same("", other));
    }

    #[test]
    fn a_source_with_errors_has_none() {
        assert_eq!(loading_code("def f(:\n"), None);
        assert!(loading_code("").is_some());
    }
}
