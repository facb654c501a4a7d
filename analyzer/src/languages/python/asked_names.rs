//! A Python source → the names that its code may ask for when it runs.

use tree_sitter::Node;

use super::GRAMMAR;
use crate::languages::AskedNames;
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::parse_tree;

/// Words of code that lists names or makes them up, that runs texts, or whose classes hear of those made from them.
const DYNAMIC: [&str; 24] = [
    "__dict__",
    "__getattr__",
    "__getattribute__",
    "__import__",
    "__init_subclass__",
    "__prepare__",
    "__subclasses__",
    "attrgetter",
    "dir",
    "eval",
    "exec",
    "get_referrers",
    "getmembers",
    "getsource",
    "globals",
    "import_module",
    "iter_modules",
    "locals",
    "metaclass",
    "methodcaller",
    "modules",
    "run_module",
    "vars",
    "walk_packages",
];

/// Functions that are given the name of an attribute.
const BY_NAME: [&str; 4] = ["delattr", "getattr", "hasattr", "setattr"];

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

/// Words of code that looks at stated types.
const TYPE_READERS: [&str; 9] = [
    "__annotations__",
    "get_annotations",
    "get_type_hints",
    "getfullargspec",
    "signature",
    "singledispatch",
    "singledispatchmethod",
    "typechecked",
    "validate_call",
];

/// The names; `None` for a source with syntax errors.
pub(super) fn asked_names(source: &str) -> Option<AskedNames> {
    let tree = parse_tree(&GRAMMAR, source, &ParseLimits::default())?;
    let mut found = AskedNames::default();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        read(node, source, &mut found)?;
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    Some(found)
}

fn read(node: Node<'_>, source: &str, found: &mut AskedNames) -> Option<()> {
    let text = |node: Node<'_>| source.get(node.byte_range());
    let field = |field: &str| node.child_by_field_name(field);
    match node.kind() {
        "identifier" => {
            let word = text(node)?;
            let above = node.parent()?;
            found.is_dynamic |= DYNAMIC.contains(&word);
            found.lists_folders |= LISTING.contains(&word);
            found.reads_annotations |= TYPE_READERS.contains(&word);
            let is_field = |field: &str| above.child_by_field_name(field) == Some(node);
            match above.kind() {
                "attribute" if is_field("attribute") => found.attributes.insert(word.to_owned()),
                "keyword_argument" if is_field("name") => false,
                _ => found.plain.insert(word.to_owned()),
            };
        }
        "string_content" => {
            let word = text(node)?;
            let is_name = |word: &str| word.chars().all(|letter| letter == '_' || letter.is_alphanumeric());
            if !word.is_empty() && is_name(word) && !is_in_the_list_of_names(node, source) {
                found.texts.insert(word.to_owned());
            }
        }
        "call" => {
            let function = field("function").and_then(text).unwrap_or_default();
            let second = field("arguments").and_then(|arguments| arguments.named_child(1));
            let is_plain = |argument: Node<'_>| {
                let mut cursor = argument.walk();
                let interpolates = argument
                    .named_children(&mut cursor)
                    .any(|part| part.kind() == "interpolation");
                argument.kind() == "string" && !interpolates
            };
            found.is_dynamic |= BY_NAME.contains(&function) && !second.is_some_and(is_plain);
        }
        "import_statement" => {
            let mut cursor = node.walk();
            for imported in node.named_children(&mut cursor) {
                let module = imported.child_by_field_name("name").unwrap_or(imported);
                found.modules.insert(text(module)?.to_owned());
            }
        }
        "import_from_statement" => {
            let module_name = field("module_name")?;
            let module = text(module_name)?;
            found.modules.insert(module.to_owned());
            let last = module.rsplit('.').next().unwrap_or_default();
            let mut cursor = node.walk();
            for imported in node.named_children(&mut cursor).filter(|child| *child != module_name) {
                found.takes_all |= imported.kind() == "wildcard_import";
                let name = imported.child_by_field_name("name").unwrap_or(imported);
                found.imported.insert((last.to_owned(), text(name)?.to_owned()));
            }
        }
        _ => {}
    }
    Some(())
}

/// True for a text in `__all__ = [...]`.
fn is_in_the_list_of_names(content: Node<'_>, source: &str) -> bool {
    let list = content.parent().and_then(|string| string.parent());
    let assignment = list
        .and_then(|list| list.parent())
        .filter(|above| above.kind() == "assignment");
    let left = assignment.and_then(|assignment| assignment.child_by_field_name("left"));
    left.and_then(|left| source.get(left.byte_range())) == Some("__all__")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::asked_names;

    #[test]
    fn names_are_told_by_how_they_are_written() {
        let names = asked_names(
            "import a.b\nfrom .c import d as e\n__all__ = ['f']\ndef g(h):\n    # i\n    return h.j(k=\"l\", m='n o')\n",
        );
        let names = names.unwrap();
        for plain in ["a", "d", "e", "g", "h"] {
            assert!(names.plain.contains(plain), "{plain}");
        }
        for other in ["f", "i", "j", "k", "l", "m"] {
            assert!(!names.plain.contains(other), "{other}");
        }
        assert_eq!(Vec::from_iter(&names.attributes), ["j"]);
        assert_eq!(Vec::from_iter(&names.texts), ["l"]);
        assert_eq!(Vec::from_iter(&names.modules), [".c", "a.b"]);
        assert!(names.imported.contains(&("c".into(), "d".into())));
        assert!(!names.takes_all && !names.is_dynamic && !names.reads_annotations);
    }

    #[test]
    fn code_that_makes_up_names_is_known() {
        for text in [
            "getattr(a, name)",
            "getattr(a, 'visit_' + name)",
            "setattr(a, f'{b}', 1)",
            "for name in dir(a): pass",
            "a.__dict__",
            "vars(a)",
            "sys.modules['b']",
            "class C(metaclass=M): pass",
            "def __getattr__(name): pass",
            "importlib.import_module(a)",
        ] {
            assert!(asked_names(text).unwrap().is_dynamic, "{text}");
        }
        for text in ["getattr(a, 'b', None)", "hasattr(a, \"b\")", "a.b.c", "direct(a)"] {
            assert!(!asked_names(text).unwrap().is_dynamic, "{text}");
        }
        assert!(asked_names("inspect.signature(f)").unwrap().reads_annotations);
        assert!(asked_names("os.listdir('.')").unwrap().lists_folders);
        assert!(asked_names("from a import *").unwrap().takes_all);
        assert_eq!(asked_names("def f(:"), None);
    }
}
