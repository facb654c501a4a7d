//! Spans of syn's tree → byte offsets of the source.

use proc_macro2::Span;
use proc_macro2::extra::DelimSpan;
use syn::spanned::Spanned;
use syn::{Expr, Pat, Path, PathArguments, QSelf, Type};

use crate::syntax::tokens::ByteRange;

/// Turns lines and columns, which is what spans give cheaply, into offsets.
#[derive(Debug)]
pub(crate) struct SourcePositions<'s> {
    source: &'s str,
    line_starts: Vec<u32>,
    ascii: bool,
}

impl<'s> SourcePositions<'s> {
    /// `source` is the very text that was parsed.
    pub(crate) fn new(source: &'s str) -> Self {
        let breaks = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let after = breaks.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX));
        Self {
            source,
            line_starts: std::iter::once(0).chain(after).collect(),
            ascii: source.is_ascii(),
        }
    }

    pub(crate) fn start(&self, span: Span) -> u32 {
        let at = span.start();
        self.offset(at.line, at.column)
    }

    pub(crate) fn end(&self, span: Span) -> u32 {
        let at = span.end();
        self.offset(at.line, at.column)
    }

    pub(crate) fn range(&self, span: Span) -> ByteRange {
        ByteRange::new(self.start(span), self.end(span))
    }

    /// The range between two delimiters.
    pub(crate) fn inside(&self, delimiters: DelimSpan) -> ByteRange {
        ByteRange::new(self.end(delimiters.open()), self.start(delimiters.close()))
    }

    /// The line of an offset, 1-based.
    pub(crate) fn line(&self, at: u32) -> u32 {
        let line = self.line_starts.partition_point(|start| *start <= at);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    fn offset(&self, line: usize, column: usize) -> u32 {
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        if self.ascii {
            return start + u32::try_from(column).unwrap_or(u32::MAX);
        }
        let rest = &self.source[start as usize..];
        let bytes = rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
        start + u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    pub(crate) fn expression(&self, expression: &Expr) -> ByteRange {
        ByteRange::new(self.expression_start(expression), self.expression_end(expression))
    }

    /// The first byte of an expression, without its attributes. Spanned would print the whole tree first.
    pub(crate) fn expression_start(&self, expression: &Expr) -> u32 {
        match leftmost(expression) {
            Expr::Array(e) => self.start(e.bracket_token.span.open()),
            Expr::Async(e) => self.start(e.async_token.span),
            Expr::Block(e) => match &e.label {
                Some(label) => self.start(label.name.apostrophe),
                None => self.start(e.block.brace_token.span.open()),
            },
            Expr::Break(e) => self.start(e.break_token.span),
            Expr::Const(e) => self.start(e.const_token.span),
            Expr::Continue(e) => self.start(e.continue_token.span),
            Expr::ForLoop(e) => self.labelled(e.label.as_ref(), e.for_token.span),
            Expr::If(e) => self.start(e.if_token.span),
            Expr::Infer(e) => self.start(e.underscore_token.span),
            Expr::Let(e) => self.start(e.let_token.span),
            Expr::Lit(e) => self.start(e.lit.span()),
            Expr::Loop(e) => self.labelled(e.label.as_ref(), e.loop_token.span),
            Expr::Macro(e) => self.path_start(None, &e.mac.path),
            Expr::Match(e) => self.start(e.match_token.span),
            Expr::Paren(e) => self.start(e.paren_token.span.open()),
            Expr::Path(e) => self.path_start(e.qself.as_ref(), &e.path),
            Expr::Range(e) => self.start(e.limits.span()),
            Expr::RawAddr(e) => self.start(e.and_token.span),
            Expr::Reference(e) => self.start(e.and_token.span),
            Expr::Repeat(e) => self.start(e.bracket_token.span.open()),
            Expr::Return(e) => self.start(e.return_token.span),
            Expr::Struct(e) => self.path_start(e.qself.as_ref(), &e.path),
            Expr::TryBlock(e) => self.start(e.try_token.span),
            Expr::Tuple(e) => self.start(e.paren_token.span.open()),
            Expr::Unsafe(e) => self.start(e.unsafe_token.span),
            Expr::While(e) => self.labelled(e.label.as_ref(), e.while_token.span),
            Expr::Yield(e) => self.start(e.yield_token.span),
            Expr::Closure(e) => {
                let before = e.lifetimes.as_ref().map(|l| l.for_token.span);
                let before = before.or(e.constness.map(|t| t.span));
                let before = before.or(e.asyncness.map(|t| t.span)).or(e.capture.map(|t| t.span));
                self.start(before.unwrap_or(e.inputs_begin.span))
            }
            // Unary and whatever syn adds later.
            Expr::Unary(e) => match e.op {
                syn::UnOp::Deref(t) => self.start(t.span),
                syn::UnOp::Not(t) => self.start(t.span),
                syn::UnOp::Neg(t) => self.start(t.span),
                _ => self.start(e.span()),
            },
            other => self.start(other.span()),
        }
    }

    /// The byte after an expression.
    pub(crate) fn expression_end(&self, expression: &Expr) -> u32 {
        let mut at = expression;
        loop {
            at = match at {
                Expr::Assign(e) => &e.right,
                Expr::Binary(e) => &e.right,
                Expr::Break(e) if let Some(value) = &e.expr => value,
                Expr::Closure(e) => &e.body,
                Expr::Group(e) => &e.expr,
                Expr::Let(e) => &e.expr,
                Expr::Range(e) if let Some(end) = &e.end => end,
                Expr::RawAddr(e) => &e.expr,
                Expr::Reference(e) => &e.expr,
                Expr::Return(e) if let Some(value) = &e.expr => value,
                Expr::Unary(e) => &e.expr,
                Expr::Yield(e) if let Some(value) = &e.expr => value,
                Expr::If(e) if let Some((_, otherwise)) = &e.else_branch => otherwise,
                _ => break,
            };
        }
        match at {
            Expr::Array(e) => self.end(e.bracket_token.span.close()),
            Expr::Async(e) => self.end(e.block.brace_token.span.close()),
            Expr::Await(e) => self.end(e.await_token.span),
            Expr::Block(e) => self.end(e.block.brace_token.span.close()),
            Expr::Break(e) => self.end(e.label.as_ref().map_or(e.break_token.span, |label| label.ident.span())),
            Expr::Call(e) => self.end(e.paren_token.span.close()),
            Expr::Cast(e) => self.type_end(&e.ty),
            Expr::Const(e) => self.end(e.block.brace_token.span.close()),
            Expr::Continue(e) => self.end(
                e.label
                    .as_ref()
                    .map_or(e.continue_token.span, |label| label.ident.span()),
            ),
            Expr::Field(e) => match &e.member {
                syn::Member::Named(name) => self.end(name.span()),
                syn::Member::Unnamed(index) => self.end(index.span),
            },
            Expr::ForLoop(e) => self.end(e.body.brace_token.span.close()),
            Expr::If(e) => self.end(e.then_branch.brace_token.span.close()),
            Expr::Index(e) => self.end(e.bracket_token.span.close()),
            Expr::Infer(e) => self.end(e.underscore_token.span),
            Expr::Lit(e) => self.end(e.lit.span()),
            Expr::Loop(e) => self.end(e.body.brace_token.span.close()),
            Expr::Macro(e) => self.end(e.mac.delimiter.span().close()),
            Expr::Match(e) => self.end(e.brace_token.span.close()),
            Expr::MethodCall(e) => self.end(e.paren_token.span.close()),
            Expr::Paren(e) => self.end(e.paren_token.span.close()),
            Expr::Path(e) => self.path_end(&e.path),
            Expr::Repeat(e) => self.end(e.bracket_token.span.close()),
            Expr::Return(e) => self.end(e.return_token.span),
            Expr::Struct(e) => self.end(e.brace_token.span.close()),
            Expr::Try(e) => self.end(e.question_token.span),
            Expr::TryBlock(e) => self.end(e.block.brace_token.span.close()),
            Expr::Tuple(e) => self.end(e.paren_token.span.close()),
            Expr::Unsafe(e) => self.end(e.block.brace_token.span.close()),
            Expr::While(e) => self.end(e.body.brace_token.span.close()),
            Expr::Yield(e) => self.end(e.yield_token.span),
            other => self.end(other.span()),
        }
    }

    fn labelled(&self, label: Option<&syn::Label>, keyword: Span) -> u32 {
        self.start(label.map_or(keyword, |label| label.name.apostrophe))
    }

    pub(crate) fn path_start(&self, qself: Option<&QSelf>, path: &Path) -> u32 {
        if let Some(qself) = qself {
            return self.start(qself.lt_token.span);
        }
        if let Some(colon) = &path.leading_colon {
            return self.start(colon.spans[0]);
        }
        path.segments
            .first()
            .map_or(0, |segment| self.start(segment.ident.span()))
    }

    fn path_end(&self, path: &Path) -> u32 {
        let Some(last) = path.segments.last() else {
            return 0;
        };
        match &last.arguments {
            PathArguments::None => self.end(last.ident.span()),
            PathArguments::AngleBracketed(generics) => self.end(generics.gt_token.span),
            PathArguments::Parenthesized(_) => self.end(last.span()),
        }
    }

    pub(crate) fn type_end(&self, ty: &Type) -> u32 {
        match ty {
            Type::Path(path) => self.path_end(&path.path),
            Type::Reference(inner) => self.type_end(&inner.elem),
            Type::Ptr(inner) => self.type_end(&inner.elem),
            Type::Slice(slice) => self.end(slice.bracket_token.span.close()),
            Type::Array(array) => self.end(array.bracket_token.span.close()),
            Type::Infer(infer) => self.end(infer.underscore_token.span),
            Type::Tuple(tuple) => self.end(tuple.paren_token.span.close()),
            other => self.end(other.span()),
        }
    }

    pub(crate) fn pattern(&self, pattern: &Pat) -> ByteRange {
        match pattern {
            Pat::Wild(wild) => self.range(wild.underscore_token.span),
            Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => {
                let first = name.mutability.map_or(name.ident.span(), |token| token.span);
                ByteRange::new(self.start(first), self.end(name.ident.span()))
            }
            Pat::TupleStruct(e) => ByteRange::new(
                self.path_start(e.qself.as_ref(), &e.path),
                self.end(e.paren_token.span.close()),
            ),
            Pat::Struct(e) => ByteRange::new(
                self.path_start(e.qself.as_ref(), &e.path),
                self.end(e.brace_token.span.close()),
            ),
            Pat::Path(e) => ByteRange::new(self.path_start(e.qself.as_ref(), &e.path), self.path_end(&e.path)),
            Pat::Lit(e) => self.range(e.lit.span()),
            Pat::Tuple(e) => ByteRange::new(
                self.start(e.paren_token.span.open()),
                self.end(e.paren_token.span.close()),
            ),
            Pat::Reference(e) => ByteRange::new(self.start(e.and_token.span), self.pattern(&e.pat).end),
            Pat::Type(e) => ByteRange::new(self.pattern(&e.pat).start, self.type_end(&e.ty)),
            Pat::Or(e) => {
                let first = e.leading_vert.map(|token| self.start(token.span));
                let first = first.or_else(|| e.cases.first().map(|case| self.pattern(case).start));
                let last = e.cases.last().map(|case| self.pattern(case).end);
                ByteRange::new(first.unwrap_or(0), last.unwrap_or(0))
            }
            other => self.range(other.span()),
        }
    }
}
/// The expression that an expression begins with; itself where it begins with none.
pub(crate) fn leftmost(expression: &Expr) -> &Expr {
    let mut at = expression;
    loop {
        at = match at {
            Expr::Assign(e) => &e.left,
            Expr::Await(e) => &e.base,
            Expr::Binary(e) => &e.left,
            Expr::Call(e) => &e.func,
            Expr::Cast(e) => &e.expr,
            Expr::Field(e) => &e.base,
            Expr::Group(e) => &e.expr,
            Expr::Index(e) => &e.expr,
            Expr::MethodCall(e) => &e.receiver,
            Expr::Try(e) => &e.expr,
            Expr::Range(e) if let Some(start) = &e.start => start,
            _ => return at,
        };
    }
}
