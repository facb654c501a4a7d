//! A program of which every function is executed, and an edit of it → its score: a version with other tokens is never said
//! to be without risk.
//!
//! The sources have no code that only tests or other machines run, and no attribute that no code is made of, so that nearly
//! any other token can be another program.

use analyzer::score::VersionScore;
use analyzer::syntax::ParseCache;

use super::prediction::{ExecutedFunction, Execution, is_without_risk, predict};
use super::random::Numbers;
use super::sources::blob;

/// A source of one language.
pub(crate) struct ExecutedSource {
    /// Its path in the repository.
    path: &'static str,
    text: &'static str,
    /// The start of the names of functions in a profile, and what stands between its segments.
    module: &'static str,
    between: &'static str,
    /// Whether it is executed from its source.
    is_loaded: bool,
}

pub(crate) const RUST: ExecutedSource = ExecutedSource {
    path: "src/lib.rs",
    text: include_str!("../data/executed.rs"),
    module: "k",
    between: "::",
    is_loaded: false,
};

pub(crate) const CPP: ExecutedSource = ExecutedSource {
    path: "src/executed.cpp",
    text: include_str!("../data/executed.cpp"),
    module: "",
    between: "::",
    is_loaded: false,
};

pub(crate) const PYTHON: ExecutedSource = ExecutedSource {
    path: "k.py",
    text: include_str!("../data/executed.py"),
    module: "k",
    between: ".",
    is_loaded: true,
};

/// The source with one to three tokens replaced, removed, repeated or swapped.
pub(crate) fn edited(source: &ExecutedSource, numbers: &mut Numbers) -> Vec<u8> {
    let mut tokens = tokens(source.text);
    for _ in 0..=numbers.below(3) {
        let words: Vec<usize> = (0..tokens.len()).filter(|at| !is_space(tokens[*at])).collect();
        let [at, other] = [(); 2].map(|()| words[numbers.below(words.len())]);
        match numbers.below(8) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[other]),
            2 => tokens.swap(at, other),
            3 => tokens[at] = ["0", "1", "2", "1000000"][numbers.below(4)],
            _ => tokens[at] = tokens[other],
        }
    }
    tokens.concat().into_bytes()
}

/// Scores an edited source.
///
/// # Panics
/// If other tokens are said to be no risk.
pub(crate) fn read(source: &ExecutedSource, edited: &[u8]) {
    let Ok(text) = std::str::from_utf8(edited) else {
        return;
    };
    if is_same_program(source, text) {
        return;
    }
    let is_no_risk = is_without_risk(&scored(source, text));
    assert!(!is_no_risk, "no risk: {:?}", first_difference(source.text, text));
}

fn first_difference(before: &str, after: &str) -> Option<(String, String)> {
    let mut pairs = before.lines().zip(after.lines());
    let (before, after) = pairs.find(|(before, after)| before != after)?;
    Some((before.to_owned(), after.to_owned()))
}

fn scored(source: &ExecutedSource, text: &str) -> VersionScore {
    let parsed = ParseCache::default().get(source.path, &blob(source.text.as_bytes()));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let functions = parsed.functions.iter().map(|function| {
        let module = (!source.module.is_empty()).then(|| source.module.to_owned());
        let segments: Vec<String> = module.into_iter().chain(function.path.iter().cloned()).collect();
        ExecutedFunction {
            file: source.path,
            name: segments.join(source.between),
            line: function.lines.first,
        }
    });
    let mut executed = Execution {
        functions: functions.collect(),
        lines: (1..)
            .zip(source.text.lines())
            .map(|(line, _)| (source.path, line))
            .collect(),
        ..Execution::default()
    };
    if source.is_loaded {
        executed.loaded.push((source.path, source.module));
    }
    predict(&[(source.path, source.text)], &[(source.path, text)], &executed)
}

/// A text as words, numbers, signs and runs of white space.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |letter: char| match letter {
        _ if letter.is_whitespace() => 0,
        _ if letter == '_' || letter.is_alphanumeric() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match kind(first) {
            2 => first.len_utf8(),
            of_first => rest.find(|letter| kind(letter) != of_first).unwrap_or(rest.len()),
        };
        let (token, left) = rest.split_at(end);
        tokens.push(token);
        rest = left;
    }
    tokens
}

fn is_space(token: &str) -> bool {
    token.starts_with(char::is_whitespace)
}

/// True if the tokens that can matter are the same, or if functions have other names where they are defined, and nowhere else:
/// code that calls one by its old name does not compile.
fn is_same_program(source: &ExecutedSource, text: &str) -> bool {
    let is_equal = |before, after| words(source, before) == words(source, after);
    if is_equal(source.text, text) {
        return true;
    }
    let parsed = ParseCache::default().get(source.path, &blob(source.text.as_bytes()));
    let is_renamed = |line: u32, before: &str, after: &str| {
        let mut defined = parsed.functions.iter().filter(|function| function.lines.first == line);
        defined.any(|function| {
            let (before, after) = (words(source, before), words(source, after));
            let mut pairs = before.iter().zip(&after);
            before.len() == after.len() && pairs.all(|(before, after)| before == after || *before == function.name())
        })
    };
    let mut lines = (1..).zip(source.text.lines().zip(text.lines()));
    !source.is_loaded
        && source.text.lines().count() == text.lines().count()
        && lines.all(|(line, (before, after))| is_equal(before, after) || is_renamed(line, before, after))
}

/// The tokens that can matter.
fn words<'t>(source: &ExecutedSource, text: &'t str) -> Vec<&'t str> {
    let mut words = tokens(text);
    words.retain(|token| match *token {
        // Where a line begins matters in Python.
        space if is_space(space) => source.is_loaded && space.contains('\n'),
        // Compilers take the rest without them.
        "," | ";" | "mut" => false,
        _ => true,
    });
    words
}
