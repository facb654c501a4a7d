//! Text → tree-sitter's tree, within a number of parser steps. No clock: the same text is parsed, or refused, on every
//! machine.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

use crate::syntax::limits::ParseLimits;
use crate::syntax::model::SourceFile;
use crate::syntax::work_budget::WorkBudget;
use crate::syntax::{too_costly, unread};

/// Steps between two questions of the parser whether to go on: a constant of tree-sitter.
const STEPS_PER_CALLBACK: usize = 100;

/// Where no reading of the text is free of errors, the parser looks for the best of many repairs. Measured, that takes ten
/// times as long.
const STEPS_IN_ERROR: usize = 10 * STEPS_PER_CALLBACK;

/// The text is handed out in pieces of this many bytes. A lexer that goes back and forth asks for them again and again,
/// which is counted as well.
const PIECE: usize = 1 << 12;

/// A lexer reads a piece in the time of so many steps.
const STEPS_PER_PIECE: usize = PIECE / 8;

/// The tree of a text, or the file that says why there is none.
pub(super) fn parse(language: &Language, source: &str, limits: &ParseLimits) -> Result<Tree, SourceFile> {
    let mut parser = Parser::new();
    if parser.set_language(language).is_err() {
        return Err(unread("the parser failed".to_owned()));
    }
    let budget = WorkBudget::new(limits.parser_steps);
    let was_refused = Cell::new(false);
    let spend = |steps: usize| {
        let is_left = budget.spend(steps);
        was_refused.set(was_refused.get() || !is_left);
        is_left
    };
    let mut progress = |state: &ParseState| {
        let steps = if state.has_error() {
            STEPS_IN_ERROR
        } else {
            STEPS_PER_CALLBACK
        };
        if spend(steps) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let bytes = source.as_bytes();
    let mut piece = |at: usize, _| {
        // The end of the text, once nothing is left: the parser stops at its next question.
        if at >= bytes.len() || !spend(STEPS_PER_PIECE) {
            return &[][..];
        }
        let end = (at / PIECE + 1) * PIECE;
        &bytes[at..end.min(bytes.len())]
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut piece, None, Some(options));
    tree.filter(|_| !was_refused.get()).ok_or_else(too_costly)
}
