//! Source text → the parts between its brackets. No grammar, so it serves every language with brackets.

/// The texts between the brackets and commas of a type's parameters; none for a type without parameters.
pub(super) fn parameters(text: &str) -> Vec<&str> {
    let Some(open) = text
        .find(['<', '{', '(', ';', '='])
        .filter(|&at| text[at..].starts_with('<'))
    else {
        return Vec::new();
    };
    split_at_top(&text[open + 1..], ',')
}

/// The parts of a text between separators that stand in no brackets, up to the bracket that closes it. Nothing but white
/// space is no part.
pub(super) fn split_at_top(text: &str, separator: char) -> Vec<&str> {
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
    parts
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
        assert_eq!(
            split_at_top("a: Map<u8, u8>, b: fn(u8) -> u8, }", ','),
            ["a: Map<u8, u8>", " b: fn(u8) -> u8"]
        );
        assert_eq!(
            parameters("struct S<'a, T: Fn(u8) -> u8 = A>(T);"),
            ["'a", " T: Fn(u8) -> u8 = A"]
        );
        assert!(parameters("struct S(Vec<u8>);").is_empty());
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
