//! config/languages/rust/language.toml → the word lists that the front end asks.

use hashbrown::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

/// Names that the Rust front end treats specially; documented in the file itself, part of which is for the
/// error-tolerant front end.
#[derive(Debug, Deserialize)]
pub(crate) struct RustLanguageConfig {
    pub(crate) extensions: Vec<String>,
    pub(crate) test_folders: Vec<String>,
    pub(crate) test_files: Vec<String>,
    pub(crate) adaptors: HashSet<String>,
    pub(crate) ambiguous_adaptors: HashSet<String>,
    pub(crate) iterator_evidence: HashSet<String>,
    pub(crate) single_evidence: HashSet<String>,
    pub(crate) single_constructors: HashSet<String>,
    pub(crate) constant_macros: HashSet<String>,
    pub(crate) debug_macros: HashSet<String>,
    pub(crate) opaque_macros: HashSet<String>,
    pub(crate) format_macros: HashSet<String>,
    pub(crate) macro_types: HashMap<String, String>,
    pub(crate) free_attributes: HashSet<String>,
}

/// The lists, read once.
pub(crate) static WORDS: LazyLock<RustLanguageConfig> = LazyLock::new(|| {
    let text = include_str!("../../../config/languages/rust/language.toml");
    toml::from_str(text).expect("the committed language.toml is tested to parse")
});
