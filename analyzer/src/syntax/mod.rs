//! Sources in, functions as trees of blocks out.
//!
//! Each front end builds the same model and drops its own tree. None of them reads files, fails or panics:
//! what cannot be analysed is a [`Problem`] of the [`SourceFile`].

mod builder;
mod cache;
pub(crate) mod call;
mod digest;
mod dump;
mod integer_expression;
pub(crate) mod limits;
mod lru_cache;
mod model;
pub(crate) mod rust;
pub(crate) mod tokens;
mod tree_sitter;

use std::borrow::Cow;

pub use cache::ParseCache;
pub(crate) use digest::TokenDigester;
pub use dump::dump;
pub use integer_expression::evaluate_integer;
pub use limits::ParseLimits;
pub use model::*;
pub(crate) use rust::{is_excluded_from_build, tree as rust_tree, type_name};

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

    /// Parses one file. Its path, relative to the repository's root, tells language and test code. A file of
    /// no known language gives [`Language::Rust`] and a problem; ask [`language_of`] first.
    #[must_use]
    pub fn parse(&self, path: &str, bytes: &[u8]) -> SourceFile {
        self.parse_with(path, bytes, None)
    }

    /// The same; Rust items that are known are not parsed again.
    fn parse_with(&self, path: &str, bytes: &[u8], known: Option<&rust::ItemCache>) -> SourceFile {
        let Some(language) = language_of(path) else {
            return unread(Language::Rust, "no known language".to_owned());
        };
        if bytes.len() > self.limits.bytes {
            return unread(language, too_large(bytes.len() as u64, self.limits.bytes));
        }
        let (text, lossy) = decode(bytes);
        let mut file = match language {
            Language::Rust => rust::parse(&text, is_for_tests(path, language), &self.limits, known),
            Language::Python => tree_sitter::parse(
                &tree_sitter::PYTHON,
                &text,
                None,
                is_for_tests(path, language),
                &self.limits,
            ),
        };
        file.problems.extend(lossy);
        file
    }
}

/// The language of a file, by its name.
#[must_use]
pub fn language_of(path: &str) -> Option<Language> {
    if rust::is_source(path) {
        Some(Language::Rust)
    } else if tree_sitter::PYTHON.words.is_source(path) {
        Some(Language::Python)
    } else {
        None
    }
}

/// True if a file's path says that only tests see it.
pub(crate) fn is_for_tests(path: &str, language: Language) -> bool {
    match language {
        Language::Rust => rust::is_for_tests(path),
        Language::Python => tree_sitter::PYTHON.words.is_for_tests(path),
    }
}

fn unread(language: Language, why: String) -> SourceFile {
    SourceFile {
        language,
        functions: Vec::new(),
        items: Vec::new(),
        problems: vec![ParseProblem { why, lines: None }],
    }
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
            };
            (String::from_utf8_lossy(bytes), Some(problem))
        }
    }
}

#[cfg(test)]
mod tests;
