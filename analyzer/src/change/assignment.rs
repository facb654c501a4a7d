//! The text of an operation → the locals that it gives a value, and the value.

use super::text_tokens::{self, NameTranslation, TextToken};
use crate::syntax::NormalisedText;

/// The tokens of a text, without words that no value depends on.
pub(super) fn told_tokens(text: &NormalisedText) -> Vec<TextToken<'_>> {
    let is_told = |token: &TextToken<'_>| !matches!(token, TextToken::Word("ref" | ";"));
    text_tokens::tokens(text).filter(is_told).collect()
}

/// `let x = value`, `x += value`, `(x, y) = value`, `x++`.
pub(super) struct Assignment<'f> {
    pub(super) targets: Vec<&'f str>,
    /// True for one that makes the local, not one that changes it.
    pub(super) binds: bool,
    pub(super) sign: &'f str,
    pub(super) value: Vec<TextToken<'f>>,
}

impl<'f> Assignment<'f> {
    pub(super) fn of(text: &'f NormalisedText) -> Option<Self> {
        let tokens = told_tokens(text);
        if let [TextToken::Local(local), TextToken::Word(sign @ ("++" | "--"))]
        | [TextToken::Word(sign @ ("++" | "--")), TextToken::Local(local)] = tokens[..]
        {
            return Some(Self {
                targets: vec![local],
                binds: false,
                sign: if sign == "++" { "+=" } else { "-=" },
                value: vec![TextToken::Word("1")],
            });
        }
        let (at, sign) = (0..tokens.len()).find_map(|at| match tokens[at..] {
            // `>>` closes two lists of types, too, and is read as two words.
            [TextToken::Word(">"), TextToken::Word(">="), ..] => Some((at, ">>=")),
            [TextToken::Word(word), ..] if is_assignment(word) => Some((at, word)),
            _ => None,
        })?;
        let value = at
            + if sign == ">>=" && tokens[at] == TextToken::Word(">") {
                2
            } else {
                1
            };
        let mut targets = Vec::new();
        // A type may follow the name.
        let end = tokens[..at]
            .iter()
            .position(|token| *token == TextToken::Word(":"))
            .unwrap_or(at);
        for token in &tokens[..end] {
            match token {
                TextToken::Local(local) => targets.push(*local),
                TextToken::Word("let" | "mut" | "(" | ")" | ",") => {}
                TextToken::Word(_) | TextToken::Hole => return None,
            }
        }
        (!targets.is_empty()).then(|| Self {
            binds: sign == "=",
            targets,
            sign,
            value: tokens[value..].to_vec(),
        })
    }

    /// The same of a declaration with a type: `size_t x = value`, `const Row &x = value`. What stands for another place is not
    /// told from a value of its own.
    pub(super) fn or_declaration(text: &'f NormalisedText) -> Option<Self> {
        Self::of(text).or_else(|| {
            let tokens = told_tokens(text);
            let at = tokens.iter().position(|token| *token == TextToken::Word("="))?;
            let (TextToken::Local(local), of_type) = tokens[..at].split_last()? else {
                return None;
            };
            let is_of_type = |token: &TextToken<'_>| match token {
                TextToken::Word(word) => !matches!(*word, "." | "->" | "[" | "]" | "(" | ")" | "="),
                TextToken::Local(_) | TextToken::Hole => false,
            };
            of_type.iter().all(is_of_type).then(|| Self {
                targets: vec![local],
                binds: true,
                sign: "=",
                value: tokens[at + 1..].to_vec(),
            })
        })
    }

    /// The words of its step, in the names of the after side and however it is written: `x = x * 2`, `x *= 2` and `x <<= 1` are one.
    pub(super) fn step(&self, reading: NameTranslation<'_>) -> Vec<String> {
        let mut words: Vec<String> = self
            .targets
            .iter()
            .map(|local| reading.local(local).to_owned())
            .collect();
        let value: Vec<String> = self.value.iter().map(|token| reading.token(*token).written()).collect();
        let (sign, value) = match (self.sign, &value[..]) {
            ("=", [of, operator, by]) if words.len() == 1 && *of == words[0] && is_operator(operator) => {
                (format!("{operator}="), vec![by.clone()])
            }
            _ => (self.sign.to_owned(), value),
        };
        let factor = |by: &[String]| match by {
            [by] => by.parse().ok().and_then(|by: u32| 2_u64.checked_pow(by)),
            _ => None,
        };
        let (sign, value) = match (&*sign, factor(&value)) {
            ("<<=", Some(factor)) => ("*=".to_owned(), vec![factor.to_string()]),
            (">>=", Some(factor)) => ("/=".to_owned(), vec![factor.to_string()]),
            _ => (sign, value),
        };
        words.push(sign);
        words.extend(value);
        words
    }
}

fn is_operator(word: &str) -> bool {
    matches!(word, "+" | "-" | "*" | "/" | "//" | "%" | "<<" | ">>" | "&" | "|" | "^")
}

fn is_assignment(word: &str) -> bool {
    word == "=" || (word.ends_with('=') && !matches!(word, "==" | "!=" | "<=" | ">=" | "..="))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step of an assignment; `$` marks a local.
    fn step(text: &str) -> Option<String> {
        let text = NormalisedText(text.replace('$', &NormalisedText::LOCAL.to_string()));
        Some(Assignment::of(&text)?.step(NameTranslation::default()).join(" "))
    }

    #[test]
    fn steps_are_the_same_however_they_are_written() {
        for (one, other) in [
            ("$k *= 2", "$k = $k * 2"),
            ("$k *= 2", "$k <<= 1"),
            ("$k /= 4", "$k > >= 2"),
            ("$k >>= 1", "$k > >= 1"),
            ("$k += 1", "$k ++"),
            ("-- $k", "$k -= 1"),
        ] {
            assert_eq!(step(one), step(other), "{one}");
        }
    }

    #[test]
    fn other_steps_are_others_and_other_operations_none() {
        for (one, other) in [
            ("$k *= 2", "$k += 2"),
            ("$k > >= 1", "$k -= 1"),
            ("$k = $k * 2 + 1", "$k *= 2 + 1"),
            ("let mut $k = $n / 2", "let mut $k = $n"),
        ] {
            assert_ne!(step(one), step(other), "{one}");
        }
        assert_eq!(step("$a == $b"), None);
        assert_eq!(step("$a . b = $b"), None);
        assert_eq!(step("size_t $a = $b"), None);
    }

    #[test]
    fn declarations_with_a_type_are_told_from_other_places() {
        let target = |text: &str| {
            let text = NormalisedText(text.replace('$', &NormalisedText::LOCAL.to_string()));
            Assignment::or_declaration(&text).map(|of| of.targets.join(" "))
        };
        for declaration in [
            "size_t $a = $b",
            "const Row & $a = $rows [ $i ]",
            "std :: vector < int > $a = $b",
        ] {
            assert_eq!(target(declaration).as_deref(), Some("a"), "{declaration}");
        }
        for other in ["$a . b = $b", "$a [ 0 ] = $b", "* $a == $b"] {
            assert_eq!(target(other), None, "{other}");
        }
    }
}
