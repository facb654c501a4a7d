//! A path → its language, and everything lito knows of that language only.
//!
//! Each language is a folder here with one implementation of `LanguageSupport`, its data in
//! `config/languages/NAME/`, and one line in `LANGUAGES`. The rest of the workspace sees functions, blocks, calls and
//! operations, and asks a [`Language`] for anything else: no language is named outside this folder.

mod cpp;
mod loading;
mod preprocessor;
mod python;
pub(crate) mod rust;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::change::ItemPresence;
use crate::change::build_files::{BuildFileReader, BuildPrograms};
use crate::instrument::probe::Prober;
use crate::instrument::seed::Seeder;
use crate::layout::ModuleLayout;
use crate::sources::FileSource;
use crate::syntax::{LineRange, ParseCache, ParseLimits, SourceFile, SyntaxFunction};
use crate::text_search::lines_naming;
pub use loading::{
    AskedNames, BoundName, CodeWords, ImportedClass, LoadingDifference, NameHolder, TableEntry, WordsOfCode,
};
pub(crate) use loading::{module_name, submodule};
pub(crate) use preprocessor::{
    DirectiveEffect, DirectiveRole, InclusionDirective, KnownMacros, MacroAtStart, PreprocessorUse,
};

/// Every supported language. The first whose file extensions include a path's extension reads the file.
static LANGUAGES: &[&dyn LanguageSupport] = &[
    &rust::RustLanguage,
    &python::PythonLanguage,
    &cpp::CppLanguage,
    // `cargo xtask new language` inserts above this line.
];

/// Traits whose methods are not performance-critical.
pub(crate) const FOR_PEOPLE: [&str; 5] = ["Debug", "Display", "Error", "Serialize", "Deserialize"];

/// Everything that differs between languages.
///
/// Methods with a default describe features that a language may do without.
pub(crate) trait LanguageSupport: Send + Sync {
    /// Name of the folders that hold its data and its fixtures, for example `rust`.
    fn name(&self) -> &'static str;

    /// Name that the report's syntax highlighter knows it by; empty for plain text.
    fn highlighter(&self) -> &'static str;

    /// Extensions of its source files in lower case, without the dot.
    fn extensions(&self) -> &[String];

    /// True if only tests see the file at a path.
    fn is_for_tests(&self, path: &str) -> bool;

    /// Separator between the segments of a full name, for example `::`.
    fn separator(&self) -> &'static str;

    /// Start of a comment that ends with its line.
    fn line_comment(&self) -> &'static str;

    /// Parses a source and lowers it into the shared model. `test_only` says that only tests see the file.
    fn parse(&self, source: &str, test_only: bool, limits: &ParseLimits) -> SourceFile;

    /// A parser that reuses unchanged parts of the sources it has seen, up to `capacity` bytes of them.
    fn incremental_parser(&self, _capacity: usize) -> Option<Box<dyn IncrementalParser>> {
        None
    }

    /// The modules of one version, where `tree` holds its manifests.
    fn module_layout<'t>(&self, tree: &'t dyn FileSource) -> Box<dyn ModuleLayout + 't>;

    /// The target of an import, seen from inside `module`, with every segment from the top level down.
    fn resolve_import(&self, module: &[String], target: &[String]) -> Vec<String>;

    /// Files that a source may be reached from: where its package may start, and the modules above it. `path` is a file
    /// of any language.
    fn entry_points(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }

    /// Files that a source may pull in: the modules that it declares, and what it includes.
    fn declared_files(&self, _path: &str, _source: &[u8]) -> Vec<String> {
        Vec::new()
    }

    /// The lines, 1-based, that write a name and may ask for what it stands for.
    fn lines_asking_for(&self, source: &[u8], name: &str) -> Vec<u32> {
        lines_naming(source, name)
    }

    /// True if a source asks whether an expression that writes a name can be compiled, and means something else where it cannot.
    fn asks_if_compiled(&self, _source: &[u8], _name: &str) -> bool {
        false
    }

    /// True for the definition of something that only its own file sees.
    fn is_local(&self, _definition: &str) -> bool {
        false
    }

    /// True for the definition of a variable whose first value runs code of the project before the program does anything else.
    fn may_have_effects(&self, _path: &str, _definition: &str) -> bool {
        false
    }

    /// True if macros of a source may make a name of two, of which those that are not written in the macro are words somewhere.
    fn may_be_pasted(&self, _source: &[u8], _name: &str, _is_word: &dyn Fn(&str) -> bool) -> bool {
        false
    }

    /// True if sources include no headers but those of which `is_of_project` holds, of compilers and of systems: others may
    /// ask for any name.
    fn include_only_known_headers(&self, _sources: &[&[u8]], _is_of_project: &dyn Fn(&str) -> bool) -> bool {
        true
    }

    /// True if a source says of lines that they stand in another file, so that profiles name that one.
    fn names_another_file(&self, _source: &[u8]) -> bool {
        false
    }

    /// True for a file outside the repository that comes with a compiler or a system: it writes no name of a project.
    fn is_of_the_system(&self, _path: &str) -> bool {
        false
    }

    /// True if the layout of its values is all that differs between two texts of a type. For languages whose declarations are
    /// not followed.
    fn differs_in_layout_alone(&self, _before: &str, _after: &str) -> bool {
        false
    }

    /// Words that the names of a source's benchmarks are made of; none for a source that declares no benchmark.
    fn declared_benchmarks(&self, _source: &[u8]) -> BTreeSet<String> {
        BTreeSet::new()
    }

    /// True if a line that mentions a name may pull in a file of that name, or files of a folder of that name. `source` is
    /// the text that the line stands in.
    fn may_pull_in(&self, _source: &[u8], _line: &[u8], _name: &str) -> bool {
        true
    }

    /// True if the indentation of a line tells the block that it is in.
    fn marks_blocks_by_indentation(&self) -> bool {
        false
    }

    /// The directives of a preprocessor that include files, and the definitions that these may depend on; none in a language
    /// without a preprocessor.
    fn inclusion_directives(&self, _source: &[u8]) -> Vec<InclusionDirective> {
        Vec::new()
    }

    /// The cases of an enumeration, or the constants of a type, that differ between two texts of it, and which code meets by their
    /// names alone; `None` if more differs, or if the texts are of something else.
    fn changed_constants(&self, _before: &str, _after: &str) -> Option<Vec<(String, ItemPresence)>> {
        None
    }

    /// The type of which a declaration says nothing but that there is one: `struct Row;`.
    fn announced_type<'t>(&self, _declaration: &'t str) -> Option<&'t str> {
        None
    }

    /// True for the text of an enumeration of which the cases are numbers.
    fn is_enumeration(&self, _of_type: &str) -> bool {
        false
    }

    /// True if what stands between functions is followed to the code that depends on it. Where it is not, a difference there
    /// may reach any code that sees it.
    fn follows_declarations(&self) -> bool {
        true
    }

    /// True if a method writes a field of its own value by the field's name alone.
    fn methods_write_fields_alone(&self) -> bool {
        false
    }

    /// True if `a + b` of two texts or lists makes a third one and leaves both as they are.
    fn sums_are_copies(&self) -> bool {
        true
    }

    /// True if the last expression of a block is its value, so that a `return` in front of a function's last one changes
    /// nothing.
    fn ends_blocks_in_a_value(&self) -> bool {
        false
    }

    /// True for an attribute of a function, as it is written, that says how calls of this one function are compiled.
    fn is_of_one_function(&self, _attribute: &str) -> bool {
        false
    }

    /// True if programs load sources when they run.
    fn is_loaded_by_programs(&self) -> bool {
        false
    }

    /// The code that a program executes when it loads a source at run time, as text to compare: everything except the bodies
    /// of functions. `None` where that is not known, and in a language whose sources are not loaded by programs.
    fn loading_code(&self, _source: &str) -> Option<String> {
        None
    }

    /// The statements that only one of two texts of a source executes when it is loaded; `None` if one of them does more than to
    /// bind names, or that is not known.
    fn loading_difference(&self, _before: &str, _after: &str) -> Option<LoadingDifference> {
        None
    }

    /// The names that the code of a source may ask for when it runs, without the bodies of functions of some names, which do not
    /// run; `None` where that is not known.
    fn asked_names(&self, _source: &str, _is_idle: &dyn Fn(&str) -> bool) -> Option<AskedNames> {
        None
    }

    /// The words of a source's code, for a language whose programs load sources; `None` where they are not known.
    fn words_of_code<'s>(&self, _source: &'s str) -> Option<WordsOfCode<'s>> {
        None
    }

    /// The entries of a table that a definition writes out, for a language whose programs load sources; `None` for another value, and
    /// where a key is not a plain text.
    fn table_entries(&self, _definition: &str) -> Option<Vec<TableEntry>> {
        None
    }

    /// True if a program that looks for a module by its name may take a file or folder of this name for one, or for what describes
    /// one.
    fn may_be_module(&self, _entry: &str, _is_folder: bool) -> bool {
        true
    }

    /// True for a module, as it is written, that comes with the language and changes no other code when it is loaded.
    fn is_standard_module(&self, _module: &str) -> bool {
        false
    }

    /// The names and files that the directives of a source are about; `None` in a language without a preprocessor.
    fn preprocessor_use(&self, _source: &str) -> Option<PreprocessorUse> {
        None
    }

    /// A source without the branches that its preprocessor leaves out, each byte in its place.
    fn compiled_with<'s>(&self, source: &'s str, _known: &dyn KnownMacros) -> Cow<'s, str> {
        Cow::Borrowed(source)
    }

    /// True for a macro that compilers alone define, so that no header does.
    fn is_of_compilers(&self, _name: &str) -> bool {
        false
    }

    /// The macros that are known behind a source, of those that it defines or takes back itself or by what it includes.
    fn macros_behind(&self, _source: &str, _known: &dyn KnownMacros) -> BTreeMap<String, MacroAtStart> {
        BTreeMap::new()
    }

    /// True for a function that the system starts a program with, and that no code calls.
    fn starts_a_program(&self, _function: &SyntaxFunction) -> bool {
        false
    }

    /// True for a source that is compiled by itself, so that others do not see what it declares for itself.
    fn is_translation_unit(&self, _path: &str) -> bool {
        false
    }

    /// The part that a directive between declarations plays for what stands behind it.
    fn role_of_directive<'t>(&self, _text: &'t str) -> DirectiveRole<'t> {
        DirectiveRole::Other
    }

    /// True for a directive that includes a header which declares nothing that code can mean without writing a new name.
    fn is_quiet_header(&self, _directive: &str) -> bool {
        false
    }

    /// True if a source asks whether something is defined that the header of a directive may define.
    fn asks_for_header(&self, _source: &[u8], _directive: &str) -> bool {
        true
    }

    /// The conditions of a source that decide what is compiled, each with the lines that it stands around.
    fn conditions_around(&self, _source: &str) -> Vec<(LineRange, String)> {
        Vec::new()
    }

    /// True if programs in other languages are linked with code in this one.
    fn is_linked_into_programs(&self) -> bool {
        false
    }

    /// The reader of a build file: a manifest, a lock file, a toolchain; `None` for any other path.
    fn build_file_reader(&self, path: &str) -> Option<BuildFileReader>;

    /// The settings of a build file by which files of the repository come into a build, by their paths; `None` for another
    /// file, and for one that cannot be read.
    fn settings_that_pull_in(&self, _path: &str, _text: &str) -> Option<BTreeMap<String, String>> {
        None
    }

    /// The part of a file of settings that speaks to tools that run while a program of the project runs, in an order of its own; `None` for
    /// another file, and for one that cannot be read.
    fn settings_of_runs(&self, _path: &str, _text: &str) -> Option<String> {
        None
    }

    /// True if two texts of a source differ in code that the model leaves out and that the build keeps, by its settings.
    fn changes_kept_code(&self, _path: &str, _texts: [&str; 2], _trees: [&dyn FileSource; 2]) -> bool {
        false
    }

    /// The folder of the package that a path belongs to, ending in a slash unless it is the root; `None` if it belongs to
    /// none.
    fn package_folder<'p>(&self, _path: &'p str, _tree: &dyn FileSource) -> Option<&'p str> {
        None
    }

    /// The folders of packages that may be built with those of some folders, themselves included.
    fn packages_within_reach(&self, folders: &BTreeSet<String>, _tree: &dyn FileSource) -> BTreeSet<String> {
        folders.clone()
    }

    /// True if a source runs before the build, not in the program. `trees` are both versions.
    fn is_build_script(&self, _path: &str, _trees: [&dyn FileSource; 2]) -> bool {
        false
    }

    /// Other sources that run before the build. `trees` are both versions.
    fn build_programs(&self, _trees: [&dyn FileSource; 2]) -> BuildPrograms {
        BuildPrograms::default()
    }

    /// The names of the macros that a source is part of, if it runs inside the compiler and writes code for others;
    /// `None` for any other source. `trees` are both versions.
    fn macros_written_for_others(&self, _path: &str, _trees: [&dyn FileSource; 2]) -> Option<BTreeSet<String>> {
        None
    }

    /// The folder, of targets that measure or show a library, that a path is in; `None` for any other path.
    fn folder_beside_library<'p>(&self, _path: &'p str) -> Option<&'p str> {
        None
    }

    /// True for a source that a benchmark may execute and that is part of what it measures.
    fn is_measured_code(&self, path: &str) -> bool {
        !self.is_for_tests(path)
    }

    /// True if no measured build compiles the source at a path.
    fn is_excluded_from_build(&self, _path: &str, _tree: &dyn FileSource, _parser: &ParseCache) -> bool {
        false
    }

    /// How many times as much as a compiled one an operation costs; more than 1 where an interpreter executes it.
    fn operation_scale(&self) -> f64 {
        1.0
    }

    /// Prices of its library functions as TOML, if it has any.
    fn library_prices(&self) -> Option<&'static str> {
        None
    }

    /// Inserts probes into its sources, if probes can count it.
    fn prober(&self) -> Option<Prober> {
        None
    }

    /// Finds the places where changes can be planted, if its sources can be edited.
    fn seeder(&self) -> Option<Seeder> {
        None
    }
}

/// A parser with a memory of the sources that it has read.
pub(crate) trait IncrementalParser: fmt::Debug + Send + Sync {
    /// Gives the same result as [`LanguageSupport::parse`].
    fn parse(&self, source: &str, test_only: bool, limits: &ParseLimits) -> SourceFile;
}

/// A supported language.
#[derive(Clone, Copy)]
pub struct Language(&'static dyn LanguageSupport);

impl Language {
    /// Name that the report's syntax highlighter knows the language by; empty for plain text.
    #[must_use]
    pub fn highlighter(self) -> &'static str {
        self.0.highlighter()
    }

    /// The crate or package that the full name of a function begins with.
    pub(crate) fn package_of(self, name: &str) -> &str {
        name.split_once(self.support().separator())
            .map_or(name, |(package, _)| package)
    }

    /// Its implementation.
    pub(crate) fn support(self) -> &'static dyn LanguageSupport {
        self.0
    }
}

/// Returns the language of a file by its extension; `None` for a file in no supported language.
#[must_use]
pub fn language_of(path: &str) -> Option<Language> {
    let (_, extension) = path.rsplit_once('.')?;
    languages().find(|language| language.0.extensions().iter().any(|known| known == extension))
}

/// True for a source whose functions an interpreter runs as they stand: no line is merged into others, and no function is built into
/// another one.
pub(crate) fn is_interpreted(path: &str) -> bool {
    language_of(path).is_some_and(|language| language.0.is_loaded_by_programs())
}

/// True for a file in a language whose declarations are followed, and for one in none.
pub(crate) fn follows_declarations(path: &str) -> bool {
    language_of(path).is_none_or(|language| language.0.follows_declarations())
}

/// Every supported language.
pub(crate) fn languages() -> impl Iterator<Item = Language> {
    LANGUAGES.iter().copied().map(Language)
}

/// Files that a source may pull in; none if no language knows the file.
pub(crate) fn declared_files(path: &str, source: &[u8]) -> Vec<String> {
    language_of(path).map_or_else(Vec::new, |language| language.0.declared_files(path, source))
}

/// The folder, of targets that measure or show a library in any language, that a path is in.
pub(crate) fn folder_beside_library(path: &str) -> Option<&str> {
    languages().find_map(|language| language.0.folder_beside_library(path))
}

/// True for a source that a benchmark may execute and that is part of what it measures.
pub(crate) fn is_measured_code(path: &str) -> bool {
    language_of(path).is_some_and(|language| language.support().is_measured_code(path))
}

/// The settings of a build file by which files of the repository come into a build; `None` if no language can tell.
pub(crate) fn settings_that_pull_in(path: &str, text: &str) -> Option<BTreeMap<String, String>> {
    languages().find_map(|language| language.0.settings_that_pull_in(path, text))
}

/// Files that some paths may be reached from, in any language.
pub(crate) fn entry_points<'p>(paths: impl Iterator<Item = &'p String>) -> BTreeSet<String> {
    paths
        .flat_map(|path| languages().flat_map(|language| language.0.entry_points(path)))
        .collect()
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Language {}

impl Hash for Language {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.name())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, clippy::unwrap_used)]

    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn an_extension_and_a_name_belong_to_one_language() {
        let mut owners: BTreeMap<&String, &str> = BTreeMap::new();
        for language in languages() {
            for extension in language.support().extensions() {
                let other = owners.insert(extension, language.support().name());
                assert_eq!(other, None, ".{extension} has two languages");
            }
        }
        let names: BTreeSet<&str> = languages().map(|language| language.support().name()).collect();
        assert_eq!(names.len(), LANGUAGES.len());
    }

    #[test]
    fn each_language_has_one_folder_of_code_of_data_and_of_fixtures() {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let names: BTreeSet<String> = languages()
            .map(|language| language.support().name().to_owned())
            .collect();
        for folder in ["src/languages", "config/languages", "../tests/data/syntax"] {
            let entries = std::fs::read_dir(package.join(folder)).unwrap();
            let folders: BTreeSet<String> = entries
                .map(|entry| entry.unwrap())
                .filter(|entry| entry.path().is_dir())
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect();
            assert_eq!(folders, names, "folders of {folder}");
        }
    }

    #[test]
    fn a_language_is_named_in_its_own_folder_and_the_registry_only() {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let types = languages().map(|language| type_name(language.support().name()));
        let modules = languages().map(|language| format!("languages::{}", language.support().name()));
        let is_allowed = |path: &Path, name: &str| {
            let edits_syntax_trees = path.iter().any(|part| part == "probe" || part == "seed");
            path.starts_with(package.join("src/languages"))
                // Probes and planted changes are edits of Rust syntax trees, reached through `prober` and `seeder`.
                || name == "languages::rust" && edits_syntax_trees
        };
        let names: Vec<String> = std::iter::once(["Language", "::"].concat())
            .chain(types)
            .chain(modules)
            .collect();
        let mut files = Vec::new();
        let root = package.parent().unwrap();
        for folder in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
            for part in ["src", "tests", "benches"] {
                collect_sources(&folder.join(part), &mut files);
            }
        }
        collect_sources(&root.join("src"), &mut files);
        assert!(files.len() > 200, "only {} files found", files.len());
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for (number, line) in text.lines().enumerate() {
                // The grammar's type of tree-sitter has the same last segment.
                let line = line.replace("tree_sitter::Language::", "");
                for name in &names {
                    let place = format!("{}:{}", file.display(), number + 1);
                    assert!(
                        !holds_name(&line, name) || is_allowed(&file, name),
                        "{place} names {name}"
                    );
                }
            }
        }
    }

    #[test]
    fn names_are_found_as_whole_words() {
        assert!(holds_name("use a::languages::rust::lexer;", "languages::rust"));
        assert!(holds_name("Language::Rust", "Language::"));
        assert!(!holds_name("TreeLanguage::Rust", "Language::"));
        assert!(!holds_name("languages::rusty", "languages::rust"));
    }

    /// `rust` → `RustLanguage`, as the implementations are called.
    fn type_name(name: &str) -> String {
        let words = name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]);
        words.collect::<String>() + "Language"
    }

    /// True if a line holds a name that is not part of a longer one.
    fn holds_name(line: &str, name: &str) -> bool {
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
        line.match_indices(name).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            !before.ends_with(is_letter) && (name.ends_with(':') || !after.starts_with(is_letter))
        })
    }

    fn collect_sources(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                collect_sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
}
