//! Repositories, revisions and settings that are not as lito needs them: each has its message and exit code.

use std::fs;

use super::repository::{TestRepository, git_in, lito_in};

#[test]
fn without_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    for command in [
        &["score"][..],
        &["init"],
        &["sample"],
        &["bench", "list"],
        &["store", "list"],
        &["doctor"],
    ] {
        lito_in(folder.path(), command).fails(2, &["looking for a git repository", "--repo DIR"]);
    }
    lito_in(folder.path(), &["--repo", "missing", "score"]).fails(2, &["missing"]);
}

#[test]
fn on_a_branch_without_a_commit() {
    let repository = TestRepository::unborn();
    for command in [&["score"][..], &["sample"], &["store", "show", "HEAD", "--bench", "x"]] {
        repository.lito(command).fails(2, &["HEAD", "no commit yet"]);
    }
}

#[test]
fn a_revision_that_nobody_knows_has_its_near_misses() {
    let repository = TestRepository::with_library();
    repository.git(&["branch", "faster"]);
    repository
        .lito(&["score", "fastr"])
        .fails(2, &["fastr", "did you mean `faster`"]);
    repository.lito(&["score", "main..fastr"]).fails(2, &["fastr"]);
    repository.lito(&["sample", "fastr"]).fails(2, &["fastr"]);
}

#[test]
fn an_empty_range() {
    let repository = TestRepository::with_library();
    repository.commit("nothing");
    repository
        .lito(&["score", "HEAD..HEAD"])
        .fails(2, &["HEAD..HEAD", "empty"]);
    repository
        .lito(&["score", "HEAD..HEAD~1"])
        .fails(2, &["empty", "swap the sides"]);
    repository.lito(&["score", "HEAD~1...HEAD"]).fails(2, &["two dots"]);
}

#[test]
fn a_bare_repository_is_scored_but_not_sampled() {
    let repository = TestRepository::with_library();
    let folder = tempfile::tempdir().unwrap();
    let source = repository.path().to_str().unwrap();
    git_in(folder.path(), &["clone", "--quiet", "--bare", source, "bare"]);
    let bare = folder.path().join("bare");
    assert!(lito_in(&bare, &["score"]).output().contains("version"));
    lito_in(&bare, &["sample"]).fails(2, &["bare repository", "in a clone"]);
    lito_in(&bare, &["init"]).fails(2, &["bare repository"]);
    lito_in(&bare, &["bench", "list"]).fails(2, &["bare repository"]);
}

#[test]
fn a_manifest_that_cargo_refuses_is_an_error_of_the_repository_with_all_its_lines() {
    let repository = TestRepository::with_library();
    repository.write("Cargo.toml", "[package\n");
    let doctor = repository.lito(&["doctor"]);
    assert_eq!(doctor.code, 2, "{doctor:#?}");
    assert!(doctor.stdout.contains("error    benchmarks"), "{doctor:#?}");
    assert!(!doctor.stdout.contains("\\n"), "{doctor:#?}");
    let init = repository.lito(&["init"]);
    init.says(0, &["cargo refuses", "Cargo.toml:1:"]);
    assert!(!init.stderr.contains("\\n"), "{init:#?}");
}

#[test]
fn a_partial_clone_says_what_to_fetch_and_is_complete_after_that() {
    let repository = TestRepository::with_library();
    repository.write(
        "src/lib.rs",
        "pub fn sum(of: &[u64]) -> u64 {\n    of.iter().product()\n}\n",
    );
    repository.commit("a change");
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    let folder = tempfile::tempdir().unwrap();
    let source = format!("file://{}", repository.path().display());
    git_in(
        folder.path(),
        &["clone", "--quiet", "--filter=blob:none", &source, "partial"],
    );
    let partial = folder.path().join("partial");
    lito_in(&partial, &["score"]).fails(2, &["partial clone", "git fetch --refetch --no-filter origin"]);
    assert!(lito_in(&partial, &["doctor"]).stdout.contains("a partial clone"));
    git_in(&partial, &["fetch", "--quiet", "--refetch", "--no-filter", "origin"]);
    lito_in(&partial, &["score"]).output();
}

#[test]
fn a_shallow_clone_says_what_to_fetch() {
    let repository = TestRepository::with_library();
    repository.write(
        "src/lib.rs",
        "pub fn sum(of: &[u64]) -> u64 {\n    of.iter().copied().sum()\n}\n",
    );
    repository.commit("copied");
    let folder = tempfile::tempdir().unwrap();
    let source = format!("file://{}", repository.path().display());
    git_in(folder.path(), &["clone", "--quiet", "--depth=1", &source, "shallow"]);
    let shallow = folder.path().join("shallow");
    lito_in(&shallow, &["score"]).fails(2, &["shallow", "git fetch --unshallow", "fetch-depth: 0"]);
    assert_eq!(
        lito_in(&shallow, &["score"]).stdout,
        "",
        "nothing is called new that is not"
    );
}

#[test]
fn settings_that_are_wrong_show_their_line() {
    let repository = TestRepository::with_library();
    repository.write("lito.toml", "[gate]\ntreshold = \"5%\"\n");
    for command in [&["score"][..], &["sample"], &["bench", "list"], &["store", "list"]] {
        repository.lito(command).fails(
            2,
            &[
                "lito.toml:2:1",
                "unknown key `treshold`",
                "`threshold`",
                "2 | treshold = \"5%\"",
            ],
        );
    }
    repository.write("lito.toml", "[gate]\nthreshold = 5\n");
    repository.lito(&["score"]).fails(2, &["lito.toml:2:13", "\"5%\""]);
    fs::write(repository.file("lito.toml"), b"# \xff\n").unwrap();
    repository.lito(&["score"]).fails(2, &["lito.toml", "not UTF-8"]);
}

#[test]
fn settings_with_hostile_characters_do_not_reach_the_terminal() {
    let repository = TestRepository::with_library();
    repository.write("lito.toml", "[gate]\n\"a\\u001b[2J\\u202e\" = 1\n");
    let answer = repository.lito(&["score"]);
    answer.fails(2, &["lito.toml:2:1"]);
    assert!(!answer.stderr.contains(['\x1b', '\u{202e}']), "{answer:#?}");
}

#[test]
fn a_threshold_is_a_percentage() {
    let repository = TestRepository::with_library();
    repository
        .lito(&["score", "--threshold", "0.05"])
        .fails(2, &["--threshold", "5%"]);
}

#[test]
fn a_store_elsewhere_than_in_a_ref_is_refused() {
    let repository = TestRepository::with_library();
    repository.write("lito.toml", "[store]\nurl = \"ftp://example.test\"\n");
    repository
        .lito(&["store", "list"])
        .fails(2, &["ftp://example.test", "git:refs/lito/store"]);
}

#[test]
fn a_profile_that_was_never_taken() {
    let repository = TestRepository::with_library();
    repository
        .lito(&["store", "show", "HEAD", "--bench", "sum"])
        .fails(2, &["sum", "lito sample"]);
}

#[test]
fn a_library_that_the_demo_does_not_know() {
    let folder = tempfile::tempdir().unwrap();
    lito_in(folder.path(), &["demo", "--crate", "nonesuch"]).fails(2, &["nonesuch", "semver"]);
}
