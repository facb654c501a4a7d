//! Blocks, calls and operations, as a front end meets them in evaluation order → the blocks of a
//! [`Function`](super::Function). Knows no language: what is a loop, a call or a local is said by the caller.

use super::model::{
    BlockId, BlockKind, CallArguments, LineRange, NormalisedText, OperationKind, SyntaxBlock, SyntaxCall, SyntaxCallee,
    SyntaxNode, SyntaxOperation,
};
use super::tokens::{ByteRange, LocalMarks, NAMES_PER_STEP, TokenizedSource};

/// Collects the blocks of one function.
#[derive(Debug)]
pub(crate) struct FunctionBuilder<'t, 's> {
    tokens: &'t TokenizedSource<'s>,
    blocks: Vec<SyntaxBlock>,
    open: Vec<OpenBlock>,
    /// Calls, closures and blocks of the statement at hand: what its text shows as holes.
    holes: Vec<ByteRange>,
    /// Primitive operations met so far in the expression at hand.
    weight: u32,
    /// Names in scope, innermost last.
    locals: Vec<&'s str>,
    hints: Vec<(String, String)>,
    /// Comparisons that are read the other way round.
    turned: Vec<u32>,
    nodes: usize,
}

#[derive(Debug)]
struct OpenBlock {
    id: BlockId,
    in_head: bool,
    locals: usize,
    holes: usize,
    weight: u32,
}

/// Where an expression began: what comes after it belongs to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpressionStart {
    weight: u32,
    holes: usize,
}

/// A call's arguments, before their text is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArgumentRange {
    pub(crate) arity: usize,
    pub(crate) range: ByteRange,
    /// True if string literals name locals.
    pub(crate) format: bool,
}

/// A finished function body.
#[derive(Debug)]
pub(crate) struct LoweredBody {
    pub(crate) blocks: Vec<SyntaxBlock>,
    pub(crate) hints: Vec<(String, String)>,
    pub(crate) nodes: usize,
}

impl<'t, 's> FunctionBuilder<'t, 's> {
    /// Starts with the body open.
    pub(crate) fn new(tokens: &'t TokenizedSource<'s>, body: LineRange) -> Self {
        let block = SyntaxBlock {
            kind: BlockKind::Body,
            parent: None,
            head: Vec::new(),
            nodes: Vec::new(),
            lines: body,
        };
        let open = OpenBlock {
            id: BlockId::BODY,
            in_head: false,
            locals: 0,
            holes: 0,
            weight: 0,
        };
        Self {
            tokens,
            blocks: vec![block],
            open: vec![open],
            holes: Vec::new(),
            weight: 0,
            locals: Vec::new(),
            hints: Vec::new(),
            turned: Vec::new(),
            nodes: 0,
        }
    }

    pub(crate) fn finish(self) -> LoweredBody {
        LoweredBody {
            blocks: self.blocks,
            hints: self.hints,
            nodes: self.nodes,
        }
    }

    /// Opens a block in the one at hand; what follows is its head until [`Self::body`].
    pub(crate) fn open(&mut self, kind: BlockKind, range: ByteRange) {
        let id = BlockId(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        let parent = self.open.last().map(|open| open.id);
        let lines = self.tokens.lines(range);
        self.push(SyntaxNode::Block(id));
        self.blocks.push(SyntaxBlock {
            kind,
            parent,
            head: Vec::new(),
            nodes: Vec::new(),
            lines,
        });
        self.open.push(OpenBlock {
            id,
            in_head: true,
            locals: self.locals.len(),
            holes: self.holes.len(),
            weight: self.weight,
        });
    }

    /// The head is over.
    pub(crate) fn body(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.in_head = false;
        }
    }

    /// Closes the block at hand: its names go out of scope, and it is a hole in the text around it.
    pub(crate) fn close(&mut self, range: ByteRange) {
        // The body itself is never closed by a front end.
        if self.open.len() > 1
            && let Some(open) = self.open.pop()
        {
            self.locals.truncate(open.locals);
            self.holes.truncate(open.holes);
            self.weight = open.weight;
            self.holes.push(range);
        }
    }

    /// Closes the block at hand, but its names stay in scope: `a && let Some(b) = c()` guards what follows.
    pub(crate) fn close_keeping_names(&mut self, range: ByteRange) {
        if let Some(open) = self.open.last_mut() {
            open.locals = self.locals.len();
        }
        self.close(range);
    }

    pub(crate) fn mark(&self) -> ExpressionStart {
        ExpressionStart {
            weight: self.weight,
            holes: self.holes.len(),
        }
    }

    /// One more primitive operation in the expression at hand.
    pub(crate) fn work(&mut self) {
        self.weight += 1;
    }

    pub(crate) fn hole(&mut self, range: ByteRange) {
        self.holes.push(range);
    }

    /// The number of names in scope, to be given back to [`Self::leave_scope`].
    pub(crate) fn enter_scope(&self) -> usize {
        self.locals.len()
    }

    pub(crate) fn leave_scope(&mut self, scope: usize) {
        self.locals.truncate(scope);
    }

    pub(crate) fn bind(&mut self, name: &'s str) {
        self.locals.push(name);
    }

    pub(crate) fn is_local(&self, name: &str) -> bool {
        self.tokens.budget.spend(self.locals.len() / NAMES_PER_STEP) && self.locals.contains(&name)
    }

    /// Reads the `!=` that starts here as `==`, because what it decides is told the other way round.
    pub(crate) fn read_as_equality(&mut self, sign: u32) {
        self.turned.push(sign);
    }

    /// Records what the source shows of a local's type.
    pub(crate) fn hint(&mut self, name: &str, type_name: &str) {
        if !type_name.is_empty() {
            self.hints.push((name.to_owned(), type_name.to_owned()));
        }
    }

    /// The expression since `mark` is one operation. Nothing but a hole is no operation.
    pub(crate) fn operation(&mut self, mark: ExpressionStart, kind: OperationKind, range: ByteRange) {
        let marks = LocalMarks {
            locals: &self.locals,
            in_strings: false,
            turned: &self.turned,
        };
        let mut text = self
            .tokens
            .marked(range, &self.holes[mark.holes.min(self.holes.len())..], &marks);
        // A grammar may count the end of a statement in.
        if text.0.ends_with(" ;") {
            text.0.truncate(text.0.len() - 2);
        }
        let weight = self.weight_since(mark).max(1);
        if is_nothing(&text) && !matches!(kind, OperationKind::Try | OperationKind::Jump) {
            return;
        }
        let line = self.tokens.lines(ByteRange::new(range.start, range.start + 1)).first;
        self.push(SyntaxNode::Operation(SyntaxOperation {
            kind,
            text,
            weight,
            line,
        }));
    }

    /// The operation that takes a loop's next element, which the source does not write.
    pub(crate) fn step(&mut self, of: ByteRange) {
        self.push(SyntaxNode::Operation(SyntaxOperation {
            kind: OperationKind::Compute,
            text: NormalisedText("next".to_owned()),
            weight: 1,
            line: self.tokens.lines(of).first,
        }));
    }

    /// A call whose receiver and arguments have been met; it becomes a hole.
    pub(crate) fn call(
        &mut self,
        callee: SyntaxCallee,
        at: ExpressionStart,
        whole: ByteRange,
        line: u32,
        arguments: ArgumentRange,
    ) {
        let marks = LocalMarks {
            locals: &self.locals,
            in_strings: arguments.format,
            turned: &self.turned,
        };
        let text = self
            .tokens
            .marked(arguments.range, &self.holes[at.holes.min(self.holes.len())..], &marks);
        let arguments = CallArguments {
            arity: u16::try_from(arguments.arity).unwrap_or(u16::MAX),
            text,
            weight: self.weight_since(at),
        };
        self.push(SyntaxNode::Call(SyntaxCall {
            callee,
            arguments,
            line,
        }));
        self.settle(at);
        self.holes.push(whole);
    }

    /// Marks everything since `mark` as accounted for.
    pub(crate) fn settle(&mut self, mark: ExpressionStart) {
        self.weight = mark.weight;
        self.holes.truncate(mark.holes);
    }

    fn weight_since(&self, mark: ExpressionStart) -> u16 {
        u16::try_from(self.weight.saturating_sub(mark.weight)).unwrap_or(u16::MAX)
    }

    fn push(&mut self, node: SyntaxNode) {
        self.nodes += 1;
        if let Some(open) = self.open.last() {
            let block = &mut self.blocks[open.id.0 as usize];
            if open.in_head {
                block.head.push(node);
            } else {
                block.nodes.push(node);
            }
        }
    }
}

/// A hole, unit, or nothing at all, with or without parentheses and references around it: taking a
/// reference to what a call gave costs nothing.
fn is_nothing(text: &NormalisedText) -> bool {
    let mut holes = 0;
    for part in text.0.split(' ') {
        match part {
            "" | "(" | ")" | ";" | "&" | "mut" | "unsafe" => {}
            part if part.starts_with(NormalisedText::HOLE) => holes += 1,
            _ => return false,
        }
    }
    holes <= 1
}
