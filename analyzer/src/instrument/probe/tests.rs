#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use profile::probes::{ProbeFunction, ProbeMode, ProbeSourceRoot, ProbedSources};
use proptest::prelude::*;

use super::instrument;
use crate::cost::PriceList;

const MANIFEST: &str = "[package]\nname = \"k\"\nedition = \"2021\"\n";

fn with_manifest(manifest: &str, source: &str, without: &[u32]) -> ProbedSources {
    let files = [("Cargo.toml", manifest), ("src/lib.rs", source)];
    let root = ProbeSourceRoot {
        label: String::new(),
        files: files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(),
    };
    let without: BTreeSet<_> = without.iter().map(|line| (0, "src/lib.rs".to_owned(), *line)).collect();
    instrument(&[root], &without, &PriceList::shipped())
}

fn probed(source: &str) -> ProbedSources {
    with_manifest(MANIFEST, source, &[])
}

fn text(probed: &ProbedSources) -> &str {
    &probed.files[0]["src/lib.rs"]
}

fn named<'p>(probed: &'p ProbedSources, name: &str) -> &'p ProbeFunction {
    probed.table.functions.iter().find(|f| f.name == name).unwrap()
}

/// The text without the inserted probes.
fn without_probes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("::lito_probe::") {
        let head = rest[..at].strip_suffix("let _lito_probe=");
        let head = head.unwrap_or(&rest[..at]);
        let close = at + rest[at..].find(')').unwrap() + 1;
        rest = &rest[close..];
        rest = rest.strip_prefix(';').unwrap_or(rest);
        // A repeated condition also occurs behind the probe.
        let repeated = head.rfind("#[cfg(").filter(|at| rest.starts_with(&head[*at..]));
        out.push_str(&head[..repeated.unwrap_or(head.len())]);
    }
    out.push_str(rest);
    out
}

/// Tokens without brackets and the marks of a pair.
fn skeleton(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !"(){},.01;".contains(*c))
        .collect()
}

#[test]
fn statements_branches_and_closures_are_counted_where_they_run() {
    let source = "fn f(xs: &[u32]) -> u32 {\n    let n = 1;\n    if g(n) > 2 { h() } else { 3 };\n    \
                  xs.iter().map(|x| x + n).sum()\n}\n";
    let expected = "fn f(xs: &[u32]) -> u32 {\n    \
        let _lito_probe=::lito_probe::f(0);::lito_probe::p(1,5);let n = 1;\n    \
        if g(n) > 2 { ::lito_probe::p(2,1);h() } else { ::lito_probe::p(3,1);3 };\n    \
        ::lito_probe::p(4,8);xs.iter().map(|x| {let _lito_probe=::lito_probe::f(1);::lito_probe::p(5,2);x + n}).sum()\n}\n";
    assert_eq!(text(&probed(source)), expected);
}

#[test]
fn what_follows_a_question_mark_is_counted_by_itself_and_keeps_its_temporaries() {
    let source = "fn f() -> Option<u32> { Some(a()?.b()? + c()?) }\n";
    let found = probed(source);
    let out = text(&found);
    assert!(out.contains("((a()?,::lito_probe::p(2,"), "{out}");
    assert!(out.contains(").0.b()?,::lito_probe::p(3,"), "{out}");
    let last = probed("fn f() -> Option<u32> { let x = a()?; Some(x.b()?) }\n");
    assert!(!text(&last).contains(").0"), "{}", text(&last));
}

#[test]
fn places_stay_places() {
    let source = "fn f(mut self) { while let Some(ref mut x) = self.next { x.go() } while let Some(y) = p() {} }\n";
    let found = probed(source);
    let out = text(&found);
    assert!(out.contains("= self.next {"), "{out}");
    assert!(out.contains("= (::lito_probe::p("), "{out}");
}

#[test]
fn a_statement_that_a_condition_leaves_out_takes_its_probe_with_it() {
    let source = "fn f() -> bool {\n    #[cfg(a)]\n    {\n        g()\n    }\n    #[cfg(not(\na,\n))]\n    {\n        \
                  false\n    }\n}\n";
    let found = probed(source);
    let out = text(&found);
    assert!(out.contains("#[cfg(not( a, ))]::lito_probe::p("), "{out}");
    assert!(out.contains("#[cfg(a)]::lito_probe::p("), "{out}");
}

#[test]
fn constants_and_const_functions_hold_no_probe() {
    let source = "const N: usize = g();\nstatic F: fn() -> u32 = || 3;\nconst fn g() -> usize { if true { 1 } else { 2 } }\n\
                  fn h() { let x = [0; { 1 + 2 }]; const M: usize = { 3 }; }\n";
    let found = probed(source);
    let out = text(&found);
    assert_eq!(
        out.lines().take(3).collect::<Vec<_>>(),
        source.lines().take(3).collect::<Vec<_>>()
    );
    assert!(out.contains("[0; { 1 + 2 }]; const M: usize = { 3 };"), "{out}");
    assert_eq!(
        named(&found, "k::g").how,
        ProbeMode::Not("a const function cannot hold probes")
    );
}

#[test]
fn functions_have_the_names_that_the_syntax_model_gives_them() {
    let source = "mod m { impl<T> super::X<T> for [T] { fn a(&self) { fn inner() {} let c = |x| move || x; } } }\n\
                  trait T { fn given(&self) {} fn wanted(&self); }\nimpl fmt::Display for Thing<'_> { fn fmt(&self) {} }\n\
                  async fn later() {}\n";
    let names: Vec<String> = probed(source)
        .table
        .functions
        .into_iter()
        .map(|f| {
            format!(
                "{}{}",
                f.name,
                if f.how == ProbeMode::Frameless {
                    " frameless"
                } else {
                    ""
                }
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            "k::m::[T]::a",
            "k::m::[T]::a::{closure}",
            "k::m::[T]::a::{closure}::{closure}",
            "k::m::[T]::a::inner",
            "k::T::given",
            "k::Thing::fmt",
            "k::later frameless",
        ]
    );
}

#[test]
fn a_function_on_an_avoided_line_has_no_probe_and_its_neighbours_have() {
    let source = "fn a() {\n    x();\n}\nfn b() {\n    y();\n}\n";
    let found = with_manifest(MANIFEST, source, &[5]);
    assert!(text(&found).contains("x();") && text(&found).ends_with("fn b() {\n    y();\n}\n"));
    assert!(matches!(named(&found, "k::b").how, ProbeMode::Not(_)));
    let outside = with_manifest(MANIFEST, "use a::b;\nfn a() {\n    x();\n}\n", &[1]);
    assert!(outside.files[0].is_empty(), "the whole file goes without");
}

#[test]
fn the_2015_edition_gets_its_extern_crate_and_macros_that_run_in_the_compiler_get_nothing() {
    let old = "[package]\nname = \"k\"\n";
    let source = "//! Words.\n#![no_std]\n\n/// More.\nfn f() {}\n";
    let found = with_manifest(old, source, &[]);
    assert!(
        text(&found).contains("extern crate lito_probe;fn f()"),
        "{}",
        text(&found)
    );
    let macros = format!("{MANIFEST}[lib]\nproc-macro = true\n");
    assert!(with_manifest(&macros, source, &[]).files[0].is_empty());
}

#[test]
fn routines_of_benchmark_frameworks_are_known() {
    let source = "fn b(c: &mut C) { c.bench_function(\"x\", |b| b.iter_batched(|| setup(), |v| work(v), S)); \
                  c.bench_function(\"y\", |b| b.iter(plain)); }\n#[divan::bench]\nfn d() {}\n";
    let found = probed(source);
    let routines: Vec<u32> = (0u32..)
        .zip(&found.table.functions)
        .filter(|(_, f)| f.routine)
        .map(|(index, _)| index)
        .collect();
    // Outer closure, set-up, routine, the second outer closure, then `d`.
    assert_eq!(routines, [3, 5]);
    assert_eq!(found.table.routines, ["plain"]);
}

#[test]
fn calls_are_named_as_far_as_the_source_shows() {
    let source = "use std::collections::BTreeMap as Map;\nfn f(mut m: Map<u32, u32>, g: fn()) { let v = Vec::new(); \
                  v.push(1); m.insert(1, 2); Map::new(); g(); crate::m::h(); \"a\".len(); }\n";
    let found = probed(source);
    let sites: Vec<&str> = found
        .table
        .regions
        .iter()
        .flat_map(|region| &region.sites)
        .map(|site| site.full_name.as_str())
        .collect();
    assert_eq!(
        sites,
        [
            "alloc::vec::Vec::new",
            "alloc::vec::Vec::push",
            "std::collections::BTreeMap::insert",
            "std::collections::BTreeMap::new",
            "g",
            "k::m::h",
            "str::len"
        ]
    );
}

/// Every Rust source of this workspace.
fn sources() -> Vec<(String, String)> {
    fn collect(folder: &std::path::Path, found: &mut Vec<(String, String)>) {
        #[allow(clippy::disallowed_methods)]
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                collect(&path, found);
            } else if name.ends_with(".rs") {
                #[allow(clippy::disallowed_methods)]
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
    let mut found = Vec::new();
    collect(
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")),
        &mut found,
    );
    found
}

#[test]
fn every_source_here_parses_with_probes_and_is_itself_without_them() {
    let mut seen = 0;
    for (path, source) in sources() {
        let found = probed(&source);
        let Some(changed) = found.files[0].get("src/lib.rs") else {
            continue;
        };
        seen += 1;
        assert!(
            syn::parse_file(changed).is_ok(),
            "{path}: {:?}",
            syn::parse_file(changed).err()
        );
        assert_eq!(changed.lines().count(), source.lines().count(), "{path}");
        for (before, after) in source.lines().zip(changed.lines()) {
            // Skips sources about the probes themselves.
            if before.contains("lito_probe") {
                continue;
            }
            assert_eq!(skeleton(&without_probes(after)), skeleton(before), "{path}");
        }
    }
    assert!(seen > 200);
}

proptest! {
    #[test]
    fn any_text_is_left_alone_or_parses_with_probes(
        source in "(fn|let|if|while|match|\\?|\\(|\\)|\\{|\\}|;|,|=>|&&|x|y\\(\\)|\\|x\\||#\\[cfg\\(a\\)\\]|é|//é\n| |\n){0,60}",
    ) {
        let wrapped = format!("fn f() {{ {source} }}");
        for source in [source, wrapped] {
            let found = probed(&source);
            if let Some(changed) = found.files[0].get("src/lib.rs") {
                prop_assert!(syn::parse_file(changed).is_ok(), "{}", changed);
            }
        }
    }
}

#[test]
fn files_of_no_package_stay_as_they_are() {
    let files = BTreeMap::from([("src/lib.rs".to_owned(), "fn f() {}".to_owned())]);
    let root = ProbeSourceRoot {
        label: String::new(),
        files,
    };
    assert!(instrument(&[root], &BTreeSet::new(), &PriceList::shipped()).files[0].is_empty());
}
