//! A call → its arguments and the functions that it can mean, as far as its source says.

use super::model::{CallArguments, SyntaxCall, SyntaxCallForm, SyntaxFunction};

impl CallArguments {
    /// The text of each, in order; a turbofish is left out.
    #[must_use]
    pub fn each(&self) -> Vec<&str> {
        let parts = split(&self.text.0);
        let turbofish = parts.len().saturating_sub(usize::from(self.arity));
        parts.into_iter().skip(turbofish).collect()
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
