//! The tokens of a file → its top-level items, as runs of tokens, without parsing them. Where this cuts wrongly
//! the parts do not parse: whoever uses them must then parse the whole.

use std::ops::Range as Span;

use crate::syntax::tokens::{SyntaxToken, TokenKind, TokenizedSource};

/// The tokens of the inner attributes that a file begins with, and of each item after them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ItemSpans {
    /// `#![…]`, all of them; empty where there are none.
    pub(crate) attributes: Span<usize>,
    /// Each with its own attributes.
    pub(crate) items: Vec<Span<usize>>,
}

/// Cuts a file into items.
pub(crate) fn chunks(tokens: &TokenizedSource<'_>) -> ItemSpans {
    let list = &tokens.list;
    let mut start = inner_attributes(tokens);
    let attributes = 0..start;
    let mut items = Vec::new();
    let mut depth = 0_usize;
    for (index, token) in list.iter().enumerate().skip(start) {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && ends_item(tokens, token, list.get(index + 1)) {
            items.push(start..index + 1);
            start = index + 1;
        }
    }
    if start < list.len() {
        items.push(start..list.len());
    }
    ItemSpans { attributes, items }
}

/// Where the first item begins.
fn inner_attributes(tokens: &TokenizedSource<'_>) -> usize {
    let mut at = 0;
    while begins_inner_attribute(tokens, at) {
        let mut depth = 0_usize;
        let end = tokens.list[at..].iter().position(|token| {
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && token.kind == TokenKind::Close
        });
        match end {
            Some(length) => at += length + 1,
            None => return tokens.list.len(),
        }
    }
    at
}

/// True for `#![`.
pub(crate) fn begins_inner_attribute(tokens: &TokenizedSource<'_>, at: usize) -> bool {
    let text = |index: usize| tokens.list.get(index).map(|token| tokens.text_of(token));
    text(at) == Some("#") && text(at + 1) == Some("!") && text(at + 2) == Some("[")
}

/// True after `;`, and after a `}` unless an expression or a type goes on.
fn ends_item(tokens: &TokenizedSource<'_>, token: &SyntaxToken, next: Option<&SyntaxToken>) -> bool {
    match tokens.text_of(token) {
        ";" => true,
        "}" => next.is_none_or(|next| match next.kind {
            TokenKind::Word => !matches!(tokens.text_of(next), "else" | "as"),
            _ => tokens.text_of(next) == "#",
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;
    use crate::syntax::ParseLimits;

    fn cut(source: &str) -> Vec<String> {
        let lexed = lex(source);
        let tokens = TokenizedSource::new(&lexed.blanked, lexed.tokens, &ParseLimits::default());
        let ItemSpans { attributes, items } = chunks(&tokens);
        std::iter::once(attributes)
            .chain(items)
            .map(|span| {
                let words: Vec<&str> = tokens.list[span].iter().map(|token| tokens.text_of(token)).collect();
                words.join(" ")
            })
            .collect()
    }

    #[test]
    fn items_end_with_a_semicolon_or_a_brace() {
        assert_eq!(
            cut("use a::{b, c}; struct A; fn f() { g(); } macro_rules! m { () => {}; } m! {} #[x] fn g() {}"),
            [
                "",
                "use a :: { b , c } ;",
                "struct A ;",
                "fn f ( ) { g ( ) ; }",
                "macro_rules ! m { ( ) => { } ; }",
                "m ! { }",
                "# [ x ] fn g ( ) { }"
            ]
        );
    }

    #[test]
    fn a_brace_inside_of_an_expression_or_a_type_ends_nothing() {
        for one in [
            "const A : T = if B { 1 } else { 2 } ;",
            "const A : u8 = { 1 } as u8 ;",
            "impl T < { N } > for S < { N } > { }",
            "const A : S = S { a : 1 } ;",
        ] {
            assert_eq!(cut(one), ["", one]);
        }
    }

    #[test]
    fn the_attributes_of_the_file_stand_alone() {
        assert_eq!(
            cut("#![a(b[0])]\n#![c]\n#[d] use e;"),
            ["# ! [ a ( b [ 0 ] ) ] # ! [ c ]", "# [ d ] use e ;"]
        );
        assert_eq!(cut("#![a"), ["# ! [ a"]);
    }

    #[test]
    fn nothing_gives_no_item() {
        assert_eq!(cut("// nothing\n"), [""]);
    }
}
