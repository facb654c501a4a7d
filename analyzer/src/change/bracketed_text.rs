//! Source text → the parts between its brackets. No grammar, so it serves every language with brackets.

/// The parts of a text, and what follows them.
#[derive(Debug, Default)]
pub(super) struct BracketedParts<'t> {
    /// The parts between separators; nothing but white space is no part.
    pub(super) parts: Vec<&'t str>,
    /// The text from the bracket on that closes the parts; empty if there is none.
    pub(super) rest: &'t str,
}

/// The parameters of a type, and what follows them. A type without parameters has none, and all of it follows.
pub(super) fn parameters(text: &str) -> BracketedParts<'_> {
    match text.find(['<', '{', '(', ';', '=']) {
        Some(open) if text[open..].starts_with('<') => split_at_top(&text[open + 1..], ','),
        _ => BracketedParts {
            parts: Vec::new(),
            rest: text,
        },
    }
}

/// The parts of a text between separators that stand in no brackets, up to the bracket that closes it.
pub(super) fn split_at_top(text: &str, separator: char) -> BracketedParts<'_> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut end, mut previous) = (0_u32, 0, text.len(), ' ');
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '(' | '[' | '{' => depth += 1,
            // The end of an arrow is no bracket.
            '>' if matches!(previous, '-' | '=') => {}
            '>' | ')' | ']' | '}' => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => {
                    end = at;
                    break;
                }
            },
            _ if letter == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + letter.len_utf8();
            }
            _ => {}
        }
        previous = letter;
    }
    parts.push(&text[start..end]);
    parts.retain(|part| !part.trim().is_empty());
    BracketedParts {
        parts,
        rest: &text[end..],
    }
}

/// The text of a module that is written inside a file, by its path there; `None` where it is not found for certain.
pub(super) fn text_of_module<'t>(text: &'t str, path: &[String]) -> Option<&'t str> {
    path.iter().try_fold(text, |text, name| {
        let head = format!("mod {name} {{");
        let start = text.find(&head)? + head.len();
        let mut depth = 1_u32;
        let end = text[start..].find(|letter| {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        let inside = &text[start..start + end];
        // A bracket that is a letter opens and closes nothing.
        let is_certain = !["'{'", "'}'", "\"{\"", "\"}\""]
            .iter()
            .any(|quoted| text[start..].contains(quoted));
        is_certain.then_some(inside)
    })
}

/// A text without its comments.
pub(super) fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        kept.push_str(&rest[..at]);
        let end = match rest[at..].starts_with("//") {
            true => rest[at..].find('\n'),
            false => rest[at..].find("*/").map(|end| end + "*/".len()),
        };
        rest = end.map_or("", |end| &rest[at + end..]);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_in_no_brackets() {
        let fields = split_at_top("a: Map<u8, u8>, b: fn(u8) -> u8, } rest", ',');
        assert_eq!(fields.parts, ["a: Map<u8, u8>", " b: fn(u8) -> u8"]);
        assert_eq!(fields.rest, "} rest");
        let of_type = parameters("struct S<'a, T: Fn(u8) -> u8 = A>(T);");
        assert_eq!(of_type.parts, ["'a", " T: Fn(u8) -> u8 = A"]);
        assert_eq!(of_type.rest, ">(T);");
        assert!(parameters("struct S(Vec<u8>);").parts.is_empty());
    }

    #[test]
    fn a_module_is_found_by_its_path() {
        let text = "mod a {\n    mod b {\n        fn f() {}\n    }\n}\nfn g() {}\n";
        let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            text_of_module(text, &path(&["a", "b"])).map(str::trim),
            Some("fn f() {}")
        );
        assert_eq!(text_of_module(text, &path(&["b", "a"])), None);
        assert_eq!(text_of_module("mod a { const X: char = '}'; }", &path(&["a"])), None);
    }

    #[test]
    fn comments_are_left_out() {
        assert_eq!(without_comments("a, // b, }\n/* c, */ d /"), "a, \n d /");
    }
}
