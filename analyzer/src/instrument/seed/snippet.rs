//! The planted code in Rust: generated with quote, formatted as by rustfmt.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::planted_code::{PlantedCode, SnippetReturnKind};

/// The names and paths for code that is planted in a file.
#[derive(Clone, Copy)]
pub(crate) struct SnippetGenerator<'a> {
    /// A name that does not occur in the file, for a new function.
    pub(crate) name: &'a str,
    /// The path of `core`.
    pub(crate) core: &'static str,
}

impl SnippetGenerator<'_> {
    /// The path of `core`, as tokens.
    pub(super) fn core(&self) -> TokenStream {
        if self.core.starts_with("::") {
            quote!(::core)
        } else {
            quote!(core)
        }
    }

    /// A repetition of an existing call. The optimiser does not see that it is the same call.
    pub(super) fn repeated_call(&self, callee: &str, arguments: &[String]) -> String {
        let core = self.core;
        format!("let _ = {core}::hint::black_box({callee}({}));", arguments.join(", "))
    }
}

impl PlantedCode for SnippetGenerator<'_> {
    fn function(&self, gives: SnippetReturnKind) -> String {
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

    fn call(&self, rounds: u32) -> String {
        let name = format_ident!("{}", self.name);
        let rounds = Literal::u32_unsuffixed(rounds);
        statements(&quote!(let _ = #name(#rounds);))
    }

    fn guarded(&self, rounds: u32) -> String {
        let name = format_ident!("{}", self.name);
        let core = self.core();
        let rounds = Literal::u32_unsuffixed(rounds);
        statements(&quote! {
            if #core::hint::black_box(#rounds) > 0 {
                let _ = #name(#rounds);
            }
        })
    }

    fn repeat(&self, rounds: u32) -> String {
        let core = self.core();
        let rounds = Literal::u32_unsuffixed(rounds);
        statements(&quote! {
            for round in 0..#rounds {
                let _ = #core::hint::black_box(round);
            }
        })
    }

    fn lines(&self, count: u32) -> String {
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

    fn condition(&self, rounds: u32, condition: &str) -> String {
        format!("{}({rounds}) && ({condition})", self.name)
    }

    fn value(&self, rounds: u32, value: &str) -> String {
        format!("({value}, {}({rounds})).0", self.name)
    }
}

/// The source text of an item.
pub(super) fn pretty(item: &TokenStream) -> String {
    match syn::parse2::<syn::File>(item.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        // Not reachable: a test plants every snippet. Unformatted code compiles as well.
        Err(_) => item.to_string(),
    }
}

/// The source text of statements, without indentation.
pub(super) fn statements(body: &TokenStream) -> String {
    let function = pretty(&quote!(fn body() { #body }));
    function
        .lines()
        .skip(1)
        .filter(|line| *line != "}")
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}
