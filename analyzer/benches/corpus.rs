//! Every source below some folders, read once by its front end: how many, how fast against the bare parser of its language,
//! and how much of them is analysed in full.
//!
//! ```sh
//! cargo bench -p lito-analyzer --bench corpus -- FOLDER...
//! ```
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use analyzer::syntax::SourceParser;

/// A language by its file extensions, and its bare parser, which builds a tree and nothing from it.
struct CorpusLanguage {
    name: &'static str,
    extensions: &'static [&'static str],
    parse: fn(&str),
}

const LANGUAGES: [CorpusLanguage; 3] = [
    CorpusLanguage {
        name: "Rust (against syn)",
        extensions: &["rs"],
        parse: |text| drop(std::hint::black_box(syn::parse_file(text))),
    },
    CorpusLanguage {
        name: "C and C++ (against tree-sitter)",
        extensions: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"],
        parse: |text| tree(&tree_sitter_cpp::LANGUAGE.into(), text),
    },
    CorpusLanguage {
        name: "Python (against tree-sitter)",
        extensions: &["py"],
        parse: |text| tree(&tree_sitter_python::LANGUAGE.into(), text),
    },
];

fn tree(language: &tree_sitter::Language, text: &str) {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(language).unwrap();
    std::hint::black_box(parser.parse(text, None));
}

#[derive(Default)]
struct Totals {
    files: usize,
    in_full: usize,
    functions: usize,
    bytes: usize,
    lito: Duration,
    bare: Duration,
    slowest: (Duration, String),
    reasons: BTreeMap<String, usize>,
}

fn main() {
    let folders: Vec<String> = std::env::args().skip(1).filter(|one| !one.starts_with('-')).collect();
    let own = [format!("{}/src", env!("CARGO_MANIFEST_DIR"))];
    let mut all: [Totals; 3] = Default::default();
    for folder in if folders.is_empty() { &own[..] } else { &folders } {
        read_below(Path::new(folder), &mut all);
    }
    for (language, totals) in LANGUAGES.iter().zip(&all).filter(|(_, totals)| totals.files > 0) {
        print(language, totals);
    }
}

fn read_below(folder: &Path, all: &mut [Totals; 3]) {
    let mut entries: Vec<PathBuf> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => return,
    };
    entries.sort();
    for path in entries.into_iter().filter(|path| !path.is_symlink()) {
        if path.is_dir() {
            read_below(&path, all);
            continue;
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let language = LANGUAGES
            .iter()
            .position(|language| language.extensions.contains(&extension));
        if let (Some(at), Ok(bytes)) = (language, std::fs::read(&path)) {
            read(&path.to_string_lossy(), &bytes, &LANGUAGES[at], &mut all[at]);
        }
    }
}

fn read(path: &str, bytes: &[u8], language: &CorpusLanguage, totals: &mut Totals) {
    let text = String::from_utf8_lossy(bytes);
    let begun = Instant::now();
    (language.parse)(&text);
    totals.bare += begun.elapsed();
    let begun = Instant::now();
    let source = SourceParser::default().parse(path, bytes);
    let took = begun.elapsed();
    totals.lito += took;
    totals.files += 1;
    totals.bytes += bytes.len();
    totals.functions += source.functions.len();
    totals.slowest = std::mem::take(&mut totals.slowest).max((took, path.to_owned()));
    match source.problems.first() {
        None => totals.in_full += 1,
        Some(problem) => {
            let kind: String = problem
                .why
                .chars()
                .map(|each| if each.is_ascii_digit() { 'N' } else { each })
                .collect();
            *totals.reasons.entry(kind.chars().take(60).collect()).or_default() += 1;
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn print(language: &CorpusLanguage, totals: &Totals) {
    let megabytes = totals.bytes as f64 / 1e6;
    println!(
        "{}: {} files, {megabytes:.1} MB, {} functions; {:.1} MB/s, {:.2} times the time of the bare parser; {:.1}% read in full",
        language.name,
        totals.files,
        totals.functions,
        megabytes / totals.lito.as_secs_f64(),
        totals.lito.as_secs_f64() / totals.bare.as_secs_f64(),
        100.0 * totals.in_full as f64 / totals.files as f64,
    );
    println!(
        "  slowest: {:.2} s, {}",
        totals.slowest.0.as_secs_f64(),
        totals.slowest.1
    );
    let mut reasons: Vec<_> = totals.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (why, count) in reasons.into_iter().take(8) {
        println!("  {count} not in full: {why}");
    }
}
