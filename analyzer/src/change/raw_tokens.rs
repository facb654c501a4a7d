//! Raw source lines → words and signs, comments and white space gone. Just enough to say that two stretches of
//! code differ by names alone; no language's grammar.

use std::collections::BTreeSet;

use super::text_tokens::TokenHasher;

/// Digest of a stretch of code in which one name stands for nothing.
pub(super) fn digest_without(text: &str, name: &str) -> u64 {
    let hash = words(text).fold(TokenHasher::new(), |hash, word| {
        hash.word(if word == name { "" } else { word })
    });
    hash.finish()
}

/// Words and signs. A string is one word. Comments: `//`, `/* */`, and `#` before a space.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            let first = rest.chars().next()?;
            if rest.starts_with("//") || rest.starts_with("# ") {
                rest = rest.split_once('\n').map_or("", |(_, after)| after);
                continue;
            }
            if rest.starts_with("/*") {
                rest = rest.split_once("*/").map_or("", |(_, after)| after);
                continue;
            }
            let end = match first {
                '"' => string_end(rest),
                letter if is_word(letter) => rest.find(|other| !is_word(other)).unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            let word = &rest[..end];
            rest = &rest[end..];
            // A formatter adds and drops these.
            if word != "," {
                return Some(word);
            }
        }
    })
}

/// Its numbers, without separators and types; those in checks of debug builds are left out.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = String> {
    let mut is_checked = false;
    words(text).filter_map(move |word| {
        is_checked = word.starts_with("debug_assert") || is_checked && word != ";";
        let is_number = !is_checked && word.starts_with(|first: char| first.is_ascii_digit());
        is_number.then(|| {
            let digits = word.replace('_', "");
            let suffix = digits.find(['i', 'u']).filter(|_| !digits.starts_with("0x"));
            digits[..suffix.unwrap_or(digits.len())].to_owned()
        })
    })
}

/// The functions that a text declares.
pub(super) fn declared_functions(text: &str) -> BTreeSet<&str> {
    following(text, "fn")
}

/// The methods that a text calls on values, and the fields that it reads.
pub(super) fn called_methods(text: &str) -> BTreeSet<&str> {
    following(text, ".")
}

fn following<'t>(text: &'t str, word: &str) -> BTreeSet<&'t str> {
    let words: Vec<&str> = words(text).collect();
    let pairs = words.windows(2).filter(|pair| pair[0] == word);
    pairs.map(|pair| pair[1]).collect()
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if letter == '\\' {
            escaped = true;
        } else if letter == '"' {
            return at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_white_space_and_commas_are_no_words() {
        let found: Vec<&str> = words("a::b(1, /* x */ \"s // t\", ) // end\n c").collect();
        assert_eq!(found, ["a", ":", ":", "b", "(", "1", "\"s // t\"", ")", "c"]);
    }

    #[test]
    fn numbers_are_told_apart_by_their_values() {
        let found: Vec<String> = numbers("a(1_000u64, 0xff, 1.5); debug_assert!(x < 7); b2(8)").collect();
        assert_eq!(found, ["1000", "0xff", "1", "5", "8"]);
    }
}
