//! A loop in the source → how often it runs each time it is reached, where its bounds can be read: literal and constant
//! ranges, arrays, `take`, `step_by`, `repeat_n`, heads that count, and parameters whose argument is known.
//!
//! Does not follow the values of locals.

use crate::cost::Estimate;
use crate::cost::counting_head::CountingHead;
use crate::syntax::call::split;
use crate::syntax::{
    BlockId, BlockKind, CallReceiver, ItemKind, NormalisedText, OperationKind, SourceFile, SyntaxBlock, SyntaxCall,
    SyntaxFunction, SyntaxNode, SyntaxOperation, evaluate_integer,
};

/// The known values of names around a loop.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownValues<'a> {
    /// Constants are looked up here.
    pub source: Option<&'a SourceFile>,
    /// Parameters with a known number.
    pub given: &'a [(&'a str, u64)],
}

impl KnownValues<'_> {
    /// The number that a piece of source text stands for.
    #[must_use]
    pub fn integer_value(&self, text: &str) -> Option<u64> {
        evaluate_integer(text, &|name| {
            let given = self.given.iter().find(|(parameter, _)| *parameter == name);
            given.map(|(_, value)| *value).or_else(|| {
                let mut constants = self
                    .source?
                    .items
                    .iter()
                    .filter(|item| matches!(item.kind, ItemKind::Constant | ItemKind::Macro) && item.name == name)
                    .map(|item| item.value);
                // Associated constants of several types may share one name.
                let value = constants.next()??;
                constants.all(|other| other == Some(value)).then_some(value)
            })
        })
    }
}

/// How often the body of a loop runs for each execution of the block around it; `None` if the block is not a loop, or
/// its bounds cannot be read.
#[must_use]
pub(super) fn loop_trip_count(function: &SyntaxFunction, id: BlockId, values: KnownValues<'_>) -> Option<Estimate> {
    let block = function.block(id);
    if block.kind != BlockKind::Loop {
        return None;
    }
    let length = length(function, id, values)?;
    let most = length.most as f64;
    if length.exact && !may_leave(function, id) {
        return Some(Estimate::exactly(most));
    }
    // Anywhere from once to every time.
    Some(Estimate::between(0.0, most.sqrt(), most))
}

/// The number of elements that a loop iterates over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TripCount {
    pub(super) most: u64,
    /// False if something may end the loop before.
    pub(super) exact: bool,
}

impl TripCount {
    pub(super) const fn exactly(most: u64) -> Self {
        Self { most, exact: true }
    }

    pub(super) const fn at_most(most: u64) -> Self {
        Self { most, exact: false }
    }
}

fn length(function: &SyntaxFunction, id: BlockId, values: KnownValues<'_>) -> Option<TripCount> {
    let block = function.block(id);
    match block.head.split_last() {
        Some((SyntaxNode::Operation(head), before)) => match head.text.0.split_once(" in ") {
            Some((_, iterated)) => match iterated.split_once(" if ") {
                // A comprehension with a filter.
                Some((iterated, _)) => of_iterated(iterated, before, values).map(|all| TripCount::at_most(all.most)),
                None => of_iterated(iterated, before, values),
            },
            None if head.kind == OperationKind::Pattern => of_closure(function, id, values),
            None => match CountingHead::of(&head.text.0, before) {
                Some(counting) => {
                    let length = counting.length(values)?;
                    // A body that counts as well, or has its own end, knows better.
                    let is_exact = length.exact && !changes(function, id, counting.variable);
                    Some(TripCount {
                        exact: is_exact,
                        ..length
                    })
                }
                None => of_condition(&head.text.0, values),
            },
        },
        Some(_) => None,
        None => of_closure(function, id, values),
    }
}

/// What a loop goes through; `before` are the nodes before it.
fn of_iterated(text: &str, before: &[SyntaxNode], values: KnownValues<'_>) -> Option<TripCount> {
    match is_hole(text) {
        true => of_last_call(before, values),
        false => of_text(text, values),
    }
}

/// The elements that the last of some nodes, a call, returns.
fn of_last_call(nodes: &[SyntaxNode], values: KnownValues<'_>) -> Option<TripCount> {
    match nodes.split_last()? {
        (SyntaxNode::Call(last), before) => of_call(last, before, values),
        (SyntaxNode::Operation(_) | SyntaxNode::Block(_), _) => None,
    }
}

/// The receiver of the adaptor whose closure is the block.
fn of_closure(function: &SyntaxFunction, id: BlockId, values: KnownValues<'_>) -> Option<TripCount> {
    let around = function.block(function.block(id).parent?);
    let nodes = [&around.nodes, &around.head]
        .into_iter()
        .find(|nodes| nodes.contains(&SyntaxNode::Block(id)))?;
    let at = nodes.iter().position(|node| *node == SyntaxNode::Block(id))?;
    let adaptor = nodes[at..].iter().find_map(|node| match node {
        SyntaxNode::Call(call) => Some(call),
        SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
    })?;
    of_receiver(adaptor, &nodes[..at], values)
}

/// The receiver of a method call; `before` are the nodes before the call.
fn of_receiver(call: &SyntaxCall, before: &[SyntaxNode], values: KnownValues<'_>) -> Option<TripCount> {
    match call.callee.receiver.as_ref()? {
        CallReceiver::Result { callee, .. } => {
            let (at, call) = before.iter().enumerate().rev().find_map(|(at, node)| match node {
                SyntaxNode::Call(call) if call.callee.name == *callee => Some((at, call)),
                SyntaxNode::Call(_) | SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
            })?;
            of_call(call, &before[..at], values)
        }
        // Closures that are passed to the call are between it and its receiver.
        CallReceiver::Other(_) => before.iter().rev().find_map(|node| match node {
            SyntaxNode::Operation(operation) => Some(of_text(&operation.text.0, values)),
            SyntaxNode::Call(_) => Some(None),
            SyntaxNode::Block(_) => None,
        })?,
        CallReceiver::SelfValue | CallReceiver::SelfField(_) | CallReceiver::Local(_) => None,
    }
}

/// The number of elements that a call returns.
fn of_call(call: &SyntaxCall, before: &[SyntaxNode], values: KnownValues<'_>) -> Option<TripCount> {
    let arguments = call.arguments.each();
    // A function that is no method is given what it goes through.
    let receiver = || match (&call.callee.receiver, arguments.first()) {
        (None, Some(given)) => of_iterated(given, before, values),
        _ => of_receiver(call, before, values),
    };
    let argument = |at: usize| values.integer_value(arguments.get(at).copied()?);
    match call.callee.name.as_str() {
        "range" if call.callee.receiver.is_none() => of_python_range(&arguments, values),
        "take" => {
            let most = argument(0)?;
            Some(receiver().map_or(TripCount::at_most(most), |of| TripCount {
                most: of.most.min(most),
                exact: of.exact,
            }))
        }
        "step_by" => receiver().map(|of| TripCount {
            most: of.most.div_ceil(argument(0).unwrap_or(1).max(1)),
            exact: of.exact,
        }),
        "skip" => receiver().map(|of| TripCount {
            most: of.most.saturating_sub(argument(0).unwrap_or(0)),
            exact: of.exact,
        }),
        "rev" | "enumerate" | "map" | "iter" | "iter_mut" | "into_iter" | "copied" | "cloned" | "inspect"
        | "peekable" | "fuse" | "reversed" | "list" | "tuple" | "sorted" => receiver(),
        "filter" | "filter_map" | "map_while" | "take_while" | "skip_while" | "zip" => {
            receiver().map(|of| TripCount::at_most(of.most))
        }
        "repeat_n" => argument(1).map(TripCount::exactly),
        "repeat" if arguments.len() == 2 => argument(1).map(TripCount::exactly),
        "once" => Some(TripCount::exactly(1)),
        _ => None,
    }
}

/// A range or an array in source text.
fn of_text(text: &str, values: KnownValues<'_>) -> Option<TripCount> {
    let mut text = text.trim();
    loop {
        // A tuple is no expression in parentheses.
        let elements = text
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'))
            .map(split);
        if let Some(elements) = elements.filter(|elements| elements.len() > 1) {
            return Some(TripCount::exactly(elements.len() as u64));
        }
        let stripped = text
            .strip_prefix("& mut ")
            .or_else(|| text.strip_prefix('&'))
            .or_else(|| {
                let inside = text.strip_prefix('(')?.strip_suffix(')')?;
                is_balanced(inside).then_some(inside)
            });
        match stripped {
            Some(inside) => text = inside.trim(),
            None => break,
        }
    }
    if let Some(elements) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        if let Some((_, count)) = elements.rsplit_once(';') {
            return values.integer_value(count).map(TripCount::exactly);
        }
        return Some(TripCount::exactly(split(elements).len() as u64));
    }
    if let Some((from, to)) = text.split_once("..=") {
        let length = values.integer_value(to)?.checked_add(1)?;
        return Some(TripCount::exactly(length.saturating_sub(values.integer_value(from)?)));
    }
    let (from, to) = text.split_once("..")?;
    let (from, to) = (values.integer_value(from)?, values.integer_value(to)?);
    Some(TripCount::exactly(to.saturating_sub(from)))
}

/// `range(to)`, `range(from, to)`, `range(from, to, step)`.
fn of_python_range(arguments: &[&str], values: KnownValues<'_>) -> Option<TripCount> {
    let value = |text: &str| values.integer_value(text);
    let (from, to, step) = match *arguments {
        [to] => (0, value(to)?, Some(1)),
        [from, to] => (value(from)?, value(to)?, Some(1)),
        [from, to, step] => match step.trim().strip_prefix('-') {
            Some(down) => (value(to)?, value(from)?, value(down)),
            None => (value(from)?, value(to)?, value(step)),
        },
        _ => return None,
    };
    Some(TripCount::exactly(to.saturating_sub(from).div_ceil(step?.max(1))))
}

/// `i < 100`: at most 100 rounds, if `i` counts up by one.
fn of_condition(text: &str, values: KnownValues<'_>) -> Option<TripCount> {
    // C has parentheses around it. The right operand of a lazy operator can only end the loop earlier.
    let inside = text.strip_prefix("( ").and_then(|text| text.strip_suffix(" )"));
    let first = inside.unwrap_or(text).split(" && ").next()?.split(" and ").next()?;
    let bound = first
        .split_once(" <= ")
        .or_else(|| first.split_once(" < "))
        .or_else(|| first.split_once(" != "))
        .map(|(_, bound)| bound)?;
    values.integer_value(bound).map(TripCount::at_most)
}

/// True if something in a loop may end it before its bound.
fn may_leave(function: &SyntaxFunction, id: BlockId) -> bool {
    holds_operation(function, id, |operation| match operation.kind {
        OperationKind::Try => true,
        OperationKind::Jump => !operation.text.0.starts_with("continue"),
        OperationKind::FieldWrite(_) | OperationKind::Compute | OperationKind::Given | OperationKind::Pattern => false,
    })
}

/// True if something in a loop gives a local another value.
fn changes(function: &SyntaxFunction, id: BlockId, local: &str) -> bool {
    holds_operation(function, id, |operation| {
        let text = operation.text.0.as_str();
        text.match_indices(local).any(|(at, _)| {
            let (before, after) = (text[..at].trim_end(), text[at + local.len()..].trim_start());
            let is_assigned = after
                .split_once(' ')
                .is_some_and(|(sign, _)| sign.ends_with('=') && !["==", "<=", ">=", "!="].contains(&sign));
            is_assigned
                || ["++", "--"]
                    .into_iter()
                    .any(|step| before.ends_with(step) || after.starts_with(step))
                || before.ends_with('&') && !before.ends_with("&&")
        })
    })
}

/// True if such an operation is in the body of a loop.
fn holds_operation(function: &SyntaxFunction, id: BlockId, is_one: impl Fn(&SyntaxOperation) -> bool) -> bool {
    let is_inside = |index: usize| {
        let id_of = |index: usize| BlockId(u32::try_from(index).unwrap_or(u32::MAX));
        std::iter::successors(Some(id_of(index)), |&at| function.block(at).parent).any(|at| at == id)
    };
    let holds = |block: &SyntaxBlock| {
        block.nodes.iter().any(|node| match node {
            SyntaxNode::Operation(operation) => is_one(operation),
            SyntaxNode::Call(_) | SyntaxNode::Block(_) => false,
        })
    };
    function
        .blocks
        .iter()
        .enumerate()
        .any(|(index, block)| holds(block) && is_inside(index))
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().all(|letter| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth >= 0
    })
}

fn is_hole(text: &str) -> bool {
    let trimmed = text.trim();
    trimmed.starts_with(NormalisedText::HOLE) && trimmed.chars().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::SourceParser;

    /// The count of the first loop of a body each time it is reached.
    fn of(body: &str) -> Option<Estimate> {
        let source = format!(
            "const LIMIT: usize = 5 * 8;\nconst OTHER: usize = f();\nfn f(xs: &[u8], rounds: u32) {{ {body} }}"
        );
        first_loop("src/lib.rs", &source)
    }

    /// The same of a body in C.
    fn of_c(body: &str) -> Option<Estimate> {
        let source = format!("#define LIMIT (5 * 8)\nvoid f(char *s, int rounds)\n{{ int i; {body} }}");
        first_loop("src/f.c", &source)
    }

    /// The same of a line in Python.
    fn of_python(line: &str) -> Option<Estimate> {
        let source = format!("LIMIT = 5 * 8\ndef f(xs, rounds):\n    {line}\n");
        first_loop("src/f.py", &source)
    }

    fn first_loop(path: &str, source: &str) -> Option<Estimate> {
        let body = source;
        let file = SourceParser::default().parse(path, source.as_bytes());
        assert!(file.problems.is_empty(), "{body}: {:?}", file.problems);
        let function = &file.functions[0];
        let values = KnownValues {
            source: Some(&file),
            given: &[("rounds", 64)],
        };
        let found = (0..).map(BlockId).take(function.blocks.len());
        let mut found = found.filter(|&id| function.block(id).kind == BlockKind::Loop);
        loop_trip_count(function, found.next().expect("a loop"), values)
    }

    #[test]
    fn bounds_that_stand_in_the_source_are_exact() {
        for (body, times) in [
            ("for _ in 0..84293 { g(); }", 84_293),
            ("for i in 1..=LIMIT { g(i); }", 40),
            ("for i in 0..rounds { g(i); }", 64),
            ("for i in 0..1 << 4 { g(i); continue; }", 16),
            ("for x in [1, 2, (3, 4)] { g(x); }", 3),
            ("for x in &[0u8; 64] { g(x); }", 64),
            ("for i in (0..100).step_by(3) { g(i); }", 34),
            ("for i in (0..8).rev().enumerate() { g(i); }", 8),
            ("(0..1_000u32).for_each(|x| g(x));", 1000),
            ("let v: Vec<u8> = (0..LIMIT).map(|i| i + 1).collect();", 40),
            ("for x in std::iter::repeat_n(0, 7) { g(x); }", 7),
            ("for x in (0..9).take(3) { g(x); }", 3),
        ] {
            assert_eq!(of(body), Some(Estimate::exactly(f64::from(times))), "{body}");
        }
    }

    #[test]
    fn heads_of_c_that_count_are_exact() {
        for (body, times) in [
            ("for (i = 0; i < 5372u; i++) { g(i); }", 5372),
            ("for (int k = 0; k <= 9; ++k) g(k);", 10),
            ("for (i = 2; i != LIMIT; i += 2) { g(i); }", 19),
            ("for (i = 0xFF; i >= 4; i--) { g(i); }", 252),
            ("for (i = rounds; i > 0; i -= 3) { g(i); }", 22),
            ("for (i = 64; i-- > 0;) { g(i); }", 64),
            ("for (i = 64; i--;) { g(i); }", 64),
            ("for (i = 0; 300 > i; i++) { g(i); }", 300),
        ] {
            assert_eq!(of_c(body), Some(Estimate::exactly(f64::from(times))), "{body}");
        }
        for (body, most) in [
            ("for (i = 0; i < 100 && s[i]; i++) { g(i); }", 100.0),
            ("for (i = 0; i < 100; i++) { if (g(i)) break; }", 100.0),
            ("for (i = 0; i < 100; i++) { i += g(i); }", 100.0),
            ("while (i < 100) { i++; }", 100.0),
        ] {
            let found = of_c(body).unwrap_or_else(|| panic!("{body}"));
            assert_eq!((found.low, found.high), (0.0, most), "{body}");
        }
        for body in [
            "for (;;) { g(0); }",
            "for (; *s; s++) { g(*s); }",
            "for (i = 0; i < n; i++) { g(i); }",
            "for (i = 0; i < 100; i = next(i)) { g(i); }",
            "for (i = 1; i < 100; i *= 2) { g(i); }",
            "for (i = 0; i > 100; i++) { g(i); }",
        ] {
            assert_eq!(of_c(body), None, "{body}");
        }
    }

    #[test]
    fn ranges_of_python_are_exact() {
        for (line, times) in [
            ("for _ in range(5372): pass", 5372),
            ("for i in range(3, 1000, 2): g(i)", 499),
            ("for i in range(10, 0, -1): g(i)", 10),
            ("for i in reversed(range(LIMIT // 2)): g(i)", 20),
            ("for i, j in enumerate(range(rounds)): g(i)", 64),
            ("for i in (1, 2, 3): g(i)", 3),
            ("for i in [1, 2]: g(i)", 2),
            ("for _ in itertools.repeat(None, 300): g()", 300),
            ("return [g(i) for i in range(300)]", 300),
        ] {
            assert_eq!(of_python(line), Some(Estimate::exactly(f64::from(times))), "{line}");
        }
        let found = of_python("return [g(i) for i in range(300) if i]").expect("a bound");
        assert_eq!((found.low, found.high), (0.0, 300.0));
        for line in [
            "for x in xs: g(x)",
            "for x in range(n): g(x)",
            "for i in range(len(xs)): g(i)",
        ] {
            assert_eq!(of_python(line), None, "{line}");
        }
    }

    #[test]
    fn a_bound_that_may_not_be_reached_is_an_upper_one() {
        for (body, most) in [
            ("for i in 0..100 { if g(i) { break; } }", 100.0),
            ("for i in 0..100 { g(i)?; }", 100.0),
            ("for x in xs.iter().take(9) { g(x); }", 9.0),
            ("for x in std::iter::repeat(0).take(500) { g(x); }", 500.0),
            ("for x in (0..9).filter(|x| x > 2) { g(x); }", 9.0),
            ("let mut i = 0; while i < 100 { i += 1; }", 100.0),
        ] {
            let found = of(body).unwrap_or_else(|| panic!("{body}"));
            assert_eq!((found.low, found.high), (0.0, most), "{body}");
            assert!(found.expected < most, "{body}");
        }
    }

    #[test]
    fn bounds_that_depend_on_what_runs_are_not_read() {
        for body in [
            "for x in xs { g(x); }",
            "for i in 0..xs.len() { g(i); }",
            "for i in 0..OTHER { g(i); }",
            "let n = 5; for i in 0..n { g(i); }",
            "loop { g(); }",
            "while let Some(x) = g() { }",
            "xs.iter().for_each(|x| g(x));",
        ] {
            assert_eq!(of(body), None, "{body}");
        }
    }
}
