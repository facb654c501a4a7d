//! Rust: read by syn, by tree-sitter with the reason where syn cannot parse; built by Cargo; counted by probes; and edited
//! to plant changes.

mod build_files;
mod build_programs;
mod calls;
mod cargo_lock;
mod cargo_manifest;
mod cfg_conditions;
mod debug_builds;
mod declared_benchmarks;
mod declared_modules;
mod excluded_modules;
mod expression;
mod function;
mod implementations;
mod imports;
mod item_cache;
mod item_spans;
mod items;
pub(crate) mod language;
pub(crate) mod lexer;
mod macro_definitions;
mod macros;
pub(crate) mod method_chain;
mod module_layout;
#[cfg(test)]
mod own_source_tests;
mod parse;
mod procedural_macros;
mod settled_casts;
mod silent_tokens;
pub(crate) mod source_positions;
pub(crate) mod syn_names;

pub(crate) use cfg_conditions::is_excluded_from_build;
pub(crate) use parse::tree;

use std::collections::{BTreeMap, BTreeSet};

use super::{IncrementalParser, LanguageSupport};
use crate::change::build_files::{BuildFileReader, BuildPrograms};
use crate::change::is_beside_benchmarks;
use crate::instrument::probe::Prober;
use crate::instrument::seed::{self, PlantedLoop, Seeder, SnippetGenerator};
use crate::layout::ModuleLayout;
use crate::sources::FileSource;
use crate::syntax::{ParseCache, ParseLimits, SourceFile};
use item_cache::ItemCache;
use language::WORDS;
use module_layout::CargoLayout;

/// The implementation of Rust.
pub(super) struct RustLanguage;

impl LanguageSupport for RustLanguage {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn changes_kept_code(&self, path: &str, texts: [&str; 2], trees: [&dyn FileSource; 2]) -> bool {
        debug_builds::changes_kept_checks(path, texts, trees)
    }

    /// The sum of a text and another one is the first one, made longer.
    fn sums_are_copies(&self) -> bool {
        false
    }

    fn ends_blocks_in_a_value(&self) -> bool {
        true
    }

    fn highlighter(&self) -> &'static str {
        "rust"
    }

    fn extensions(&self) -> &[String] {
        &WORDS.extensions
    }

    fn is_for_tests(&self, path: &str) -> bool {
        is_for_tests(path)
    }

    fn separator(&self) -> &'static str {
        "::"
    }

    fn line_comment(&self) -> &'static str {
        "//"
    }

    fn parse(&self, source: &str, test_only: bool, limits: &ParseLimits) -> SourceFile {
        parse::parse(source, test_only, limits, None)
    }

    fn incremental_parser(&self, capacity: usize) -> Option<Box<dyn IncrementalParser>> {
        Some(Box::new(ItemCache::new(capacity)))
    }

    fn module_layout<'t>(&self, tree: &'t dyn FileSource) -> Box<dyn ModuleLayout + 't> {
        Box::new(CargoLayout::new(tree))
    }

    fn resolve_import(&self, module: &[String], target: &[String]) -> Vec<String> {
        imports::resolve_import(module, target)
    }

    fn entry_points(&self, path: &str) -> Vec<String> {
        declared_modules::entry_points(path)
    }

    fn declared_files(&self, path: &str, source: &[u8]) -> Vec<String> {
        declared_modules::declared_files(path, source)
    }

    fn declared_benchmarks(&self, source: &[u8]) -> BTreeSet<String> {
        declared_benchmarks::declared_benchmarks(source)
    }

    fn may_pull_in(&self, source: &[u8], line: &[u8], name: &str) -> bool {
        declared_modules::may_pull_in(source, line, name)
    }

    fn build_file_reader(&self, path: &str) -> Option<BuildFileReader> {
        build_files::build_file_reader(path)
    }

    fn settings_that_pull_in(&self, path: &str, text: &str) -> Option<BTreeMap<String, String>> {
        let is_manifest = path.rsplit('/').next() == Some("Cargo.toml");
        is_manifest.then(|| cargo_manifest::settings_that_pull_in(text))?
    }

    fn package_folder<'p>(&self, path: &'p str, tree: &dyn FileSource) -> Option<&'p str> {
        cargo_manifest::package_folder(path, tree)
    }

    fn packages_within_reach(&self, folders: &BTreeSet<String>, tree: &dyn FileSource) -> BTreeSet<String> {
        cargo_manifest::packages_within_reach(folders, tree)
    }

    fn is_build_script(&self, path: &str, trees: [&dyn FileSource; 2]) -> bool {
        build_files::is_build_script(path, trees)
    }

    fn build_programs(&self, trees: [&dyn FileSource; 2]) -> BuildPrograms {
        build_programs::build_programs(trees)
    }

    fn macros_written_for_others(&self, path: &str, trees: [&dyn FileSource; 2]) -> Option<BTreeSet<String>> {
        procedural_macros::macros_written_for_others(path, trees)
    }

    fn is_measured_code(&self, path: &str) -> bool {
        is_measured_code(path)
    }

    fn folder_beside_library<'p>(&self, path: &'p str) -> Option<&'p str> {
        folder_beside_library(path)
    }

    fn is_excluded_from_build(&self, path: &str, tree: &dyn FileSource, parser: &ParseCache) -> bool {
        excluded_modules::is_excluded_from_build(path, tree, parser)
    }

    fn library_prices(&self) -> Option<&'static str> {
        Some(include_str!("../../../config/languages/rust/prices.toml"))
    }

    fn prober(&self) -> Option<Prober> {
        Some(crate::instrument::probe::probe_source)
    }

    fn seeder(&self) -> Option<Seeder> {
        Some(Seeder {
            is_measured: is_measured_code,
            is_benchmark,
            items: seed::SeedableItems::of,
            is_sound: |_path, _before, edited| tree(edited).is_some(),
            code: |name, core| Box::new(SnippetGenerator { name, core }),
            is_declared_first: false,
            // Store, add, compare, jump. The compiler unrolls loops of fewer rounds, which then cost a quarter (58 rounds
            // were unrolled, 94 were not). For this many, what the start costs is below a hundredth.
            repeat: PlantedLoop {
                first: (0.0, 0.0),
                round: 4.0,
                fewest_rounds: 200.0,
            },
            kinds: &seed::KINDS,
        })
    }
}

/// True for files that only tests see: `tests/…`, `tests.rs`, `test.rs`.
fn is_for_tests(path: &str) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    folders
        .split('/')
        .any(|folder| WORDS.test_folders.iter().any(|name| name == folder))
        || WORDS.test_files.iter().any(|name| name == file)
}

/// The folder where cargo looks for targets that measure or show the library, of a source below one.
fn folder_beside_library(path: &str) -> Option<&str> {
    const BESIDE: [&str; 3] = ["benches", "examples", "fuzz"];
    let mut end = 0;
    for part in path.split('/') {
        end += part.len();
        if BESIDE.contains(&part) {
            return Some(&path[..end]);
        }
        end += 1;
    }
    None
}

/// True for sources in the folder where cargo looks for benchmarks.
fn is_benchmark(path: &str) -> bool {
    is_beside_benchmarks(path) && !is_for_tests(path)
}

/// True for sources that a benchmark may execute and that are part of what it measures: not tests, not the benchmarks
/// themselves, not what runs at build time.
fn is_measured_code(path: &str) -> bool {
    let is_build = path == "build.rs" || path.ends_with("/build.rs");
    folder_beside_library(path).is_none() && !is_build && !is_for_tests(path)
}
