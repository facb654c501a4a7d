//! The model of a source file in any language: functions as trees of blocks, and the
//! items beside them that can change cost.
//!
//! A front end (syn, tree-sitter) builds this and drops its own tree. Nothing here is Rust-shaped: what a
//! language calls its loops, calls or tests is settled in the front end.

use std::sync::Arc;

/// One source file, parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceFile {
    /// Functions with a body, in source order: free, methods, nested, in inline modules. Closures are
    /// blocks of the function they stand in.
    pub functions: Vec<Arc<SyntaxFunction>>,
    /// Everything else that can change cost, in source order.
    pub items: Vec<SyntaxItem>,
    /// Why this is not the whole truth; empty for a file that parsed.
    pub problems: Vec<ParseProblem>,
}

/// Why a file could not be analysed in full, e.g. `syntax error at 12:4: expected expression`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseProblem {
    /// One clause, without the file's name.
    pub why: String,
    /// The lines that it makes unreliable, if known.
    pub lines: Option<LineRange>,
    /// The text that cannot be read; `None` if it is not known where that ends. A problem that both versions have with the
    /// same text hides no change.
    pub text: Option<TokenDigest>,
}

/// A range of lines, 1-based, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineRange {
    /// First line.
    pub first: u32,
    /// Last line.
    pub last: u32,
}

/// A function with its body.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxFunction {
    /// Name inside the file: inline modules, the implementing type, enclosing functions and the name
    /// itself: `["parser", "Parser", "next"]`. The file's own module path is not part of it.
    pub path: Vec<String>,
    /// The type it is a method of (last segment, no generics), if any.
    pub owner: Option<String>,
    /// The trait whose method it implements or provides by default (last segment), if any.
    pub of_trait: Option<String>,
    /// Parameters in order, the receiver left out.
    pub parameters: Vec<SyntaxParameter>,
    /// True if it takes `self`.
    pub has_receiver: bool,
    /// Last segment of the return type without generics and references; `None` for unit or unknown.
    pub returns: Option<String>,
    /// True if a compiler may compute what it returns, with all its loops: a profile need not show that it ran. Of languages
    /// whose declarations are not followed.
    pub is_precomputed: bool,
    /// Digest of everything in the signature that can change generated code: parameter types, return
    /// type, generics and bounds, `async`, ABI. Names and `mut` of parameters, lifetimes, `?Sized`, `const`,
    /// `unsafe`, visibility and attributes are not part of it.
    pub signature: TokenDigest,
    /// Attributes and markers that the compiler's output depends on (`inline`, `cold`, `target_feature`,
    /// `cfg`, decorators …), normalised text, sorted. Documentation, lints, derives and what only callers
    /// are told (`must_use`, `deprecated`) are not here.
    pub attributes: Vec<String>,
    /// True if it is visible outside its own module.
    pub public: bool,
    /// True if no measured build runs it: only tests can (`#[test]`, inside `#[cfg(test)]`, a file under `tests/`), or it is
    /// for other machines than this one.
    pub test_only: bool,
    /// Types of locals and parameters that the source shows: name → type's last segment.
    pub locals: Vec<(String, String)>,
    /// Blocks in pre-order; `blocks[0]` is the body. Never empty.
    pub blocks: Vec<SyntaxBlock>,
    /// From the first attribute or keyword to the closing brace.
    pub lines: LineRange,
    /// Digest of the whole function's tokens without comments, white space, documentation, visibility, the
    /// function's own name, and what no code is made of (see [`NormalisedText`]): equal digests mean nothing to compare.
    pub digest: TokenDigest,
}

/// True for the name of a function that code of C++ calls without writing it: a destructor or an operator.
#[must_use]
pub(crate) fn is_called_unwritten(name: &str) -> bool {
    let is_sign = |rest: &str| !rest.starts_with(|first: char| first == '_' || first.is_alphanumeric());
    name.starts_with('~') || name.strip_prefix("operator").is_some_and(is_sign)
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxParameter {
    /// Its name; empty for a pattern.
    pub name: String,
    /// Last segment of its type, without generics and references; empty where the source does not say.
    pub type_name: String,
}

/// A 64-bit digest of normalised tokens, stable over runs and machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenDigest(pub u64);

/// Index into [`SyntaxFunction::blocks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The body of a function.
    pub const BODY: Self = Self(0);
}

/// The reason that a block runs, or runs often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockKind {
    /// The function's body.
    Body,
    /// `for`, `while`, `loop`, a comprehension, or a closure given to an iterator adaptor.
    Loop,
    /// `if`, `else`, `if let` (of an `if` and its `else`, first what runs where an equality or a plain
    /// condition holds, whichever is written first), the right operand of `&&` and `||`, `let … else`.
    Conditional,
    /// An arm of a `match`; an `except` clause.
    Arm,
    /// A closure or lambda that no known adaptor runs in a loop.
    Closure,
}

impl BlockKind {
    /// True for what runs at most once for each execution of the block around it.
    #[must_use]
    pub const fn is_conditional(self) -> bool {
        matches!(self, Self::Conditional | Self::Arm)
    }
}

/// A block: its head decides whether or how often it runs, its nodes are what runs.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxBlock {
    /// The reason that it runs.
    pub kind: BlockKind,
    /// The block around it; `None` for the body.
    pub parent: Option<BlockId>,
    /// The condition, the iterated expression, the arm's pattern and guard, the closure's parameters; in
    /// evaluation order. Empty for a body, a `loop` and an `else`.
    pub head: Vec<SyntaxNode>,
    /// The calls, operations and blocks in it, in evaluation order.
    pub nodes: Vec<SyntaxNode>,
    /// The lines of the whole block, children included.
    pub lines: LineRange,
}

impl SyntaxBlock {
    /// The text of its head, calls with their arguments: equal texts decide alike.
    #[must_use]
    pub fn condition(&self) -> String {
        let texts = self.head.iter().map(|node| match node {
            SyntaxNode::Operation(operation) => operation.text.0.clone(),
            SyntaxNode::Call(call) => format!("{}({})", call.callee.name, call.arguments.text.0),
            SyntaxNode::Block(_) => String::new(),
        });
        texts.collect::<Vec<_>>().join(" ")
    }
}

/// One thing that a block executes.
#[derive(Debug, Clone, PartialEq)]
pub enum SyntaxNode {
    /// A call. The calls among its arguments come before it.
    Call(SyntaxCall),
    /// Work without a call.
    Operation(SyntaxOperation),
    /// A block that starts here.
    Block(BlockId),
}

/// A call of a function, method or macro. Constructors of tuple structs and enum variants are operations.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxCall {
    /// The callee, as far as the source shows.
    pub callee: SyntaxCallee,
    /// Its arguments.
    pub arguments: CallArguments,
    /// Line of the callee's name, 1-based.
    pub line: u32,
}

/// How a call is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SyntaxCallForm {
    /// `a::b(..)`
    Path,
    /// `x.b(..)`
    Method,
    /// `b!(..)`
    Macro,
    /// `(expression)(..)`, a field or local that holds a function; `name` is its text.
    Value,
}

/// The callee of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxCallee {
    /// The last segment.
    pub name: String,
    /// The segments before it as written, generics removed: `["std", "mem"]`; empty for a method.
    pub path: Vec<String>,
    /// How it is written.
    pub form: SyntaxCallForm,
    /// For a method: what it is called on.
    pub receiver: Option<CallReceiver>,
}

/// The receiver of a method call, as far as the source shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallReceiver {
    /// `self`
    SelfValue,
    /// `self.field`
    SelfField(String),
    /// A local or parameter.
    Local(String),
    /// The result of another call, by name and, for a path call, the segment before it
    /// (`Vec::new().push(..)` → type `Vec`).
    Result {
        /// The called function's name.
        callee: String,
        /// The type segment of its path, if written.
        of_type: Option<String>,
    },
    /// A literal or anything else, with its type where it is plain.
    Other(Option<String>),
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallArguments {
    /// How many, without the receiver.
    pub arity: u16,
    /// Their text, holes where calls and closures stand (these are nodes of their own).
    pub text: NormalisedText,
    /// Operators and allocating literals among them: what evaluating them costs, in operations.
    pub weight: u16,
}

/// Work without a call: operators, field reads and writes, literals, constructors, returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxOperation {
    /// Its kind.
    pub kind: OperationKind,
    /// Its text, holes where calls and closures stand.
    pub text: NormalisedText,
    /// How many primitive operations it holds; at least 1.
    pub weight: u16,
    /// 1-based.
    pub line: u32,
}

/// The kinds of operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationKind {
    /// Assignment to a field, with the field's name; the value is part of the text.
    FieldWrite(String),
    /// An expression or assignment of locals.
    Compute,
    /// A value that the compiler puts in: `env!(..)`, `include_str!(..)`. Costs nothing by itself.
    Given,
    /// `return`, `break`, `continue`, `yield`.
    Jump,
    /// `?` or `raise`: leaves the function on error.
    Try,
    /// A pattern: a match arm's, an `if let`'s.
    Pattern,
}

/// Normalised source text: tokens separated by one space, comments gone, and gone what no code is made of:
/// parentheses that change nothing, casts between integers, lifetimes, checks of debug builds, `let x = x` for a whole function. What
/// the standard library is called is one name. Locals are marked so that two texts can be compared modulo a
/// renaming; calls and closures are holes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct NormalisedText(pub String);

impl NormalisedText {
    /// Stands before the name of a local or parameter.
    pub const LOCAL: char = '\u{1}';
    /// Stands for a call or closure, which is a node of its own.
    pub const HOLE: char = '\u{2}';

    /// How many calls and closures stand in it.
    #[must_use]
    pub fn holes(&self) -> usize {
        self.0.matches(Self::HOLE).count()
    }
}

/// Something outside functions that can change cost.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxItem {
    /// Its kind.
    pub kind: ItemKind,
    /// Its name; for an implementation `Trait for Type` or `Type`; for an import the name it brings in.
    pub name: String,
    /// Inline modules and types around it.
    pub path: Vec<String>,
    /// Digest of its tokens without comments, documentation, visibility, derives, and what no code is made of.
    /// Functions inside (methods of an implementation, provided methods of a trait) are not part of it.
    pub digest: TokenDigest,
    /// Its lines.
    pub lines: LineRange,
    /// True if only tests see it.
    pub test_only: bool,
    /// For a constant, or a macro without parameters: its value, where that is an integer that the source shows.
    pub value: Option<u64>,
}

/// The kinds of item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// `const`, `static`, a module-level assignment.
    Constant,
    /// `struct`, `enum`, `union`, a type alias, a class; fields as name → type's last segment.
    Type {
        /// Named fields.
        fields: Vec<(String, String)>,
    },
    /// A trait: its bounds and required methods.
    Trait,
    /// The head of an implementation: type, trait, generics, bounds, associated types and constants.
    Implementation,
    /// A macro's definition.
    Macro,
    /// An import: the full path as written.
    Import {
        /// `["std", "collections", "HashMap"]`.
        target: Vec<String>,
    },
    /// A macro invocation at item level, whose expansion is not seen.
    Invocation,
    /// A module in a file of its own.
    Module,
    /// Attributes of the file or of an inline module (`#![no_main]`, `cfg`).
    Attribute,
    /// A declaration of a function without a body, by its name, that a macro marks.
    Prototype,
}

impl ItemKind {
    /// True for a kind of the same name, whatever it holds.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl SyntaxFunction {
    /// The macro that writes the function, if it stands in a macro's definition: `name!` is a part of its path then, and
    /// nobody knows whose method it becomes.
    #[must_use]
    pub fn written_by(&self) -> Option<&str> {
        self.path.iter().find_map(|part| part.strip_suffix('!'))
    }

    /// The body, always present.
    #[must_use]
    pub fn body(&self) -> &SyntaxBlock {
        &self.blocks[0]
    }

    /// The block behind an id of this function.
    ///
    /// # Panics
    /// If the id comes from another function.
    #[must_use]
    pub fn block(&self, id: BlockId) -> &SyntaxBlock {
        &self.blocks[id.0 as usize]
    }

    /// How large it is: its blocks, calls and primitive operations; at least 1.
    #[must_use]
    pub fn size(&self) -> usize {
        let in_blocks = self.blocks.iter().flat_map(|block| {
            let nodes = block.head.iter().chain(&block.nodes);
            nodes.map(|node| match node {
                SyntaxNode::Operation(operation) => usize::from(operation.weight),
                SyntaxNode::Call(call) => 1 + usize::from(call.arguments.weight),
                SyntaxNode::Block(_) => 0,
            })
        });
        self.blocks.len() + in_blocks.sum::<usize>()
    }

    /// The last segment of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }
}
