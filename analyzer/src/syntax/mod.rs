//! Sources in, functions as trees of blocks out.
//!
//! The front end of each language (`languages/`) builds the same model and drops its own tree. None of them reads files,
//! fails or panics: each part that cannot be analysed is a [`ParseProblem`] of the [`SourceFile`].

pub(crate) mod builder;
mod cache;
pub(crate) mod call;
pub(crate) mod digest;
mod dump;
pub(crate) mod integer_expression;
pub(crate) mod limits;
pub(crate) mod lru_cache;
pub(crate) mod model;
pub(crate) mod tokens;
pub(crate) mod tree_sitter;
pub(crate) mod work_budget;

use std::borrow::Cow;

pub use cache::ParseCache;
pub(crate) use digest::TokenDigester;
pub use dump::dump;
pub use integer_expression::evaluate_integer;
pub use limits::ParseLimits;
pub use model::*;
pub(crate) use tree_sitter::REFUSAL;
pub(crate) use work_budget::WorkBudget;

use crate::languages::language_of;

/// Parses sources of every known language.
#[derive(Debug, Clone, Copy, Default)]
pub struct SourceParser {
    limits: ParseLimits,
}

impl SourceParser {
    /// A parser with its own limits; [`SourceParser::default`] has the documented ones.
    #[must_use]
    pub fn new(limits: ParseLimits) -> Self {
        Self { limits }
    }

    /// Parses one file. Its path, relative to the repository's root, decides language and test code. A file of
    /// no supported language gives a problem and nothing else.
    #[must_use]
    pub fn parse(&self, path: &str, bytes: &[u8]) -> SourceFile {
        let Some(language) = language_of(path) else {
            return unread("no known language".to_owned());
        };
        let support = language.support();
        self.parse_with(bytes, |source, limits| {
            support.parse(source, support.is_for_tests(path), limits)
        })
    }

    /// Parses one file with a parser of its language.
    fn parse_with(&self, bytes: &[u8], parse: impl FnOnce(&str, &ParseLimits) -> SourceFile) -> SourceFile {
        if bytes.len() > self.limits.bytes {
            return unread(too_large(bytes.len() as u64, self.limits.bytes));
        }
        let (text, lossy) = decode(bytes);
        let mut file = parse(&text, &self.limits);
        file.problems.extend(lossy);
        file
    }
}

/// A file that could not be parsed, with the reason.
pub(crate) fn unread(why: String) -> SourceFile {
    SourceFile {
        functions: Vec::new(),
        items: Vec::new(),
        problems: vec![ParseProblem {
            why,
            lines: None,
            text: None,
        }],
    }
}

/// The file that stands for one with more nodes or definitions than the limits allow.
pub(crate) fn refusal(nodes: usize, definitions: usize, limits: &ParseLimits) -> Option<SourceFile> {
    if nodes > limits.nodes {
        return Some(unread(format!(
            "more than {} calls, operations and blocks",
            limits.nodes
        )));
    }
    (definitions > limits.definitions).then(|| unread(format!("more than {} functions and items", limits.definitions)))
}

/// A file whose analysis would take more steps than its size allows.
pub(crate) fn too_costly() -> SourceFile {
    unread("too costly to analyse for its size".to_owned())
}

fn too_large(bytes: u64, limit: usize) -> String {
    format!("too large: {bytes} bytes, limit {limit}")
}

/// Text without byte order mark; a problem if bytes had to be replaced.
fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<ParseProblem>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), None),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            let problem = ParseProblem {
                why: format!("not UTF-8 at line {line}: read with replacement characters"),
                lines: Some(LineRange {
                    first: line,
                    last: line,
                }),
                text: Some(digest_of_replaced_lines(bytes)),
            };
            (String::from_utf8_lossy(bytes), Some(problem))
        }
    }
}

/// Of all lines that are not UTF-8.
fn digest_of_replaced_lines(bytes: &[u8]) -> TokenDigest {
    let mut digester = TokenDigester::new();
    let lines = bytes.split(|&byte| byte == b'\n');
    lines
        .filter(|line| std::str::from_utf8(line).is_err())
        .for_each(|line| digester.token(&line.escape_ascii().to_string()));
    digester.finish()
}

#[cfg(test)]
mod tests;
