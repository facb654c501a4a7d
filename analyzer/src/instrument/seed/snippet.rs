//! The code that is planted, by quote, formatted as rustfmt would.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

/// Names and paths in the file that code is planted in.
#[derive(Clone, Copy)]
pub(super) struct SnippetGenerator<'a> {
    /// A name that does not occur in the file, for a new function.
    pub(super) name: &'a str,
    /// The path of `core`.
    pub(super) core: &'static str,
}

/// What the new function gives, besides working.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SnippetReturnKind {
    /// A number nobody needs.
    Number,
    /// True.
    Truth,
    /// What it was given.
    Itself,
}

impl SnippetGenerator<'_> {
    fn core(&self) -> TokenStream {
        if self.core.starts_with("::") {
            quote!(::core)
        } else {
            quote!(core)
        }
    }

    /// The new function: as many rounds of a few instructions each as it is told.
    pub(super) fn function(&self, gives: SnippetReturnKind) -> String {
        let name = format_ident!("{}", self.name);
        let core = self.core();
        let rounds = quote! {
            let mut state = rounds;
            for round in 0..rounds {
                state = #core::hint::black_box(state.rotate_left(5) ^ round);
            }
        };
        pretty(&match gives {
            SnippetReturnKind::Number => quote! {
                #[inline(never)]
                fn #name(rounds: u32) -> u32 { #rounds state }
            },
            SnippetReturnKind::Truth => quote! {
                #[inline(never)]
                fn #name(rounds: u32) -> bool { #rounds #core::hint::black_box(state | 1) != 0 }
            },
            SnippetReturnKind::Itself => quote! {
                #[inline(never)]
                fn #name<T>(value: T, rounds: u32) -> T {
                    #rounds
                    let _ = #core::hint::black_box(state);
                    value
                }
            },
        })
    }

    /// A call of the new function that gives a number.
    pub(super) fn call(&self, rounds: u32) -> String {
        let name = format_ident!("{}", self.name);
        let rounds = Literal::u32_unsuffixed(rounds);
        statements(&quote!(let _ = #name(#rounds);))
    }

    /// The same under a condition that always holds.
    pub(super) fn guarded(&self, rounds: u32) -> String {
        let name = format_ident!("{}", self.name);
        let core = self.core();
        let rounds = Literal::u32_unsuffixed(rounds);
        statements(&quote! {
            if #core::hint::black_box(#rounds) > 0 {
                let _ = #name(#rounds);
            }
        })
    }

    /// A loop of so many rounds.
    pub(super) fn repeat(&self, rounds: u32) -> String {
        let core = self.core();
        let rounds = Literal::u32_unsuffixed(rounds);
        statements(&quote! {
            for round in 0..#rounds {
                let _ = #core::hint::black_box(round);
            }
        })
    }

    /// An existing call, made once more. The optimiser does not see that it is the same.
    pub(super) fn repeated_call(&self, callee: &str, arguments: &[String]) -> String {
        let core = self.core;
        format!("let _ = {core}::hint::black_box({callee}({}));", arguments.join(", "))
    }

    /// So many lines of arithmetic, no two alike.
    pub(super) fn lines(&self, count: u32) -> String {
        let core = self.core();
        let lines = (1..=count).map(|number| {
            let (turn, add) = (number % 31 + 1, number.wrapping_mul(2_654_435_761) >> 8);
            let (turn, add) = (Literal::u32_unsuffixed(turn), Literal::u32_unsuffixed(add));
            quote! {
                state = #core::hint::black_box(state.rotate_left(#turn)).wrapping_add(#add) ^ state;
            }
        });
        statements(&quote! {
            let mut state = #core::hint::black_box(#count);
            #(#lines)*
            let _ = #core::hint::black_box(state);
        })
    }
}

/// An item as it is written in a file.
fn pretty(item: &TokenStream) -> String {
    match syn::parse2::<syn::File>(item.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        // Cannot be: every snippet is planted in a test. Unformatted code is as good for the compiler.
        Err(_) => item.to_string(),
    }
}

/// Statements as they are written at the left margin.
fn statements(body: &TokenStream) -> String {
    let function = pretty(&quote!(fn body() { #body }));
    function
        .lines()
        .skip(1)
        .filter(|line| *line != "}")
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}
