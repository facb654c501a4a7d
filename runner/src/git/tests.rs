//! Repositories made by the `git` program itself → the values read from them.

#![allow(clippy::unwrap_used)]
// Fixtures run git as a process.
#![allow(clippy::disallowed_types)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;

/// A repository in a temporary folder with its own clock: each commit is one minute after the last.
pub(crate) struct GitFixture {
    folder: tempfile::TempDir,
    minutes: std::cell::Cell<i64>,
}

impl GitFixture {
    pub(crate) fn new() -> GitFixture {
        let fixture = GitFixture {
            folder: tempfile::tempdir().unwrap(),
            minutes: std::cell::Cell::new(0),
        };
        std::fs::create_dir(fixture.dir()).unwrap();
        fixture.git(&["init", "-q", "-b", "main"]);
        fixture
    }

    /// The repository's working tree.
    pub(crate) fn dir(&self) -> PathBuf {
        self.beside("repository")
    }

    /// A path next to the repository, removed with it.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::open(&self.dir()).unwrap()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.dir(), arguments, self.minutes.get())
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.dir().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn commit(&self, message: &str) -> CommitId {
        self.minutes.set(self.minutes.get() + 1);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).parse().unwrap()
    }
}

pub(crate) fn git(dir: &Path, arguments: &[&str], minutes: i64) -> String {
    crate::needs::program("git");
    let time = format!("{} +0000", 1_600_000_000 + 60 * minutes);
    let output = Command::new("git")
        .current_dir(dir)
        .args([
            "-c",
            "protocol.file.allow=always",
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
        ])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", &time)
        .env("GIT_COMMITTER_DATE", &time)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn three_commits() -> (GitFixture, [CommitId; 3]) {
    let fixture = GitFixture::new();
    let commits = ["one", "two", "three"].map(|text| {
        fixture.write("a.txt", text);
        fixture.commit(text)
    });
    (fixture, commits)
}

fn message<T>(result: Result<T, GitError>) -> String {
    result.err().unwrap().to_string()
}

#[test]
fn a_folder_outside_any_repository_is_an_error_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let error = Repository::open(folder.path()).err().unwrap();
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    assert!(error.to_string().contains("--repo DIR"), "{error}");
}

#[test]
fn a_subfolder_opens_the_repository_above_it() {
    let (fixture, commits) = three_commits();
    fixture.write("deep/down/x", "");
    let repository = Repository::open(&fixture.dir().join("deep/down")).unwrap();
    assert_eq!(repository.resolve("HEAD").unwrap(), commits[2]);
    assert_eq!(
        repository.workdir().unwrap().canonicalize().unwrap(),
        fixture.dir().canonicalize().unwrap()
    );
}

#[test]
fn a_bare_repository_reads_like_any_other() {
    let (fixture, commits) = three_commits();
    fixture.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let repository = Repository::open(&fixture.beside("bare.git")).unwrap();
    assert!(repository.is_bare() && repository.workdir().is_none());
    assert_eq!(repository.range("main~2..main").unwrap(), commits[1..]);
    assert_eq!(repository.reopen().unwrap().resolve("main").unwrap(), commits[2]);
}

#[test]
fn a_linked_worktree_reads_its_own_head() {
    let (fixture, commits) = three_commits();
    fixture.git(&["worktree", "add", "-q", "--detach", "../linked", "HEAD~1"]);
    let repository = Repository::open(&fixture.beside("linked")).unwrap();
    assert_eq!(repository.resolve("HEAD").unwrap(), commits[1]);
    assert_eq!(repository.reopen().unwrap().resolve("HEAD").unwrap(), commits[1]);
}

#[test]
fn an_unborn_branch_has_an_error_of_its_own() {
    let fixture = GitFixture::new();
    let repository = fixture.open();
    assert!(matches!(repository.resolve("HEAD"), Err(GitError::Unborn { .. })));
    assert!(matches!(repository.resolve("main"), Err(GitError::Unborn { .. })));
    assert!(matches!(repository.range("HEAD~3..HEAD"), Err(GitError::Unborn { .. })));
}

#[test]
fn an_unknown_revision_is_answered_with_the_nearest_names() {
    let (fixture, _) = three_commits();
    fixture.git(&["branch", "feature/fast-path"]);
    fixture.git(&["tag", "v1.0.0"]);
    let repository = fixture.open();
    assert!(message(repository.resolve("mian")).contains("did you mean `main`?"));
    assert!(message(repository.resolve("fast-paht")).contains("`feature/fast-path`"));
    assert!(message(repository.resolve("v1.0.1")).contains("`v1.0.0`"));
    assert!(message(repository.resolve("main~7")).contains("main has only 2 ancestors"));
    assert!(message(repository.resolve("HEAD~100")).contains("HEAD has only 2 ancestors"));
    assert!(message(repository.resolve("HEAD^2")).contains("no such ancestor"));
    assert!(message(repository.resolve("quite-another-thing")).contains("git branch --all"));
}

#[test]
fn tags_are_peeled_and_trees_refused() {
    let (fixture, commits) = three_commits();
    fixture.git(&["tag", "-a", "v1", "-m", "first", "HEAD~1"]);
    let repository = fixture.open();
    assert_eq!(repository.resolve("v1").unwrap(), commits[1]);
    assert_eq!(repository.resolve(&commits[0].short()).unwrap(), commits[0]);
    assert!(matches!(
        repository.resolve("HEAD:a.txt"),
        Err(GitError::BadRevision { .. })
    ));
    assert!(matches!(
        repository.resolve("main^^{"),
        Err(GitError::BadRevision { .. } | GitError::UnknownRevision { .. })
    ));
}

#[test]
fn an_empty_range_says_so_and_counts_the_other_direction() {
    let (fixture, _) = three_commits();
    let repository = fixture.open();
    match repository.range("main..main~2") {
        Err(GitError::EmptyRange { reverse: 2, hint, .. }) => assert!(hint.contains("swap"), "{hint}"),
        other => panic!("{other:?}"),
    }
    assert!(message(repository.range("main..main")).contains("same commit"));
    assert!(message(repository.range("main...main~1")).contains("two dots"));
}

#[test]
fn a_range_follows_first_parents_oldest_first() {
    let (fixture, commits) = three_commits();
    fixture.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    fixture.write("side.txt", "s");
    let side = fixture.commit("side");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let repository = fixture.open();
    let merge = repository.resolve("main").unwrap();
    assert_eq!(repository.range("main~2..").unwrap(), [commits[2], merge]);
    assert_eq!(repository.range("main").unwrap(), [merge]);
    // From a commit of the merged branch: everything that it lacks.
    assert_eq!(repository.range("side..main").unwrap(), [commits[2], merge]);
    assert_eq!(repository.parents(merge).unwrap(), [commits[2], side]);
    // Against the first parent, a merge contains the changes of the branch.
    let changes = repository.changes(repository.parent(merge).unwrap(), merge).unwrap();
    assert_eq!(
        changes
            .iter()
            .map(|delta| delta.path.lossy().into_owned())
            .collect::<Vec<_>>(),
        ["side.txt"]
    );
    let all = repository.first_parents(merge, 10).unwrap();
    assert_eq!(
        all,
        FirstParents {
            commits: vec![commits[0], commits[1], commits[2], merge],
            end: HistoryEnd::Root
        }
    );
    let two = repository.first_parents(merge, 2).unwrap();
    assert_eq!(
        two,
        FirstParents {
            commits: vec![commits[2], merge],
            end: HistoryEnd::Limit
        }
    );
    assert!(repository.has_ancestor(merge, side).unwrap() && !repository.has_ancestor(side, merge).unwrap());
}

#[test]
fn a_shallow_clone_names_where_it_ends() {
    let (fixture, commits) = three_commits();
    let source = format!("file://{}", fixture.dir().display());
    fixture.git(&["clone", "-q", "--depth", "2", &source, "../shallow"]);
    let repository = Repository::open(&fixture.beside("shallow")).unwrap();
    assert!(repository.is_shallow());
    match repository.parent(commits[1]) {
        Err(GitError::ShallowBoundary { commit, parent }) => {
            assert_eq!([commit, parent], [commits[1], commits[0]]);
        }
        other => panic!("{other:?}"),
    }
    let whole = repository.first_parents(commits[2], 10).unwrap();
    assert_eq!(
        whole,
        FirstParents {
            commits: vec![commits[1], commits[2]],
            end: HistoryEnd::ShallowBoundary
        }
    );
    assert_eq!(repository.range("HEAD~1..HEAD").unwrap(), [commits[2]]);
    // A foreign starting point, as after a force-push: the range reaches the boundary.
    git(&fixture.beside("shallow"), &["checkout", "-q", "--orphan", "other"], 9);
    git(&fixture.beside("shallow"), &["commit", "-q", "-m", "other"], 9);
    let error = message(
        Repository::open(&fixture.beside("shallow"))
            .unwrap()
            .range("other..main"),
    );
    assert!(
        error.contains("fetch-depth: 0") && error.contains("--deepen"),
        "{error}"
    );
    assert!(message(repository.resolve("v9")).contains("shallow"));
}

#[test]
fn a_root_commit_has_no_parent_and_is_all_new() {
    let (fixture, commits) = three_commits();
    let repository = fixture.open();
    assert_eq!(repository.parent(commits[0]).unwrap(), None);
    let changes = repository.changes(None, commits[0]).unwrap();
    assert!(changes.len() == 1 && changes[0].before.is_none() && changes[0].after.is_some());
    assert_eq!(repository.summary(commits[0]).unwrap(), "one");
    assert_eq!(repository.committed_at(commits[0]).unwrap(), 1_600_000_060);
}

#[test]
fn formats_that_cannot_be_read_are_named() {
    let fixture = GitFixture::new();
    for (arguments, expected) in [
        (["init", "-q", "--object-format=sha256", "../sha256"], "SHA-256"),
        (["init", "-q", "--ref-format=reftable", "../reftable"], "reftable"),
    ] {
        fixture.git(&arguments);
        let error = message(Repository::open(&fixture.beside(&arguments[3][3..])));
        assert!(error.contains(expected), "{error}");
    }
    fixture.git(&["config", "core.repositoryFormatVersion", "1"]);
    fixture.git(&["config", "extensions.partialClone", "origin"]);
    assert!(message(Repository::open(&fixture.dir())).contains("partial clone"));
}

#[test]
fn modes_links_submodules_and_deletions_are_distinguished() {
    let fixture = GitFixture::new();
    fixture.write("gone.txt", "x");
    fixture.write("tool.sh", "x");
    fixture.write("folder", "was a file");
    fixture.write("folder.rs", "sorts between the file and the folder");
    fixture.write("same/deep/x", "unchanged");
    let before = fixture.commit("before");
    std::fs::remove_file(fixture.dir().join("gone.txt")).unwrap();
    std::fs::remove_file(fixture.dir().join("folder")).unwrap();
    fixture.write("folder/now", "in a folder");
    fixture.write("folder.rs", "changed");
    std::os::unix::fs::symlink("target", fixture.dir().join("link")).unwrap();
    fixture.git(&["update-index", "--chmod=+x", "tool.sh"]);
    fixture.git(&["add", "-A", "--", ".", ":!tool.sh"]);
    fixture.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{before},vendored"),
    ]);
    fixture.git(&["commit", "-q", "-m", "after"]);
    let repository = fixture.open();
    let after = repository.resolve("HEAD").unwrap();
    let changes = repository.changes(Some(before), after).unwrap();
    let seen: Vec<_> = changes
        .iter()
        .map(|delta| {
            (
                delta.path.to_string(),
                delta.before.map(|side| side.kind),
                delta.after.map(|side| side.kind),
            )
        })
        .collect();
    let file = Some(GitEntryKind::File);
    assert_eq!(
        seen,
        [
            ("folder".to_owned(), file, None),
            ("folder.rs".to_owned(), file, file),
            ("folder/now".to_owned(), None, file),
            ("gone.txt".to_owned(), file, None),
            ("link".to_owned(), None, Some(GitEntryKind::SymbolicLink)),
            ("tool.sh".to_owned(), file, Some(GitEntryKind::Executable)),
            ("vendored".to_owned(), None, Some(GitEntryKind::Submodule)),
        ]
    );
    let vendored = changes.last().unwrap().after.unwrap();
    assert_eq!(vendored.id.to_string(), before.to_string());
    assert_eq!(repository.changes(Some(after), after).unwrap(), []);
    let snapshot = repository.snapshot(after).unwrap();
    assert_eq!(snapshot.file(b"vendored", 10).unwrap().unwrap().content, None);
    let link = snapshot.file(b"link", 10).unwrap().unwrap();
    assert_eq!(
        (link.side.kind, link.content.unwrap()),
        (GitEntryKind::SymbolicLink, BlobContent::Bytes((*b"target").into()))
    );
    assert_eq!(snapshot.file(b"same/deep", 10).unwrap(), None);
    assert_eq!(snapshot.file(b"gone.txt", 10).unwrap(), None);
    assert_eq!(snapshot.file(b"same/deep/x/y", 10).unwrap(), None);
    assert!(snapshot.file(b"same/deep/x", 10).unwrap().is_some());
    assert_eq!(snapshot.paths().unwrap().len(), 6);
    assert_eq!(repository.file_at(after, b"link", 10).unwrap(), None);
}

#[test]
fn changes_agree_with_git_on_every_mix_of_files_and_folders() {
    use proptest::prelude::*;
    let names = ["a", "a.b", "a/b", "a-b", "a/b/c", "b", "b/a", "a0"];
    let tree = proptest::collection::btree_map(0..names.len(), 0..3u8, 0..6);
    let mut runner = proptest::test_runner::TestRunner::new(proptest::test_runner::Config::with_cases(24));
    runner
        .run(&(tree.clone(), tree), |(one, other)| {
            let fixture = GitFixture::new();
            let commits = [one, other].map(|files| {
                for name in ["a", "a.b", "a-b", "b", "a0"] {
                    let path = fixture.dir().join(name);
                    let _ = std::fs::remove_file(&path);
                    let _ = std::fs::remove_dir_all(&path);
                }
                for (name, content) in files {
                    let path = fixture.dir().join(names[name]);
                    // A folder can't replace a file: such a combination is left out.
                    if std::fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() {
                        std::fs::write(path, [content]).unwrap();
                    }
                }
                fixture.commit("x")
            });
            let [before, after] = commits.map(|id| id.to_string());
            let expected = fixture.git(&["diff-tree", "-r", "--no-renames", "--abbrev=40", &before, &after]);
            let mut expected: Vec<String> = expected
                .lines()
                .map(|line| {
                    let fields: Vec<&str> = line.split_whitespace().collect();
                    format!("{} {} {}", fields[5], fields[2], fields[3])
                })
                .collect();
            // A file that became a folder, or the reverse, is two lines in git's output and in lito's.
            expected.sort();
            let found = fixture.open().changes(Some(commits[0]), commits[1]).unwrap();
            let id = |side: Option<GitEntry>| side.map_or("0".repeat(40), |side| side.id.to_string());
            let mut found: Vec<String> = found
                .iter()
                .map(|delta| format!("{} {} {}", delta.path, id(delta.before), id(delta.after)))
                .collect();
            found.sort();
            prop_assert_eq!(found, expected);
            Ok(())
        })
        .unwrap();
}

#[test]
fn paths_that_are_not_utf8_keep_their_bytes() {
    let fixture = GitFixture::new();
    let name = b"caf\xe9/na\xefve.rs";
    fixture.write(OsStr::from_bytes(name), b"fn \xff() {}");
    let commit = fixture.commit("latin");
    let repository = fixture.open();
    let changes = repository.changes(None, commit).unwrap();
    assert_eq!(changes[0].path.0, name);
    assert_eq!(changes[0].path.lossy(), "caf\u{fffd}/na\u{fffd}ve.rs");
    let content = repository.file_at(commit, name, 100).unwrap();
    assert_eq!(content, Some(BlobContent::Bytes((*b"fn \xff() {}").into())));
}

#[test]
fn a_file_above_the_limit_is_not_read() {
    let fixture = GitFixture::new();
    fixture.write("generated.rs", vec![b'x'; 20 << 20]);
    fixture.write("small.rs", "12345");
    let commit = fixture.commit("large");
    let repository = fixture.open();
    let large = repository.file_at(commit, b"generated.rs", 1 << 20).unwrap();
    assert_eq!(large, Some(BlobContent::TooLarge(20 << 20)));
    assert_eq!(
        repository.file_at(commit, b"small.rs", 4).unwrap(),
        Some(BlobContent::TooLarge(5))
    );
    assert_eq!(
        repository.file_at(commit, b"small.rs", 5).unwrap(),
        Some(BlobContent::Bytes((*b"12345").into()))
    );
}

#[test]
fn git_lfs_pointers_are_recognised_and_nothing_else_is() {
    let fixture = GitFixture::new();
    let oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12345\n");
    fixture.write("data.bin", &pointer);
    fixture.write(
        "about.md",
        "version https://git-lfs.github.com/spec/v1\nis what a pointer begins with\n",
    );
    fixture.write("long.bin", pointer.clone() + &"x".repeat(LONG));
    let commit = fixture.commit("pointers");
    let repository = fixture.open();
    assert_eq!(
        repository.file_at(commit, b"data.bin", 1000).unwrap(),
        Some(BlobContent::LfsPointer(12345))
    );
    assert!(matches!(
        repository.file_at(commit, b"about.md", 1000).unwrap(),
        Some(BlobContent::Bytes(_))
    ));
    assert!(matches!(
        repository.file_at(commit, b"long.bin", 5000).unwrap(),
        Some(BlobContent::Bytes(_))
    ));
}

const LONG: usize = 1024;

#[test]
fn a_missing_object_is_named() {
    let fixture = GitFixture::new();
    fixture.write("a.txt", "content that will go");
    let commit = fixture.commit("a");
    let repository = fixture.open();
    let side = repository.entry_at(commit, b"a.txt").unwrap().unwrap();
    let hex = side.id.to_string();
    std::fs::remove_file(fixture.dir().join(".git/objects").join(&hex[..2]).join(&hex[2..])).unwrap();
    let error = message(repository.reopen().unwrap().blob(side.id, 100));
    assert!(error.contains(&hex) && error.contains("missing"), "{error}");
    assert!(matches!(
        repository.summary(CommitId([7; 20])),
        Err(GitError::MissingObject { .. })
    ));
}

#[test]
fn an_object_whose_file_was_cut_short_is_named() {
    let fixture = GitFixture::new();
    fixture.write("a.txt", (0..2000).map(|line| format!("{line}\n")).collect::<String>());
    let commit = fixture.commit("a");
    let tree = fixture.git(&["rev-parse", "HEAD^{tree}"]);
    let blob = fixture.git(&["rev-parse", "HEAD:a.txt"]);
    let read = || fixture.open().file_at(commit, b"a.txt", 1 << 20);
    assert!(read().is_ok());
    for hex in [blob, tree, commit.to_string()] {
        let file = fixture.dir().join(".git/objects").join(&hex[..2]).join(&hex[2..]);
        let bytes = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        for length in [0, 1, 20, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&file, &bytes[..length]).unwrap();
            assert!(read().is_err(), "{hex} cut to {length}");
        }
        std::fs::write(&file, &bytes).unwrap();
        assert!(read().is_ok());
    }
}

#[test]
fn several_threads_read_with_handles_of_their_own() {
    let (fixture, commits) = three_commits();
    let repository = fixture.open();
    let snapshot = repository.snapshot(commits[2]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let own = repository.reopen().unwrap();
            let (snapshot, commits) = (&snapshot, &commits);
            scope.spawn(move || {
                assert_eq!(own.range("main~2..main").unwrap(), commits[1..]);
                assert!(snapshot.file(b"a.txt", 10).unwrap().is_some());
            });
        }
    });
}

#[test]
fn ids_are_written_as_hexadecimal_text() {
    let id = CommitId([0xab; 20]);
    assert_eq!(id.to_string(), "ab".repeat(20));
    assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{id}\""));
    assert_eq!(serde_json::from_str::<CommitId>(&format!("\"{id}\"")).unwrap(), id);
    assert!("abc".parse::<CommitId>().is_err() && "zz".repeat(20).parse::<CommitId>().is_err());
}

#[test]
fn a_branch_is_compared_with_where_it_left_the_default_branch() {
    let fixture = GitFixture::new();
    let root = fixture.commit("root");
    let fork = fixture.commit("fork");
    fixture.git(&["branch", "-M", "main"]);
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    let first = fixture.commit("first");
    let second = fixture.commit("second");
    let repository = fixture.open();
    assert_eq!(repository.default_base(second).unwrap(), Some(fork));
    assert_eq!(repository.default_base(first).unwrap(), Some(fork));
    // On the default branch itself: the version before.
    assert_eq!(repository.default_base(fork).unwrap(), Some(root));
    assert_eq!(repository.default_base(root).unwrap(), None);
}

#[test]
fn the_default_branch_has_what_was_merged_and_not_what_is_on_a_branch() {
    let fixture = GitFixture::new();
    let root = fixture.commit("root");
    let tip = fixture.commit("tip");
    fixture.git(&["branch", "-M", "main"]);
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    let beside = fixture.commit("beside");
    let repository = fixture.open();
    let contains = |commit| repository.is_on_default_branch(commit).unwrap();
    assert!(contains(root) && contains(tip) && !contains(beside));
    assert!(!contains("1".repeat(40).parse().unwrap()), "gone");
    fixture.git(&["branch", "-D", "main"]);
    assert!(!fixture.open().is_on_default_branch(root).unwrap(), "there is none");
}

#[test]
fn changes_that_are_not_committed_are_listed_staged_or_not_and_new_files_are_none() {
    let (fixture, _) = three_commits();
    let repository = fixture.open();
    assert_eq!(repository.uncommitted_changes().unwrap(), []);
    fixture.write("a.txt", "another text");
    fixture.write("new.txt", "not tracked");
    let paths = || {
        let changed = repository.uncommitted_changes().unwrap();
        changed.iter().map(|path| path.lossy().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(), ["a.txt"]);
    fixture.git(&["add", "a.txt"]);
    assert_eq!(paths(), ["a.txt"]);
}
