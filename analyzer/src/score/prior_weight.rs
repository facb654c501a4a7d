//! A change that no profile weighs → a figure by which the changes of a version without a sample are put in order, the
//! heaviest first. Decides nothing.

use crate::change::{ChangeKind, ChangeSet, ChangeSubject, ExecutionEdit, FunctionPair, SourceChange};
use crate::cost::{ChangeClass, KnownValues, LibraryCallee, PriceList, operations_in};
use crate::syntax::{BlockId, SyntaxCall, SyntaxFunction};

/// Weight of a changed function besides its edits: even one without a price comes before every change outside of
/// functions, whose weights are below 1.
const FUNCTION: f64 = 1.0;

/// The weight of a change. A setting that decides how everything is compiled weighs more than anything. A function
/// weighs what its edits cost in one execution of it, by the assumptions for code that was never profiled. Anything
/// else weighs what such changes moved in the measured histories.
pub(super) fn prior_weight(change: &SourceChange, changes: &ChangeSet, prices: &PriceList) -> f64 {
    match &change.subject {
        ChangeSubject::Build { setting } if prices.is_of_optimisation(setting) => f64::INFINITY,
        ChangeSubject::Function(pair) => FUNCTION + executed_cost(change, &changes.pairs[*pair], prices),
        ChangeSubject::Item { .. }
        | ChangeSubject::Dependency { .. }
        | ChangeSubject::Build { .. }
        | ChangeSubject::Data { .. } => {
            let weight = prices.risk.calibration.weights.get(&class(change.kind));
            weight.copied().unwrap_or_default().min(FUNCTION)
        }
    }
}

/// The cost of a change in one execution of its function; without single edits, that of the whole function.
fn executed_cost(change: &SourceChange, pair: &FunctionPair, prices: &PriceList) -> f64 {
    if change.edits.is_empty() {
        let sides = [&pair.before, &pair.after].into_iter().flatten();
        return sides.map(|side| whole_cost(&side.function, prices)).fold(0.0, f64::max);
    }
    (change.edits.iter()).map(|edit| edit_cost(edit, pair, prices)).sum()
}

fn whole_cost(function: &SyntaxFunction, prices: &PriceList) -> f64 {
    let blocks = function
        .blocks
        .iter()
        .map(|block| operations_in(block.head.iter().chain(&block.nodes)));
    blocks.sum::<f64>() * prices.operation.expected
}

fn edit_cost(edit: &ExecutionEdit, pair: &FunctionPair, prices: &PriceList) -> f64 {
    let before = |id: BlockId| runs(pair.before.as_ref().map(|side| &*side.function), id, prices);
    let after = |id: BlockId| runs(pair.after.as_ref().map(|side| &*side.function), id, prices);
    let operation = prices.operation.expected;
    let side = pair.after.as_ref().or(pair.before.as_ref());
    let library = side.map(|side| prices.library(&side.file));
    let call_cost = |call: &SyntaxCall| {
        let callee = LibraryCallee {
            callee: &call.callee,
            of_type: None,
            source: None,
        };
        let prior = library.and_then(|library| library.prior(callee));
        prices.call_overhead.expected + prior.map_or(0.0, |prior| prior.expected)
    };
    match edit {
        ExecutionEdit::CallAdded { call, block } | ExecutionEdit::ArgumentsChanged { call, block, .. } => {
            after(*block) * call_cost(call)
        }
        ExecutionEdit::CallRemoved { call, before: block } => before(*block) * call_cost(call),
        ExecutionEdit::CallMoved {
            call,
            before: from,
            block,
        } => (after(*block) - before(*from)).abs() * call_cost(call),
        ExecutionEdit::WorkAdded { operations, block } => after(*block) * f64::from(*operations) * operation,
        ExecutionEdit::WorkRemoved {
            operations,
            before: block,
        } => before(*block) * f64::from(*operations) * operation,
        ExecutionEdit::Reconditioned { block, .. } | ExecutionEdit::FieldChanged { block, .. } => {
            after(*block) * operation
        }
        ExecutionEdit::Recompiled => 0.0,
    }
}

/// How often a block runs in one execution of its function: the product over the blocks around it.
fn runs(function: Option<&SyntaxFunction>, id: BlockId, prices: &PriceList) -> f64 {
    let Some(function) = function else {
        return 1.0;
    };
    let around = std::iter::successors(Some(id), |id| function.block(*id).parent);
    around
        .map(|id| prices.runs(function, id, KnownValues::default()).expected)
        .product()
}

/// The class whose measured weight stands for a change outside of functions.
fn class(kind: ChangeKind) -> ChangeClass {
    match kind {
        ChangeKind::CallAddition | ChangeKind::CallDeletion | ChangeKind::CallSwap | ChangeKind::CallScope => {
            ChangeClass::Calls
        }
        ChangeKind::LoopAddition | ChangeKind::LoopDeletion | ChangeKind::Operation => ChangeClass::Work,
        ChangeKind::CompleteChange => ChangeClass::Replaced,
        ChangeKind::FieldValue => ChangeClass::Field,
        ChangeKind::ConditionalAddition | ChangeKind::ConditionalDeletion | ChangeKind::ConditionExpression => {
            ChangeClass::Condition
        }
        ChangeKind::Parameter => ChangeClass::Arguments,
        ChangeKind::Attribute => ChangeClass::Recompiled,
        ChangeKind::Type => ChangeClass::Type,
        ChangeKind::Constant => ChangeClass::Constant,
        ChangeKind::Dependency => ChangeClass::Dependency,
        ChangeKind::BuildSetting => ChangeClass::BuildSetting,
        ChangeKind::Macro => ChangeClass::Macro,
    }
}
