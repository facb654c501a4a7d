//! A `macro_rules!` definition → the functions that it writes.
//!
//! Debug information places what a macro writes where its text stands, and that is in the definition: its lines are
//! executed, and its functions are called, like those of any other function. What the macro is given stands where it
//! is invoked, and is read there.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::ImplItemFn;

use super::function::{FunctionParts, RustScope, function};
use super::items::RustFileLowering;
use crate::syntax::tokens::ByteRange;

/// Lowers the functions that a definition writes, wherever in it they stand, and returns their places. `definition` is
/// everything between the definition's delimiters. A function whose text is no function before the macro is given its
/// arguments (`fn f() $body`) is left out: it stays a part of the definition.
pub(crate) fn written_functions(
    file: &mut RustFileLowering<'_, '_>,
    definition: &TokenStream,
    place: &RustScope,
) -> Vec<ByteRange> {
    let mut found = Vec::new();
    for transcriber in transcribers(definition) {
        collect_functions(&without_parameters(transcriber.stream()), &mut found);
    }
    found
        .into_iter()
        .map(|written| {
            let parts = FunctionParts {
                attributes: &written.attrs,
                visibility: Some(&written.vis),
                signature: &written.sig,
                body: &written.block,
            };
            function(file, parts, place)
        })
        .collect()
}

/// The right sides of the rules: `(matcher) => { transcriber };`.
fn transcribers(definition: &TokenStream) -> impl Iterator<Item = Group> {
    let mut after_arrow = false;
    let mut last_sign = None;
    definition.clone().into_iter().filter_map(move |tree| match tree {
        TokenTree::Group(group) => std::mem::take(&mut after_arrow).then_some(group),
        TokenTree::Punct(sign) => {
            let before = last_sign.replace(sign.as_char());
            after_arrow = before == Some('=') && sign.as_char() == '>';
            None
        }
        TokenTree::Ident(_) | TokenTree::Literal(_) => None,
    })
}

/// The transcriber with `$name` as a name, and each repetition once.
fn without_parameters(transcriber: TokenStream) -> TokenStream {
    let mut written = Vec::new();
    let mut trees = transcriber.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(sign) if sign.as_char() == '$' => match trees.next() {
                Some(TokenTree::Ident(name)) if name == "crate" => {
                    written.push(Ident::new("crate", name.span()).into());
                }
                Some(TokenTree::Group(repeated)) => {
                    written.extend(without_parameters(repeated.stream()));
                    // The operator, and a separator before it.
                    let is_operator = |tree: &TokenTree| is_sign(tree, &['*', '+', '?']);
                    if trees.next_if(is_operator).is_none() {
                        trees.next();
                        trees.next_if(is_operator);
                    }
                }
                Some(other) => written.push(other),
                None => {}
            },
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), without_parameters(group.stream()));
                inside.set_span(group.span());
                written.push(inside.into());
            }
            other => written.push(other),
        }
    }
    written.into_iter().collect()
}

/// The functions in some tokens, outermost first; what stands inside a function belongs to it.
fn collect_functions(tokens: &TokenStream, found: &mut Vec<ImplItemFn>) {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    // The first token after the last item, block or macro.
    let mut start = 0;
    let mut at = 0;
    while at < trees.len() {
        match &trees[at] {
            TokenTree::Ident(word) if word == "fn" => {
                let body = trees[at..]
                    .iter()
                    .position(is_end_of_signature)
                    .map(|offset| at + offset);
                let Some(body) = body else { return };
                let whole: TokenStream = trees[start..=body].iter().cloned().collect();
                if let Ok(function) = syn::parse2::<ImplItemFn>(whole) {
                    found.push(function);
                }
                at = body;
                start = at + 1;
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                collect_functions(&group.stream(), found);
                start = at + 1;
            }
            tree if is_sign(tree, &[';']) => start = at + 1,
            _ => {}
        }
        at += 1;
    }
}

/// A body, or the sign of a declaration without one.
fn is_end_of_signature(tree: &TokenTree) -> bool {
    is_sign(tree, &[';']) || matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

fn is_sign(tree: &TokenTree, signs: &[char]) -> bool {
    matches!(tree, TokenTree::Punct(sign) if signs.contains(&sign.as_char()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::syntax::{LineRange, SourceFile, SourceParser, SyntaxNode};

    fn read(source: &str) -> SourceFile {
        SourceParser::default().parse("src/a.rs", source.as_bytes())
    }

    fn names(file: &SourceFile) -> Vec<String> {
        file.functions.iter().map(|function| function.path.join("::")).collect()
    }

    fn calls(file: &SourceFile) -> Vec<&str> {
        let nodes = file.functions.iter().flat_map(|function| &function.blocks);
        nodes
            .flat_map(|block| block.head.iter().chain(&block.nodes))
            .filter_map(|node| match node {
                SyntaxNode::Call(call) => Some(call.callee.name.as_str()),
                SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
            })
            .collect()
    }

    const READERS: &str = "\
macro_rules! readers {
    ($($name:ident => $size:expr),* $(,)?) => {
        $(
            #[inline]
            pub fn $name(&mut self) -> Option<u8> {
                let byte = self.take($size)?;
                $crate::check(byte);
                Some(byte)
            }
        )*
    };
    () => { impl Empty { fn nothing() { idle(); } } };
}
";

    #[test]
    fn functions_that_a_macro_writes_are_functions_at_the_lines_of_its_definition() {
        let file = read(READERS);
        assert_eq!(names(&file), ["readers!::name", "readers!::nothing"]);
        assert_eq!(file.functions[0].lines, LineRange { first: 4, last: 9 });
        assert!(file.functions[0].has_receiver);
        assert_eq!(calls(&file), ["take", "check", "idle"]);
    }

    #[test]
    fn a_change_inside_a_written_function_is_no_change_of_the_rest_of_the_macro() {
        let (before, after) = (read(READERS), read(&READERS.replace("Some(byte)\n", "twice(byte)\n")));
        assert_eq!(before.items[0].digest, after.items[0].digest);
        assert_ne!(before.functions[0].digest, after.functions[0].digest);
        let other_rule = read(&READERS.replace("$(,)?", ""));
        assert_ne!(before.items[0].digest, other_rule.items[0].digest);
        assert_eq!(before.functions[0].digest, other_rule.functions[0].digest);
    }

    #[test]
    fn a_function_that_is_none_without_arguments_stays_a_part_of_the_macro() {
        let with = |body: &str| {
            read(&format!(
                "macro_rules! with {{ ($b:block) => {{ fn f() $b {body} }} }}\n"
            ))
        };
        let (before, after) = (with("fn g() { one(); }"), with("fn g() { two(); }"));
        assert!(
            !names(&before).iter().any(|name| name.ends_with("::f")),
            "{:?}",
            names(&before)
        );
        assert!(before.items[0].digest != after.items[0].digest || before.functions != after.functions);
    }
}
