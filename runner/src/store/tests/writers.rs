//! Concurrent, failing and killed writers leave a whole store.

// The killed writers are processes.
#![allow(clippy::disallowed_types)]

use std::path::Path;
use std::process::{Command, Stdio};

use super::*;
use crate::waiting::comes_true;

/// Environment variable of the writing copy of this test binary: the repository's folder.
const WRITER: &str = "LITO_TEST_STORE_WRITER";

#[test]
fn concurrent_writers_lose_nothing() {
    let (fixture, commits) = history::<4>();
    std::thread::scope(|scope| {
        for writer in 0..4_u8 {
            let store = store(&fixture);
            let commits = &commits;
            scope.spawn(move || {
                for (index, commit) in commits.iter().enumerate() {
                    let name = format!("{writer}/{index}");
                    let (record, profiles) = sample(*commit, &[&name]);
                    store.record(&record, &profiles).unwrap();
                }
            });
        }
    });
    let store = store(&fixture);
    let found = store.samples().unwrap().samples;
    assert_eq!(
        found.iter().map(|sample| sample.benchmarks.len()).collect::<Vec<_>>(),
        [4; 4]
    );
    assert_eq!(store.verify(&whole).unwrap(), []);
}

#[test]
fn a_lock_that_a_killed_git_left_is_named() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    let lock = fixture.dir().join(".git/refs/lito/store.lock");
    std::fs::write(&lock, "").unwrap();
    let (record, profiles) = sample(commit, &["b"]);
    let error = store.record(&record, &profiles).unwrap_err();
    assert!(
        matches!(error, StoreError::Busy { .. }) && error.to_string().contains("store.lock"),
        "{error}"
    );
    assert_eq!(store.samples().unwrap().samples[0].benchmarks.len(), 1);
    std::fs::remove_file(&lock).unwrap();
    store.record(&record, &profiles).unwrap();
    assert_eq!(store.samples().unwrap().samples[0].benchmarks.len(), 2);
}

#[test]
fn a_write_that_fails_leaves_the_old_state() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    let tip = fixture.git(&["rev-parse", "refs/lito/store"]);
    let objects = fixture.dir().join(".git/objects");
    // Files where git needs folders: nobody can write there, not even root.
    let blockers: Vec<_> = (0..=255_u8)
        .map(|first| objects.join(format!("{first:02x}")))
        .filter(|path| !path.exists())
        .collect();
    for path in &blockers {
        std::fs::write(path, "").unwrap();
    }
    let (record, profiles) = sample(commit, &["b"]);
    let error = store.record(&record, &profiles).unwrap_err();
    assert!(
        matches!(error, StoreError::Write { .. }) && error.to_string().contains("disk is not full"),
        "{error}"
    );
    assert_eq!(fixture.git(&["rev-parse", "refs/lito/store"]), tip);
    assert_eq!(store.samples().unwrap().samples[0].benchmarks.len(), 1);
    for path in &blockers {
        std::fs::remove_file(path).unwrap();
    }
    store.record(&record, &profiles).unwrap();
    assert_eq!(store.verify(&whole).unwrap(), []);
}

/// A lock file as lito writes it.
const LOCK: &str = "lock of lito 1\nboot b\nnamespace n\nprocess 1\nstart 1\n";

#[test]
fn a_lock_that_a_killed_lito_left_is_taken_over() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    let lock = fixture.dir().join(".git/refs/lito/store.lock");
    std::fs::write(&lock, LOCK).unwrap();
    let (record, profiles) = sample(commit, &["b"]);
    store.record(&record, &profiles).unwrap();
    assert_eq!(store.samples().unwrap().samples[0].benchmarks.len(), 2);
    assert!(!lock.exists());
}

#[test]
fn a_lock_of_a_lito_that_lives_is_never_taken() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    let lock = fixture.dir().join(".git/refs/lito/store.lock");
    std::fs::write(&lock, LOCK).unwrap();
    let owner = std::fs::File::open(&lock).unwrap();
    owner.lock().unwrap();
    let (record, profiles) = sample(commit, &["b"]);
    let error = store.record(&record, &profiles).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert!(lock.exists());
    drop(owner);
    store.record(&record, &profiles).unwrap();
}

#[test]
fn while_a_lito_writes_git_finds_the_ref_locked() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    let held = store.ref_file().lock().unwrap().unwrap();
    let refused = Command::new("git")
        .args(["update-ref", "refs/lito/store", "HEAD"])
        .current_dir(fixture.dir())
        .output()
        .unwrap();
    assert!(!refused.status.success());
    drop(held);
    assert!(!fixture.dir().join(".git/refs/lito/store.lock").exists());
    assert_eq!(store.samples().unwrap().samples.len(), 1);
}

#[test]
fn a_ref_that_git_packed_is_read_and_moved() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    fixture.git(&["pack-refs", "--all", "--prune"]);
    let (record, profiles) = sample(commit, &["b"]);
    store.record(&record, &profiles).unwrap();
    assert_eq!(store.samples().unwrap().samples[0].benchmarks.len(), 2);
    fixture.git(&["fsck", "--strict"]);
}

#[test]
fn a_move_is_in_the_log_of_a_ref_that_has_one() {
    let (fixture, [commit]) = history();
    fixture.git(&["config", "core.logAllRefUpdates", "always"]);
    let store = stored(&fixture, commit, &["a"]);
    let (record, profiles) = sample(commit, &["b"]);
    store.record(&record, &profiles).unwrap();
    let log = fixture.git(&["reflog", "show", "--format=%H", "refs/lito/store"]);
    let history = fixture.git(&["log", "--format=%H", "refs/lito/store"]);
    assert_eq!((log.lines().count(), log), (2, history));
}

/// Not a test of its own: the next one starts and kills it.
#[test]
#[ignore = "writes until it is killed; started by a_killed_writer_leaves_a_whole_store"]
fn writer_until_killed() {
    let dir = std::env::var(WRITER).unwrap();
    let repository = Repository::open(Path::new(&dir)).unwrap();
    let store = Store::open(&repository, DEFAULT_URL).unwrap();
    let commit = repository.resolve("HEAD").unwrap();
    let count: u32 = std::env::var("LITO_TEST_STORE_COUNT").map_or(u32::MAX, |count| count.parse().unwrap());
    for index in 0..count {
        let name = format!("{}/{index}", std::process::id());
        let (record, profiles) = sample(commit, &[&name]);
        store.record(&record, &profiles).unwrap();
    }
}

#[test]
fn a_killed_writer_leaves_a_whole_store() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["first"]);
    let mut known = 1;
    for round in 0..8_u64 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::tests::writers::writer_until_killed", "--ignored"])
            .env(WRITER, fixture.dir())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let written = || store.samples().unwrap().samples[0].benchmarks.len();
        assert!(comes_true(|| written() > known), "the writer writes");
        // The writer may be at any point now.
        std::thread::sleep(std::time::Duration::from_millis(23 * round));
        writer.kill().unwrap();
        writer.wait().unwrap();
        assert_eq!(store.verify(&whole).unwrap(), []);
        let samples = store.samples().unwrap().samples;
        assert!(samples[0].benchmarks.len() >= known, "nothing that was there is gone");
        known = samples[0].benchmarks.len();
    }
    stored(&fixture, commit, &["last"]);
    assert_eq!(store.samples().unwrap().samples[0].benchmarks.len(), known + 1);
}

#[test]
fn a_damaged_object_is_written_again_where_nothing_else_changes() {
    let (fixture, [commit]) = history();
    let (record, profiles) = sample(commit, &["a"]);
    store(&fixture).record(&record, &profiles).unwrap();
    let path = object_path(ObjectKey::of(&profiles[0]));
    let blob = fixture.git(&["rev-parse", &format!("refs/lito/store:{path}")]);
    let file = fixture
        .dir()
        .join(format!(".git/objects/{}/{}", &blob[..2], &blob[2..]));
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "cut").unwrap();
    let store = store(&fixture);
    store.record(&record, &profiles).unwrap();
    drop(store);
    assert!(file.metadata().unwrap().len() > 3);
    fixture.git(&["fsck", "--strict"]);
}
