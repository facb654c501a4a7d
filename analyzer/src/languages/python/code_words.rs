//! A Python source → the words of what loading it executes, and of each function.

use tree_sitter::Node;

use super::GRAMMAR;
use crate::languages::{CodeWords, WordsOfCode};
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::parse_tree;
use crate::text_search::words_in;

/// The words; `None` for a source with syntax errors.
pub(super) fn words_of_code(source: &str) -> Option<WordsOfCode<'_>> {
    let tree = parse_tree(&GRAMMAR, source, &ParseLimits::default())?;
    if tree.root_node().has_error() {
        return None;
    }
    let text = |node: Node<'_>| source.get(node.byte_range());
    let mut found = WordsOfCode::default();
    // Each node, and the functions whose bodies it is in.
    let mut open: Vec<(Node<'_>, Vec<usize>)> = vec![(tree.root_node(), Vec::new())];
    while let Some((node, around)) = open.pop() {
        match node.kind() {
            kind @ ("identifier" | "string_content") => {
                let mut words = CodeWords::default();
                match kind {
                    "identifier" => words.words.extend(words_in(text(node)?)),
                    _ => words.add_text(text(node)?),
                }
                for &at in &around {
                    found.functions[at].1.add(&words);
                }
                if around.is_empty() {
                    found.loading.add(&words);
                }
            }
            "import_statement" | "import_from_statement" => {
                found.imports.extend(words_in(text(node)?));
                if around.is_empty() {
                    continue;
                }
            }
            // Documentation.
            "expression_statement" if node.named_child(0).is_some_and(|child| child.kind() == "string") => continue,
            _ => {}
        }
        let is_function = node.kind() == "function_definition";
        let is_definition = is_function || node.kind() == "class_definition";
        let name = node.child_by_field_name("name").filter(|_| is_definition);
        let body = node.child_by_field_name("body").filter(|_| is_function);
        let mut inside = around.clone();
        if let Some(name) = name.filter(|_| is_function) {
            inside.push(found.functions.len());
            found.functions.push((text(name)?, CodeWords::default()));
            // Who decorates it may call it by no name.
            if node
                .parent()
                .is_some_and(|above| above.kind() == "decorated_definition")
                && around.is_empty()
            {
                found.loading.words.insert(text(name)?);
            }
        }
        let mut cursor = node.walk();
        // To define something does not run it.
        let children = node.named_children(&mut cursor).filter(|child| Some(*child) != name);
        open.extend(children.map(|child| match Some(child) == body {
            true => (child, inside.clone()),
            false => (child, around.clone()),
        }));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn parts_of_names_are_those_of_texts() {
        let source = "def f(kind, id_):\n    self._parser = getattr(self, 'visit_' + kind) or f'{kind}_item' or '%s_node' % kind\n";
        let words = words_of_code(source).unwrap();
        let (_, of_f) = &words.functions[0];
        let listed = |words: &BTreeSet<&str>| words.iter().copied().collect::<Vec<_>>().join(" ");
        assert_eq!(
            (&*listed(&of_f.starts), &*listed(&of_f.ends)),
            ("visit_", "_item _node")
        );
        assert!(of_f.words.contains("_parser") && words.loading.words.contains("id_"));
        assert_eq!(words.loading.starts.len() + words.loading.ends.len(), 0);
    }

    #[test]
    fn words_are_those_of_the_code_that_loading_or_a_function_executes() {
        let source = "'''Documents.'''\nimport a.b\n# c\n@d\ndef f(g=h):\n    from i import j\n    return k('l m')\n\n\n\
                      class N(o):\n    def p(self):\n        def q():\n            return r\n        return q\n";
        let words = words_of_code(source).unwrap();
        let listed = |words: &BTreeSet<&str>| words.iter().copied().collect::<Vec<_>>().join(" ");
        assert_eq!(listed(&words.loading.words), "d f g h o self");
        assert_eq!(listed(&words.imports), "a b from i import j");
        let functions: Vec<_> = (words.functions.iter())
            .map(|(name, words)| (*name, listed(&words.words)))
            .collect();
        for (name, expected) in [("f", "i j k l m"), ("q", "r"), ("p", "q r")] {
            assert!(functions.contains(&(name, expected.to_owned())), "{functions:?}");
        }
        assert!(words_of_code("def f(:").is_none());
    }
}
