//! Macro invocations inside functions → calls and operations.
//!
//! Arguments that parse as expressions are lowered like a call's. Of other arguments, whatever looks like a
//! call (`name(…)`, `.name(…)`, `name!(…)`) is one, in the order of the tokens.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Macro, Pat, Stmt, Token};

use super::expression::line;
use super::function::RustBodyLowering;
use super::language::WORDS;
use super::syn_names::{is_capitalised, last_segment};
use crate::syntax::builder::ArgumentRange;
use crate::syntax::model::{BlockKind, CallReceiver, OperationKind, SyntaxCallForm, SyntaxCallee};
use crate::syntax::tokens::ByteRange;

/// A macro's arguments, by the syntax that they parse as.
pub(crate) enum MacroArguments {
    Expressions(Vec<Expr>),
    Statements(Vec<Stmt>),
    /// `matches!(value, pattern if guard)`.
    Test(Box<Expr>, Box<Pat>, Option<Box<Expr>>),
    Tokens,
}

impl RustBodyLowering<'_, '_> {
    /// A macro that stands as a statement.
    pub(crate) fn statement_macro(&mut self, invocation: &Macro, whole: ByteRange) {
        let name = last_segment(&invocation.path);
        if WORDS.constant_macros.contains(&name) {
            return;
        }
        let mark = self.builder.mark();
        self.macro_call(invocation, whole);
        self.builder.operation(mark, OperationKind::Compute, whole);
    }

    /// A macro anywhere in an expression.
    pub(crate) fn macro_call(&mut self, invocation: &Macro, whole: ByteRange) {
        let name = last_segment(&invocation.path);
        let mark = self.builder.mark();
        if WORDS.constant_macros.contains(&name) {
            // Costs nothing, but what is computed with the value may.
            if !WORDS.debug_macros.contains(&name) {
                self.builder.operation(mark, OperationKind::Given, whole);
            }
            return;
        }
        let mut arity = 0;
        if !WORDS.opaque_macros.contains(&name) {
            match body(&name, invocation) {
                MacroArguments::Test(value, pattern, guard) => {
                    self.test(mark, &value, &pattern, guard.as_deref(), whole);
                    return;
                }
                MacroArguments::Expressions(expressions) => {
                    arity = expressions.len();
                    expressions
                        .iter()
                        .for_each(|expression| self.macro_argument(expression));
                }
                MacroArguments::Statements(statements) => {
                    let block = syn::Block {
                        brace_token: syn::token::Brace::default(),
                        stmts: statements,
                    };
                    self.block(&block);
                }
                MacroArguments::Tokens => self.search_tokens(invocation.tokens.clone()),
            }
        }
        let inside = self.positions.inside(*invocation.delimiter.span());
        let path = invocation.path.segments.iter().map(|segment| segment.ident.to_string());
        let mut path: Vec<String> = path.collect();
        path.pop();
        let at = invocation
            .path
            .segments
            .last()
            .map_or(1, |segment| line(segment.ident.span()));
        let format = WORDS.format_macros.contains(&name);
        let callee = SyntaxCallee {
            name,
            path,
            form: SyntaxCallForm::Macro,
            receiver: None,
        };
        self.builder.call(
            callee,
            mark,
            whole,
            at,
            ArgumentRange {
                arity,
                range: inside,
                format,
            },
        );
    }

    /// `name = value` in a macro's arguments names an argument.
    fn macro_argument(&mut self, argument: &Expr) {
        match argument {
            Expr::Assign(named) if matches!(&*named.left, Expr::Path(_)) => {
                self.operand(&named.right);
            }
            Expr::Closure(_) => self.closure(argument, BlockKind::Closure),
            other => self.operand(other),
        }
    }

    fn test(
        &mut self,
        mark: crate::syntax::builder::ExpressionStart,
        value: &Expr,
        pattern: &Pat,
        guard: Option<&Expr>,
        whole: ByteRange,
    ) {
        self.operand(value);
        let scope = self.builder.enter_scope();
        self.bind(pattern);
        if let Some(guard) = guard {
            self.operand(guard);
        }
        self.builder.work();
        self.builder.operation(mark, OperationKind::Pattern, whole);
        self.builder.leave_scope(scope);
        self.builder.settle(mark);
        self.builder.hole(whole);
    }

    /// Calls by their looks.
    pub(crate) fn search_tokens(&mut self, tokens: TokenStream) {
        let mut before: Option<TokenTree> = None;
        let mut before_that: Option<TokenTree> = None;
        for tree in tokens {
            if let TokenTree::Group(group) = &tree
                && !costs_nothing(group, before.as_ref(), before_that.as_ref())
            {
                let mark = self.builder.mark();
                self.search_tokens(group.stream());
                let called = match &before {
                    Some(TokenTree::Ident(name))
                        if group.delimiter() == Delimiter::Parenthesis && !is_word(before_that.as_ref(), "fn") =>
                    {
                        Some(name.clone())
                    }
                    Some(TokenTree::Punct(bang)) if bang.as_char() == '!' => match &before_that {
                        Some(TokenTree::Ident(name)) => Some(name.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                if let Some(name) = called {
                    let is_macro = matches!(&before, Some(TokenTree::Punct(_)));
                    let is_method = !is_macro && is_punctuation(before_that.as_ref(), '.');
                    self.found_call(mark, &name, group, is_macro, is_method);
                }
            }
            before_that = before.replace(tree);
        }
    }

    fn found_call(
        &mut self,
        mark: crate::syntax::builder::ExpressionStart,
        name: &proc_macro2::Ident,
        group: &proc_macro2::Group,
        is_macro: bool,
        is_method: bool,
    ) {
        let text = name.to_string();
        let keyword = syn::parse_str::<syn::Ident>(&text).is_err();
        if keyword || (!is_macro && is_capitalised(&text)) {
            return;
        }
        let form = match (is_macro, is_method) {
            (true, _) => SyntaxCallForm::Macro,
            (_, true) => SyntaxCallForm::Method,
            _ => SyntaxCallForm::Path,
        };
        let whole = ByteRange::new(
            self.positions.start(name.span()),
            self.positions.end(group.span_close()),
        );
        let inside = ByteRange::new(
            self.positions.end(group.span_open()),
            self.positions.start(group.span_close()),
        );
        let commas = group
            .stream()
            .into_iter()
            .filter(|tree| is_punctuation(Some(tree), ','))
            .count();
        let arity = if group.stream().is_empty() { 0 } else { commas + 1 };
        let receiver = is_method.then_some(CallReceiver::Other(None));
        let callee = SyntaxCallee {
            name: text,
            path: Vec::new(),
            form,
            receiver,
        };
        let arguments = ArgumentRange {
            arity,
            range: inside,
            format: false,
        };
        self.builder.call(callee, mark, whole, line(name.span()), arguments);
    }
}

/// True for the inside of an attribute (`#[cfg(..)]`), and for what a macro is given that costs nothing.
fn costs_nothing(group: &proc_macro2::Group, before: Option<&TokenTree>, before_that: Option<&TokenTree>) -> bool {
    let is_attribute = is_punctuation(before, '#') || is_punctuation(before, '!') && is_punctuation(before_that, '#');
    if is_attribute {
        return group.delimiter() == Delimiter::Bracket;
    }
    is_punctuation(before, '!')
        && matches!(before_that, Some(TokenTree::Ident(name))
            if WORDS.constant_macros.contains(&name.to_string()))
}

fn is_word(tree: Option<&TokenTree>, word: &str) -> bool {
    matches!(tree, Some(TokenTree::Ident(name)) if name == word)
}

fn is_punctuation(tree: Option<&TokenTree>, sign: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

pub(crate) fn body(name: &str, invocation: &Macro) -> MacroArguments {
    if invocation.tokens.is_empty() {
        return MacroArguments::Expressions(Vec::new());
    }
    if name == "matches" {
        let test = |input: ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard = if input.peek(Token![if]) {
                input.parse::<Token![if]>()?;
                Some(Box::new(input.parse()?))
            } else {
                None
            };
            input.parse::<Option<Token![,]>>()?;
            Ok(MacroArguments::Test(Box::new(value), Box::new(pattern), guard))
        };
        return invocation.parse_body_with(test).unwrap_or(MacroArguments::Tokens);
    }
    if let Ok(expressions) = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(invocation.tokens.clone()) {
        return MacroArguments::Expressions(expressions.into_iter().collect());
    }
    // `vec![value; length]`.
    let repeat = |input: ParseStream<'_>| {
        let value: Expr = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(vec![value, input.parse()?])
    };
    if let Ok(expressions) = repeat.parse2(invocation.tokens.clone()) {
        return MacroArguments::Expressions(expressions);
    }
    match syn::Block::parse_within.parse2(invocation.tokens.clone()) {
        Ok(statements) => MacroArguments::Statements(statements),
        Err(_) => MacroArguments::Tokens,
    }
}
