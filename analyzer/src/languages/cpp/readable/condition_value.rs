//! A condition of the preprocessor → whether it holds, as far as the names that it asks for are known.
//!
//! The operators of integer constant expressions (ISO C, 6.6 and 6.10.1). What is not known makes unknown what depends on it:
//! `0 && x` does not hold, whatever `x` is.

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

/// Whether a condition holds; `None` if that depends on something unknown, or if it is none. `is_defined` tells of a name
/// whether it is defined, as far as that is known.
pub(super) fn condition_holds(text: &str, is_defined: &dyn Fn(&str) -> Option<bool>) -> Option<bool> {
    let mut parser = ConditionParser { rest: text, is_defined };
    let value = parser.expression(0, 0).ok()?;
    parser.rest.trim().is_empty().then_some(value)?.map(|value| value != 0)
}

/// Text that is no condition, or one with more than is read here.
struct Unreadable;

/// A number, if it is known.
type Value = Option<i64>;

struct ConditionParser<'t> {
    rest: &'t str,
    is_defined: &'t dyn Fn(&str) -> Option<bool>,
}

impl<'t> ConditionParser<'t> {
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
            '!' => Ok(self.after_sign(depth)?.map(|value| i64::from(value == 0))),
            '-' => Ok(self.after_sign(depth)?.and_then(i64::checked_neg)),
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
            return Ok((self.is_defined)(asked).map(i64::from));
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
            self.rest = &self.rest[end.ok_or(Unreadable)? + 1..];
            return Ok(None);
        }
        // A name that is not defined stands for 0.
        Ok((self.is_defined)(name).filter(|is_defined| !is_defined).map(|_| 0))
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

/// A number without its ending.
fn number(text: &str) -> Value {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']).replace('\'', "");
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(&digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

fn applied(operator: &str, left: Value, right: Value) -> Value {
    let truth = |value: Value| value.map(|value| value != 0);
    match operator {
        "&&" => match (truth(left), truth(right)) {
            (Some(false), _) | (_, Some(false)) => Some(0),
            (Some(true), Some(true)) => Some(1),
            _ => None,
        },
        "||" => match (truth(left), truth(right)) {
            (Some(true), _) | (_, Some(true)) => Some(1),
            (Some(false), Some(false)) => Some(0),
            _ => None,
        },
        _ => of_numbers(operator, left?, right?),
    }
}

fn of_numbers(operator: &str, left: i64, right: i64) -> Value {
    let shift = || u32::try_from(right).ok();
    match operator {
        "==" => Some(i64::from(left == right)),
        "!=" => Some(i64::from(left != right)),
        "<=" => Some(i64::from(left <= right)),
        ">=" => Some(i64::from(left >= right)),
        "<" => Some(i64::from(left < right)),
        ">" => Some(i64::from(left > right)),
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
    }
}

#[cfg(test)]
mod tests {
    use super::condition_holds;

    fn holds(condition: &str) -> Option<bool> {
        condition_holds(condition, &|name| name.starts_with("NO_").then_some(false))
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
