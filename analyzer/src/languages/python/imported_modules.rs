//! A line of a source that names a file → whether it may import a module of that name, or open a file.

use crate::text_search::places_of;

/// True if a line may have a file of a name loaded or opened: it is an import or one of its lines, or the name is in a text.
pub(super) fn may_pull_in(line: &[u8], name: &str) -> bool {
    let comment = (line.iter().enumerate()).find(|&(at, &byte)| byte == b'#' && !line[..at].iter().any(is_quote));
    let code = &line[..comment.map_or(line.len(), |(at, _)| at)];
    let mut places = places_of(code, name).peekable();
    places.peek().is_some()
        && (is_of_an_import(&String::from_utf8_lossy(code)) || places.any(|at| code[..at].iter().any(is_quote)))
}

fn is_quote(byte: &u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

/// True for an import, and for a line that only lists names, as those of an import between parentheses do.
fn is_of_an_import(code: &str) -> bool {
    let words: Vec<&str> = code.split_whitespace().collect();
    let is_name = |word: &&str| word.chars().all(|char| char.is_alphanumeric() || char == '_');
    let lists_names = code.trim().trim_end_matches([',', ')']).split(',').all(|item| {
        let item: Vec<&str> = item.split_whitespace().collect();
        match item[..] {
            [name] => is_name(&name),
            [name, "as", other] => is_name(&name) && is_name(&other),
            _ => false,
        }
    });
    words.contains(&"import") || lists_names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_and_texts_may_pull_a_file_in() {
        for line in [
            "from .extra import work",
            "    import lib.extra as other",
            "    extra,",
            "    work, extra as other)",
            "module = import_module('lib.extra')",
            "with open(\"extra\") as file:",
        ] {
            assert!(may_pull_in(line.as_bytes(), "extra"), "{line}");
        }
    }

    #[test]
    fn other_names_and_comments_pull_nothing_in() {
        for line in [
            "extra = 1",
            "return extra",
            "def work(extra):",
            "work()  # from .extra import work",
            "from .extras import work",
        ] {
            assert!(!may_pull_in(line.as_bytes(), "extra"), "{line}");
        }
    }
}
