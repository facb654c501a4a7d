//! A source → the words that the names of its benchmarks are made of, if it declares benchmarks.

use std::collections::BTreeSet;

use super::lexer::lex;
use crate::syntax::tokens::TokenKind;

/// Words that only a source with benchmarks needs: the names that frameworks give their macros, types and methods.
const MARKS: [&str; 13] = [
    "Bencher",
    "bench_function",
    "bench_with_input",
    "benchmark_fn",
    "benchmark_group",
    "benchmark_main",
    "binary_benchmark",
    "criterion_group",
    "criterion_main",
    "divan",
    "iai",
    "library_benchmark",
    "tango_benchmarks",
];

/// The names of its functions, and its texts and numbers: a benchmark that came brings another of them. Empty for a source
/// without benchmarks. Where functions are benchmarks by an attribute of the compiler, theirs are the only names.
pub(super) fn declared_benchmarks(source: &[u8]) -> BTreeSet<String> {
    let is_marked = MARKS
        .iter()
        .any(|mark| memchr::memmem::find(source, mark.as_bytes()).is_some());
    let Some(source) = std::str::from_utf8(source).ok().filter(|_| is_marked) else {
        return BTreeSet::new();
    };
    let tokens = lex(source).tokens;
    let words: Vec<(&str, TokenKind)> = tokens
        .iter()
        .map(|token| (&source[token.start as usize..token.end as usize], token.kind))
        .collect();
    let of_compiler = names_after_attribute(&words, "bench");
    if !of_compiler.is_empty() {
        return of_compiler;
    }
    if !words.iter().any(|(word, _)| MARKS.contains(word)) {
        return BTreeSet::new();
    }
    let names = words
        .windows(2)
        .filter(|pair| pair[0].0 == "fn")
        .map(|pair| pair[1].0.to_owned());
    let literals = words
        .iter()
        .filter(|(_, kind)| matches!(kind, TokenKind::Text | TokenKind::Number))
        .map(|(word, _)| (*word).to_owned());
    names.chain(literals).collect()
}

/// The names of the functions that follow `#[attribute]`.
fn names_after_attribute(words: &[(&str, TokenKind)], attribute: &str) -> BTreeSet<String> {
    let is_attribute = |at: usize| {
        let of = |offset: usize| words.get(at + offset).map(|(word, _)| *word);
        [of(0), of(1), of(2), of(3)] == [Some("#"), Some("["), Some(attribute), Some("]")]
    };
    (0..words.len())
        .filter(|&at| is_attribute(at))
        .filter_map(|at| {
            let rest = &words[at + 4..];
            let keyword = rest.iter().position(|(word, _)| *word == "fn")?;
            rest.get(keyword + 1).map(|(name, _)| (*name).to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<String> {
        declared_benchmarks(source.as_bytes()).into_iter().collect()
    }

    #[test]
    fn a_source_without_benchmarks_declares_none() {
        assert!(words("fn work() -> u64 { 3 }").is_empty());
        assert!(words("// criterion_group!\nfn work() -> u64 { 3 }").is_empty());
    }

    #[test]
    fn names_texts_and_numbers_make_up_the_names_of_a_framework() {
        let source = "fn parse(c: &mut Criterion) { c.bench_function(\"parse/small\", |b| b.iter(|| work(10))); }\n\
                      criterion_group!(benches, parse);";
        assert_eq!(words(source), ["\"parse/small\"", "10", "parse"]);
        assert_eq!(words("#[divan::bench(args = [8])] fn print() {}"), ["8", "print"]);
    }

    #[test]
    fn functions_with_the_compilers_attribute_are_the_only_ones() {
        let source = "fn other() -> u64 { 7 }\n#[cfg(test)] mod b { #[bench]\n#[inline] fn sum(b: &mut Bencher) {} }";
        assert_eq!(words(source), ["sum"]);
    }
}
