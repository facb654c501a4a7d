//! A call → its arguments and the functions that it can mean, as far as its source says.

use super::model::{CallArguments, SyntaxCall, SyntaxCallForm, SyntaxFunction};

impl CallArguments {
    /// The text of each, in order; a turbofish is left out.
    #[must_use]
    pub fn each(&self) -> Vec<&str> {
        let given = self.with_turbofish().map_or(&*self.text.0, |(_, given)| given);
        let parts = split(given);
        let beyond = parts.len().saturating_sub(usize::from(self.arity));
        parts.into_iter().skip(beyond).collect()
    }

    /// The text of each type and value of the turbofish, in order.
    #[must_use]
    pub fn each_of_turbofish(&self) -> Vec<&str> {
        self.with_turbofish()
            .map_or_else(Vec::new, |(turbofish, _)| split(turbofish))
    }

    /// The text in the angles before the arguments, and the arguments without their parentheses; `None` without angles.
    fn with_turbofish(&self) -> Option<(&str, &str)> {
        let text = self.text.0.strip_prefix('<')?;
        let mut open = 1_i32;
        let mut last = ' ';
        let end = text.char_indices().find_map(|(at, letter)| {
            match letter {
                '<' => open += 1,
                '>' if last != '-' => open -= 1,
                _ => {}
            }
            last = letter;
            (open == 0).then_some(at)
        })?;
        let given = text[end + 1..].trim().strip_prefix('(')?.strip_suffix(')')?;
        Some((&text[..end], given))
    }
}

impl SyntaxFunction {
    /// Whether it can be what a call calls, by its arity. A method may be called by its path with the receiver as first
    /// argument.
    #[must_use]
    pub fn takes(&self, call: &SyntaxCall) -> bool {
        let (given, taken) = (usize::from(call.arguments.arity), self.parameters.len());
        match call.callee.form {
            SyntaxCallForm::Macro | SyntaxCallForm::Value => false,
            SyntaxCallForm::Method => self.has_receiver && given == taken,
            SyntaxCallForm::Path => given == taken || (self.has_receiver && given == taken + 1),
        }
    }
}

/// Splits at commas that stand in no brackets.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from, mut in_string) = (Vec::new(), 0_i32, 0, false);
    let mut last = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if last != '\\' => in_string = !in_string,
            _ if in_string => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
        last = letter;
    }
    let rest = text[from..].trim();
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::NormalisedText;

    #[test]
    fn a_turbofish_stands_before_the_arguments() {
        let of = |text: &str| CallArguments {
            arity: 2,
            text: NormalisedText(text.to_owned()),
            weight: 0,
        };
        for (text, turbofish, each) in [
            ("a , ( b , c )", vec![], vec!["a", "( b , c )"]),
            (
                "< T , 400 > ( a , f ( b , c ) )",
                vec!["T", "400"],
                vec!["a", "f ( b , c )"],
            ),
            ("< Less < T > > ( a , b )", vec!["Less < T >"], vec!["a", "b"]),
            ("< Box < fn ( ) -> T >> ( )", vec!["Box < fn ( ) -> T >"], vec![]),
            (
                "< T as Sized > :: SIZE , b",
                vec![],
                vec!["< T as Sized > :: SIZE", "b"],
            ),
        ] {
            assert_eq!(of(text).each_of_turbofish(), turbofish, "{text}");
            assert_eq!(of(text).each(), each, "{text}");
        }
    }
}
