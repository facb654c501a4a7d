//! A source and a name → whether the source asks if an expression that writes the name can be compiled, and means something else
//! where it cannot.

use super::readable::CodeBytes;
use crate::text_search::{is_part_of_word, places_of};

/// Words before parentheses in which an expression is only looked at.
const LOOKING: [&[u8]; 3] = [b"decltype", b"noexcept", b"sizeof"];

/// The word of a list of such expressions.
const LIST: &[u8] = b"requires";

/// So many letters before a name are read.
const LONGEST: usize = 4000;

/// True if some place writes the name in such an expression, or has a pointer to a member of it, whose type tells the rest.
pub(super) fn are_asked_about(source: &[u8], name: &str) -> bool {
    let mut places = places_of(source, name).peekable();
    if places.peek().is_none() {
        return false;
    }
    let code = CodeBytes::of(source);
    places.any(|place| {
        !code.is_comment(place) && (is_pointer_to_member(&source[..place]) || is_looked_at(&source[..place]))
    })
}

/// True behind `& T ::`.
fn is_pointer_to_member(before: &[u8]) -> bool {
    let of_type = before.trim_ascii_end().strip_suffix(b"::");
    let is_of_path = |byte: &u8| is_part_of_word(byte) || *byte == b':';
    of_type.is_some_and(|text| {
        let path = text.iter().rev().take_while(|byte| is_of_path(byte)).count();
        path > 0 && text[..text.len() - path].trim_ascii_end().ends_with(b"&")
    })
}

/// True if one of the brackets that are open at the end of a text belongs to such an expression.
fn is_looked_at(before: &[u8]) -> bool {
    let (mut round, mut curly) = (0_usize, 0_usize);
    let start = before.len().saturating_sub(LONGEST);
    for at in (start..before.len()).rev() {
        let around = before[..at].trim_ascii_end();
        match before[at] {
            b')' => round += 1,
            b'}' => curly += 1,
            b'(' if round > 0 => round -= 1,
            b'{' if curly > 0 => curly -= 1,
            b'(' if LOOKING.iter().any(|word| ends_with_word(around, word)) => return true,
            b'{' if ends_with_word(without_parameters(around), LIST) => return true,
            // A requirement stands among others, a body behind its head.
            b'{' if !matches!(around.last(), Some(b'{' | b';' | b'}')) => return false,
            _ => {}
        }
    }
    false
}

/// A text without the list in parentheses that it ends with.
fn without_parameters(text: &[u8]) -> &[u8] {
    if !text.ends_with(b")") {
        return text;
    }
    let mut open = 0_usize;
    let first = text.iter().rposition(|byte| {
        match byte {
            b')' => open += 1,
            b'(' => open -= 1,
            _ => {}
        }
        open == 0
    });
    first.map_or(text, |first| text[..first].trim_ascii_end())
}

fn ends_with_word(text: &[u8], word: &[u8]) -> bool {
    text.strip_suffix(word)
        .is_some_and(|before| !before.last().is_some_and(is_part_of_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_are_only_looked_at_ask() {
        for text in [
            "template <class T> struct has<T, void_t<decltype(declval<const T &>().write(declval<B &>()))>> : true_type {};",
            "template <class T> auto f(T t) -> decltype(t.write()) { return 1; }",
            "template <class T> concept C = requires(const T t, B b) { t.size(); { t.write(b) } -> same<int>; };",
            "template <class T> concept C = requires { T::write; };",
            "template <class T> void f(T t) noexcept(noexcept(t.write())) {}",
            "template <class T> char g(check<void (T::*)(B &) const, &T::write> *);",
        ] {
            assert!(are_asked_about(text.as_bytes(), "write"), "{text}");
        }
    }

    #[test]
    fn calls_and_comments_do_not_ask() {
        for text in [
            "void f(T t) noexcept { t.write(); }",
            "void f(T t) { if (sizeof(t) > 3) { t.write(); } }",
            "decltype(auto) f(T t) { return (t.write()); }",
            "// decltype(t.write())",
            "decltype(t.writes()) g;",
            "void T::write() {}",
        ] {
            assert!(!are_asked_about(text.as_bytes(), "write"), "{text}");
        }
    }
}
