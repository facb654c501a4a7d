//! A Python source → the names that its code may ask for when it runs.

use tree_sitter::Node;

use super::GRAMMAR;
use crate::languages::AskedNames;
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::parse_tree;

/// Words of code that lists the names of any module or class, that runs texts, or whose classes hear of those made from them.
const DYNAMIC: [&str; 14] = [
    "__dict__",
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

/// Functions that list the names of the module that calls them.
const LISTING_OWN: [&str; 2] = ["globals", "locals"];

/// Functions that are given names as texts, and the first argument that is one.
const BY_NAME: [(&str, usize); 8] = [
    ("__import__", 0),
    ("attrgetter", 0),
    ("delattr", 1),
    ("getattr", 1),
    ("hasattr", 1),
    ("import_module", 0),
    ("methodcaller", 0),
    ("setattr", 1),
];

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
            found.is_dynamic |= DYNAMIC.contains(&word) || is_given_names_unseen(node, source);
            found.lists_own_names |= LISTING_OWN.contains(&word);
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
            let parts = word.split('.').filter(|part| !part.is_empty());
            if parts.clone().all(is_name) && !is_in_the_list_of_names(node, source) {
                found.texts.extend(parts.map(str::to_owned));
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

/// True for a function that is given names which do not stand there as plain texts.
fn is_given_names_unseen(name: Node<'_>, source: &str) -> bool {
    let word = source.get(name.byte_range()).unwrap_or_default();
    let Some((_, first)) = BY_NAME.iter().find(|(function, _)| *function == word) else {
        return false;
    };
    let Some(above) = name.parent() else { return true };
    let (function, call) = match above.kind() {
        "dotted_name" | "aliased_import" | "import_from_statement" => return false,
        "attribute" => (above, above.parent()),
        _ => (name, Some(above)),
    };
    let is_call = |call: &Node<'_>| call.kind() == "call" && call.child_by_field_name("function") == Some(function);
    let arguments = call
        .filter(is_call)
        .and_then(|call| call.child_by_field_name("arguments"));
    let is_plain = |argument: Node<'_>| {
        let mut cursor = argument.walk();
        let interpolates = argument
            .named_children(&mut cursor)
            .any(|part| part.kind() == "interpolation");
        argument.kind() == "string" && !interpolates
    };
    let Some(arguments) = arguments else { return true };
    let mut cursor = arguments.walk();
    let mut names = arguments.named_children(&mut cursor).skip(*first);
    match word {
        "attrgetter" => !names.all(is_plain),
        _ => !names.next().is_some_and(is_plain),
    }
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
            "class C:\n    def __init_subclass__(cls): pass",
            "importlib.import_module(a)",
            "map(getattr, a, b)",
            "attrgetter('b', name)",
        ] {
            assert!(asked_names(text).unwrap().is_dynamic, "{text}");
        }
        for text in [
            "getattr(a, 'b', None)",
            "hasattr(a, \"b\")",
            "a.b.c",
            "direct(a)",
            "from operator import attrgetter as of",
            "operator.attrgetter('b.c')",
            "__import__('a.b')",
        ] {
            assert!(!asked_names(text).unwrap().is_dynamic, "{text}");
        }
        assert!(asked_names("'{a}'.format(**globals())").unwrap().lists_own_names);
        assert!(asked_names("operator.attrgetter('b.c')").unwrap().texts.contains("c"));
        assert!(asked_names("inspect.signature(f)").unwrap().reads_annotations);
        assert!(asked_names("os.listdir('.')").unwrap().lists_folders);
        assert!(asked_names("from a import *").unwrap().takes_all);
        assert_eq!(asked_names("def f(:"), None);
    }
}
