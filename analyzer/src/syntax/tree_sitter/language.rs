//! config/languages/NAME/{structure.scm, language.toml} and a grammar → a language that the tree-sitter
//! front end can read. Adding one is a folder there, a `static` here, and an arm of `front_end` in the
//! parent module.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;
use tree_sitter::Query;
use tree_sitter_language::LanguageFn;

use super::captures::{CaptureMeaning, meanings};
use crate::syntax::model;

/// What a language's `language.toml` says about names; documented in the files themselves.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GrammarConfig {
    pub(crate) extensions: Vec<String>,
    pub(crate) test_folders: Vec<String>,
    pub(crate) test_files: Vec<String>,
    pub(crate) self_names: Vec<String>,
    pub(crate) dotted_paths: bool,
    pub(crate) function_scope: bool,
    pub(crate) private_prefix: Option<String>,
    pub(crate) adaptors: HashSet<String>,
    pub(crate) ambiguous_adaptors: HashSet<String>,
    pub(crate) iterator_evidence: HashSet<String>,
    pub(crate) single_evidence: HashSet<String>,
    pub(crate) format_macros: HashSet<String>,
    pub(crate) free_attributes: HashSet<String>,
}

impl GrammarConfig {
    /// True for a file of this language.
    pub(crate) fn is_source(&self, path: &str) -> bool {
        path.rsplit_once('.')
            .is_some_and(|(_, extension)| self.extensions.iter().any(|known| known == extension))
    }

    /// True for a file that only tests see.
    pub(crate) fn is_for_tests(&self, path: &str) -> bool {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let matches = |pattern: &String| match pattern.split_once('*') {
            Some((start, end)) => {
                file.len() >= start.len() + end.len() && file.starts_with(start) && file.ends_with(end)
            }
            None => file == pattern,
        };
        folders
            .split('/')
            .any(|folder| self.test_folders.iter().any(|name| name == folder))
            || self.test_files.iter().any(matches)
    }

    /// `a::b<T>` or `a.b` as segments, generics removed.
    pub(crate) fn segments(&self, path: &str) -> Vec<String> {
        let mut depth = 0_usize;
        let mut plain = String::new();
        for letter in path.chars() {
            match letter {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ if depth == 0 && !letter.is_whitespace() => plain.push(letter),
                _ => {}
            }
        }
        plain
            .split(['.', ':'])
            .filter(|segment| !segment.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// The last segment of a type without generics and references.
    pub(crate) fn type_name(&self, text: &str) -> String {
        let text = text
            .trim_start_matches(['&', '*', ' ', '"', '\''])
            .trim_start_matches("mut ")
            .trim_end_matches(['"', '\'']);
        let text = text.trim_start_matches("dyn ").trim_start_matches("impl ");
        let head = text.split(['<', '[']).next().unwrap_or(text);
        self.segments(head).pop().unwrap_or_default()
    }
}

/// A language of this front end.
pub(crate) struct LanguageGrammar {
    pub(crate) language: model::Language,
    pub(crate) parser: tree_sitter::Language,
    pub(crate) query: Query,
    pub(crate) meanings: Vec<CaptureMeaning>,
    pub(crate) words: GrammarConfig,
}

fn grammar(language: model::Language, parser: LanguageFn, query: &str, words: &str) -> LanguageGrammar {
    let parser = tree_sitter::Language::new(parser);
    let query = Query::new(&parser, query).expect("the committed query is tested to compile");
    let meanings = meanings(&query).expect("the committed query is tested to use known captures");
    let words = toml::from_str(words).expect("the committed language.toml is tested to parse");
    LanguageGrammar {
        language,
        parser,
        query,
        meanings,
        words,
    }
}

pub(crate) static PYTHON: LazyLock<LanguageGrammar> = LazyLock::new(|| {
    grammar(
        model::Language::Python,
        tree_sitter_python::LANGUAGE,
        include_str!("../../../config/languages/python/structure.scm"),
        include_str!("../../../config/languages/python/language.toml"),
    )
});

/// For Rust that syn cannot parse.
pub(crate) static RUST: LazyLock<LanguageGrammar> = LazyLock::new(|| {
    grammar(
        model::Language::Rust,
        tree_sitter_rust::LANGUAGE,
        include_str!("../../../config/languages/rust/structure.scm"),
        include_str!("../../../config/languages/rust/language.toml"),
    )
});
