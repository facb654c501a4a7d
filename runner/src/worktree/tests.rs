//! Checkouts that come and go, while everything else stays as it was.

#![allow(clippy::unwrap_used)]
// Separate programs make the fixtures, and kill writers.
#![allow(clippy::disallowed_types)]

use std::os::unix::process::CommandExt;
use std::time::SystemTime;

use super::*;
use crate::git::submodules::tests::{nested_submodules, without_submodules};
use crate::git::tests::{GitFixture, git};

fn written(path: &Path) -> SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}

fn two_commits() -> (GitFixture, CommitId, CommitId) {
    let fixture = GitFixture::new();
    fixture.write("same.rs", "same");
    fixture.write("src/lib.rs", "one");
    fixture.write("old/only.rs", "old");
    fixture.write(".gitignore", "Cargo.lock\n");
    let one = fixture.commit("one");
    std::fs::remove_dir_all(fixture.dir().join("old")).unwrap();
    fixture.write("src/lib.rs", "two");
    fixture.write("new/only.rs", "new");
    let two = fixture.commit("two");
    (fixture, one, two)
}

#[test]
fn a_switch_writes_what_differs_with_the_present_time_and_leaves_the_rest() {
    let (fixture, one, two) = two_commits();
    let slot = fixture.beside("slots/a");
    let start = SystemTime::now() - std::time::Duration::from_secs(2);
    let mut worktree = Worktree::checkout(&fixture.open(), one, &slot).unwrap();
    let path = worktree.path().to_path_buf();
    assert!(written(&path.join("same.rs")) > start);
    let (same, first) = (written(&path.join("same.rs")), written(&path.join("src/lib.rs")));
    worktree.switch(two).unwrap();
    assert_eq!(worktree.commit(), two);
    assert_eq!(std::fs::read_to_string(path.join("src/lib.rs")).unwrap(), "two");
    assert_eq!(written(&path.join("same.rs")), same);
    let second = written(&path.join("src/lib.rs"));
    assert!(second > first && path.join("new/only.rs").exists() && !path.join("old").exists());
    worktree.switch(one).unwrap();
    assert_eq!(std::fs::read_to_string(path.join("src/lib.rs")).unwrap(), "one");
    assert!(written(&path.join("src/lib.rs")) > second && !path.join("new").exists());
    assert_eq!(worktree.path(), path);
}

#[test]
fn what_a_build_left_or_changed_is_gone_after_a_switch() {
    let (fixture, one, two) = two_commits();
    let mut worktree = Worktree::checkout(&fixture.open(), one, &fixture.beside("slots/a")).unwrap();
    let path = worktree.path().to_path_buf();
    std::fs::write(path.join("Cargo.lock"), "ignored").unwrap();
    std::fs::create_dir_all(path.join("generated/deep")).unwrap();
    std::fs::write(path.join("generated/deep/x.rs"), "untracked").unwrap();
    std::fs::write(path.join("same.rs"), "tampered").unwrap();
    std::fs::remove_file(path.join(".gitignore")).unwrap();
    worktree.switch(two).unwrap();
    assert!(!path.join("Cargo.lock").exists() && !path.join("generated").exists());
    assert_eq!(std::fs::read_to_string(path.join("same.rs")).unwrap(), "same");
    assert!(path.join(".gitignore").exists());
    assert_eq!(git(&path, &["status", "--porcelain", "--ignored"], 0), "");
}

#[test]
fn the_users_checkout_index_head_and_worktrees_stay_as_they_were() {
    let (fixture, one, two) = two_commits();
    fixture.write("src/lib.rs", "not committed");
    fixture.git(&["add", "src/lib.rs"]);
    fixture.write("src/lib.rs", "nor staged");
    let state = || {
        let index = std::fs::read(fixture.dir().join(".git/index")).unwrap();
        let head = std::fs::read(fixture.dir().join(".git/HEAD")).unwrap();
        (
            index,
            head,
            fixture.git(&["worktree", "list"]),
            fixture.git(&["for-each-ref"]),
            fixture.git(&["status", "-s"]),
        )
    };
    let before = state();
    let mut worktree = Worktree::checkout(&fixture.open(), one, &fixture.beside("slots/a")).unwrap();
    worktree.switch(two).unwrap();
    assert_eq!(state(), before);
    drop(worktree);
    assert_eq!(state(), before);
}

#[test]
fn a_bare_repository_can_be_checked_out_and_no_hook_or_filter_runs() {
    let fixture = GitFixture::new();
    fixture.write(".gitattributes", "*.txt filter=evil\n*.rs text eol=crlf\n");
    fixture.write("a.txt", "text\n");
    fixture.write("a.rs", "fn a() {}\n");
    let commit = fixture.commit("one");
    fixture.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = fixture.beside("bare.git");
    let mark = fixture.beside("mark");
    git(
        &bare,
        &["config", "filter.evil.smudge", &format!("touch {}", mark.display())],
        0,
    );
    let hook = bare.join("hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let repository = Repository::open(&bare).unwrap();
    let worktree = Worktree::checkout(&repository, commit, &fixture.beside("slots/a")).unwrap();
    assert_eq!(std::fs::read(worktree.path().join("a.rs")).unwrap(), b"fn a() {}\n");
    assert!(worktree.path().join("a.txt").exists() && !mark.exists());
}

#[test]
fn submodules_are_checked_out_and_follow_each_version() {
    let (fixture, [first, second, third]) = nested_submodules();
    let mut worktree = Worktree::checkout(&fixture.open(), first, &fixture.beside("slots/a")).unwrap();
    let outer = worktree.path().join("third_party/outer");
    let text = |file: &str| std::fs::read_to_string(outer.join(file)).unwrap();
    assert_eq!(
        (text("outer.c"), text("in/inner.c")),
        ("one".to_owned(), "inner".to_owned())
    );
    assert_eq!(worktree.submodules(), []);
    let (same, inner) = (written(&outer.join("same.c")), written(&outer.join("in/inner.c")));
    std::fs::write(outer.join("made.o"), "by a build").unwrap();
    std::fs::write(outer.join("in/made.o"), "by a build").unwrap();
    worktree.switch(second).unwrap();
    assert_eq!(text("outer.c"), "two");
    assert_eq!(
        (written(&outer.join("same.c")), written(&outer.join("in/inner.c"))),
        (same, inner)
    );
    assert!(!outer.join("made.o").exists() && !outer.join("in/made.o").exists());
    worktree.switch(third).unwrap();
    assert_eq!(text("outer.c"), "vendored");
    assert!(!outer.join(".git").exists() && !outer.join("in").exists());
    worktree.switch(first).unwrap();
    assert_eq!(
        (text("outer.c"), text("in/inner.c")),
        ("one".to_owned(), "inner".to_owned())
    );
}

#[test]
fn a_submodule_without_its_objects_stays_empty() {
    let (fixture, [first, ..]) = nested_submodules();
    without_submodules(&fixture);
    let worktree = Worktree::checkout(&fixture.open(), first, &fixture.beside("slots/a")).unwrap();
    assert_eq!(worktree.submodules().len(), 1);
    assert_eq!(worktree.submodules()[0].path.lossy(), "third_party/outer");
    assert!(worktree.path().join("main.c").exists() && !worktree.path().join("third_party/outer/outer.c").exists());
}

#[test]
fn a_submodule_behind_a_link_is_not_written_there() {
    let (fixture, [first, ..]) = nested_submodules();
    let outside = fixture.beside("outside");
    std::fs::create_dir_all(outside.join("outer")).unwrap();
    let mut worktree = Worktree::checkout(&fixture.open(), first, &fixture.beside("slots/a")).unwrap();
    let folder = worktree.path().join("third_party");
    std::fs::remove_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(&outside, &folder).unwrap();
    worktree.switch(first).unwrap();
    assert_eq!(std::fs::read_dir(outside.join("outer")).unwrap().count(), 0);
    assert!(worktree.path().join("third_party/outer/outer.c").exists());
}

#[test]
fn submodules_are_reported_and_links_stay_links() {
    let fixture = GitFixture::new();
    std::os::unix::fs::symlink("/nowhere", fixture.dir().join("link")).unwrap();
    let first = fixture.commit("one");
    fixture.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{first},vendored/dep"),
    ]);
    fixture.git(&["rm", "-q", "--cached", "link"]);
    std::fs::remove_file(fixture.dir().join("link")).unwrap();
    fixture.write("link/file", "now below");
    fixture.git(&["add", "link/file"]);
    fixture.git(&["commit", "-q", "-m", "two"]);
    let repository = fixture.open();
    let second = repository.resolve("HEAD").unwrap();
    let mut worktree = Worktree::checkout(&repository, first, &fixture.beside("slots/a")).unwrap();
    assert_eq!(
        std::fs::read_link(worktree.path().join("link")).unwrap(),
        Path::new("/nowhere")
    );
    assert_eq!(worktree.submodules(), []);
    worktree.switch(second).unwrap();
    assert_eq!(worktree.submodules()[0].path.lossy(), "vendored/dep");
    assert_eq!(worktree.submodules()[0].commit.to_string(), first.to_string());
    assert!(worktree.path().join("link").symlink_metadata().unwrap().is_dir());
}

#[test]
fn a_checkout_is_removed_when_dropped_or_when_its_owner_panics() {
    let (fixture, one, _) = two_commits();
    let slot = fixture.beside("slots/a");
    let repository = fixture.open();
    let worktree = Worktree::checkout(&repository, one, &slot).unwrap();
    let closed = worktree.path().join("closed");
    std::fs::create_dir_all(closed.join("deep")).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o500)).unwrap();
    drop(worktree);
    assert_eq!(std::fs::read_dir(fixture.beside("slots")).unwrap().count(), 0);
    let dir = fixture.dir();
    let panic = std::panic::catch_unwind(|| {
        let _worktree = Worktree::checkout(&Repository::open(&dir).unwrap(), one, &slot).unwrap();
        panic!("in the middle of a build");
    });
    assert!(panic.is_err());
    assert_eq!(std::fs::read_dir(fixture.beside("slots")).unwrap().count(), 0);
    let gone = Worktree::checkout(&repository, CommitId([1; 20]), &slot);
    assert!(matches!(gone, Err(WorktreeError::Git(GitError::MissingObject { .. }))));
    assert_eq!(std::fs::read_dir(fixture.beside("slots")).unwrap().count(), 0);
}

#[test]
fn a_slot_in_use_is_refused() {
    let (fixture, one, _) = two_commits();
    let slot = fixture.beside("slots/a");
    let repository = fixture.open();
    let worktree = Worktree::checkout(&repository, one, &slot).unwrap();
    let error = Worktree::checkout(&repository, one, &slot).unwrap_err();
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    assert!(worktree.path().join("same.rs").exists());
    worktree.remove().unwrap();
    Worktree::checkout(&repository, one, &slot).unwrap();
}

#[test]
fn what_a_killed_process_left_is_taken_over_and_no_other_folder_is() {
    let (fixture, one, _) = two_commits();
    let slots = fixture.beside("slots");
    // The state after a kill: the folder and its lock file exist, the lock does not.
    let worktree = Worktree::checkout(&fixture.open(), one, &slots.join("a")).unwrap();
    let copy = slots.join("killed");
    let status = std::process::Command::new("cp")
        .arg0("cp")
        .arg("-r")
        .arg(worktree.path())
        .arg(&copy)
        .status();
    assert!(status.unwrap().success());
    std::fs::write(slots.join("killed.lito-slot"), "99999\n").unwrap();
    std::fs::create_dir(slots.join("mine")).unwrap();
    std::fs::write(copy.join("left"), "").unwrap();
    let taken = Worktree::checkout(&fixture.open(), one, &copy).unwrap();
    assert!(!copy.join("left").exists() && taken.path().join("same.rs").exists() && worktree.path().exists());
    let foreign = Worktree::checkout(&fixture.open(), one, &slots.join("mine"));
    assert!(matches!(foreign, Err(WorktreeError::Foreign { .. })));
    assert!(slots.join("mine").exists());
}

#[test]
fn a_partial_clone_that_lacks_a_commits_files_says_what_to_fetch() {
    let (fixture, one, _) = two_commits();
    fixture.git(&["config", "uploadpack.allowFilter", "true"]);
    let source = format!("file://{}", fixture.dir().display());
    let clone = fixture.beside("partial");
    fixture.git(&[
        "clone",
        "--quiet",
        "--filter=blob:none",
        &source,
        &clone.to_string_lossy(),
    ]);
    let error = Worktree::checkout(&Repository::open(&clone).unwrap(), one, &fixture.beside("slots/a")).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains(&one.to_string()) && said.contains("git fetch --refetch --no-filter origin"),
        "{said}"
    );
}
