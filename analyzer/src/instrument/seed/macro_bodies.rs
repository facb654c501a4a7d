//! The rules of a macro → insertions of a loop into their bodies.
//!
//! A body is edited where it is a block, an expression with work in it, or statements. Bodies that make items, types or
//! patterns stay as they are, and so do bodies whose repetitions hide what they are.

// Over syn's enums, not our own.
#![allow(clippy::wildcard_enum_match_arm)]

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use syn::parse::Parser as _;
use syn::{Expr, Stmt};

use super::edit::SeedEdit;
use super::spans::{end, start};

/// Stands for a loop in the text of an edit.
pub(super) const LOOP_HERE: &str = "planted_loop_goes_here";

/// One insertion for each rule that can be edited.
pub(super) fn edits(rules: &TokenStream) -> Vec<SeedEdit> {
    bodies(rules).iter().filter_map(body).flatten().collect()
}

/// The groups behind `=>`.
fn bodies(rules: &TokenStream) -> Vec<Group> {
    let mut found = Vec::new();
    let mut is_behind = false;
    let mut is_equals = false;
    for token in rules.clone() {
        match token {
            TokenTree::Group(group) if is_behind => {
                found.push(group);
                (is_behind, is_equals) = (false, false);
            }
            TokenTree::Punct(mark) => {
                is_behind = is_equals && mark.as_char() == '>';
                is_equals = mark.as_char() == '=' && mark.spacing() == Spacing::Joint;
            }
            _ => (is_behind, is_equals) = (false, false),
        }
    }
    found
}

fn body(body: &Group) -> Option<Vec<SeedEdit>> {
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    let at = |offset: usize, text: String| SeedEdit::replace(offset..offset, text);
    if let [TokenTree::Group(block)] = tokens.as_slice()
        && block.delimiter() == Delimiter::Brace
    {
        let open = end(block.span_open());
        return Some(vec![at(open, format!(" {LOOP_HERE}"))]);
    }
    let (first, last) = (tokens.first()?, tokens.last()?);
    let (first, last) = (start(first.span()), end(last.span()));
    let plain = without_variables(body.stream())?;
    match syn::parse2::<Expr>(plain.clone()) {
        // A path or a literal may be a type or a pattern where the macro is used.
        Ok(Expr::Path(_) | Expr::Lit(_) | Expr::Tuple(_) | Expr::Struct(_) | Expr::Range(_)) => None,
        Ok(_) => Some(vec![
            at(first, format!("{{ {LOOP_HERE} ")),
            at(last, String::from(" }")),
        ]),
        Err(_) => {
            let statements = syn::Block::parse_within.parse2(plain).ok()?;
            let has_items = statements.iter().any(|statement| matches!(statement, Stmt::Item(_)));
            (!statements.is_empty() && !has_items).then(|| vec![at(first, format!("{LOOP_HERE} "))])
        }
    }
}

/// The tokens with names for the macro's variables; `None` if they repeat.
fn without_variables(tokens: TokenStream) -> Option<TokenStream> {
    let mut plain = Vec::new();
    let mut is_variable = false;
    for token in tokens {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '$' => is_variable = true,
            TokenTree::Group(_) if is_variable => return None,
            TokenTree::Group(group) => {
                let inside = without_variables(group.stream())?;
                plain.push(TokenTree::Group(Group::new(group.delimiter(), inside)));
            }
            TokenTree::Ident(word) => {
                is_variable = false;
                let word = match word.to_string().as_str() {
                    "crate" => Ident::new("krate", word.span()),
                    _ => word,
                };
                plain.push(TokenTree::Ident(word));
            }
            other => plain.push(other),
        }
    }
    Some(plain.into_iter().collect())
}
