//! C and C++: read by tree-sitter with the queries of `config/languages/cpp/`, as C++ and, where that fails, as C. Has no
//! probes, and prices for the values that it makes unwritten alone.
//!
//! Functions are followed. What stands between them (macros, types, includes) is compared, and where it differs any code that
//! sees it is at risk.

mod enumerations;
mod field_sizes;
mod included_files;
mod inclusion;
mod initialisers;
mod planting;
mod questions;
mod readable;
mod systems;
mod type_constants;
mod type_layout;
mod written_names;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{DirectiveRole, InclusionDirective, KnownMacros, LanguageSupport, MacroAtStart, PreprocessorUse};
use crate::change::ItemPresence;
use crate::change::build_files::BuildFileReader;
use crate::instrument::seed::Seeder;
use crate::layout::ModuleLayout;
use crate::sources::FileSource;
use crate::syntax::tree_sitter::{self, LanguageGrammar};
use crate::syntax::{LineRange, ParseLimits, SourceFile, SyntaxFunction};
use crate::text_search::{holds_word, places_of};
use readable::known_macros::{compiled_with, macros_behind, preprocessor_use};
use readable::other_systems::compiled_here;
use readable::{is_of_cpp_alone, parse_readable, unread_lines, with_plain_breaks};

/// The implementation of C and C++.
pub(super) struct CppLanguage;

const WORDS: &str = include_str!("../../../config/languages/cpp/language.toml");

static CPP: LazyLock<LanguageGrammar> = LazyLock::new(|| {
    let query = concat!(
        include_str!("../../../config/languages/cpp/c.scm"),
        include_str!("../../../config/languages/cpp/classes.scm")
    );
    LanguageGrammar::new(tree_sitter_cpp::LANGUAGE, query, WORDS)
});

static C: LazyLock<LanguageGrammar> = LazyLock::new(|| {
    let query = include_str!("../../../config/languages/cpp/c.scm");
    LanguageGrammar::new(tree_sitter_c::LANGUAGE, query, WORDS)
});

impl LanguageSupport for CppLanguage {
    fn name(&self) -> &'static str {
        "cpp"
    }

    fn highlighter(&self) -> &'static str {
        "cpp"
    }

    fn extensions(&self) -> &[String] {
        &CPP.words.extensions
    }

    fn is_for_tests(&self, path: &str) -> bool {
        CPP.words.is_for_tests(path)
    }

    fn separator(&self) -> &'static str {
        "::"
    }

    fn line_comment(&self) -> &'static str {
        "//"
    }

    /// The reading with the fewest errors. A header does not tell which of the two languages it is in, and C may have names
    /// that are words of C++.
    fn parse(&self, source: &str, test_only: bool, limits: &ParseLimits) -> SourceFile {
        let source = &*with_plain_breaks(source);
        let source = &*compiled_here(source);
        let parse = |grammar: &LanguageGrammar| {
            let read = |text: &str| tree_sitter::parse(grammar, text, None, test_only, limits);
            parse_readable(source, limits, read)
        };
        let as_cpp = parse(&CPP);
        if as_cpp.problems.is_empty() || is_of_cpp_alone(source) {
            return as_cpp;
        }
        let as_c = parse(&C);
        match unread_lines(&as_c) <= unread_lines(&as_cpp) {
            true => as_c,
            false => as_cpp,
        }
    }

    fn module_layout<'t>(&self, _tree: &'t dyn FileSource) -> Box<dyn ModuleLayout + 't> {
        Box::new(NoModules)
    }

    fn resolve_import(&self, _module: &[String], target: &[String]) -> Vec<String> {
        target.to_vec()
    }

    fn declared_files(&self, path: &str, source: &[u8]) -> Vec<String> {
        included_files::candidates(path, source)
    }

    fn inclusion_directives(&self, source: &[u8]) -> Vec<InclusionDirective> {
        inclusion::directives(source)
    }

    fn lines_asking_for(&self, source: &[u8], name: &str) -> Vec<u32> {
        written_names::lines_asking_for(source, name)
    }

    fn asks_if_compiled(&self, source: &[u8], name: &str) -> bool {
        questions::are_asked_about(source, name)
    }

    fn is_local(&self, definition: &str) -> bool {
        let head = definition.split(['{', '=', ';']).next().unwrap_or_default();
        holds_word(head.as_bytes(), "static")
    }

    fn may_have_effects(&self, path: &str, definition: &str) -> bool {
        // In C, a value is made of what is known when it is compiled.
        !has_extension(path, "c") && initialisers::may_have_effects(definition)
    }

    fn may_be_pasted(&self, source: &[u8], name: &str, is_word: &dyn Fn(&str) -> bool) -> bool {
        written_names::may_be_pasted(source, name, is_word)
    }

    fn include_only_known_headers(&self, sources: &[&[u8]], is_of_project: &dyn Fn(&str) -> bool) -> bool {
        included_files::are_known(sources, is_of_project)
    }

    fn names_another_file(&self, source: &[u8]) -> bool {
        included_files::names_another_file(source)
    }

    fn is_of_the_system(&self, path: &str) -> bool {
        included_files::is_system_header(path)
    }

    fn differs_in_layout_alone(&self, before: &str, after: &str) -> bool {
        type_layout::differs_in_layout_alone(before, after)
    }

    fn changed_constants(&self, before: &str, after: &str) -> Option<Vec<(String, ItemPresence)>> {
        enumerations::changed_cases(before, after).or_else(|| type_constants::changed_constants(before, after))
    }

    fn announced_type<'t>(&self, declaration: &'t str) -> Option<&'t str> {
        match type_layout::tokens(declaration).as_slice() {
            ["class" | "struct" | "union", name] | ["class" | "struct" | "union", name, ";"] => Some(*name),
            _ => None,
        }
    }

    fn is_enumeration(&self, of_type: &str) -> bool {
        let text = type_layout::TypeText::of(of_type);
        // A variable behind it may begin with one of its cases.
        text.is_some_and(|text| text.is_enumeration() && !text.tail.contains(&"="))
    }

    fn follows_declarations(&self) -> bool {
        false
    }

    fn methods_write_fields_alone(&self) -> bool {
        true
    }

    fn is_of_one_function(&self, attribute: &str) -> bool {
        let words = &CPP.words;
        tree_sitter::all_attributes(attribute, |name| {
            words.function_attributes.contains(name) || words.free_attributes.contains(name)
        })
    }

    fn role_of_directive<'t>(&self, text: &'t str) -> DirectiveRole<'t> {
        inclusion::role_of_directive(text)
    }

    fn is_quiet_header(&self, directive: &str) -> bool {
        inclusion::quiet_header(directive).is_some()
    }

    fn asks_for_header(&self, source: &[u8], directive: &str) -> bool {
        inclusion::quiet_header(directive).is_none_or(|macros| inclusion::asks_for(source, macros))
    }

    fn conditions_around(&self, source: &str) -> Vec<(LineRange, String)> {
        readable::conditions_around(source)
    }

    fn preprocessor_use(&self, source: &str) -> Option<PreprocessorUse> {
        preprocessor_use(source)
    }

    fn compiled_with<'s>(&self, source: &'s str, known: &dyn KnownMacros) -> Cow<'s, str> {
        compiled_with(source, known)
    }

    fn is_of_compilers(&self, name: &str) -> bool {
        systems::is_of_compilers(name)
    }

    fn macros_behind(&self, source: &str, known: &dyn KnownMacros) -> BTreeMap<String, MacroAtStart> {
        macros_behind(source, known)
    }

    fn starts_a_program(&self, function: &SyntaxFunction) -> bool {
        function.owner.is_none() && function.name() == "main"
    }

    fn is_translation_unit(&self, path: &str) -> bool {
        (CPP.words.translation_units.iter()).any(|known| has_extension(path, known))
    }

    fn library_prices(&self) -> Option<&'static str> {
        Some(include_str!("../../../config/languages/cpp/prices.toml"))
    }

    fn is_linked_into_programs(&self) -> bool {
        true
    }

    fn may_pull_in(&self, _source: &[u8], line: &[u8], name: &str) -> bool {
        line.trim_ascii_start().starts_with(b"#") || places_of(line, name).any(|at| line[..at].contains(&b'"'))
    }

    fn seeder(&self) -> Option<Seeder> {
        Some(planting::SEEDER)
    }

    fn build_file_reader(&self, _path: &str) -> Option<BuildFileReader> {
        None
    }
}

fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, known)| known == extension)
}

/// A name has no part of its file's path.
struct NoModules;

impl ModuleLayout for NoModules {
    fn module_path(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }
}
