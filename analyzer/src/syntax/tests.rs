#![allow(clippy::unwrap_used, clippy::disallowed_methods)]
//! Behaviour of the front ends: fixtures under tests/data/syntax (a source and the dump of its model beside
//! it), digests, limits, the cache.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::sources::{Blob, ContentId, SourceContent};

fn rust(source: &str) -> SourceFile {
    SourceParser::default().parse("src/a.rs", source.as_bytes())
}

fn python(source: &str) -> SourceFile {
    SourceParser::default().parse("a.py", source.as_bytes())
}

/// Compares each source of a folder with the `.model` beside it; `UPDATE_MODELS=1` writes them anew.
fn compare_fixtures(folder: &str, extension: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data/syntax")
        .join(folder);
    let mut sources: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    sources.retain(|path| path.extension().is_some_and(|found| found == extension));
    sources.sort();
    assert!(!sources.is_empty());
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

#[test]
fn rust_sources_give_their_models() {
    compare_fixtures("rust", "rs");
}

#[test]
fn python_sources_give_their_models() {
    compare_fixtures("python", "py");
}

fn digests(file: &SourceFile) -> Vec<TokenDigest> {
    file.functions
        .iter()
        .map(|function| function.digest)
        .chain(file.items.iter().map(|item| item.digest))
        .collect()
}

#[track_caller]
fn same(before: &str, after: &str) {
    assert_eq!(digests(&rust(before)), digests(&rust(after)));
}

#[track_caller]
fn different(before: &str, after: &str) {
    assert_ne!(digests(&rust(before)), digests(&rust(after)));
}

#[test]
fn formatting_comments_and_documentation_leave_digests_alone() {
    same(
        "fn f(a: u8) { g(a, 1_000) }",
        "/// Doc.\nfn f(\n    a: u8,\n) {\n    // why\n    g(a, 1000,)\n}",
    );
    same(
        "struct A { x: u8 }",
        "/** Doc */ pub struct A {\n  /// The x.\n  pub(crate) x: u8,\n}",
    );
    same("const A: [u8; 2] = [1, 2];", "pub const A: [u8; 2] = [\n    1, 2,\n];");
}

#[test]
fn names_visibility_lints_and_derives_leave_digests_alone() {
    same("fn f() { g() }", "#[allow(dead_code)] #[must_use] pub fn h() { g() }");
    same("struct A;", "#[derive(Debug, Clone)] struct A;");
    same(
        "#[derive(Clone, Hash)] struct A { a: u8 }",
        "#[cfg_attr(b, derive(C), non_exhaustive)] pub struct A { #[doc(hidden)] a: u8 }",
    );
    same(
        "trait A { fn f(); }",
        "trait A { #[must_use] #[deprecated(note = \"\")] fn f(); }",
    );
}

#[test]
fn the_names_of_the_standard_library_are_one() {
    same(
        "type A = std::b::B; fn f() { std::mem::take(c) }",
        "type A = ::core::b::B; fn f() { ::alloc::mem::take(c) }",
    );
    same(
        "fn f() { m!(std::A) } impl ::std::fmt::Debug for A {}",
        "fn f() { m!(core::A) } impl core::fmt::Debug for A {}",
    );
    different("fn f() { std::A }", "fn f() { A }");
    different("fn f() { b::core::A }", "fn f() { b::alloc::A }");
    different("fn f() { $crate::core::A }", "fn f() { $crate::alloc::A }");
    different("fn f() { core }", "fn f() { alloc }");
}

#[test]
fn lifetimes_and_what_binds_callers_alone_leave_digests_alone() {
    same(
        "fn f<T: A>(a: &T, b: B) -> &C { 'd: loop { break 'd } }",
        "const unsafe fn f<'a, T: ?Sized + A + 'a>(mut a: &'a T, b: B<'a>) -> &'a C where 'a: 'static { 'd: loop { break 'd } }",
    );
    same(
        "struct A<T> { a: &T, b: Box<dyn Fn(&B)> } impl C for A {}",
        "struct A<'a, T> where T: 'a { a: &'a T, b: Box<dyn for<'b> Fn(&'b B) + 'a> } unsafe impl<'a> C for A<'a> {}",
    );
    different("fn f<T: A>() {}", "fn f<T: ?Sized>() {}");
    different("fn f() {}", "extern \"C\" fn f() {}");
    different("fn f(a: &A) {}", "fn f(a: &mut A) {}");
    different(
        "fn f() { 'a: loop { 'b: loop { break 'a } } }",
        "fn f() { 'a: loop { 'b: loop { break 'b } } }",
    );
    different("fn f() { g('a') }", "fn f() { g('b') }");
}

#[test]
fn casts_between_integers_leave_digests_alone() {
    same(
        "fn f(a: u8) { g(b[a] + (c & d) * e) }",
        "fn f(a: u8) { g((b[a as usize] + (c & d) as u32 * e as u32) as u64) }",
    );
    same(
        "fn f(a: u8) { vec![a; b] } cfg_if! { if #[cfg(c)] { fn g(a: u8) { h(a, i) } } }",
        "fn f(a: u8) { vec![a as u32; (b)] } cfg_if! { if #[cfg(c)] { fn g(a: u8) { h(a as usize, (i)) } } }",
    );
    different("fn f(a: u8) { a as f32 }", "fn f(a: u8) { a }");
    different("fn f(a: f32) { a as u8 }", "fn f(a: f32) { a }");
    different("fn f(a: A) { a.b(1.5) as u8 }", "fn f(a: A) { a.b(1.5) }");
    different("fn f(a: u32) { b[a as u8 as usize] }", "fn f(a: u32) { b[a as usize] }");
    different(
        "fn f(a: u32) { b[(a as u8) as usize] }",
        "fn f(a: u32) { b[(a as u16) as usize] }",
    );
    different("fn f(a: u8) { a as u128 }", "fn f(a: u8) { a }");
    different("fn f(a: u8) { a as B }", "fn f(a: u8) { a }");
    different("fn f() { (a + b) as u8 * c }", "fn f() { a + b as u8 * c }");
}

#[test]
fn parentheses_without_a_meaning_leave_digests_alone() {
    same(
        "fn f() { let x = a + b; if a < b { return a + b } g(a + b, c[a + b], |x| x + a); x = a + b; (a + b) * -c.d }",
        "fn f() { let x = (a + b); if (a < b) { return ((a + b)) } g((a + b), (c)[(a + b)], |x| (x + a)); x = (a + b); ((a + b) * -(c.d)) }",
    );
    different("fn f() { (a + b) * c }", "fn f() { a + b * c }");
    different("fn f() { (a + b) as f32 }", "fn f() { a + b as f32 }");
    different("fn f() { (self.f)(a) }", "fn f() { self.f(a) }");
    different("fn f() { -(1 + a) }", "fn f() { -1 + a }");
    different("fn f() { (a..b).c() }", "fn f() { a..b.c() }");
    different("fn f() { (a,) }", "fn f() { (a) }");
    different("fn f() { if let a = (b && c) {} }", "fn f() { if let a = b && c {} }");
}

#[test]
fn a_local_bound_to_itself_leaves_digests_alone() {
    same("fn f(a: A) { g(a) }", "fn f(a: A) { let a = a; let mut a = a; g(a) }");
    different("fn f(a: A) { g(a) }", "fn f(a: A) { let b = a; g(a) }");
    different("fn f(a: A) { g(a) }", "fn f(a: A) { let ref a = a; g(a) }");
    different("fn f(a: A) { g(a) }", "fn f(a: A) { let a: B = a; g(a) }");
}

#[test]
fn checks_of_debug_builds_leave_digests_alone() {
    same(
        "fn f(a: A) -> u8 { match a { _ => {} } g() }",
        "fn f(a: A) -> u8 { debug_assert!(h(a) != 0, \"{a}\"); match a { _ => { std::debug_assert_eq!(a, b()) } } debug_assert_ne!(a, b); g() }",
    );
    different("fn f() {}", "fn f() { assert!(a()) }");
}

/// What the first function of a source does, without its lines.
fn model(source: &str) -> Vec<SyntaxBlock> {
    let mut file = rust(source);
    let function = Arc::make_mut(&mut file.functions[0]);
    for block in &mut function.blocks {
        block.lines = LineRange { first: 0, last: 0 };
    }
    function.blocks.clone()
}

#[test]
fn a_negated_condition_turns_its_two_blocks_round() {
    let plain = model("fn f() { if a == b.c() { d() } else { e() } }");
    for turned in [
        "fn f() { if a != b.c() { e() } else { d() } }",
        "fn f() { if !(a == b.c()) { e() } else { d() } }",
        "fn f() { if !(a != b.c()) { d() } else { e() } }",
    ] {
        assert_eq!(model(turned), plain, "{turned}");
    }
    assert_eq!(
        model("fn f() { if !a.b() { d() } else { e() } }"),
        model("fn f() { if a.b() { e() } else { d() } }")
    );
    for other in [
        "fn f() { if a == b.c() { e() } else { d() } }",
        "fn f() { if a != b.c() { d() } else { e() } }",
        "fn f() { if a != b.c() { e() } else if g { d() } }",
        "fn f() { if a != b.c() { e() } d() }",
        "fn f() { if a != b.c() { e() } else {} }",
    ] {
        assert_ne!(model(other), plain, "{other}");
    }
    assert_eq!(
        model("fn f() { if !a { b() } else { debug_assert!(c()); } }"),
        model("fn f() { if !a { b() } }")
    );
    different(
        "fn f() { if a != b { d() } else { e() } }",
        "fn f() { if a == b { d() } else { e() } }",
    );
}

#[test]
fn blocks_that_are_turned_round_keep_their_lines() {
    let file = rust("fn f() {\n if !a {\n  b();\n } else {\n  c();\n }\n}");
    let lines: Vec<_> = file.functions[0]
        .blocks
        .iter()
        .map(|block| (block.lines.first, block.lines.last))
        .collect();
    assert_eq!(lines, [(1, 7), (4, 6), (2, 4)]);
}

#[test]
fn code_attributes_signatures_values_and_derives_change_digests() {
    different("fn f() { g(1) }", "fn f() { g(2) }");
    different("fn f() { g() }", "#[inline] fn f() { g() }");
    different("fn f(a: u8) {}", "fn f(a: u16) {}");
    different("const A: u8 = 1;", "const A: u8 = 2;");
    different("struct A { x: u8 }", "struct A { x: u16 }");
    different("struct A;", "#[repr(C)] struct A;");
    different("struct A;", "#[cfg_attr(b, repr(C))] struct A;");
    different("trait A { fn f(); }", "trait A: B { fn f(); }");
    different("impl A for B {}", "impl<T> A for B {}");
    different("macro_rules! m { () => { 1 } }", "macro_rules! m { () => { 2 } }");
    different("fn f() -> (u8,) { (1,) }", "fn f() -> (u8,) { (1) }");
}

#[test]
fn bodies_of_methods_are_not_part_of_their_implementation_or_trait() {
    let items = |source| rust(source).items.iter().map(|item| item.digest).collect::<Vec<_>>();
    assert_eq!(
        items("impl A { fn f() { 1 } }"),
        items("impl A { fn f() { 2 } fn g() {} }")
    );
    assert_eq!(items("trait A { fn f() { 1 } }"), items("trait A { fn f() { 2 } }"));
    assert_ne!(items("trait A { fn f(); }"), items("trait A { fn f(a: u8); }"));
    let class = |source| python(source).items.iter().map(|item| item.digest).collect::<Vec<_>>();
    assert_eq!(
        class("class A:\n  def f(self): return 1\n"),
        class("class A:\n  def f(self): return 2\n")
    );
    assert_ne!(class("class A:\n  pass\n"), class("class A(B):\n  pass\n"));
}

#[test]
fn a_signature_is_types_not_names_of_parameters() {
    let signature = |source| rust(source).functions[0].signature;
    assert_eq!(
        signature("fn f(a: u8) -> u8 { a }"),
        signature("pub fn g(b: u8) -> u8 { b + 1 }")
    );
    assert_eq!(
        signature("impl A { fn f(self) {} }"),
        signature("impl A { fn f(mut self) {} }")
    );
    assert_ne!(signature("fn f(a: u8) {}"), signature("fn f(a: &u8) {}"));
    assert_ne!(signature("fn f() {}"), signature("async fn f() {}"));
    assert_eq!(
        signature("fn f<T>(a: &T) {}"),
        signature("const unsafe fn f<'a, T: ?Sized>(mut a: &'a T) {}")
    );
    assert_ne!(signature("fn f<T>() {}"), signature("fn f<T>() where T: Clone {}"));
    let signature = |source| python(source).functions[0].signature;
    assert_eq!(
        signature("def f(a: int): pass\n"),
        signature("def g(b: int): return 1\n")
    );
    assert_ne!(signature("def f(a: int): pass\n"), signature("def f(a: str): pass\n"));
}

#[test]
fn renamed_locals_differ_only_behind_their_mark() {
    let unnamed = |source: &str| {
        let renamed = dump(&rust(source));
        renamed
            .replace("~alpha", "~x")
            .replace("~beta", "~x")
            .replace("where alpha", "where x")
            .replace("where beta", "where x")
    };
    let source = "fn f() { let alpha = Vec::new(); for i in alpha.iter() { g(&alpha[i], alpha.len(), S { alpha: 1 }); println!(\"{alpha}\"); } }";
    let after = source.replace("alpha", "beta").replace("S { beta", "S { alpha");
    assert_eq!(unnamed(source), unnamed(&after));
}

#[test]
fn python_layout_is_part_of_the_digest_and_documentation_is_not() {
    let digest = |source| python(source).functions[0].digest;
    assert_ne!(
        digest("def f(a):\n    for x in a:\n        g()\n        h()\n"),
        digest("def f(a):\n    for x in a:\n        g()\n    h()\n")
    );
    assert_eq!(
        digest("def f(a):\n    g(a)\n"),
        digest("def f(\n        a):\n    '''Documentation.'''\n    # why\n    g( a, )\n")
    );
}

#[test]
fn paths_tell_language_and_test_code() {
    assert_eq!(language_of("src/a.rs"), Some(Language::Rust));
    assert_eq!(language_of("a/b.py"), Some(Language::Python));
    assert_eq!(language_of("Cargo.toml"), None);
    assert_eq!(language_of("rs"), None);
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

fn blob(id: u8, source: &str) -> Blob {
    Blob {
        id: ContentId([id; 20]),
        content: SourceContent::Bytes(source.as_bytes().into()),
    }
}

#[test]
fn the_cache_parses_a_content_once_per_kind_of_path() {
    let cache = ParseCache::default();
    let first = cache.get("src/a.rs", &blob(1, "fn f() {}"));
    assert!(Arc::ptr_eq(&first, &cache.get("src/b.rs", &blob(1, "fn f() {}"))));
    let test = cache.get("tests/a.rs", &blob(1, "fn f() {}"));
    assert!(test.functions[0].test_only && !first.functions[0].test_only);
}

#[test]
fn the_cache_forgets_what_was_not_used_for_longest() {
    let cache = ParseCache::new(SourceParser::default(), 25);
    let first = cache.get("a.rs", &blob(1, "fn a() {}"));
    let second = cache.get("a.rs", &blob(2, "fn b() {}"));
    assert!(Arc::ptr_eq(&first, &cache.get("a.rs", &blob(1, "fn a() {}"))));
    let _ = cache.get("a.rs", &blob(3, "fn c() {}"));
    assert!(Arc::ptr_eq(&first, &cache.get("a.rs", &blob(1, "fn a() {}"))));
    assert!(!Arc::ptr_eq(&second, &cache.get("a.rs", &blob(2, "fn b() {}"))));
}

#[test]
fn the_cache_says_why_a_content_has_no_functions() {
    let cache = ParseCache::default();
    let get = |content| {
        cache.get(
            "a.rs",
            &Blob {
                id: ContentId([0; 20]),
                content,
            },
        )
    };
    assert!(only_problem(&get(SourceContent::TooLarge(30_000_000))).starts_with("too large: 30000000 bytes"));
    assert_eq!(only_problem(&get(SourceContent::SymbolicLink)), "a symbolic link");
    assert_eq!(only_problem(&get(SourceContent::Submodule)), "a submodule");
}

/// This crate's own sources.
fn own_sources() -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, sources: &mut Vec<(PathBuf, String)>) {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                collect(&path, sources);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                sources.push((path, text));
            }
        }
    }
    let mut sources = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut sources);
    sources
}

#[test]
fn all_own_sources_are_read_in_full() {
    for (path, text) in own_sources() {
        let file = rust(&text);
        assert!(file.problems.is_empty(), "{}: {:?}", path.display(), file.problems);
    }
}

/// What both front ends should agree on: names of functions, calls in order, kinds of blocks.
fn outline(file: &SourceFile) -> Vec<String> {
    let mut lines = Vec::new();
    for function in &file.functions {
        lines.push(format!("fn {}", function.path.join("::")));
        for block in &function.blocks {
            lines.push(format!("{:?}", block.kind));
            lines.extend(block.head.iter().chain(&block.nodes).filter_map(|node| match node {
                SyntaxNode::Call(call) => Some(format!("call {} {:?}", call.callee.name, call.callee.form)),
                _ => None,
            }));
        }
    }
    lines
}

/// Lines in common, in order (longest common subsequence by imara-diff), and lines in all.
fn agreement(source: &str) -> (usize, usize) {
    let exact = outline(&rust(source)).join("\n") + "\n";
    let lexed = crate::syntax::rust::tolerant_for_comparison(source);
    let tolerant = outline(&lexed).join("\n") + "\n";
    let input = imara_diff::InternedInput::new(exact.as_str(), tolerant.as_str());
    let diff = imara_diff::Diff::compute(imara_diff::Algorithm::Histogram, &input);
    let (removed, added) = (diff.count_removals() as usize, diff.count_additions() as usize);
    (exact.lines().count() - removed, exact.lines().count() + added)
}

#[test]
fn both_rust_front_ends_agree_on_own_sources() {
    let (mut agreed, mut all) = (0, 0);
    for (_, text) in own_sources() {
        let (same, lines) = agreement(&text);
        agreed += same;
        all += lines;
    }
    assert!(agreed * 100 >= all * 95, "{agreed} of {all}");
}

/// Over any sources: `LITO_CORPUS=DIR cargo test -p lito-analyzer agreement_over_a_corpus -- --ignored --nocapture`.
#[test]
#[ignore = "needs a folder of sources"]
#[allow(clippy::print_stderr)]
fn agreement_over_a_corpus() {
    let folder = std::env::var("LITO_CORPUS").unwrap();
    let (mut agreed, mut all) = (0, 0);
    let mut worst = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        if !rust(&text).problems.is_empty() {
            continue;
        }
        let (same, lines) = agreement(&text);
        agreed += same;
        all += lines;
        worst.push((lines - same, lines, path));
    }
    worst.sort();
    eprintln!(
        "{agreed} of {all} lines agree; worst {:?}",
        &worst[worst.len().saturating_sub(5)..]
    );
    assert!(agreed * 100 >= all * 90);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = SourceParser::default().parse("a.rs", &bytes);
        let _ = SourceParser::default().parse("a.py", &bytes);
    }

    #[test]
    fn random_tokens_never_panic(words in prop::collection::vec(prop::sample::select(vec![
        "fn", "f", "(", ")", "{", "}", "[", "]", "<", ">", "if", "else", "match", "=>", ",", ";", "'", "\"", "r#\"",
        "/*", "*/", "//", "\n", "impl", "for", "in", "let", "=", "|", "||", "&&", "!", "#", "x", "1", ".", "..", "::",
        "def", "class", ":", "    ", "lambda", "return", "ä", "\0", "macro_rules", "$", "?", "'a", "b'", "0x", "1e",
    ]), 0..120), glue in prop::sample::select(vec!["", " "])) {
        let source = words.join(glue);
        let _ = SourceParser::default().parse("a.rs", source.as_bytes());
        let _ = SourceParser::default().parse("a.py", source.as_bytes());
    }

    #[test]
    fn mutated_sources_never_panic(pick in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), cut in 0_usize..200, insert in ".{0,6}") {
        let sources = own_sources();
        let mut bytes = pick.get(&sources).1.clone().into_bytes();
        let start = at.index(bytes.len() + 1);
        let end = (start + cut).min(bytes.len());
        bytes.splice(start..end, insert.bytes());
        let file = SourceParser::default().parse("a.rs", &bytes);
        for function in &file.functions {
            prop_assert!(function.lines.first <= function.lines.last);
            prop_assert_eq!(function.body().kind, BlockKind::Body);
        }
    }
}
