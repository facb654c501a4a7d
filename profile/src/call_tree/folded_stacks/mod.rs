//! Folded stacks → a call tree, and back. Stack collapsers print this format and flame graph tools read it, so that any
//! profiler's output can be compared here, and lito's output drawn elsewhere.
//!
//! A line is a stack with its frames separated by `;`, a space and a value: `main;parse line;next 12`. Input comes from
//! unknown tools, so:
//!
//! - blank lines and lines that start with `#` are skipped; Windows line ends, a byte order mark and spaces around
//!   frames are removed; empty frames are left out; bytes that are not UTF-8 are replaced;
//! - values of a repeated stack add up;
//! - a value with a fraction is rounded to the nearest whole number, with a warning, because costs are counts here.
//!   Where fractions matter, scale the values up first;
//! - an unreadable line is left out, with a warning; it is an error only if no line has any cost.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use super::{
    BuilderContextId, CallTree, CallTreeBuilder, CallTreeFunction, CallTreeFunctionId, CallTreeNode, CallTreeNodeId,
    DifferentialFlameGraph, SharedFunctions,
};
use crate::format::binary::LONGEST_NAME;

/// Name of the root of stacks with several first frames, as flame graph tools call it.
pub const ALL: &str = "all";

/// Most bytes that are read. Stacks of a long recording take some megabytes.
pub const LARGEST_INPUT: usize = 1 << 30;

/// Most frames of a stack; deeper frames count as the last of them. Profilers stop at a tenth of this.
pub const DEEPEST_STACK: usize = 10_000;

/// Most warnings that are kept.
pub const MOST_WARNINGS: usize = 20;

/// Folded stacks that were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedStacks {
    /// The stacks. Numbers of calls are unknown.
    pub tree: CallTree,
    /// Problems with lines; the first [`MOST_WARNINGS`] of them.
    pub warnings: Vec<FoldedWarning>,
    /// Number of further warnings.
    pub more_warnings: usize,
}

/// A line with a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct FoldedWarning {
    /// Line number, 1-based.
    pub line: usize,
    /// The problem.
    pub problem: FoldedLineProblem,
}

/// Problem of a line, and how the line was treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FoldedLineProblem {
    /// The line is left out.
    #[error("no whole number at its end, left out")]
    NoValue,
    /// The line is left out.
    #[error("its value is beyond 64 bits, left out")]
    HugeValue,
    /// The line is left out.
    #[error("a value but no stack, left out")]
    NoStack,
    /// The line is left out.
    #[error("a frame of more than {LONGEST_NAME} bytes, left out")]
    LongName,
    /// The value is counted as rounded.
    #[error("a value with a fraction, rounded; scale values up if fractions matter")]
    Fraction,
    /// The value is counted at a frame closer to the root.
    #[error("more than {DEEPEST_STACK} frames, cut there")]
    Deep,
    /// The value is counted at a frame closer to the root.
    #[error("more than {} different stacks, cut where it is new", super::MOST_CONTEXTS)]
    Full,
}

/// Reason why no tree could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FoldedError {
    /// The input is not read at all.
    #[error("reading folded stacks: {found} bytes, more than the limit of {LARGEST_INPUT}; fold them first")]
    TooLarge {
        /// Size of the input.
        found: usize,
    },
    /// No line has a cost.
    #[error(
        "reading folded stacks: none of {lines} lines is a stack with a value, as `main;work 12` is; \
         collapse the profiler's output first{}", FirstWarning(*.first)
    )]
    NoStacks {
        /// Number of lines.
        lines: usize,
        /// The first unreadable line, if any.
        first: Option<FoldedWarning>,
    },
}

/// Reads folded stacks.
///
/// # Errors
/// [`FoldedError`]: too large, or without any stack that costs something.
pub fn read(bytes: &[u8]) -> Result<FoldedStacks, FoldedError> {
    if bytes.len() > LARGEST_INPUT {
        let found = bytes.len();
        return Err(FoldedError::TooLarge { found });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = FoldedReader {
        stacks: StackTreeBuilder::new(),
        warnings: Vec::new(),
        more_warnings: 0,
    };
    let mut lines = 0;
    for line in bytes.split(|&byte| byte == b'\n') {
        lines += 1;
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if !text.is_empty() && !text.starts_with('#') {
            reader.read(text, lines);
        }
    }
    let tree = reader.stacks.builder.finish();
    if tree.total() == 0 {
        let first = reader.warnings.first().copied();
        return Err(FoldedError::NoStacks { lines, first });
    }
    Ok(FoldedStacks {
        tree: without_needless_root(tree),
        warnings: reader.warnings,
        more_warnings: reader.more_warnings,
    })
}

struct FoldedReader {
    stacks: StackTreeBuilder,
    warnings: Vec<FoldedWarning>,
    more_warnings: usize,
}

impl FoldedReader {
    fn read(&mut self, text: &str, line: usize) {
        let read = parse(text).and_then(|(stack, value, remark)| {
            let context = self.stacks.enter(stack)?;
            self.stacks.builder.add_self(context, value);
            Ok([remark, self.stacks.remark.take()])
        });
        match read {
            Ok(remarks) => remarks.into_iter().flatten().for_each(|remark| self.warn(line, remark)),
            Err(problem) => self.warn(line, problem),
        }
    }

    fn warn(&mut self, line: usize, problem: FoldedLineProblem) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(FoldedWarning { line, problem });
        } else {
            self.more_warnings += 1;
        }
    }
}

/// Splits a line into stack and value, with the problem of the value if it has one.
fn parse(text: &str) -> Result<(&str, u64, Option<FoldedLineProblem>), FoldedLineProblem> {
    let (stack, value) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return Err(FoldedLineProblem::NoValue);
    }
    if stack.is_empty() {
        return Err(FoldedLineProblem::NoStack);
    }
    let whole: u64 = whole.parse().map_err(|_| FoldedLineProblem::HugeValue)?;
    let up = u64::from(fraction.as_bytes().first().is_some_and(|&digit| digit >= b'5'));
    let is_fraction = fraction.bytes().any(|digit| digit != b'0');
    Ok((
        stack,
        whole.saturating_add(up),
        is_fraction.then_some(FoldedLineProblem::Fraction),
    ))
}

/// A tree that grows stack by stack. Folded stacks are mostly sorted: frames shared with the previous stack are not
/// looked up again.
struct StackTreeBuilder {
    builder: CallTreeBuilder,
    /// The previous stack: its frames and their contexts.
    frames: Vec<(String, BuilderContextId)>,
    remark: Option<FoldedLineProblem>,
}

impl StackTreeBuilder {
    fn new() -> Self {
        Self {
            builder: CallTreeBuilder::new(CallTreeFunction::named(ALL)),
            frames: Vec::new(),
            remark: None,
        }
    }

    fn enter(&mut self, stack: &str) -> Result<BuilderContextId, FoldedLineProblem> {
        let frames = || stack.split(';').map(str::trim).filter(|frame| !frame.is_empty());
        if frames().any(|frame| frame.len() > LONGEST_NAME) {
            return Err(FoldedLineProblem::LongName);
        }
        if frames().next().is_none() {
            return Err(FoldedLineProblem::NoStack);
        }
        let known = frames()
            .zip(&self.frames)
            .take_while(|(frame, known)| *frame == known.0)
            .count();
        self.frames.truncate(known);
        let mut context = self.frames.last().map_or(self.builder.root(), |frame| frame.1);
        for (depth, frame) in frames().enumerate().skip(known) {
            if depth >= DEEPEST_STACK {
                self.remark = Some(FoldedLineProblem::Deep);
                break;
            }
            let function = self.builder.declare_named(frame);
            let entered = self.builder.enter(context, function);
            if entered == context {
                self.remark = Some(FoldedLineProblem::Full);
                break;
            }
            context = entered;
            self.frames.push((frame.to_owned(), context));
        }
        Ok(context)
    }
}

/// Removes the artificial root of a tree with only one first frame.
fn without_needless_root(tree: CallTree) -> CallTree {
    let first_frames = tree
        .nodes
        .iter()
        .filter(|node| node.parent == Some(CallTreeNodeId(0)))
        .count();
    if first_frames != 1 || tree.nodes[0].self_cost > 0 {
        return tree;
    }
    let root = tree.nodes[0].function;
    let is_used = tree.nodes.iter().skip(1).any(|node| node.function == root);
    let mut functions = tree.functions;
    if !is_used {
        functions.remove(root.0 as usize);
    }
    let moved = |function: CallTreeFunctionId| CallTreeFunctionId(function.0 - u32::from(!is_used && function > root));
    let nodes = (tree.nodes.into_iter().skip(1))
        .map(|node| CallTreeNode {
            parent: (node.parent)
                .and_then(|parent| parent.0.checked_sub(1))
                .map(CallTreeNodeId),
            function: moved(node.function),
            ..node
        })
        .collect();
    CallTree { functions, nodes }
}

/// Writes a tree as folded stacks; stacks without self cost are left out. Characters of names that the format would
/// misread are replaced: `;` by `:`, control characters by a space.
///
/// # Errors
/// Errors of writing to `out`.
pub fn write(tree: &CallTree, out: &mut impl Write) -> io::Result<()> {
    let mut stack = StackText::default();
    for node in &tree.nodes {
        let name = &tree.functions[node.function.0 as usize].name;
        stack.enter(node.parent.map(CallTreeNodeId::index), name);
        if node.self_cost > 0 {
            writeln!(out, "{} {}", stack.text, node.self_cost)?;
        }
    }
    Ok(())
}

/// Writes the difference of two files of folded stacks as `difffolded.pl` prints it and flame graph tools read it:
/// stack, value before, value after.
///
/// # Errors
/// Errors of writing to `out`.
pub fn write_difference(
    flames: &DifferentialFlameGraph,
    functions: &SharedFunctions,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut stack = StackText::default();
    for frame in &flames.frames {
        let name = &functions.table[frame.function.0 as usize].function.name;
        stack.enter(frame.parent, name);
        let (before, after) = (frame.self_before, frame.self_after);
        if before > 0 || after > 0 {
            writeln!(out, "{} {before} {after}", stack.text)?;
        }
    }
    Ok(())
}

/// Text of the path to the current node, for nodes in preorder.
#[derive(Default)]
struct StackText {
    text: String,
    /// For each node, the length of the text up to it.
    lengths: Vec<usize>,
}

impl StackText {
    fn enter(&mut self, parent: Option<usize>, name: &str) {
        match parent {
            Some(parent) => {
                self.text.truncate(self.lengths[parent]);
                self.text.push(';');
            }
            None => self.text.clear(),
        }
        self.text.push_str(&frame(name));
        self.lengths.push(self.text.len());
    }
}

fn frame(name: &str) -> Cow<'_, str> {
    let is_syntax = |character: char| character == ';' || character.is_control();
    if name.contains(is_syntax) {
        let replace = |character: char| match character {
            ';' => ':',
            _ if character.is_control() => ' ',
            _ => character,
        };
        Cow::Owned(name.chars().map(replace).collect())
    } else {
        Cow::Borrowed(name)
    }
}

/// The first problem, at the end of a message.
struct FirstWarning(Option<FoldedWarning>);

impl fmt::Display for FirstWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(warning) => write!(formatter, " ({warning})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
