//! The parse cache: which contents it parses, keeps and refuses.

use std::sync::Arc;

use super::only_problem;
use crate::sources::{Blob, ContentId, SourceContent};
use crate::syntax::{ParseCache, SourceParser};

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
    assert_eq!(
        only_problem(&get(SourceContent::SymbolicLink("a.rs".into()))),
        "a symbolic link"
    );
    assert_eq!(only_problem(&get(SourceContent::Submodule)), "a submodule");
}
