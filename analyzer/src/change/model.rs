//! The changes between two versions: pairs of functions with their matched blocks, and the changes
//! between them, each classified and abstracted to what a cost model can price.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::version_step::VersionStep;

use crate::syntax::{BlockId, CallArguments, SyntaxCall, SyntaxCallee, SyntaxFunction, TokenDigest};

/// The kinds of change of the `lito.score/1` contract: the ten of Sandoval et al., Table 5 (a complete
/// change among them), and those that have no call in a diff but move cost all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A call that was not there.
    CallAddition,
    /// A call that is gone.
    CallDeletion,
    /// A call that took the place of another.
    CallSwap,
    /// So much of a function changed that single changes say nothing.
    CompleteChange,
    /// A loop that was not there.
    LoopAddition,
    /// A loop that is gone.
    LoopDeletion,
    /// A field is given another value.
    FieldValue,
    /// A conditional block that was not there.
    ConditionalAddition,
    /// A conditional block that is gone.
    ConditionalDeletion,
    /// The condition that decides whether, or how often, a block runs.
    ConditionExpression,
    /// The same call in another block.
    CallScope,
    /// The same call with other arguments, or a function whose parameters changed.
    Parameter,
    /// Work without a call.
    Operation,
    /// An attribute that the compiler's output depends on.
    Attribute,
    /// A type, a field's type, a bound, an implementation's head, an import that now means another thing.
    Type,
    /// The value of a constant, static or table.
    Constant,
    /// A dependency's version, source or features.
    Dependency,
    /// A build profile, feature, toolchain or build script.
    BuildSetting,
    /// A macro's definition, or an invocation whose expansion is not seen.
    Macro,
}

/// A function and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct LocatedFunction {
    /// The file, relative to the repository's root, lossy where it is not UTF-8.
    pub file: Arc<str>,
    /// `crate::module::Type::method`.
    pub name: Arc<str>,
    /// The function.
    pub function: Arc<SyntaxFunction>,
}

/// The same function before and after; one side only where it was added or deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionPair {
    /// Before the change.
    pub before: Option<LocatedFunction>,
    /// After the change.
    pub after: Option<LocatedFunction>,
    /// Which blocks are the same.
    pub blocks: BlockMap,
    /// The bounds of work that are others after the change.
    pub bounds: Vec<BoundChange>,
    /// True if only the borders between functions moved: with the functions that one side does not have written out
    /// where they are called, both sides do the same. Of a function that was written out: that its callers tell of it.
    pub regrouped: bool,
}

/// A bound that changed: how far a loop steps, which part of a whole is taken, or what limits a number. The work that follows may
/// have any size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundChange {
    /// The block that set it before; `None` where nothing was bounded.
    pub before: Option<BlockId>,
    /// The block that sets it after; `None` where nothing is bounded any more.
    pub block: Option<BlockId>,
}

/// Matched blocks of two functions, one to one, parents with parents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockMap {
    /// For each block before, the block after.
    pub after_of: Vec<Option<BlockId>>,
    /// For each block after, the block before.
    pub before_of: Vec<Option<BlockId>>,
}

/// One classified change.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceChange {
    /// Its kind.
    pub kind: ChangeKind,
    /// The function, item, dependency or setting that changed.
    pub subject: ChangeSubject,
    /// The file it is shown at (after, or before where it is gone).
    pub file: Arc<str>,
    /// The line it is shown at, 1-based; 0 for a whole file.
    pub line: u32,
    /// The call it is about; for a swap the new one.
    pub callee: Option<SyntaxCallee>,
    /// Its effects on the execution.
    pub edits: Vec<ExecutionEdit>,
}

/// The function, item, dependency or setting that changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeSubject {
    /// A function: index into [`ChangeSet::pairs`].
    Function(usize),
    /// A constant, type, trait, implementation, macro: its full name (`crate::module::Name`).
    Item {
        /// Full name, for an implementation that of its type.
        name: Arc<str>,
        /// True if only tests see it.
        test_only: bool,
        /// On which sides it is.
        presence: ItemPresence,
        /// Its effect on code that stays as it is.
        effect: ItemEffect,
    },
    /// A package that the build depends on, by its name.
    Dependency {
        /// The package.
        package: Arc<str>,
        /// How far it went.
        step: VersionStep,
    },
    /// A setting of the build, as a dotted path (`profile.release.lto`, `features.std`, `build.rs`).
    Build {
        /// The setting.
        setting: Arc<str>,
    },
    /// A file that is not code by its name. The code may contain it, or read it when it runs.
    Data {
        /// The file.
        file: Arc<str>,
        /// Who depends on it, by the records of a sample; `None` if its name decides.
        dependents: Option<Arc<InputDependents>>,
    },
}

/// Who depends on a file, by the recorded inputs of a sample.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct InputDependents {
    /// Benchmarks that open it when they run.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub read_by: BTreeSet<String>,
    /// Those of them that load it as code, and by what alone their other code can tell the difference.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub told_by: BTreeMap<String, TellingNames>,
    /// Packages that it is compiled into, or whose build script reads it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub compiled_into: BTreeSet<String>,
    /// Benchmarks of which nobody knows whether they open it. Not part of the contract.
    #[serde(skip)]
    pub unsettled: BTreeSet<String>,
}

/// The names by which code can tell that a source which is loaded is another one.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct TellingNames {
    /// Code that asks for one of them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub names: BTreeSet<String>,
    /// Any code, if a value of one of these classes is made.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub values_of: BTreeSet<String>,
    /// Functions that write one of them, if they are executed: they read how others are written. Not part of the contract.
    #[serde(skip)]
    pub read: BTreeSet<String>,
}

impl TellingNames {
    /// True if no code can tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.values_of.is_empty() && self.read.is_empty()
    }
}

impl InputDependents {
    /// True if something is known to depend on it.
    #[must_use]
    pub fn is_input(&self) -> bool {
        !self.read_by.is_empty() || !self.compiled_into.is_empty()
    }
}

/// On which sides of a change an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemPresence {
    /// On both.
    Kept,
    /// Only after: nothing used it before.
    Added,
    /// Only before: nothing uses it any more.
    Gone,
}

/// The effect of a changed item on code that mentions it and stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemEffect {
    /// The code is compiled anew, and does the same.
    Layout,
    /// A value that the code computes with is another one: how often loops run, how large things are.
    Value,
    /// A name that the code writes, or code that the compiler adds to it, is something else now.
    Redefinition,
    /// The same for a name that one file imports for itself.
    LocalRedefinition,
    /// The same for names and methods that a file gets without naming them: from a glob, or from a trait.
    ScopeRedefinition,
    /// A new method in an implementation of a trait: code that called the trait's own calls this one now.
    Overriding,
    /// A new method of a type: code that calls a trait's method of that name on the type calls this one now.
    Shadowing,
}

/// An effect of a change on the execution. Blocks with `before` are of the pair's before side, others of its
/// after side.
#[derive(Debug, Clone, PartialEq)]
pub enum ExecutionEdit {
    /// A(i) of the published model (section 4.1).
    CallAdded {
        /// The call.
        call: SyntaxCall,
        /// The block, after.
        block: BlockId,
    },
    /// D(j) of the published model.
    CallRemoved {
        /// The call.
        call: SyntaxCall,
        /// The block, before.
        before: BlockId,
    },
    /// The same call in another block.
    CallMoved {
        /// The call, as it is after.
        call: SyntaxCall,
        /// From this block, before.
        before: BlockId,
        /// To this block, after.
        block: BlockId,
    },
    /// Primitive operations that were not there.
    WorkAdded {
        /// How many.
        operations: u32,
        /// The block, after.
        block: BlockId,
    },
    /// Primitive operations that are gone.
    WorkRemoved {
        /// How many.
        operations: u32,
        /// The block, before.
        before: BlockId,
    },
    /// The head of a matched block changed: it may run more or less often.
    Reconditioned {
        /// The block, before.
        before: BlockId,
        /// The block, after.
        block: BlockId,
        /// True if it holds now where it did not, and nowhere else.
        is_negated: bool,
    },
    /// A matched call is given other arguments: the callee may do more or less.
    ArgumentsChanged {
        /// The call, as it is after.
        call: SyntaxCall,
        /// Its arguments before.
        was: CallArguments,
        /// The block, after.
        block: BlockId,
    },
    /// A field gets another value: whatever reads it may do more or less.
    FieldChanged {
        /// The field.
        field: String,
        /// The block, after.
        block: BlockId,
    },
    /// The whole function is compiled differently: attribute, signature, bounds.
    Recompiled,
}

impl ExecutionEdit {
    /// The call that came, and the block that it came into.
    #[must_use]
    pub fn added_call(&self) -> Option<(&SyntaxCall, BlockId)> {
        match self {
            Self::CallAdded { call, block } => Some((call, *block)),
            _ => None,
        }
    }
}

/// A file that could not be analysed in full. Raises the risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DegradedFile {
    /// The file.
    pub file: String,
    /// Why, in one clause.
    pub why: String,
}

/// A declaration outside functions that one side does not have, or has otherwise: a type, a variable, a macro, a directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedDeclaration {
    /// The file.
    pub file: Arc<str>,
    /// The line that it begins at, on the side that has it, 1-based.
    pub line: u32,
    /// Its name; the text of a directive; empty for what has none.
    pub name: String,
    /// True for a variable or constant: code in other files may use it.
    pub is_value: bool,
    /// True for what only code that writes its name depends on.
    pub is_used_by_name: bool,
    /// True if it defines its name, so that nobody can have used it before it came or after it went.
    pub is_definition: bool,
    /// True for a variable that may do more than to hold its value: making it runs code.
    pub has_effects: bool,
    /// On which sides it is.
    pub presence: ItemPresence,
    /// True for a type of which the layout alone differs.
    pub is_layout_alone: bool,
    /// True for a macro by which a file is read no more than once, where the other side has no such macro or another one.
    pub is_guard: bool,
}

/// A part of a file that cannot be read and that both versions have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptProblem {
    /// The file.
    pub file: String,
    /// Why the part cannot be read.
    pub why: String,
    /// The part.
    pub text: TokenDigest,
}

/// A file with a change that is not followed, and the code that may depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfollowedFile {
    /// The file, and what changed.
    pub file: DegradedFile,
    /// The code that may depend on it.
    pub reach: UnfollowedReach,
}

/// The code that may depend on a change that is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnfollowedReach {
    /// The code that sees it, if something that is executed writes a name, or what takes its meaning over; else none.
    Name {
        /// The name.
        name: String,
        /// On which sides it is declared in this file.
        presence: ItemPresence,
        /// The code that sees it.
        seen_by: SeenBy,
    },
    /// Any, if some source asks whether something is defined that a header defines, which a directive includes; else none.
    Header {
        /// The directive.
        directive: String,
    },
    /// Whatever sees it.
    Any(SeenBy),
}

/// The code that sees a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenBy {
    /// The functions of the same file, what they call, and whom they hand a value on to.
    File,
    /// Any.
    Program,
}

/// A function that does the same before and after, and that moved, took another name or is written otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct SameFunction {
    /// Before the change.
    pub before: LocatedFunction,
    /// After the change.
    pub after: LocatedFunction,
}

/// Everything that changed between two versions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeSet {
    /// Functions that changed, appeared or vanished. Moved or renamed alone: in `same`.
    pub pairs: Vec<FunctionPair>,
    /// Functions of changed files that do the same and stand elsewhere, have another name, or write other names for the same.
    pub same: Vec<SameFunction>,
    /// All changes, by file and line.
    pub changes: Vec<SourceChange>,
    /// Files that could not be analysed.
    pub degraded: Vec<DegradedFile>,
    /// Problems that no change touches. They hide nothing if what is executed was found in spite of them.
    pub kept_problems: Vec<KeptProblem>,
    /// Files that a build may read of which a sample has no record, and that its profiles tell nothing of.
    pub unrecorded: Vec<DegradedFile>,
    /// Changes between the functions of sources in languages whose declarations are not followed.
    pub declarations: Vec<ChangedDeclaration>,
    /// Files with a change that is seen and not followed to the code that depends on it.
    pub unfollowed: Vec<UnfollowedFile>,
    /// Changed files that no benchmark depends on, by the recorded inputs of a sample. Nothing else here is about them.
    pub unused: Vec<Arc<str>>,
}

impl ChangeSet {
    /// Adds a file that could not be analysed, once for each reason.
    pub(crate) fn degrade(&mut self, file: &str, why: String) {
        let entry = DegradedFile {
            file: file.to_owned(),
            why,
        };
        if !self.degraded.contains(&entry) {
            self.degraded.push(entry);
        }
    }

    /// Every file of which nobody can say what its change does.
    pub fn not_analysed(&self) -> impl Iterator<Item = &DegradedFile> + Clone {
        let unfollowed = self.unfollowed.iter().map(|unfollowed| &unfollowed.file);
        self.degraded.iter().chain(&self.unrecorded).chain(unfollowed)
    }
}
