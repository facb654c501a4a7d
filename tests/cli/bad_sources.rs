//! Versions that cannot be read as the source of a Rust program: each is scored, and what was not analysed is
//! named.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::Value;

use super::repository::TestRepository;

const OTHER_SUM: &str = "pub fn sum(of: &[u64]) -> u64 {\n    of.iter().copied().filter(|n| *n > 0).sum()\n}\n";

/// The one version that HEAD is, as JSON.
#[track_caller]
fn scored(repository: &TestRepository) -> Value {
    let answer = repository.lito(&["score", "--format", "json"]);
    let mut report: Value = serde_json::from_str(answer.output()).unwrap();
    report["versions"][0].take()
}

/// Asserts that the version is worth a benchmark, and that this file was not analysed for this reason.
#[track_caller]
fn is_degraded(version: &Value, file: &str, why: &str) {
    let degraded = version["degraded"].as_array().unwrap();
    assert!(
        degraded
            .iter()
            .any(|entry| entry["file"] == file && entry["why"].as_str().unwrap().contains(why)),
        "{version:#}"
    );
    assert_eq!(version["decision"], "benchmark", "{version:#}");
}

#[test]
fn a_merge_is_compared_with_its_first_parent() {
    let repository = TestRepository::with_library();
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    repository.write("src/lib.rs", OTHER_SUM);
    repository.commit("side");
    repository.git(&["checkout", "--quiet", "main"]);
    repository.write("notes.md", "notes\n");
    let first = repository.commit("main goes on");
    repository.git(&["merge", "--quiet", "--no-edit", "side"]);
    let version = scored(&repository);
    assert_eq!(version["parent"], first.as_str());
    assert_eq!(version["changes"][0]["function"], "sum::sum", "{version:#}");
    // Commits of the side branch are not versions.
    let range = repository.lito(&["score", "HEAD~2..HEAD"]);
    assert!(range.output().contains("2 versions:"), "{range:#?}");
}

#[test]
fn a_submodule_that_is_not_here_is_named_and_counts_as_a_risk() {
    let library = TestRepository::with_library();
    let repository = TestRepository::with_library();
    let url = library.path().to_str().unwrap();
    repository.git(&["submodule", "--quiet", "add", url, "vendored"]);
    repository.commit("vendored");
    library.write("src/lib.rs", OTHER_SUM);
    library.commit("moves on");
    repository.git(&["-C", "vendored", "pull", "--quiet"]);
    repository.commit("newer");
    assert_eq!(scored(&repository)["changes"][0]["file"], "vendored/src/lib.rs");
    std::fs::remove_dir_all(repository.file(".git/modules")).unwrap();
    is_degraded(&scored(&repository), "vendored", "submodule");
    repository.git(&["reset", "--quiet", "HEAD~1"]);
    is_degraded(&scored(&repository), "vendored", "submodule");
}

#[test]
fn a_symbolic_link_is_named_and_not_followed() {
    let repository = TestRepository::with_library();
    std::os::unix::fs::symlink("/etc/passwd", repository.file("src/outside.rs")).unwrap();
    repository.commit("a link");
    is_degraded(&scored(&repository), "src/outside.rs", "symbolic link");
}

#[test]
fn a_path_that_is_not_utf_8_is_read_and_shown_with_a_replacement() {
    let repository = TestRepository::with_library();
    let path = repository.path().join(OsStr::from_bytes(b"src/na\xefve.rs"));
    let manifest = fs::read_to_string(repository.file("Cargo.toml")).unwrap();
    repository.write("src/lib.rs", "#[path = \"na\u{fffd}ve.rs\"]\npub mod naive;\n");
    fs::write(&path, "pub fn f() -> u8 {\n    1\n}\n").unwrap();
    repository.write("Cargo.toml", &manifest);
    repository.commit("one");
    fs::write(&path, "pub fn f() -> u8 {\n    g()\n}\nfn g() -> u8 {\n    2\n}\n").unwrap();
    repository.commit("two");
    let version = scored(&repository);
    assert_eq!(version["changes"][0]["file"], "src/na\u{fffd}ve.rs", "{version:#}");
    repository.lito(&["score", "--explain"]).output();
    repository.lito(&["score", "--format", "markdown"]).output();
}

#[test]
fn a_source_that_is_not_utf_8_is_read_with_replacements_and_named() {
    let repository = TestRepository::with_library();
    let latin = b"/// caf\xe9\npub fn sum(of: &[u64]) -> u64 {\n    of.iter().copied().sum()\n}\n";
    fs::write(repository.file("src/lib.rs"), latin).unwrap();
    repository.commit("latin 1");
    let version = scored(&repository);
    is_degraded(&version, "src/lib.rs", "not UTF-8");
    assert!(!version["changes"].as_array().unwrap().is_empty(), "{version:#}");
}

#[test]
fn a_generated_file_of_twenty_megabytes_is_named_and_not_read() {
    let repository = TestRepository::with_library();
    let line = "pub const GENERATED: u64 = 0; // and so on, and so on, and so on, and so on\n";
    let text = line.repeat((20 << 20) / line.len() + 1);
    repository.write("src/generated.rs", &text);
    repository.commit("generated");
    is_degraded(&scored(&repository), "src/generated.rs", "too large to analyse");
    repository.write("src/generated.rs", &text[line.len()..]);
    repository.commit("generated again");
    is_degraded(&scored(&repository), "src/generated.rs", "too large to analyse");
}

#[test]
fn a_syntax_error_on_either_side_is_named_with_its_place() {
    let repository = TestRepository::with_library();
    let whole = fs::read_to_string(repository.file("src/lib.rs")).unwrap();
    repository.write("src/lib.rs", &whole.replace("of.iter()", "of.iter(("));
    repository.commit("broken");
    is_degraded(&scored(&repository), "src/lib.rs", "syntax error at 2:");
    repository.write("src/lib.rs", OTHER_SUM);
    repository.commit("mended");
    is_degraded(&scored(&repository), "src/lib.rs", "syntax error at 2:");
    let page = repository.lito(&["score"]);
    assert!(page.output().contains("not fully analysed: 1 file\n"), "{page:#?}");
}

#[test]
fn code_nested_deeper_than_any_stack_ends_no_run() {
    let repository = TestRepository::with_library();
    let (open, close) = ("(".repeat(20_000), ")".repeat(20_000));
    repository.write("src/lib.rs", &format!("pub fn sum() -> u64 {{ {open}1{close} }}\n"));
    repository.commit("nested");
    assert_eq!(scored(&repository)["decision"], "benchmark");
}

#[test]
fn a_comment_without_an_end_is_named_and_counts_as_a_risk() {
    let repository = TestRepository::with_library();
    let text = fs::read_to_string(repository.file("src/lib.rs")).unwrap();
    repository.write("src/lib.rs", &format!("{text}/* not closed\n"));
    repository.commit("a comment");
    is_degraded(&scored(&repository), "src/lib.rs", "a comment without an end");
}

#[test]
fn a_folder_below_thousands_is_named_and_the_rest_is_scored() {
    let repository = TestRepository::with_library();
    repository.write("src/lib.rs", OTHER_SUM);
    repository.git(&["add", "src/lib.rs"]);
    let blob = repository.git(&["rev-parse", ":src/lib.rs"]);
    let path = format!("{}f.rs", "a/".repeat(4_000));
    let entry = format!("100644,{},{path}", blob.trim());
    repository.git(&["update-index", "--add", "--cacheinfo", &entry]);
    repository.git(&["commit", "--quiet", "--message", "deep"]);
    let version = scored(&repository);
    let folder = ["a"; 512].join("/");
    is_degraded(&version, &folder, "nested too deeply");
    assert_eq!(version["changes"][0]["function"], "sum::sum", "{version:#}");
}

#[test]
fn a_source_that_costs_more_than_its_size_allows_is_named_and_counts_as_a_risk() {
    let repository = TestRepository::with_library();
    let nested = format!("fn f() {{ {}1{} }}\n", "g(".repeat(1_000), ")".repeat(1_000));
    repository.write("src/nested.rs", &nested.repeat(60));
    repository.commit("nested");
    is_degraded(
        &scored(&repository),
        "src/nested.rs",
        "too costly to analyse for its size",
    );
}
