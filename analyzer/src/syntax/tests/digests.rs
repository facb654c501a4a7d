//! Edits of a source and whether they change digests, signatures and blocks.

use std::sync::Arc;

use super::{python, rust};
use crate::syntax::{LineRange, SourceFile, SyntaxBlock, TokenDigest, dump};

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
fn casts_to_the_type_that_is_there_anyway_leave_digests_alone() {
    same(
        "fn f(a: u8) -> u64 { let c: u32 = b; g(d[i], a) + E { e: i }.e + c; if i { return e } e }",
        "fn f(a: u8) -> u64 { let c: u32 = (b as u32); g(d[i as usize], a as u8) + E { e: i as u8 }.e + c as u32; if i { return e as u64 } (e as u64) }",
    );
    same(
        "cfg_if! { if #[cfg(c)] { fn g(a: u8) { h(a, i) } } }",
        "cfg_if! { if #[cfg(c)] { fn g(a: u8) { h(a as u8, (i)) } } }",
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
fn casts_that_may_choose_something_are_in_digests_and_not_in_texts() {
    for (before, after) in [
        ("fn f(a: u8) { g(a as u16) }", "fn f(a: u8) { g(a) }"),
        (
            "fn f(a: u8) { for b in 0..a as u16 {} }",
            "fn f(a: u8) { for b in 0..a {} }",
        ),
        ("fn f(a: u8) { g(|a| a as u8) }", "fn f(a: u8) { g(|a| a) }"),
        (
            "fn f(a: u8) { let a = a + b; g(a as u8) }",
            "fn f(a: u8) { let a = a + b; g(a) }",
        ),
        (
            "fn f() -> u8 { g(|| return a as u8) }",
            "fn f() -> u8 { g(|| return a) }",
        ),
        ("fn f(a: u8) { b[i as u8] }", "fn f(a: u8) { b[i] }"),
    ] {
        different(before, after);
        assert_eq!(model(before), model(after));
    }
    different("fn f(a: u8) { (a as u16).g() }", "fn f(a: u8) { (a as u32).g() }");
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
    different(
        "fn f(a: A) { loop { g(a) } }",
        "fn f(a: A) { loop { let mut a = a; g(a) } }",
    );
    different(
        "fn f(a: A) { g(|| h(a)) }",
        "fn f(a: A) { g(|| { let mut a = a; h(a) }) }",
    );
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

/// The blocks of the first function of a source, without its lines.
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
    // No call evaluates the types.
    assert_eq!(signature("def f(a: int): pass\n"), signature("def f(a: str): pass\n"));
    assert_ne!(
        signature("def f(a: int): pass\n"),
        signature("def f(a: int = 3): pass\n")
    );
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
