//! Two stores that exchange through a third: nothing is lost, whatever the order.

#![allow(clippy::unwrap_used)]
// Fixtures run git as a process.
#![allow(clippy::disallowed_types)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::super::tests::{history, sample, whole};
use super::super::*;
use super::*;
use crate::git::tests::{GitFixture, git};
use crate::store::pending_ref::WAITING;

/// Pushes of each of the racing stores.
const PUSHES: u8 = 5;

/// Racing stores.
const RACERS: u8 = 3;

struct RemoteTestStore {
    repository: Repository,
    store: Store,
    interruption: InterruptionFlag,
}

impl RemoteTestStore {
    fn of(folder: &Path) -> RemoteTestStore {
        let repository = Repository::open(folder).unwrap();
        let store = Store::open(&repository, DEFAULT_URL).unwrap();
        RemoteTestStore {
            repository,
            store,
            interruption: InterruptionFlag::default(),
        }
    }

    fn with<T>(&self, address: &Path, act: impl Fn(&StoreTransfer<'_>) -> T) -> T {
        let remote = Remote::find(&self.repository, Some(address.to_str().unwrap())).unwrap();
        act(&StoreTransfer {
            repository: &self.repository,
            store: &self.store,
            remote: &remote,
            decode: &whole,
            time_limit: Duration::from_secs(120),
            interruption: &self.interruption,
        })
    }

    fn put(&self, commit: CommitId, benchmarks: &[&str]) {
        let (record, profiles) = sample(commit, benchmarks);
        self.store.record(&record, &profiles).unwrap();
    }

    fn samples(&self) -> usize {
        self.store.samples().unwrap().samples.len()
    }
}

fn bare(fixture: &GitFixture, name: &str) -> PathBuf {
    let folder = fixture.beside(name);
    fixture.git(&["init", "-q", "--bare", folder.to_str().unwrap()]);
    folder
}

#[test]
fn pushed_entries_are_fetched_by_others() {
    let (fixture, commits) = history::<2>();
    let hub = bare(&fixture, "hub.git");
    let one = RemoteTestStore::of(&fixture.dir());
    let other = RemoteTestStore::of(&bare(&fixture, "other.git"));
    assert!(matches!(one.with(&hub, |t| t.fetch()), Ok(StoreFetchOutcome::NoStore)));
    assert!(matches!(
        one.with(&hub, |t| t.push()),
        Ok(StorePushOutcome::NothingHere)
    ));
    one.put(commits[0], &["a", "b"]);
    let Ok(StorePushOutcome::Sent { sent, lost, .. }) = one.with(&hub, |t| t.push()) else {
        panic!("nothing was sent");
    };
    assert_eq!((sent.samples, sent.profiles, lost), (1, 2, 0));
    assert!(matches!(
        one.with(&hub, |t| t.push()),
        Ok(StorePushOutcome::NothingNew(_))
    ));
    let Ok(StoreFetchOutcome::Merged(got)) = other.with(&hub, |t| t.fetch()) else {
        panic!("nothing came");
    };
    assert_eq!((got.samples, got.profiles), (1, 2));
    other.put(commits[1], &["c"]);
    one.put(commits[1], &["d"]);
    other.with(&hub, |t| t.push()).unwrap();
    one.with(&hub, |t| t.push()).unwrap();
    other.with(&hub, |t| t.fetch()).unwrap();
    let tips = [fixture.dir(), hub.clone(), fixture.beside("other.git")]
        .map(|folder| git(&folder, &["rev-parse", "refs/lito/store"], 0));
    assert!(tips.iter().all(|tip| *tip == tips[0]), "{tips:?}");
    let found = one.store.sample(commits[1]).unwrap().samples;
    assert_eq!(found[0].benchmarks.len(), 2);
    for folder in [fixture.dir(), hub] {
        git(&folder, &["fsck", "--strict"], 0);
        let refs = git(&folder, &["for-each-ref", "--format=%(refname)", "refs/lito"], 0);
        assert_eq!(refs, "refs/lito/store", "nothing is left behind");
    }
}

#[test]
fn racing_stores_lose_nothing() {
    let fixture = GitFixture::new();
    let hub = bare(&fixture, "hub.git");
    let address = PathBuf::from(format!("file://{}", hub.display()));
    let sides: Vec<PathBuf> = (0..RACERS)
        .map(|racer| bare(&fixture, &format!("racer-{racer}.git")))
        .collect();
    std::thread::scope(|scope| {
        for (racer, folder) in sides.iter().enumerate() {
            let address = &address;
            scope.spawn(move || {
                let side = RemoteTestStore::of(folder);
                for push in 0..PUSHES {
                    // Each racer samples its own version, and all sample one together.
                    let racer = u8::try_from(racer).unwrap();
                    side.put(CommitId([racer * PUSHES + push + 1; 20]), &["a"]);
                    side.put(CommitId([255; 20]), &[&format!("{racer}/{push}")]);
                    let pushed = side.with(address, |t| t.push()).unwrap();
                    assert!(matches!(pushed, StorePushOutcome::Sent { .. }), "{pushed:?}");
                }
            });
        }
    });
    let all = usize::from(RACERS * PUSHES);
    let hub_side = RemoteTestStore::of(&hub);
    assert_eq!(hub_side.samples(), all + 1);
    let together = hub_side.store.sample(CommitId([255; 20])).unwrap().samples;
    assert_eq!(together[0].benchmarks.len(), all);
    assert_eq!(hub_side.store.verify(&whole).unwrap(), []);
    git(&hub, &["fsck", "--strict"], 0);
    for folder in &sides {
        let side = RemoteTestStore::of(folder);
        side.with(&address, |t| t.fetch()).unwrap();
        assert_eq!(side.samples(), all + 1);
    }
}

#[test]
fn a_refusing_hook_is_reported_and_nothing_is_lost() {
    let (fixture, [commit]) = history();
    let hub = bare(&fixture, "hub.git");
    let hook = hub.join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\necho 'only robots may push here' >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)).unwrap();
    let side = RemoteTestStore::of(&fixture.dir());
    side.put(commit, &["a"]);
    let error = side.with(&hub, |t| t.push()).unwrap_err();
    assert!(matches!(error, RemoteError::Refused { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("only robots") && text.contains("pre-receive hook declined"),
        "{text}"
    );
    assert_eq!(git(&hub, &["for-each-ref"], 0), "");
    assert_eq!(side.samples(), 1);
}

#[test]
fn an_unreadable_remote_store_is_never_overwritten() {
    let (fixture, commits) = history::<2>();
    let hub = bare(&fixture, "hub.git");
    let side = RemoteTestStore::of(&fixture.dir());
    side.put(commits[0], &["a"]);
    let hub_side = RemoteTestStore::of(&hub);
    hub_side.put(commits[1], &["b"]);
    let good = git(&hub, &["rev-parse", "refs/lito/store"], 0);
    let newer = |text: &[u8]| {
        let raw = git2::Repository::open(&hub).unwrap();
        let tip = raw.find_commit(good.parse().unwrap()).unwrap();
        let tree = git2::build::TreeUpdateBuilder::new()
            .upsert("format", raw.blob(text).unwrap(), git2::FileMode::Blob)
            .create_updated(&raw, &tip.tree().unwrap())
            .unwrap();
        let tree = raw.find_tree(tree).unwrap();
        let author = tip.author();
        raw.commit(None, &author, &author, "x", &tree, &[&tip])
            .unwrap()
            .to_string()
    };
    let blob = git2::Repository::open(&hub).unwrap().blob(b"x").unwrap();
    for (held, says) in [
        (
            newer(b"lito.store/9\ninstall lito 7.5 or newer\n"),
            "install lito 7.5 or newer",
        ),
        (newer(b"something else"), "not a lito store"),
        (blob.to_string(), "can't be read"),
    ] {
        git(&hub, &["update-ref", "refs/lito/store", &held], 0);
        let before = git(&fixture.dir(), &["rev-parse", "refs/lito/store"], 0);
        for error in [
            side.with(&hub, |t| t.push().unwrap_err()),
            side.with(&hub, |t| t.fetch().unwrap_err()),
        ] {
            let text = error.to_string();
            assert!(matches!(error, RemoteError::Theirs { .. }), "{text}");
            assert!(
                text.contains(says) && text.contains("nothing was changed there"),
                "{text}"
            );
        }
        assert_eq!(git(&hub, &["rev-parse", "refs/lito/store"], 0), held);
        assert_eq!(git(&fixture.dir(), &["rev-parse", "refs/lito/store"], 0), before);
    }
}

#[test]
fn a_damaged_entry_of_ours_is_not_spread() {
    let (fixture, commits) = history::<2>();
    let hub = bare(&fixture, "hub.git");
    let side = RemoteTestStore::of(&fixture.dir());
    side.put(commits[0], &["a"]);
    side.put(commits[1], &["b"]);
    let key = super::super::object_path(ObjectKey::of(&super::super::tests::profile("b")));
    super::super::tests::tamper(&fixture, &key, Some(b"cut"));
    let Ok(StorePushOutcome::Sent { sent, .. }) = side.with(&hub, |t| t.push()) else {
        panic!("nothing was sent");
    };
    assert_eq!((sent.samples, sent.left_out.len()), (1, 1));
    let hub_side = RemoteTestStore::of(&hub);
    assert_eq!(
        (hub_side.samples(), hub_side.store.verify(&whole).unwrap()),
        (1, vec![])
    );
    assert_eq!(side.samples(), 2, "the local damage stays");
    let again = side.with(&hub, |t| t.push()).unwrap();
    assert!(matches!(again, StorePushOutcome::NothingNew(_)), "{again:?}");
}

#[test]
fn a_shallow_clone_fetches_and_pushes_like_any_other() {
    let (fixture, commits) = history::<3>();
    let hub = fixture.beside("hub.git");
    fixture.git(&["clone", "-q", "--bare", ".", hub.to_str().unwrap()]);
    let first = RemoteTestStore::of(&fixture.dir());
    first.put(commits[0], &["a"]);
    first.with(&hub, |t| t.push()).unwrap();
    let shallow = fixture.beside("shallow");
    let address = format!("file://{}", hub.display());
    fixture.git(&["clone", "-q", "--depth=1", &address, shallow.to_str().unwrap()]);
    let side = RemoteTestStore::of(&shallow);
    assert!(side.repository.is_shallow());
    let boundary = std::fs::read(shallow.join(".git/shallow")).unwrap();
    side.with(Path::new(&address), |t| t.fetch()).unwrap();
    side.put(commits[2], &["c"]);
    side.with(Path::new(&address), |t| t.push()).unwrap();
    assert_eq!(RemoteTestStore::of(&hub).samples(), 2);
    assert_eq!(std::fs::read(shallow.join(".git/shallow")).unwrap(), boundary);
}

#[test]
fn a_ref_that_a_killed_run_left_is_swept_in_time() {
    let (fixture, [commit]) = history();
    let hub = bare(&fixture, "hub.git");
    let side = RemoteTestStore::of(&fixture.dir());
    side.put(commit, &["a"]);
    for age in ["1000000000-1-1-1", "99999999999-1-1-1"] {
        fixture.git(&["update-ref", &format!("{WAITING}{age}"), "refs/lito/store"]);
    }
    side.with(&hub, |t| t.push()).unwrap();
    assert_eq!(
        fixture.git(&["for-each-ref", "--format=%(refname)", WAITING]),
        format!("{WAITING}99999999999-1-1-1"),
        "only what is old"
    );
}

#[test]
fn without_a_name_it_is_origin_or_the_only_remote() {
    let (fixture, _) = history::<1>();
    let find = |asked: Option<&str>| Remote::find(&fixture.open(), asked);
    assert!(matches!(find(None), Err(RemoteError::NoRemote { .. })));
    fixture.git(&["remote", "add", "upstream", "https://u:p@host.test/a.git"]);
    assert_eq!(find(None).unwrap().shown(), "upstream (https://host.test/a.git)");
    fixture.git(&["remote", "add", "mirror", "git@host.test:a.git"]);
    let error = find(None).unwrap_err();
    assert!(error.to_string().contains("`mirror`, `upstream`"), "{error}");
    fixture.git(&["remote", "add", "origin", "/a"]);
    assert_eq!(find(None).unwrap().shown(), "origin (/a)");
    assert_eq!(find(Some("mirror")).unwrap().shown(), "mirror (git@host.test:a.git)");
    let error = find(Some("orgin")).unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("`origin`"), "{error}");
}

#[test]
fn a_remote_with_another_address_for_pushing_is_asked_there_for_both() {
    let (fixture, [commit]) = history();
    let hub = bare(&fixture, "hub.git");
    let hub = hub.to_str().unwrap();
    fixture.git(&["remote", "add", "origin", "/nowhere"]);
    fixture.git(&["remote", "set-url", "--push", "origin", hub]);
    let side = RemoteTestStore::of(&fixture.dir());
    side.put(commit, &["a"]);
    let transfer = |remote: &Remote| {
        StoreTransfer {
            repository: &side.repository,
            store: &side.store,
            remote,
            decode: &whole,
            time_limit: TIME_LIMIT,
            interruption: &side.interruption,
        }
        .push()
        .unwrap()
    };
    let pushed = transfer(&Remote::find(&side.repository, None).unwrap());
    assert!(matches!(pushed, StorePushOutcome::Sent { .. }));
    // A mirror pushes everything or nothing, except for the store.
    let mirror = bare(&fixture, "mirror.git");
    let mirror = mirror.to_str().unwrap();
    fixture.git(&["remote", "add", "--mirror=push", "mirror", mirror]);
    let pushed = transfer(&Remote::find(&fixture.open(), Some("mirror")).unwrap());
    assert!(matches!(pushed, StorePushOutcome::Sent { .. }));
    let refs = git(Path::new(mirror), &["for-each-ref", "--format=%(refname)"], 0);
    assert_eq!(refs, "refs/lito/store");
}

#[test]
fn a_hostile_tree_at_the_remote_does_not_come_in() {
    let (fixture, commits, _) = exported();
    let hub = bare(&fixture, "hub.git");
    hostile(&fixture, b"..", "100644");
    fixture.git(&["push", "-q", hub.to_str().unwrap(), "refs/lito/hostile:refs/lito/store"]);
    let there = RemoteTestStore::of(&bare(&fixture, "there.git"));
    there.put(commits[2], &["c"]);
    let before = git(&hub, &["rev-parse", "refs/lito/store"], 0);
    for error in [
        there.with(&hub, |t| t.fetch().unwrap_err()),
        there.with(&hub, |t| t.push().unwrap_err()),
    ] {
        let text = error.to_string();
        assert!(matches!(error, RemoteError::Theirs { .. }), "{text}");
        assert!(text.contains("damaged") && text.contains("git fsck"), "{text}");
    }
    assert_eq!(git(&hub, &["rev-parse", "refs/lito/store"], 0), before);
    assert_eq!(there.samples(), 1);
}

fn importing<'a>(side: &'a RemoteTestStore) -> BundleImport<'a> {
    BundleImport {
        store: &side.store,
        decode: &whole,
        accepted: AcknowledgementPolicy::LeaveOut,
        size_limit: FILE_LIMIT,
        time_limit: Duration::from_secs(120),
        interruption: &side.interruption,
    }
}

/// A fixture with a store of two samples, and the file that it was exported into.
fn exported() -> (GitFixture, [CommitId; 3], PathBuf) {
    let (fixture, commits) = history::<3>();
    let side = RemoteTestStore::of(&fixture.dir());
    side.put(commits[0], &["a"]);
    side.put(commits[1], &["b"]);
    let file = fixture.beside("store.bundle");
    let size = export(&side.store, &file, TIME_LIMIT, &side.interruption).unwrap();
    assert_eq!(size, Some(std::fs::metadata(&file).unwrap().len()));
    (fixture, commits, file)
}

#[test]
fn a_store_travels_as_a_file() {
    let (fixture, commits, file) = exported();
    let there = RemoteTestStore::of(&bare(&fixture, "there.git"));
    let nothing = fixture.beside("nothing");
    let written = export(&there.store, &nothing, TIME_LIMIT, &there.interruption);
    assert!(matches!(written, Ok(None)) && !nothing.exists());
    let merged = import(&importing(&there), &file).unwrap();
    assert_eq!((merged.samples, merged.profiles), (2, 2));
    assert!(import(&importing(&there), &file).unwrap().is_empty());
    there.put(commits[2], &["c"]);
    assert_eq!(there.store.verify(&whole).unwrap(), []);
    git(&fixture.beside("there.git"), &["fsck", "--strict"], 0);
}

#[test]
fn a_file_cut_short_anywhere_or_altered_is_refused() {
    let (fixture, _, file) = exported();
    let there = RemoteTestStore::of(&bare(&fixture, "there.git"));
    let whole_file = std::fs::read(&file).unwrap();
    let bad = fixture.beside("bad.bundle");
    let length = whole_file.len();
    let mut contents: Vec<Vec<u8>> = [0, 5, 16, 60, length / 2, length - 1]
        .iter()
        .map(|length| whole_file[..*length].to_vec())
        .collect();
    for place in [0, 20, length / 2, length - 5] {
        let mut altered = whole_file.clone();
        altered[place] ^= 0x15;
        contents.push(altered);
    }
    contents.push(b"# v2 git bundle\n-0123456789012345678901234567890123456789 x\n\n".to_vec());
    contents.push(b"\x7fELF".repeat(100));
    for content in contents {
        std::fs::write(&bad, &content).unwrap();
        let error = import(&importing(&there), &bad).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, RemoteError::File { .. }), "{text}");
        assert!(
            text.contains("bad.bundle") && text.contains("lito store export"),
            "{text}"
        );
        assert_eq!(there.samples(), 0);
    }
    let small = BundleImport {
        size_limit: 100,
        ..importing(&there)
    };
    let error = import(&small, &file).unwrap_err();
    assert!(error.to_string().contains("exceed the limit of 100"), "{error}");
    for none in [fixture.beside("missing"), fixture.dir()] {
        assert!(matches!(
            import(&importing(&there), &none),
            Err(RemoteError::File { .. })
        ));
    }
}

/// A file with a commit whose tree has this entry in addition to a store's.
fn hostile(fixture: &GitFixture, name: &[u8], mode: &str) -> PathBuf {
    let raw = git2::Repository::open(fixture.dir()).unwrap();
    let odb = raw.odb().unwrap();
    let tip = raw.find_reference("refs/lito/store").unwrap().peel_to_commit().unwrap();
    let blob = raw.blob(b"x").unwrap();
    let mut tree = odb.read(tip.tree_id()).unwrap().data().to_vec();
    let mut entry = format!("{mode} ").into_bytes();
    entry.extend_from_slice(name);
    entry.push(0);
    entry.extend_from_slice(blob.as_bytes());
    // Before all others: `.` sorts before any letter.
    entry.append(&mut tree);
    let tree = odb.write(git2::ObjectType::Tree, &entry).unwrap();
    let text = format!("tree {tree}\nauthor a <a> 5 +0000\ncommitter a <a> 5 +0000\n\nx\n");
    let commit = odb.write(git2::ObjectType::Commit, text.as_bytes()).unwrap();
    fixture.git(&["update-ref", "refs/lito/hostile", &commit.to_string()]);
    let file = fixture.beside("hostile.bundle");
    fixture.git(&["bundle", "create", "-q", file.to_str().unwrap(), "refs/lito/hostile"]);
    file
}

#[test]
fn a_hostile_file_is_refused_or_its_strays_are_left_out() {
    let (fixture, _, _) = exported();
    let there = RemoteTestStore::of(&bare(&fixture, "there.git"));
    for name in [&b".."[..], b".git", b"..\\x/../y", b"."] {
        let file = hostile(&fixture, name, "100644");
        match import(&importing(&there), &file) {
            Err(RemoteError::File { .. }) => assert_eq!(there.samples(), 0),
            Err(other) => panic!("{other}"),
            Ok(merged) => {
                assert_eq!(merged.left_out[0].problem, StoreProblem::Stray);
                panic!("git let {name:?} pass");
            }
        }
    }
    // Git allows a submodule and a link, a store does not.
    for mode in ["160000", "120000", "100755"] {
        let file = hostile(&fixture, b".a", mode);
        let fresh = RemoteTestStore::of(&bare(&fixture, &format!("{mode}.git")));
        let merged = import(&importing(&fresh), &file).unwrap();
        assert_eq!(merged.left_out.len(), 1, "{mode}");
        assert_eq!((fresh.samples(), fresh.store.verify(&whole).unwrap()), (2, vec![]));
    }
}
