//! A definition of Python → the entries of the dictionary or set that it writes out.

use tree_sitter::Node;

use super::GRAMMAR;
use super::loading::interpolates;
use crate::languages::TableEntry;
use crate::syntax::ParseLimits;
use crate::syntax::tree_sitter::parse_tree;

/// The entries of `NAME = {...}`; `None` where another value stands there, or a key is not a plain text.
pub(super) fn table_entries(definition: &str) -> Option<Vec<TableEntry>> {
    let tree = parse_tree(&GRAMMAR, definition, &ParseLimits::default())?;
    let root = tree.root_node();
    let statement = root.named_child(0)?;
    let assignment = statement
        .named_child(0)
        .filter(|_| named_children(statement).len() == 1)?;
    if named_children(root).len() != 1 || assignment.kind() != "assignment" {
        return None;
    }
    let table = assignment.child_by_field_name("right")?;
    let is_dictionary = match table.kind() {
        "dictionary" => true,
        "set" => false,
        _ => return None,
    };
    let text = |node: Node<'_>| definition.get(node.byte_range());
    let entry = |node: Node<'_>| {
        let (key, value) = match is_dictionary {
            true => (
                node.child_by_field_name("key")?,
                text(node.child_by_field_name("value")?)?,
            ),
            false => (node, ""),
        };
        let is_plain = key.kind() == "string" && !interpolates(key);
        let content = key
            .named_child(1)
            .filter(|part| is_plain && part.kind() == "string_content")?;
        // A text with escapes is not the text that it stands for.
        (content.child_count() == 0).then_some(TableEntry {
            key: text(content)?.to_owned(),
            value: value.to_owned(),
        })
    };
    named_children(table).into_iter().map(entry).collect()
}

/// The children of a node, without comments.
fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    children.filter(|child| child.kind() != "comment").collect()
}

#[cfg(test)]
mod tests {
    use super::table_entries;

    #[test]
    fn entries_of_dictionaries_and_sets_are_read() {
        let entries = |definition: &str| {
            let entries = table_entries(definition)?.into_iter();
            Some(
                entries
                    .map(|entry| format!("{}={}", entry.key, entry.value))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            entries("WORDS: dict = {\n    'a b': t.Word,  # why\n    \"c\": 1,\n}\n"),
            Some(vec!["a b=t.Word".to_owned(), "c=1".to_owned()])
        );
        assert_eq!(
            entries("WORDS = {'a', 'b'}"),
            Some(vec!["a=".to_owned(), "b=".to_owned()])
        );
        for other in [
            "WORDS = ['a', 'b']",
            "WORDS = {a: 1}",
            "WORDS = {**a, 'b': 1}",
            "WORDS = {'\\n': 1}",
            "WORDS = {f'{a}': 1}",
            "WORDS = {'a' 'b': 1}",
            "WORDS = {a: 1 for a in b}",
            "WORDS = {'a': 1}\nOTHERS = {'b': 1}",
            "WORDS = {'a': 1} | OTHERS",
        ] {
            assert_eq!(entries(other), None, "{other}");
        }
    }
}
