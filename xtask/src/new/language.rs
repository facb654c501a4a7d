//! `cargo xtask new language NAME` → a language that is registered, reads nothing yet, and fails its fixtures.
//!
//! Brings no grammar: which crate parses the language is for the contributor to choose.

use std::fs;

use super::scaffold::{camel_case, create_file, insert_before, snake_case};
use crate::root;

const REGISTRY: &str = "analyzer/src/languages/mod.rs";

const SUPPORT: &str = r#"//! TYPE: has no front end yet.

use std::sync::LazyLock;

use super::LanguageSupport;
use crate::change::build_files::BuildFileReader;
use crate::layout::ModuleLayout;
use crate::sources::FileSource;
use crate::syntax::tree_sitter::language::GrammarConfig;
use crate::syntax::{ParseLimits, SourceFile, unread};

/// The implementation of TYPE.
pub(super) struct TYPELanguage;

static WORDS: LazyLock<GrammarConfig> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../config/languages/NAME/language.toml"))
        .expect("the committed language.toml is tested to parse")
});

/// The module of a file: its path without the extension.
struct TYPEModules;

impl ModuleLayout for TYPEModules {
    fn module_path(&self, path: &str) -> Vec<String> {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        stem.split('/').map(str::to_owned).collect()
    }
}

impl LanguageSupport for TYPELanguage {
    fn name(&self) -> &'static str {
        "NAME"
    }

    fn highlighter(&self) -> &'static str {
        ""
    }

    fn extensions(&self) -> &[String] {
        &WORDS.extensions
    }

    fn is_for_tests(&self, path: &str) -> bool {
        WORDS.is_for_tests(path)
    }

    fn separator(&self) -> &'static str {
        "."
    }

    fn line_comment(&self) -> &'static str {
        "//"
    }

    fn parse(&self, _source: &str, _test_only: bool, _limits: &ParseLimits) -> SourceFile {
        unread("NAME has no front end yet".to_owned())
    }

    fn module_layout<'t>(&self, _tree: &'t dyn FileSource) -> Box<dyn ModuleLayout + 't> {
        Box::new(TYPEModules)
    }

    fn resolve_import(&self, _module: &[String], target: &[String]) -> Vec<String> {
        target.to_vec()
    }

    fn build_file_reader(&self, _path: &str) -> Option<BuildFileReader> {
        None
    }
}
"#;

const WORDS: &str = r#"# Names that the NAME front end treats specially. The file of python documents more keys.

extensions = ["NAME"]
test_folders = ["test", "tests"]
# One `*` stands for anything.
test_files = []
"#;

const QUERY: &str = "; NAME → the model. analyzer/src/syntax/tree_sitter/captures.rs explains each capture.\n";

const NEXT: &str = "
next, for the language to be read:
  1. Choose a grammar: add its crate to Cargo.toml and analyzer/Cargo.toml, and build a `LanguageGrammar` from it with
     structure.scm and language.toml, as analyzer/src/languages/python/mod.rs does.
  2. Set the extensions in analyzer/config/languages/NAME/language.toml, rename the fixtures to match, and remove the
     extensions from `[code_without_front_end]` in analyzer/config/files.toml.
  3. Fill in the fixtures: a function that calls another, and the same function with one call more.
     `UPDATE_MODELS=1` and `LITO_BLESS=1` write the files `.model` and `edits`; read them line by line.
  4. Run `cargo fmt --all` and `cargo test -p lito-analyzer`: the fixture tests fail until the language is read.";

/// Writes the stubs of a language, registers it, and adds fixtures that fail.
pub(super) fn create(name: &str) -> Result<(), String> {
    let (name, type_name) = (snake_case(name), camel_case(name));
    let filled = |text: &str| text.replace("NAME", &name).replace("TYPE", &type_name);
    let registry = fs::read_to_string(root().join(REGISTRY))
        .map_err(|error| format!("new: reading {REGISTRY}: {error}; run this in a checkout of lito"))?;
    create_file(&format!("analyzer/src/languages/{name}/mod.rs"), &filled(SUPPORT))?;
    let data = format!("analyzer/config/languages/{name}");
    create_file(&format!("{data}/language.toml"), &filled(WORDS))?;
    create_file(&format!("{data}/structure.scm"), &filled(QUERY))?;
    let case = format!("tests/data/{name}/call-added");
    create_file(&format!("{case}/before.{name}"), "")?;
    create_file(&format!("{case}/after.{name}"), "")?;
    create_file(&format!("{case}/expect"), "call_addition f g\nonly\n")?;
    let model = format!("tests/data/syntax/{name}/functions");
    create_file(&format!("{model}.{name}"), "")?;
    create_file(&format!("{model}.model"), "fn f()\n")?;
    insert_before(REGISTRY, &next_module(&registry, &name), &format!("mod {name};\n"))?;
    let line = format!("    &{name}::{type_name}Language,\n");
    insert_before(REGISTRY, "    // `cargo xtask new language` inserts", &line)?;
    println!("{}", filled(NEXT));
    Ok(())
}

/// The declaration of a module before which a new one stands in alphabetical order.
fn next_module(registry: &str, name: &str) -> String {
    let declarations = registry.lines().filter_map(|line| {
        let declared = line.strip_prefix("pub(crate) ").unwrap_or(line).strip_prefix("mod ")?;
        Some((line, declared.strip_suffix(';')?))
    });
    let next = declarations.into_iter().find(|(_, declared)| *declared > name);
    next.map_or_else(|| String::from("\nuse std"), |(line, _)| format!("{line}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_declared_in_alphabetical_order() {
        let registry = "mod python;\npub(crate) mod rust;\n\nuse std::fmt;\n";
        assert_eq!(next_module(registry, "go"), "mod python;\n");
        assert_eq!(next_module(registry, "ruby"), "pub(crate) mod rust;\n");
        assert_eq!(next_module(registry, "zig"), "\nuse std");
    }
}
