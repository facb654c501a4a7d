//! The head of a loop of C that counts (`for (i = 0; i < 100; i++)`) → how often its body runs.

use crate::cost::trip_count::{KnownValues, TripCount};
use crate::syntax::{NormalisedText, SyntaxNode};

/// The head of a loop with a variable that starts at a value and takes steps until a condition no longer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountingHead<'t> {
    /// The variable, as the text of operations marks it.
    pub(super) variable: &'t str,
    from: &'t str,
    /// What the condition compares the variable with; empty for one that is compared with 0 by itself.
    bound: &'t str,
    /// True if the body runs for the bound as well.
    with_bound: bool,
    direction: Direction,
    step: &'t str,
    /// False if another condition can end the loop.
    exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

impl<'t> CountingHead<'t> {
    /// Reads the head of a loop; `before` are the nodes before its last operation. `None` for one that does not count.
    pub(super) fn of(text: &'t str, before: &'t [SyntaxNode]) -> Option<Self> {
        // A start that is a declaration is an operation of its own.
        let (start, rest) = match text.strip_prefix(NormalisedText::HOLE) {
            Some(rest) => {
                let declared = before.iter().rev().find_map(|node| match node {
                    SyntaxNode::Operation(operation) => Some(operation.text.0.as_str()),
                    SyntaxNode::Call(_) | SyntaxNode::Block(_) => None,
                });
                (declared?, rest)
            }
            None => text.split_once(" ; ")?,
        };
        let (condition, step) = rest.split_once(" ; ").unwrap_or((rest, ""));
        let (condition, step) = (condition.trim(), step.trim());
        let (first, others) = match condition.split_once(" && ") {
            Some((first, _)) => (first, true),
            None => (condition, false),
        };
        let (left, sign, right) = compared(first)?;
        // `i -- > 0` steps in its condition.
        let (variable, step_of_condition) = match left.strip_suffix("--") {
            Some(variable) if step.is_empty() => (variable.trim_end(), Some("--")),
            Some(_) => return None,
            None => (left, None),
        };
        if !variable.starts_with(NormalisedText::LOCAL) || variable.contains(' ') {
            return None;
        }
        let (direction, width) = match step_of_condition {
            Some(_) => (Direction::Down, "1"),
            None => stepped(step, variable)?,
        };
        let with_bound = matches!(sign, "<=" | ">=");
        let fits = match direction {
            Direction::Up => matches!(sign, "<" | "<=" | "!="),
            Direction::Down => matches!(sign, ">" | ">=" | "!="),
        };
        fits.then_some(Self {
            variable,
            from: assigned(start, variable)?,
            bound: right,
            with_bound,
            direction,
            step: width,
            exact: !others,
        })
    }

    /// The number of rounds; `None` if a value is not known.
    pub(super) fn length(&self, values: KnownValues<'_>) -> Option<TripCount> {
        let value = |text: &str| values.integer_value(text);
        let bound = if self.bound.is_empty() { 0 } else { value(self.bound)? };
        let (low, high) = match self.direction {
            Direction::Up => (value(self.from)?, bound),
            Direction::Down => (bound, value(self.from)?),
        };
        let high = high.checked_add(u64::from(self.with_bound))?;
        let most = high.saturating_sub(low).div_ceil(value(self.step)?.max(1));
        Some(TripCount {
            most,
            exact: self.exact,
        })
    }
}

/// The two sides of a comparison, the variable first; the right one is empty for a value that is compared with 0 by itself.
fn compared(condition: &str) -> Option<(&str, &'static str, &str)> {
    let signs = [("<=", ">="), (">=", "<="), ("!=", "!="), ("<", ">"), (">", "<")];
    for (sign, turned) in signs {
        let Some((left, right)) = condition.split_once(&format!(" {sign} ")) else {
            continue;
        };
        let (left, right) = (left.trim(), right.trim());
        let is_variable = |side: &str| side.starts_with(NormalisedText::LOCAL);
        return match (is_variable(left), is_variable(right)) {
            (true, _) => Some((left, sign, right)),
            (false, true) => Some((right, turned, left)),
            (false, false) => None,
        };
    }
    condition.ends_with("--").then_some((condition, "!=", ""))
}

/// The direction and the width of a step.
fn stepped<'t>(step: &'t str, variable: &str) -> Option<(Direction, &'t str)> {
    let around = match step.strip_prefix(variable) {
        Some(after) => after.trim(),
        None => step.strip_suffix(variable)?.trim(),
    };
    match around {
        "++" => Some((Direction::Up, "1")),
        "--" => Some((Direction::Down, "1")),
        _ => match around.split_once(' ')? {
            ("+=", width) => Some((Direction::Up, width)),
            ("-=", width) => Some((Direction::Down, width)),
            _ => None,
        },
    }
}

/// The value that a variable has at the start: `int i = 0, n = 3`.
fn assigned<'t>(start: &'t str, variable: &str) -> Option<&'t str> {
    start.split(" , ").find_map(|part| {
        let (name, value) = part.split_once(" = ")?;
        (name.split(' ').next_back()? == variable).then(|| value.trim())
    })
}
