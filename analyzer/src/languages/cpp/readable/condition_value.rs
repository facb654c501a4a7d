//! A condition of the preprocessor → whether it holds, as far as the names that it asks for are known.
//!
//! The operators of integer constant expressions (ISO C, 6.6 and 6.10.1). What is not known makes unknown what depends on it:
//! `0 && x` does not hold, whatever `x` is.

use std::borrow::Cow;

use crate::text_search::is_part_of_word;

/// Parentheses and signs nested more deeply are not read.
const DEEPEST: u32 = 32;

/// Binary operators with how tightly they bind, longer ones before those that they begin with.
const OPERATORS: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

/// Macros stand for macros at most so often in a row.
const MOST_EXPANSIONS: u32 = 16;

/// The part of a name in a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamedMacro<'m> {
    /// It is not defined.
    Undefined,
    /// It stands for this text.
    Text(Cow<'m, str>),
    /// It is defined, with these parameters.
    Function(Cow<'m, MacroFunction>),
    /// It is defined, and nobody knows as what.
    Defined,
    /// Nobody knows.
    Unknown,
}

impl NamedMacro<'_> {
    pub(super) const fn is_defined(&self) -> Option<bool> {
        match self {
            Self::Undefined => Some(false),
            Self::Text(_) | Self::Function(_) | Self::Defined => Some(true),
            Self::Unknown => None,
        }
    }
}

/// A macro with parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MacroFunction {
    parameters: Vec<String>,
    text: String,
}

impl MacroFunction {
    /// Reads `(a, b) text`; `None` if it takes any number of arguments, or makes words.
    pub(super) fn parse(definition: &str) -> Option<Self> {
        let (parameters, text) = definition.strip_prefix('(')?.split_once(')')?;
        let parameters: Vec<String> = parameters.split(',').map(|name| name.trim().to_owned()).collect();
        (parameters.iter().all(|name| is_word(name)) && !text.contains('#')).then(|| Self {
            parameters,
            text: text.trim().to_owned(),
        })
    }

    /// The text with arguments in place of the parameters; `None` for another number of arguments.
    fn applied_to(&self, arguments: &str) -> Option<String> {
        let arguments = divided(arguments);
        let argument = |word: &str| {
            let place = self.parameters.iter().position(|name| name == word)?;
            Some(arguments[place])
        };
        (arguments.len() == self.parameters.len()).then(|| {
            let mut text = String::new();
            let mut rest = self.text.as_str();
            while let Some(start) = rest.find(|letter: char| !letter.is_whitespace()) {
                text.push_str(&rest[..start]);
                rest = &rest[start..];
                let end = rest
                    .bytes()
                    .position(|byte| !is_part_of_word(&byte))
                    .unwrap_or(rest.len());
                // A sign is one letter.
                let end = end.max(rest.chars().next().map_or(1, char::len_utf8));
                let (word, behind) = rest.split_at(end);
                text.push_str(argument(word).unwrap_or(word));
                rest = behind;
            }
            text
        })
    }
}

/// True for one word and nothing else.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| is_part_of_word(&byte))
}

/// The arguments between parentheses.
fn divided(arguments: &str) -> Vec<&str> {
    let mut open = 0_i32;
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, letter) in arguments.char_indices() {
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            ',' if open == 0 => {
                parts.push(arguments[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(arguments[start..].trim());
    parts
}

/// Whether a condition holds; `None` if that depends on something unknown, or if it is none.
pub(super) fn condition_holds<'m>(text: &str, macro_of: &dyn Fn(&str) -> NamedMacro<'m>) -> Option<bool> {
    value_of(text, macro_of, 0).map(|number| number.value != 0)
}

fn value_of<'m>(text: &str, macro_of: &dyn Fn(&str) -> NamedMacro<'m>, expansions: u32) -> Value {
    let mut parser = ConditionParser {
        rest: text,
        macro_of,
        expansions,
    };
    let value = parser.expression(0, 0).ok()?;
    parser.rest.trim().is_empty().then_some(value)?
}

/// Text that is no condition, or one with more than is read here.
struct Unreadable;

/// A number, if it is known.
type Value = Option<Number>;

#[derive(Debug, Clone, Copy)]
struct Number {
    value: i64,
    /// Below 0 it is another number, and makes others so.
    is_unsigned: bool,
}

impl From<bool> for Number {
    fn from(is_true: bool) -> Self {
        Self {
            value: i64::from(is_true),
            is_unsigned: false,
        }
    }
}

struct ConditionParser<'t, 'm> {
    rest: &'t str,
    macro_of: &'t dyn Fn(&str) -> NamedMacro<'m>,
    expansions: u32,
}

impl<'t> ConditionParser<'t, '_> {
    fn expression(&mut self, loosest: u8, depth: u32) -> Result<Value, Unreadable> {
        let mut left = self.operand(depth)?;
        loop {
            self.rest = self.rest.trim_start();
            let found = OPERATORS.iter().find(|(operator, _)| self.rest.starts_with(operator));
            let Some((operator, binding)) = found.filter(|(_, binding)| *binding > loosest) else {
                return Ok(left);
            };
            self.rest = &self.rest[operator.len()..];
            let right = self.expression(*binding, depth)?;
            left = applied(operator, left, right);
        }
    }

    fn operand(&mut self, depth: u32) -> Result<Value, Unreadable> {
        if depth > DEEPEST {
            return Err(Unreadable);
        }
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().ok_or(Unreadable)?;
        match first {
            '!' => Ok(self.after_sign(depth)?.map(|number| Number::from(number.value == 0))),
            '-' => Ok(applied("-", Some(Number::from(false)), self.after_sign(depth)?)),
            '+' => self.after_sign(depth),
            '(' => {
                self.rest = &self.rest[1..];
                let value = self.expression(0, depth + 1)?;
                self.sign(')')?;
                Ok(value)
            }
            '0'..='9' => Ok(number(self.word())),
            '_' | 'a'..='z' | 'A'..='Z' => self.name(),
            _ => Err(Unreadable),
        }
    }

    fn after_sign(&mut self, depth: u32) -> Result<Value, Unreadable> {
        self.rest = &self.rest[1..];
        self.operand(depth + 1)
    }

    fn name(&mut self) -> Result<Value, Unreadable> {
        let name = self.word();
        if name == "defined" {
            let is_enclosed = self.sign('(').is_ok();
            self.rest = self.rest.trim_start();
            let asked = self.word();
            if is_enclosed {
                self.sign(')')?;
            }
            return Ok((self.macro_of)(asked).is_defined().map(Number::from));
        }
        // The arguments of a macro.
        if self.sign('(').is_ok() {
            let mut open = 1_u32;
            let end = self.rest.find(|letter| {
                open = match letter {
                    '(' => open + 1,
                    ')' => open - 1,
                    _ => open,
                };
                open == 0
            });
            let (arguments, rest) = self.rest.split_at(end.ok_or(Unreadable)?);
            self.rest = &rest[1..];
            return Ok(match (self.macro_of)(name) {
                NamedMacro::Function(function) => {
                    let text = function.applied_to(arguments);
                    text.and_then(|text| self.expanded(&text))
                }
                NamedMacro::Undefined | NamedMacro::Text(_) | NamedMacro::Defined | NamedMacro::Unknown => None,
            });
        }
        Ok(match (self.macro_of)(name) {
            // A name that is not defined stands for 0.
            NamedMacro::Undefined => Some(Number::from(false)),
            NamedMacro::Text(text) => self.expanded(&text),
            NamedMacro::Function(_) | NamedMacro::Defined | NamedMacro::Unknown => None,
        })
    }

    /// The value of a macro's text, which stands among that around it: only a number, a name and parentheses keep together.
    fn expanded(&self, text: &str) -> Value {
        let is_read = is_operand(text) && self.expansions < MOST_EXPANSIONS;
        is_read.then(|| value_of(text, self.macro_of, self.expansions + 1))?
    }

    fn sign(&mut self, sign: char) -> Result<(), Unreadable> {
        self.rest = self.rest.trim_start().strip_prefix(sign).ok_or(Unreadable)?;
        Ok(())
    }

    fn word(&mut self) -> &'t str {
        let is_part = |letter: char| letter == '_' || letter == '\'' || letter.is_ascii_alphanumeric();
        let end = self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }
}

/// True for one word, for one pair of parentheses around all, and for both behind each other: a macro with its arguments.
fn is_operand(text: &str) -> bool {
    let text = text.trim();
    let text = text
        .trim_start_matches(|letter: char| letter == '_' || letter.is_ascii_alphanumeric())
        .trim_start();
    if text.is_empty() {
        return true;
    }
    let mut open = 0_usize;
    let ends = text.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        (open == 0).then_some(at)
    });
    text.starts_with('(') && ends == Some(text.len() - 1)
}

/// A number and its ending.
fn number(text: &str) -> Value {
    let plain = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let is_unsigned = text[plain.len()..].contains(['u', 'U']);
    let digits = plain.replace('\'', "");
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(&digits, 8).ok(),
        None => digits.parse().ok(),
    };
    value.map(|value| Number { value, is_unsigned })
}

fn applied(operator: &str, left: Value, right: Value) -> Value {
    let truth = |value: Value| value.map(|number| number.value != 0);
    match operator {
        "&&" => match (truth(left), truth(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false.into()),
            (Some(true), Some(true)) => Some(true.into()),
            _ => None,
        },
        "||" => match (truth(left), truth(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true.into()),
            (Some(false), Some(false)) => Some(false.into()),
            _ => None,
        },
        _ => of_numbers(operator, left?, right?),
    }
}

fn of_numbers(operator: &str, left: Number, right: Number) -> Value {
    let is_shift = matches!(operator, "<<" | ">>");
    let is_unsigned = left.is_unsigned || right.is_unsigned && !is_shift;
    // A number below 0 is a very large one here.
    if is_unsigned && (left.value < 0 || right.value < 0) {
        return None;
    }
    let (left, right) = (left.value, right.value);
    let compared = match operator {
        "==" => Some(left == right),
        "!=" => Some(left != right),
        "<=" => Some(left <= right),
        ">=" => Some(left >= right),
        "<" => Some(left < right),
        ">" => Some(left > right),
        _ => None,
    };
    if let Some(holds) = compared {
        return Some(holds.into());
    }
    let shift = || u32::try_from(right).ok();
    let value = match operator {
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "<<" => left.checked_shl(shift()?),
        ">>" => left.checked_shr(shift()?),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        _ => None,
    }?;
    (!is_unsigned || value >= 0).then_some(Number { value, is_unsigned })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Cow, MacroFunction, NamedMacro, condition_holds};

    fn function(definition: &str) -> NamedMacro<'static> {
        NamedMacro::Function(Cow::Owned(MacroFunction::parse(definition).unwrap()))
    }

    fn holds(condition: &str) -> Option<bool> {
        condition_holds(condition, &|name| match name {
            "TWO" => NamedMacro::Text("2L".into()),
            "FOUR" => NamedMacro::Text("(TWO + 1 * TWO)".into()),
            "LOOSE" => NamedMacro::Text("1 + 1".into()),
            "MADE" => NamedMacro::Text("CODE(0, TWO)".into()),
            "ITSELF" => NamedMacro::Text("ITSELF".into()),
            "EMPTY" => NamedMacro::Text("".into()),
            "CALL" => NamedMacro::Defined,
            "CODE" => function("(x, y) ((x) * 100 + (y))"),
            "FIRST" => function("(x) x"),
            name if name.starts_with("NO_") => NamedMacro::Undefined,
            _ => NamedMacro::Unknown,
        })
    }

    #[test]
    fn a_macro_with_parameters_stands_for_its_text_with_the_arguments() {
        assert_eq!(
            holds("CODE(4, TWO + 1) == 403 && CODE(CODE(0, 1), 2) == 102"),
            Some(true)
        );
        assert_eq!(holds("FIRST(3) == 3 && FIRST((TWO + 1)) == 3"), Some(true));
        for unknown in [
            "CODE(4) == 400",
            "CODE(A, 1)",
            "FIRST(1 + 1) * 2 == 4",
            "CODE",
            "TWO(1)",
            "CALL(1)",
        ] {
            assert_eq!(holds(unknown), None, "{unknown}");
        }
        for unread in ["(...) 1", "(a, ...) 1", "(a) a##1", "(a) #a", "() 1"] {
            assert_eq!(MacroFunction::parse(unread), None, "{unread}");
        }
    }

    #[test]
    fn a_macro_stands_for_its_text() {
        assert_eq!(holds("TWO * FOUR == 8 && defined(TWO)"), Some(true));
        assert_eq!(holds("FOUR < TWO"), Some(false));
        assert_eq!(holds("defined CALL && defined(EMPTY)"), Some(true));
        for unknown in ["LOOSE * 2 == 4", "ITSELF", "EMPTY", "CALL(1) == 1", "CALL"] {
            assert_eq!(holds(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_name_that_is_not_defined_stands_for_zero() {
        assert_eq!(holds("NO_A"), Some(false));
        assert_eq!(holds("!defined(NO_A) && NO_B < 3"), Some(true));
        assert_eq!(holds("defined NO_A || NO_B + 2 * 3 == 6"), Some(true));
    }

    #[test]
    fn one_side_may_settle_what_the_other_leaves_open() {
        assert_eq!(holds("A && NO_B"), Some(false));
        assert_eq!(holds("NO_B && A(1, (2))"), Some(false));
        assert_eq!(holds("A || 1"), Some(true));
        assert_eq!(holds("A || NO_B"), None);
        assert_eq!(holds("A + 1"), None);
        assert_eq!(holds("(A && NO_B) || (NO_C && D)"), Some(false));
    }

    #[test]
    fn numbers_are_those_of_the_language() {
        assert_eq!(holds("0x10 == 16 && 010 == 8 && 202'002L > 1U"), Some(true));
        assert_eq!(holds("-1 < 0"), Some(true));
        assert_eq!(holds("1 << 70"), None);
        assert_eq!(holds("2u - 1 > 0 && 3 - 1u == 2"), Some(true));
        for beyond in ["(0u - 1) > 0", "-1 < 0u", "-1u > 0", "0u - 1 == 3"] {
            assert_eq!(holds(beyond), None, "{beyond}");
        }
        assert_eq!(holds("1 / 0"), None);
    }

    #[test]
    fn what_is_no_condition_is_not_known() {
        for text in ["", "(1", "1 2", "1 ? 0 : 1", "'a' == 97", "A(", "&&", "\u{e4}"] {
            assert_eq!(holds(text), None, "{text}");
        }
        assert_eq!(holds(&"(".repeat(10_000)), None);
        assert_eq!(holds(&"!".repeat(10_000)), None);
    }
}
