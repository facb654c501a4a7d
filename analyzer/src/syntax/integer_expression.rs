//! A piece of source text → the integer that it stands for, where that can be read off: literals, names that are known,
//! sums, products, shifts, casts. Everything else is not a number here; nothing is run.

use super::model::NormalisedText;

/// The value of an expression, or of the text of an operation or argument. `name` gives the values of constants and of
/// locals by their last segment. `None` if the text shows no value, or one that is below 0 or too large.
#[must_use]
pub fn evaluate_integer(text: &str, name: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    let mut reader = IntegerExpressionParser { rest: text, name };
    let value = reader.expression(LOOSEST, 0)?;
    reader.skip_space();
    reader.rest.is_empty().then_some(value)
}

/// A longer value is a table.
const LONGEST_VALUE: usize = 80;

/// The value of a constant, by the text of its definition: `NAME = value`, or `#define NAME value`. Names in it are not known.
#[must_use]
pub(crate) fn value_of_definition(text: &str) -> Option<u64> {
    let value = match text.trim_start().strip_prefix('#') {
        Some(directive) => {
            let definition = directive.trim_start().strip_prefix("define")?.trim_start();
            let (name, value) = definition.split_once(char::is_whitespace)?;
            if name.contains('(') {
                // Parameters.
                return None;
            }
            let end = value.find("/*").or_else(|| value.find("//"));
            &value[..end.unwrap_or(value.len())]
        }
        None => text.split_once('=')?.1,
    };
    let value = value.trim().trim_end_matches(';');
    (value.len() <= LONGEST_VALUE).then(|| evaluate_integer(value, &|_| None))?
}

/// How tightly operators bind, from the loosest.
const LOOSEST: u8 = 0;
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const CAST: u8 = 3;

/// Parentheses nested more deeply are not read.
const DEEPEST: u32 = 16;

struct IntegerExpressionParser<'t> {
    rest: &'t str,
    name: &'t dyn Fn(&str) -> Option<u64>,
}

impl<'t> IntegerExpressionParser<'t> {
    fn expression(&mut self, tightest: u8, depth: u32) -> Option<u64> {
        let mut left = self.primary(depth)?;
        loop {
            self.skip_space();
            let (operator, binding) = [
                ("<<", LOOSEST),
                ("+", SUM),
                ("-", SUM),
                ("*", PRODUCT),
                ("//", PRODUCT),
                ("/", PRODUCT),
                ("as ", CAST),
            ]
            .into_iter()
            .find(|(operator, _)| self.rest.starts_with(operator))
            .unwrap_or(("", LOOSEST));
            if operator.is_empty() || binding < tightest {
                return Some(left);
            }
            self.rest = &self.rest[operator.len()..];
            if binding == CAST {
                self.word()?;
                continue;
            }
            let right = self.expression(binding + 1, depth)?;
            left = match operator {
                "<<" => 1_u64
                    .checked_shl(u32::try_from(right).ok()?)
                    .and_then(|factor| left.checked_mul(factor))?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                _ => left.checked_div(right)?,
            };
        }
    }

    fn primary(&mut self, depth: u32) -> Option<u64> {
        self.skip_space();
        if let Some(inside) = self.rest.strip_prefix('(') {
            self.rest = inside;
            let value = (depth < DEEPEST)
                .then(|| self.expression(LOOSEST, depth + 1))
                .flatten()?;
            self.skip_space();
            self.rest = self.rest.strip_prefix(')')?;
            return Some(value);
        }
        let mut word = self.word()?;
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            return literal(word);
        }
        // A path: the last segment says what it is.
        loop {
            self.skip_space();
            let Some(after) = self.rest.strip_prefix("::") else {
                return (self.name)(word);
            };
            self.rest = after;
            word = self.word()?;
        }
    }

    fn word(&mut self) -> Option<&'t str> {
        self.rest = self.rest.trim_start_matches([' ', NormalisedText::LOCAL]);
        let end = self
            .rest
            .find(|next: char| !next.is_alphanumeric() && next != '_')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

/// An integer literal with its prefix, underscores and suffix, as Rust, C or Python write it.
fn literal(word: &str) -> Option<u64> {
    let plain = word.replace('_', "");
    let (digits, radix) = match plain.get(..2) {
        Some("0x") => (&plain[2..], 16),
        Some("0o") => (&plain[2..], 8),
        Some("0b") => (&plain[2..], 2),
        // In C. Rust warns of such a number, and Python refuses it.
        Some(start) if start.starts_with('0') && start != "0u" && start != "0i" => (&plain[1..], 8),
        _ => (plain.as_str(), 10),
    };
    let suffixes = [
        "usize", "isize", "u128", "i128", "u64", "i64", "u32", "i32", "u16", "i16", "u8", "i8",
    ];
    let number = suffixes
        .iter()
        .find_map(|suffix| digits.strip_suffix(suffix))
        .unwrap_or(digits)
        .trim_end_matches(['u', 'U', 'l', 'L']);
    u64::from_str_radix(number, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<u64> {
        evaluate_integer(text, &|name| (name == "LIMIT").then_some(40))
    }

    #[test]
    fn literals_are_read_in_every_notation() {
        let written = ["84293", "1_000u32", "0x40", "0b101", "0o17", "64usize"];
        let read: Vec<_> = written.into_iter().filter_map(value).collect();
        assert_eq!(read, [84_293, 1000, 64, 5, 15, 64]);
        let of_c = ["5372u", "0xFFul", "64ULL", "017", "0", "0u"];
        assert_eq!(of_c.map(value), [5372, 255, 64, 15, 0, 0].map(Some));
    }

    #[test]
    fn a_definition_shows_its_value_where_it_is_a_number() {
        for (definition, shown) in [
            ("const LIMIT: usize = 5 * 8;", Some(40)),
            ("LIMIT = 100 // 3", Some(33)),
            ("# define LIMIT (1 << 4)\n", Some(16)),
            ("#define LIMIT 16 // rounds", Some(16)),
            ("#define LIMIT(x) 4", None),
            ("#define LIMIT OTHER", None),
            ("#define LIMIT", None),
            ("LIMIT = f()", None),
        ] {
            assert_eq!(value_of_definition(definition), shown, "{definition}");
        }
    }

    #[test]
    fn operators_bind_as_in_the_language() {
        assert_eq!(value("2 + 3 * 4"), Some(14));
        assert_eq!(value("1 << 2 + 3"), Some(32));
        assert_eq!(value("10 - 3 - 2"), Some(5));
        assert_eq!(value("( 2 + 3 ) * 4 as u64"), Some(20));
        assert_eq!(value("7 / 2"), Some(3));
    }

    #[test]
    fn names_are_asked_for_by_their_last_segment() {
        assert_eq!(value("Self :: LIMIT + 2"), Some(42));
        assert_eq!(value("\u{1}other"), None);
    }

    #[test]
    fn what_is_not_a_number_has_no_value() {
        for text in [
            "",
            "\u{2}",
            "x . len",
            "1 . 5",
            "2.5",
            "3 - 4",
            "1 / 0",
            "1 << 64",
            "\"a\"",
            "99999999999999999999",
            "(((((((((((((((((((1)))))))))))))))))))",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
