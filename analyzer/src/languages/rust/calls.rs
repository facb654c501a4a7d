//! Calls of syn's tree → calls of the model: callee, receiver, arguments.

use syn::{Expr, ExprMethodCall, ExprPath, Member};

use super::expression::line;
use super::function::RustBodyLowering;
use super::method_chain::{self, closure_kind};
use super::syn_names::{is_capitalised, last_segment, type_name};
use crate::syntax::builder::ArgumentRange;
use crate::syntax::model::{SyntaxCallForm, SyntaxCallee};
use crate::syntax::tokens::ByteRange;

impl RustBodyLowering<'_, '_> {
    pub(super) fn call(&mut self, e: &syn::ExprCall, whole: &Expr) {
        let mark = self.builder.mark();
        let path = match &*e.func {
            Expr::Path(path) => Some(path),
            _ => None,
        };
        let range = self.positions.expression(whole);
        if let Some(path) = path
            && is_capitalised(&last_segment(&path.path))
        {
            e.args.iter().for_each(|argument| self.operand(argument));
            self.builder.work();
            return;
        }
        let callee = match path {
            Some(path) => self.path_callee(path),
            None => {
                self.operand(&e.func);
                let name = self.tokens.plain(self.positions.expression(&e.func));
                SyntaxCallee {
                    name,
                    path: Vec::new(),
                    form: SyntaxCallForm::Value,
                    receiver: None,
                }
            }
        };
        let before_arguments = self.builder.mark();
        self.arguments(e.args.iter(), &callee.name, None);
        let open = self.positions.end(e.paren_token.span.open());
        let turbofish = path.and_then(|path| self.turbofish_start(path));
        let line = self.line_of(&e.func);
        let inside = self.argument_range(open, turbofish, e.paren_token.span.close());
        let arguments = ArgumentRange {
            arity: e.args.len(),
            range: inside,
            format: false,
        };
        self.builder.call(callee, before_arguments, range, line, arguments);
        self.builder.settle(mark);
        self.builder.hole(range);
    }

    /// The range between the parentheses; with a turbofish, from there to the closing one.
    fn argument_range(&self, open: u32, turbofish: Option<u32>, close: proc_macro2::Span) -> ByteRange {
        match turbofish {
            Some(start) => ByteRange::new(start, self.positions.end(close)),
            None => ByteRange::new(open, self.positions.start(close)),
        }
    }

    fn path_callee(&self, path: &ExprPath) -> SyntaxCallee {
        let mut segments: Vec<String> = path
            .path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        let name = segments.pop().unwrap_or_default();
        if let Some(qself) = &path.qself {
            segments = vec![type_name(&qself.ty)];
        }
        let local = segments.is_empty() && self.builder.is_local(&name);
        let form = if local {
            SyntaxCallForm::Value
        } else {
            SyntaxCallForm::Path
        };
        SyntaxCallee {
            name,
            path: segments,
            form,
            receiver: None,
        }
    }

    fn turbofish_start(&self, path: &ExprPath) -> Option<u32> {
        match &path.path.segments.last()?.arguments {
            syn::PathArguments::AngleBracketed(generics) => Some(self.positions.start(generics.lt_token.span)),
            _ => None,
        }
    }

    fn line_of(&self, callee: &Expr) -> u32 {
        let span = match callee {
            Expr::Path(path) => path.path.segments.last().map(|segment| segment.ident.span()),
            Expr::Field(field) => match &field.member {
                Member::Named(name) => Some(name.span()),
                Member::Unnamed(index) => Some(index.span),
            },
            _ => None,
        };
        match span {
            Some(span) => line(span),
            None => self.tokens.lines(self.positions.expression(callee)).last,
        }
    }

    pub(super) fn method_call(&mut self, e: &ExprMethodCall, whole: &Expr) {
        let mark = self.builder.mark();
        self.receiver(&e.receiver);
        self.builder.settle(mark);
        let name = e.method.to_string();
        self.arguments(e.args.iter(), &name, Some(&e.receiver));
        let callee = SyntaxCallee {
            receiver: Some(method_chain::receiver(&e.receiver, |name| self.builder.is_local(name))),
            name,
            path: Vec::new(),
            form: SyntaxCallForm::Method,
        };
        let open = self.positions.end(e.paren_token.span.open());
        let turbofish = e
            .turbofish
            .as_ref()
            .map(|turbofish| self.positions.start(turbofish.lt_token.span));
        let inside = self.argument_range(open, turbofish, e.paren_token.span.close());
        let arguments = ArgumentRange {
            arity: e.args.len(),
            range: inside,
            format: false,
        };
        let range = self.positions.expression(whole);
        self.builder.call(callee, mark, range, line(e.method.span()), arguments);
    }

    /// Lowers the receiver of a method call: an operation where the callee does not show it.
    fn receiver(&mut self, receiver: &Expr) {
        if method_chain::is_shown(receiver, |name| self.builder.is_local(name)) {
            self.operand(receiver);
        } else {
            self.value(receiver);
        }
    }

    fn arguments<'e>(&mut self, arguments: impl Iterator<Item = &'e Expr>, callee: &str, receiver: Option<&Expr>) {
        for argument in arguments {
            match argument {
                Expr::Closure(_) => self.closure(argument, closure_kind(callee, receiver)),
                _ => self.operand(argument),
            }
        }
    }
}
