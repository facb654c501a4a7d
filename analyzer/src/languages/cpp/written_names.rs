//! A source and a name → the lines of code that ask for what the name stands for, and whether a macro may put the name together.

use super::readable::other_systems::compiled_here;
use super::readable::{CodeBytes, JoinedLine, joined_lines};
use crate::text_search::{is_part_of_word, lines_at, lines_naming, places_of, words_in};

/// Makes one name of two.
const PASTE: &[u8] = b"##";

/// Stands for any number of arguments.
const ANY_ARGUMENTS: &str = "__VA_ARGS__";

/// The lines, 1-based. Comments ask for nothing, nor does what is compiled for another system, nor a name's own end, nor the
/// question whether it is still to be defined: right before it is, or around nothing but its definitions.
pub(super) fn lines_asking_for(source: &[u8], name: &str) -> Vec<u32> {
    let Ok(text) = std::str::from_utf8(source) else {
        return lines_naming(source, name);
    };
    let text = compiled_here(text);
    let bytes = text.as_bytes();
    let code = CodeBytes::of(bytes);
    let mut lines = lines_at(bytes, places_of(bytes, name).filter(|&place| !code.is_comment(place)));
    let mut harmless = Vec::new();
    // Questions around nothing but definitions so far, by line and depth.
    let mut open: Vec<(u32, usize)> = Vec::new();
    let (mut depth, mut question_above) = (0, None);
    let written = joined_lines(bytes, &code).filter(|line| code.first(bytes, line.range.clone()).is_some());
    for JoinedLine { lines, directive, .. } in written {
        let directive = directive.map_or("", |directive| &text[directive]);
        let words: Vec<&str> = words_in(directive).collect();
        let mut question = None;
        match *words {
            ["if" | "ifdef" | "ifndef", ..] => {
                depth += 1;
                question = is_missing_asked(directive, name).then_some(lines.first);
                open.extend(question.map(|line| (line, depth)));
            }
            ["endif", ..] => {
                harmless.extend(open.pop_if(|(_, of)| *of == depth).map(|(line, _)| line));
                depth = depth.saturating_sub(1);
            }
            ["else" | "elif" | "elifdef" | "elifndef", ..] => {}
            ["undef", ended, ..] if ended == name => harmless.push(lines.first),
            ["define", defined, ..] if defined == name => harmless.extend(question_above),
            _ => open.clear(),
        }
        question_above = question;
    }
    lines.retain(|line| !harmless.contains(line));
    lines
}

/// True for `#ifndef NAME` and `#if !defined(NAME)`.
fn is_missing_asked(directive: &str, name: &str) -> bool {
    let without_comment = directive.split('/').next().unwrap_or_default();
    let signs: String = without_comment
        .chars()
        .filter(|sign| !matches!(sign, '#' | '(' | ')') && !sign.is_whitespace())
        .collect();
    ["ifndef", "if!defined"]
        .iter()
        .any(|start| signs.strip_prefix(start) == Some(name))
}

/// True if macros of a source may make a name of two, of which those that are not written in the macro are words somewhere.
pub(super) fn may_be_pasted(source: &[u8], name: &str, is_word: &dyn Fn(&str) -> bool) -> bool {
    memchr::memmem::find_iter(source, PASTE).any(|at| match PastedParts::of(source, at) {
        PastedParts {
            first: Some(first),
            second: Some(second),
        } => name.strip_prefix(first) == Some(second),
        PastedParts {
            first: Some(first),
            second: None,
        } => name.strip_prefix(first).is_some_and(is_word),
        PastedParts {
            first: None,
            second: Some(second),
        } => name.strip_suffix(second).is_some_and(is_word),
        PastedParts {
            first: None,
            second: None,
        } => (1..name.len())
            .filter(|&at| name.is_char_boundary(at))
            .any(|at| is_word(&name[..at]) && is_word(&name[at..])),
    })
}

/// The words on either side of `##`; `None` for what may be any word.
struct PastedParts<'s> {
    first: Option<&'s str>,
    second: Option<&'s str>,
}

impl<'s> PastedParts<'s> {
    fn of(source: &'s [u8], at: usize) -> Self {
        let before = source[..at].trim_ascii_end();
        let behind = source[at + PASTE.len()..].trim_ascii_start();
        let first = &before[before.len() - length_of_word(before.iter().rev())..];
        let second = &behind[..length_of_word(behind.iter())];
        let beyond = behind[second.len()..].trim_ascii_start();
        let is_one_of_more =
            before[..before.len() - first.len()].trim_ascii_end().ends_with(PASTE) || beyond.starts_with(PASTE);
        let parameters = parameters(source, at);
        let written = |word: &'s [u8]| {
            let word = std::str::from_utf8(word).ok().filter(|word| !word.is_empty())?;
            let is_parameter = word == ANY_ARGUMENTS || parameters.as_ref().is_none_or(|known| known.contains(&word));
            (!is_parameter && !is_one_of_more).then_some(word)
        };
        Self {
            first: written(first),
            second: written(second),
        }
    }
}

fn length_of_word<'l>(letters: impl Iterator<Item = &'l u8>) -> usize {
    letters.take_while(|letter| is_part_of_word(letter)).count()
}

/// The parameters of the macro that is defined around a place; `None` if there is no such macro.
fn parameters(source: &[u8], at: usize) -> Option<Vec<&str>> {
    let mut start = at;
    loop {
        start = memchr::memrchr(b'\n', &source[..start]).map_or(0, |line_break| line_break + 1);
        let above = source[..start].trim_ascii_end();
        if start == 0 || !above.ends_with(b"\\") {
            break;
        }
        start = above.len();
    }
    let line = std::str::from_utf8(&source[start..at]).ok()?;
    let definition = line
        .trim_start()
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("define")?;
    let (name, rest) = definition.split_once('(')?;
    let is_function = name
        .trim_start()
        .chars()
        .all(|letter| letter == '_' || letter.is_alphanumeric());
    let (parameters, _) = rest.split_once(')')?;
    is_function.then(|| {
        parameters
            .split(',')
            .map(|parameter| parameter.trim_matches([' ', '\t', '\\', '\n', '\r', '.']))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{lines_asking_for, may_be_pasted};

    #[test]
    fn code_that_asks_for_a_name_is_told_from_what_only_writes_it() {
        let asking = |source: &str| lines_asking_for(source.as_bytes(), "X");
        assert_eq!(asking("int a = X; // X\n/* X\n X */ int b; /* X */\n"), [1]);
        assert_eq!(asking("#ifndef X\n#  define X 1\n#endif\n#undef X\n"), [2]);
        assert_eq!(
            asking("#ifndef X\n// The first one.\n\n/* 1\n 2 */\n#\tdefine X 1\n#endif\n"),
            [6]
        );
        let divided = "#if A\n#define X 2\n#elif B\n#define X 1\n#endif\n";
        assert_eq!(
            asking(&format!("#if !defined ( X ) /* Y */\n{divided}#endif\n")),
            [3, 5]
        );
        assert_eq!(
            asking(&format!("#ifndef X\n{divided}#else\n#define Y\n#endif\n")),
            [1, 3, 5]
        );
        assert_eq!(asking(&format!("#if !defined(X) && Y\n{divided}#endif\n")), [1, 3, 5]);
        assert_eq!(asking("#ifndef X\nint a;\n#define X 1\n#endif\n"), [1, 3]);
        assert_eq!(asking("#ifdef X\n#define X 1\n#endif\n"), [1, 2]);
        assert_eq!(asking("#ifdef __OS2__\nint a = X;\n#else\nint b = X;\n#endif\n"), [4]);
    }

    #[test]
    fn a_name_is_put_together_of_what_a_macro_writes_and_of_words() {
        let pasted =
            |source: &str, name: &str| may_be_pasted(source.as_bytes(), name, &|word| ["red", "blue"].contains(&word));
        let colour = "#define OF(x) \\\n  colour_ ## x\n";
        assert!(pasted(colour, "colour_red"));
        assert!(!pasted(colour, "colour_green") && !pasted(colour, "red") && !pasted(colour, "redblue"));
        assert!(pasted("#define OF(x) x##_t\n", "red_t"));
        assert!(!pasted("#define OF(x) x##_t\n", "red_s"));
        assert!(pasted("#define OF(a, b) a##b\n", "redblue"));
        assert!(!pasted("#define OF(a, b) a##b\n", "redgreen"));
        assert!(
            pasted("#define OF(a) a##_##a\n", "redblue"),
            "of three parts, any may be meant"
        );
        assert!(pasted("#define OF(...) f(red ## __VA_ARGS__)\n", "redblue"));
        assert!(pasted("#define OF red##blue\n", "redblue") && !pasted("", "redblue"));
    }
}
