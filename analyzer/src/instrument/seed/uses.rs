//! A statement, an item or a macro's tokens → the names in it, by how they are used.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

/// The names in a piece of code.
#[derive(Debug, Default)]
pub(super) struct NameUses {
    /// Segments of paths, methods, macros, words in a macro's tokens, and names of files that are compiled in.
    pub(super) words: BTreeSet<String>,
    /// Words in the head of a loop or condition, in an argument, or in the length of an array: their values decide how
    /// much is done.
    pub(super) steering: BTreeSet<String>,
    /// Methods that are called.
    pub(super) methods: BTreeSet<String>,
    /// Types of which a value is made field by field; `Self` as it is written.
    pub(super) built: BTreeSet<String>,
}

/// The identifiers in tokens, and the texts of their string literals.
pub(super) fn token_words(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => token_words(group.stream(), found),
            TokenTree::Ident(word) => {
                found.insert(word.to_string());
            }
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.insert(text.value());
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
}
