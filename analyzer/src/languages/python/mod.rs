//! Python: read by tree-sitter with the queries of `config/languages/python/`. Has no prices or probes.

mod asked_names;
mod bindings;
mod code_words;
mod imported_modules;
mod loaded_statements;
mod loading;
mod loading_difference;
mod module_layout;
mod own_names;
mod planting;
mod requirements;
mod tables;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::{AskedNames, LanguageSupport, LoadingDifference, TableEntry, WordsOfCode};
use crate::change::build_files::BuildFileReader;
use crate::instrument::seed::Seeder;
use crate::layout::ModuleLayout;
use crate::sources::{FileSource, file_name};
use crate::syntax::tree_sitter::{self, LanguageGrammar};
use crate::syntax::{ParseLimits, SourceFile};
use module_layout::PythonPackages;

/// The implementation of Python.
pub(super) struct PythonLanguage;

static GRAMMAR: LazyLock<LanguageGrammar> = LazyLock::new(|| {
    LanguageGrammar::new(
        tree_sitter_python::LANGUAGE,
        include_str!("../../../config/languages/python/structure.scm"),
        include_str!("../../../config/languages/python/language.toml"),
    )
});

/// How the names of files and folders end that importing may read.
const MODULE_ENDINGS: [&str; 9] = [
    ".dist-info",
    ".egg",
    ".egg-info",
    ".pth",
    ".py",
    ".pyc",
    ".pyd",
    ".so",
    ".zip",
];

/// The modules that come with CPython 3.12, those left out that are for its own tests and jokes.
static STANDARD_MODULES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let listed = include_str!("../../../config/languages/python/standard_modules.txt");
    listed.split_whitespace().collect()
});

/// True for a module that comes with the language.
fn is_standard_module(module: &str) -> bool {
    let top = module.split('.').next();
    top.is_some_and(|top| STANDARD_MODULES.contains(top))
}

impl LanguageSupport for PythonLanguage {
    fn name(&self) -> &'static str {
        "python"
    }

    fn highlighter(&self) -> &'static str {
        "python"
    }

    fn extensions(&self) -> &[String] {
        &GRAMMAR.words.extensions
    }

    fn is_for_tests(&self, path: &str) -> bool {
        GRAMMAR.words.is_for_tests(path)
    }

    fn separator(&self) -> &'static str {
        "."
    }

    fn line_comment(&self) -> &'static str {
        "#"
    }

    fn parse(&self, source: &str, test_only: bool, limits: &ParseLimits) -> SourceFile {
        tree_sitter::parse(&GRAMMAR, source, None, test_only, limits)
    }

    fn module_layout<'t>(&self, tree: &'t dyn FileSource) -> Box<dyn ModuleLayout + 't> {
        Box::new(PythonPackages { tree })
    }

    fn resolve_import(&self, _module: &[String], target: &[String]) -> Vec<String> {
        target.to_vec()
    }

    /// Measured with CPython 3.12 (`study/languages/python/prices.py`) and 3.13: 61 to 130 instructions for an operator, an
    /// attribute or an element of a list, 220 for one of a text, 330 for an operator whose result is a large integer, 70 to 220
    /// for a round of a loop. The model expects 2 of compiled code.
    fn operation_scale(&self) -> f64 {
        50.0
    }

    fn library_prices(&self) -> Option<&'static str> {
        Some(include_str!("../../../config/languages/python/prices.toml"))
    }

    fn is_loaded_by_programs(&self) -> bool {
        true
    }

    fn marks_blocks_by_indentation(&self) -> bool {
        true
    }

    fn may_pull_in(&self, _source: &[u8], line: &[u8], name: &str) -> bool {
        imported_modules::may_pull_in(line, name)
    }

    fn loading_code(&self, source: &str) -> Option<String> {
        loading::loading_code(source)
    }

    fn loading_difference(&self, before: &str, after: &str) -> Option<LoadingDifference> {
        loading_difference::loading_difference(before, after)
    }

    fn words_of_code<'s>(&self, source: &'s str) -> Option<WordsOfCode<'s>> {
        code_words::words_of_code(source)
    }

    fn asked_names(&self, source: &str, is_idle: &dyn Fn(&str) -> bool) -> Option<AskedNames> {
        asked_names::asked_names(source, is_idle)
    }

    fn table_entries(&self, definition: &str) -> Option<Vec<TableEntry>> {
        tables::table_entries(definition)
    }

    fn may_be_module(&self, entry: &str, is_folder: bool) -> bool {
        let mut endings = MODULE_ENDINGS.iter();
        let is_identifier = || entry.chars().all(|letter| letter == '_' || letter.is_alphanumeric());
        endings.any(|ending| entry.ends_with(ending)) || is_folder && is_identifier()
    }

    fn is_standard_module(&self, module: &str) -> bool {
        is_standard_module(module)
    }

    fn seeder(&self) -> Option<Seeder> {
        Some(planting::SEEDER)
    }

    fn settings_of_runs(&self, path: &str, text: &str) -> Option<String> {
        (file_name(path) == "pyproject.toml").then(|| requirements::settings_of_runs(text))?
    }

    fn build_file_reader(&self, path: &str) -> Option<BuildFileReader> {
        match path.rsplit('/').next().unwrap_or(path) {
            "pyproject.toml" => Some(requirements::compare_pyprojects),
            name if name.starts_with("requirements") && name.ends_with(".txt") => {
                Some(requirements::compare_requirements)
            }
            _ => None,
        }
    }
}
