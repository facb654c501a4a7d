//! Scores as they are written: a page, a range, JSON, markdown.

use serde_json::Value;

use super::repository::TestRepository;

/// Three versions: a library, one more call in it, a comment.
fn history() -> TestRepository {
    let repository = TestRepository::with_library();
    repository.write(
        "src/lib.rs",
        "pub fn sum(of: &[u64]) -> u64 {\n    check(of);\n    of.iter().sum()\n}\nfn check(of: &[u64]) {\n    \
         assert!(of.len() < 9);\n}\n",
    );
    repository.commit("checked");
    let text = std::fs::read_to_string(repository.file("src/lib.rs")).unwrap();
    repository.write("src/lib.rs", &format!("// Adds up.\n{text}"));
    repository.commit("a comment");
    repository
}

#[test]
fn without_a_sample_code_is_a_risk_and_a_comment_is_none() {
    let repository = history();
    let page = repository.lito(&["score", "HEAD~1"]);
    let page = page.output();
    assert!(page.contains("`lito sample` takes one"), "{page}");
    assert!(page.contains("benchmark"), "{page}");
    let comment = repository.lito(&["score", "HEAD"]);
    assert!(comment.output().contains("skip"), "{comment:#?}");
}

#[test]
fn a_range_is_one_line_a_version_oldest_first() {
    let repository = history();
    let first = repository.git(&["rev-parse", "HEAD~1"]);
    let range = repository.lito(&["score", "HEAD~2..HEAD"]);
    let lines: Vec<&str> = range.output().lines().collect();
    assert!(lines[0].starts_with("version"), "{range:#?}");
    assert!(
        lines[1].starts_with(&first[..10]) && lines[1].contains("benchmark"),
        "{range:#?}"
    );
    assert!(lines[2].contains("skip"), "{range:#?}");
    assert_eq!(lines.last(), Some(&"2 versions: 1 worth a benchmark (50%), 1 skipped"));
}

#[test]
fn json_is_the_contract() {
    let repository = history();
    let answer = repository.lito(&["score", "HEAD~2..HEAD", "--format", "json", "--threshold", "10%"]);
    let report: Value = serde_json::from_str(answer.output()).unwrap();
    assert_eq!(report["schema"], "lito.score/1");
    assert_eq!(report["model"], "lito");
    assert_eq!(report["threshold"], 0.1);
    let versions = report["versions"].as_array().unwrap();
    assert_eq!(versions.len(), 2);
    assert!(versions[0]["sample"].is_null());
    let change = &versions[0]["changes"][0];
    assert_eq!(change["kind"], "call_addition", "{change:#}");
    assert_eq!(change["file"], "src/lib.rs");
    assert_eq!(change["line"], 2);
    assert_eq!(versions[1]["changes"].as_array().map(Vec::len), Some(0));
}

#[test]
fn the_root_is_a_version_too() {
    let repository = history();
    let answer = repository.lito(&["score", "HEAD~2", "--format", "json"]);
    let report: Value = serde_json::from_str(answer.output()).unwrap();
    let root = &report["versions"][0];
    assert!(root["parent"].is_null());
    assert_eq!(root["reason"], "the first version: there is none to compare it with");
}

#[test]
fn markdown_is_a_table_for_a_range_and_a_section_for_a_version() {
    let repository = history();
    let range = repository.lito(&["score", "HEAD~2..HEAD", "--format", "markdown"]);
    assert_eq!(
        range.output().lines().filter(|line| line.starts_with("| ")).count(),
        3,
        "{range:#?}"
    );
    let section = repository.lito(&["score", "HEAD~1", "--format", "markdown"]);
    assert!(section.output().starts_with("### Prediction for `"), "{section:#?}");
}

#[test]
fn explain_lists_what_changed() {
    let repository = history();
    let answer = repository.lito(&["score", "HEAD~1", "--explain"]);
    let text = answer.output();
    assert!(text.contains("src/lib.rs:2") && text.contains("call added"), "{text}");
}

#[test]
fn quiet_leaves_nothing_but_the_result() {
    let repository = history();
    let loud = repository.lito(&["score", "HEAD"]);
    let quiet = repository.lito(&["--quiet", "score", "HEAD"]);
    assert_eq!(quiet.output(), loud.output());
    assert_eq!(quiet.stderr, "");
}

#[test]
fn changes_that_are_not_committed_are_named_where_head_is_scored() {
    let repository = history();
    assert_eq!(repository.lito(&["score"]).stderr, "");
    let text = std::fs::read_to_string(repository.file("src/lib.rs")).unwrap();
    repository.write("src/lib.rs", &format!("{text}// more\n"));
    let note = "uncommitted changes in 1 file are not part of HEAD: src/lib.rs\n";
    assert_eq!(repository.lito(&["score"]).stderr, note);
    assert_eq!(repository.lito(&["score", "HEAD~2..HEAD"]).stderr, note);
    assert_eq!(repository.lito(&["score", "HEAD~1"]).stderr, "", "it is not HEAD");
    assert_eq!(repository.lito(&["--quiet", "score"]).stderr, "");
    repository.git(&["checkout", "--quiet", "--", "src/lib.rs"]);
    repository.write("notes.md", "notes\n");
    repository.git(&["add", "notes.md"]);
    assert_eq!(repository.lito(&["score"]).stderr, "", "it is no source");
}

#[test]
fn a_folder_beside_litos_own_temporary_ones_is_left_alone_whatever_its_name() {
    let repository = history();
    repository.write(
        "src/lib.rs",
        "pub fn sum(of: &[u64]) -> u64 {\n    of.len() as u64\n}\n",
    );
    let temporary = tempfile::tempdir().unwrap();
    let mine = temporary.path().join("lito-mine/thesis.txt");
    std::fs::create_dir(mine.parent().unwrap()).unwrap();
    std::fs::write(&mine, "years of work").unwrap();
    let mut command = repository.command(&["score", "--uncommitted"]);
    let scored = command.env("TMPDIR", temporary.path()).output().unwrap();
    assert!(scored.status.success(), "{scored:?}");
    assert_eq!(std::fs::read_to_string(mine).unwrap(), "years of work");
    let left = std::fs::read_dir(temporary.path()).unwrap().count();
    assert_eq!(left, 1, "lito's own folders are gone");
}
