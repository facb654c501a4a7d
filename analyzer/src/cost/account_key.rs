//! The thing that a term of the sum is about: terms with one key share their unit cost and its uncertainty.
//!
//! Holds no figure. Pairs are indices into the change set's pairs.

use std::sync::Arc;

use crate::change::ChangeSubject;
use crate::cost::ChangeClass;
use crate::syntax::BlockId;

/// The key of one account of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CostAccountKey {
    /// Calls of one function, given the same numbers.
    Calls {
        /// Full name of the callee, or as written where it was not found.
        callee: String,
        /// The parameters that were given a number.
        given: Vec<(String, u64)>,
    },
    /// Operations of a function.
    Operations {
        /// The function.
        pair: usize,
    },
    /// More or fewer rounds of a block.
    Rounds {
        /// The function.
        pair: usize,
        /// The block, before.
        block: BlockId,
    },
    /// Another condition of a block.
    Condition {
        /// The function.
        pair: usize,
        /// The block, before.
        block: BlockId,
    },
    /// A block that leaves a function early.
    EarlyExit {
        /// The function.
        pair: usize,
    },
    /// Other arguments of calls in a function.
    Arguments {
        /// The function that calls.
        pair: usize,
        /// Name of the callee as written.
        callee: String,
    },
    /// Another value of a field, written by a function: fields of different types may have one name.
    Field {
        /// The function that writes it.
        pair: usize,
        /// Name of the field.
        field: String,
    },
    /// Attributes or signature of a function.
    Signature {
        /// The function.
        pair: usize,
    },
    /// The layout of a function's code.
    Layout {
        /// The function.
        pair: usize,
    },
    /// The rounds of a function's loops, where a profile has no counts of its lines.
    UncountedLines {
        /// The function.
        pair: usize,
    },
    /// A hint to the compiler in a function.
    Hint {
        /// The function.
        pair: usize,
        /// Name of the hint.
        hint: String,
    },
    /// Inlining of a function into those that call it.
    Inlining {
        /// Full name of the function.
        function: String,
    },
    /// Functions that were not sampled, by the executed function that may execute them.
    UnsampledBelow {
        /// Full name of the executed function.
        from: String,
    },
    /// Functions that were not sampled and that nothing executed mentions.
    Unmentioned,
    /// A function that went.
    Replaced {
        /// Full name of the function.
        function: String,
    },
    /// Functions that went and were not sampled, by the executed function that may have executed them.
    ReplacedBelow {
        /// Full name of the executed function.
        from: String,
    },
    /// A price in a function that was not sampled: it does not share the uncertainty of other prices of its callee.
    PricedUnsampled {
        /// The function that was not sampled.
        pair: usize,
        /// The priced change.
        priced: Box<CostAccountKey>,
    },
    /// More than a function that was not sampled may have held.
    AddedUnsampled {
        /// The function.
        pair: usize,
    },
    /// Another value that a function gives to its callers, or a field to its readers.
    Value {
        /// Full name of the function, or the type and the field.
        of: String,
    },
    /// Attributes of files: each is an attribute of everything.
    FileAttributes,
    /// An item, a dependency or a build setting, by the class of its effect.
    OutsideFunctions {
        /// The thing that changed.
        subject: ChangeSubject,
        /// Its effect.
        class: ChangeClass,
    },
    /// A file that could not be analysed.
    NotAnalysed {
        /// The file.
        file: Arc<str>,
    },
}
