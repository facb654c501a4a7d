//! Behaviour of the front ends: fixtures under tests/data/syntax (a source and the dump of its model beside it), limits,
//! problems.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod budgets;
mod cache;
mod digests;

use std::path::{Path, PathBuf};

use super::*;
use crate::languages::languages;

fn rust(source: &str) -> SourceFile {
    SourceParser::default().parse("src/a.rs", source.as_bytes())
}

fn python(source: &str) -> SourceFile {
    SourceParser::default().parse("a.py", source.as_bytes())
}

/// Compares each source of a language with the `.model` beside it; `UPDATE_MODELS=1` writes them anew.
#[test]
fn the_sources_of_every_language_give_their_models() {
    for language in languages() {
        let support = language.support();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../tests/data/syntax")
            .join(support.name());
        let mut sources: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        sources.retain(|path| {
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            support.extensions().iter().any(|known| *known == extension)
        });
        sources.sort();
        assert!(!sources.is_empty(), "no fixtures in {}", folder.display());
        for source in sources {
            let name = source.file_name().unwrap().to_str().unwrap();
            let found = dump(&SourceParser::default().parse(name, &std::fs::read(&source).unwrap()));
            let model = source.with_extension("model");
            if std::env::var_os("UPDATE_MODELS").is_some() {
                std::fs::write(&model, &found).unwrap();
            }
            let expected = std::fs::read_to_string(&model).unwrap();
            assert_eq!(found, expected, "model of {name}");
        }
    }
}

#[test]
fn a_path_decides_language_and_test_code() {
    let name = |path| language_of(path).map(|language| language.support().name());
    assert_eq!(name("src/a.rs"), Some("rust"));
    assert_eq!(name("a/b.py"), Some("python"));
    assert_eq!(name("Cargo.toml"), None);
    assert_eq!(name("rs"), None);
    let test_only =
        |path: &str, source: &str| SourceParser::default().parse(path, source.as_bytes()).functions[0].test_only;
    assert!(test_only("tests/a.rs", "fn f() {}"));
    assert!(test_only("src/x/tests.rs", "fn f() {}"));
    assert!(!test_only("src/latest.rs", "fn f() {}"));
    assert!(!test_only("benches/a.rs", "#[bench] fn f() {}"));
    assert!(test_only("pkg/test_a.py", "def f(): pass\n"));
    assert!(test_only("pkg/a_test.py", "def f(): pass\n"));
    assert!(!test_only("pkg/contest.py", "def f(): pass\n"));
}

#[track_caller]
fn only_problem(file: &SourceFile) -> &str {
    assert!(file.functions.is_empty() && file.items.is_empty());
    assert_eq!(file.problems.len(), 1);
    &file.problems[0].why
}

#[test]
fn files_over_a_limit_say_which() {
    let parser = SourceParser::new(ParseLimits {
        bytes: 100,
        depth: 30,
        nodes: 5,
        ..ParseLimits::default()
    });
    let parse = |path, source: &str| parser.parse(path, source.as_bytes());
    assert_eq!(
        only_problem(&parse("a.rs", &" ".repeat(101))),
        "too large: 101 bytes, limit 100"
    );
    let nested = format!("fn f() {{ {}1{} }}", "(".repeat(40), ")".repeat(40));
    assert!(only_problem(&parse("a.rs", &nested)).starts_with("nested too deeply"));
    let nested = format!("x = {}1{}\n", "(".repeat(40), ")".repeat(40));
    assert!(only_problem(&parse("a.py", &nested)).starts_with("nested too deeply"));
    let long = "fn f() { a(); b(); c(); d(); e(); f(); }";
    assert_eq!(
        only_problem(&parse("a.rs", long)),
        "more than 5 calls, operations and blocks"
    );
    assert_eq!(only_problem(&parse("a.txt", "")), "no known language");
}

#[test]
fn deep_nesting_within_the_limit_is_read_on_a_large_stack() {
    let deep = |open: &str, close: &str, levels: usize| {
        rust(&format!(
            "fn f() {{ let x = {}g(){}; }}",
            open.repeat(levels),
            close.repeat(levels)
        ))
    };
    for file in [
        deep("(", ")", 1500),
        deep("[", "]", 1500),
        deep("!", "", 3000),
        deep("1 + ", "", 2000),
    ] {
        assert!(file.problems.is_empty(), "{:?}", file.problems);
        assert_eq!(file.functions[0].body().nodes.len(), 2);
    }
    let chain = rust(&format!("fn f() {{ x{}; }}", ".a()".repeat(1000)));
    assert_eq!(chain.functions[0].body().nodes.len(), 1001);
    let branches = rust(&format!("fn f() {{ if a {{}} {} }}", "else if a {} ".repeat(500)));
    assert_eq!(branches.functions[0].blocks.len(), 502);
}

#[test]
fn extreme_nesting_is_refused_without_a_crash() {
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("!", ""),
        ("a + ", ""),
        ("if a { } else ", "{}"),
        ("|| ", ""),
        ("&", ""),
    ] {
        let file = rust(&format!(
            "fn f() {{ {}1{} }}",
            open.repeat(100_000),
            close.repeat(100_000)
        ));
        assert!(!file.problems.is_empty(), "{open}");
    }
    let file = python(&format!("x = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000)));
    assert!(!file.problems.is_empty());
}

#[test]
fn sources_that_are_not_utf8_are_read_with_a_problem() {
    let file = SourceParser::default().parse("a.rs", b"fn f() {\n g(\"\xff\") }");
    assert_eq!(file.functions[0].path, ["f"]);
    assert_eq!(
        file.problems[0].why,
        "not UTF-8 at line 2: read with replacement characters"
    );
}

#[test]
fn syntax_errors_name_line_and_column() {
    let file = rust("fn f() { g() }\nfn h( {\n");
    assert!(
        file.problems[0].why.starts_with("syntax error at 2:"),
        "{:?}",
        file.problems
    );
    let file = python("def f(:\n  pass\n");
    assert!(
        file.problems[0].why.starts_with("syntax error at 1:"),
        "{:?}",
        file.problems
    );
}

#[test]
fn columns_after_letters_of_several_bytes_are_found() {
    let file = rust("fn f() { g(\"äöü\", h(\"ß\")); let größe = i(); größe + 1 }");
    let calls: Vec<String> = dump(&file).lines().map(|line| line.trim().to_owned()).collect();
    assert_eq!(
        calls[1..],
        [
            "call h/1 `\"ß\"`",
            "call g/2 `\"äöü\" , _`",
            "call i/0 ``",
            "compute `let ~größe = _` *1",
            "compute `~größe + 1` *1"
        ]
    );
}
