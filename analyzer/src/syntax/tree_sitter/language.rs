//! A grammar with `structure.scm` and `language.toml` → a language that the tree-sitter front end can read.

use std::sync::OnceLock;

use hashbrown::HashSet;
use serde::Deserialize;
use tree_sitter::Query;
use tree_sitter_language::LanguageFn;

use super::captures::{CaptureMeaning, meanings};

/// Words before the name of a type.
const KEYWORDS_OF_TYPES: [&str; 7] = ["dyn ", "impl ", "const ", "struct ", "union ", "enum ", "class "];

/// The word that the names of overloaded operators begin with.
const OPERATOR: &str = "operator";

/// Names that the front end treats specially, from `language.toml`; documented in the files themselves.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GrammarConfig {
    pub(crate) extensions: Vec<String>,
    pub(crate) translation_units: Vec<String>,
    pub(crate) test_folders: Vec<String>,
    pub(crate) test_files: Vec<String>,
    pub(crate) self_names: Vec<String>,
    pub(crate) dotted_paths: bool,
    pub(crate) whole_declarations: bool,
    pub(crate) function_scope: bool,
    pub(crate) postponing_types: Option<String>,
    pub(crate) private_prefix: Option<String>,
    pub(crate) adaptors: HashSet<String>,
    pub(crate) ambiguous_adaptors: HashSet<String>,
    pub(crate) iterator_evidence: HashSet<String>,
    pub(crate) single_evidence: HashSet<String>,
    pub(crate) format_macros: HashSet<String>,
    pub(crate) free_attributes: HashSet<String>,
    pub(crate) function_attributes: HashSet<String>,
    pub(crate) plain_values: HashSet<String>,
}

impl GrammarConfig {
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

    /// A declared name as segments, generics removed: `a::B<T>::c` of a method that is defined outside its class.
    pub(crate) fn declared_name(&self, text: &str) -> Vec<String> {
        // Of an operator, what looks like generics is the name.
        let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
        if let Some(at) = text.find(OPERATOR)
            && !text[..at].ends_with(is_part)
            && !text[at + OPERATOR.len()..].starts_with(is_part)
        {
            let mut segments = self.segments(&text[..at]);
            segments.push(text[at..].split_whitespace().collect::<Vec<_>>().join(" "));
            return segments;
        }
        match text.contains(['<', ':']) {
            true => self.segments(text),
            false => vec![text.to_owned()],
        }
    }

    /// The name of a type whose values cost something to make, as far as its text shows that: one of the standard library, a
    /// template, or one with a capital as classes have.
    pub(crate) fn class_name(&self, text: &str) -> Option<String> {
        let name = self.type_name(text);
        let is_capitalised = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
        let is_class = text == "auto" || text.contains('<') || text.starts_with("std::") || is_capitalised;
        (is_class && !name.ends_with("_t") && !self.plain_values.contains(&name)).then_some(name)
    }

    /// The last segment of a type without generics and references.
    pub(crate) fn type_name(&self, text: &str) -> String {
        let text = text
            .trim_start_matches(['&', '*', ' ', '"', '\''])
            .trim_start_matches("mut ")
            .trim_end_matches(['"', '\'']);
        let text = KEYWORDS_OF_TYPES
            .iter()
            .fold(text, |text, word| text.trim_start_matches(word));
        let head = text.split(['<', '[']).next().unwrap_or(text);
        self.segments(head).pop().unwrap_or_default()
    }
}

/// A language of this front end.
pub(crate) struct LanguageGrammar {
    pub(crate) parser: tree_sitter::Language,
    pub(crate) words: GrammarConfig,
    query: &'static str,
    compiled: OnceLock<StructureQuery>,
}

/// A compiled `structure.scm`.
pub(super) struct StructureQuery {
    pub(super) query: Query,
    pub(super) meanings: Vec<CaptureMeaning>,
}

impl LanguageGrammar {
    /// Reads a committed query and `language.toml`; a mistake in either is found by the first test.
    pub(crate) fn new(parser: LanguageFn, query: &'static str, words: &str) -> Self {
        Self {
            parser: tree_sitter::Language::new(parser),
            words: toml::from_str(words).expect("the committed language.toml is tested to parse"),
            query,
            compiled: OnceLock::new(),
        }
    }

    /// The query, compiled when the first file is parsed: that takes longer than to score most commits.
    pub(super) fn structure(&self) -> &StructureQuery {
        self.compiled.get_or_init(|| {
            let query = Query::new(&self.parser, self.query).expect("the committed query is tested to compile");
            let meanings = meanings(&query).expect("the committed query is tested to use known captures");
            StructureQuery { query, meanings }
        })
    }
}
