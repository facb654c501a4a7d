//! Stored files are read back, damaged ones are reported, and no other file is lost.

#![allow(clippy::unwrap_used)]

mod baselines;
mod garbage;
mod writers;

use super::*;
use crate::git::tests::GitFixture;

pub(super) fn whole(_: &[u8]) -> Result<(), String> {
    Ok(())
}

pub(super) fn environment(processor: &str) -> Environment {
    Environment([("processor".to_owned(), processor.to_owned())].into())
}

pub(super) fn profile(text: &str) -> Vec<u8> {
    format!("profile of {text}").repeat(50).into_bytes()
}

/// The amount of the profiles of these benchmarks.
pub(super) fn stored_profiles(benchmarks: &[&str]) -> StoredProfiles {
    StoredProfiles {
        count: benchmarks.len(),
        bytes: benchmarks.iter().map(|name| profile(name).len() as u64).sum(),
    }
}

/// A complete sample with one benchmark per name.
pub(super) fn sample(commit: CommitId, benchmarks: &[&str]) -> (SampleRecord, Vec<Vec<u8>>) {
    let mut record = SampleRecord::new(commit, 1_600_000_000, environment("a"));
    record.state = SampleState::Complete;
    let profiles: Vec<_> = benchmarks.iter().map(|name| profile(name)).collect();
    for (name, profile) in benchmarks.iter().zip(&profiles) {
        let outcome = SampleOutcome::Profiled {
            profile: ObjectKey::of(profile),
            total: 7,
            inputs: None,
            heap: None,
            program: None,
        };
        record.benchmarks.insert((*name).to_owned(), outcome);
    }
    (record, profiles)
}

pub(super) fn store(fixture: &GitFixture) -> Store {
    Store::open(&fixture.open(), DEFAULT_URL).unwrap()
}

pub(super) fn stored(fixture: &GitFixture, commit: CommitId, benchmarks: &[&str]) -> Store {
    let store = store(fixture);
    let (record, profiles) = sample(commit, benchmarks);
    store.record(&record, &profiles).unwrap();
    store
}

pub(super) fn history<const N: usize>() -> (GitFixture, [CommitId; N]) {
    let fixture = GitFixture::new();
    let commits = std::array::from_fn(|index| fixture.commit(&index.to_string()));
    (fixture, commits)
}

/// Replaces a file of the store's tree without the store's knowledge: `None` removes it.
pub(super) fn tamper(fixture: &GitFixture, path: &str, content: Option<&[u8]>) {
    let repository = git2::Repository::open(fixture.dir()).unwrap();
    let tip = repository
        .find_reference("refs/lito/store")
        .unwrap()
        .peel_to_commit()
        .unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    match content {
        Some(content) => update.upsert(path, repository.blob(content).unwrap(), git2::FileMode::Blob),
        None => update.remove(path),
    };
    let tree = update.create_updated(&repository, &tip.tree().unwrap()).unwrap();
    let tree = repository.find_tree(tree).unwrap();
    let author = tip.author();
    repository
        .commit(Some("refs/lito/store"), &author, &author, "tampered", &tree, &[&tip])
        .unwrap();
}

#[test]
fn recorded_samples_are_read_back() {
    let (fixture, [commit]) = history();
    let empty = store(&fixture);
    assert_eq!(empty.samples().unwrap(), StoredSamples::default());
    assert!(matches!(
        empty.object(ObjectKey::of(b"x")),
        Err(StoreError::Damaged { .. })
    ));
    let store = stored(&fixture, commit, &["parse/large", "../../etc/passwd", "\u{202e}\0name"]);
    let (record, profiles) = sample(commit, &["parse/large", "../../etc/passwd", "\u{202e}\0name"]);
    assert_eq!(store.samples().unwrap().samples, std::slice::from_ref(&record));
    assert_eq!(store.sample(commit).unwrap().samples, [record]);
    assert_eq!(store.object(ObjectKey::of(&profiles[1])).unwrap(), profiles[1]);
    assert_eq!(store.verify(&whole).unwrap(), []);
    // No path contains a name, and the user's branches, index and checkout are not affected.
    let paths = fixture.git(&["ls-tree", "-r", "--name-only", "refs/lito/store"]);
    assert!(!paths.contains("passwd") && !paths.contains("parse"), "{paths}");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
    assert_eq!(
        fixture.git(&["branch", "--all", "--format=%(refname)"]),
        "refs/heads/main"
    );
    fixture.git(&["fsck", "--strict"]);
}

#[test]
fn the_same_samples_make_the_same_store() {
    let ids = [1, 2].map(|_| {
        let (fixture, commits) = history::<2>();
        stored(&fixture, commits[0], &["a", "b"]);
        stored(&fixture, commits[1], &["b"]);
        fixture.git(&["rev-parse", "refs/lito/store"])
    });
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn recording_again_adds_and_takes_nothing_away() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    let tip = fixture.git(&["rev-parse", "refs/lito/store"]);
    stored(&fixture, commit, &["a"]);
    assert_eq!(
        fixture.git(&["rev-parse", "refs/lito/store"]),
        tip,
        "nothing new, no commit"
    );
    let mut later = SampleRecord::new(commit, 1_600_000_000, environment("a"));
    later.benchmarks.insert(
        "a".to_owned(),
        SampleOutcome::Failed {
            reason: "killed".to_owned(),
        },
    );
    later
        .benchmarks
        .insert("b".to_owned(), SampleOutcome::TimedOut { seconds: 60 });
    store.record(&later, &[]).unwrap();
    let found = store.samples().unwrap().samples;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].state, SampleState::Complete);
    assert!(matches!(found[0].benchmarks["a"], SampleOutcome::Profiled { .. }));
    assert_eq!(found[0].benchmarks["b"], SampleOutcome::TimedOut { seconds: 60 });
    let mut elsewhere = later.clone();
    elsewhere.environment = environment("b");
    store.record(&elsewhere, &[]).unwrap();
    assert_eq!(store.sample(commit).unwrap().samples.len(), 2);
}

#[test]
fn a_profile_that_is_named_but_not_given_is_refused() {
    let (fixture, [commit]) = history();
    let store = store(&fixture);
    let (record, _) = sample(commit, &["a"]);
    let error = store.record(&record, &[profile("other")]).unwrap_err();
    assert!(matches!(error, StoreError::ProfileNotGiven { .. }), "{error}");
    assert_eq!(store.samples().unwrap().samples, []);
}

#[test]
fn urls_that_could_hurt_are_refused() {
    let (fixture, _) = history::<1>();
    let repository = fixture.open();
    for url in [
        "git:refs/heads/main",
        "git:refs/tags/v1",
        "git:HEAD",
        "git:refs/a..b",
        "s3://bucket",
        "git:",
        "refs/x",
    ] {
        assert!(
            matches!(Store::open(&repository, url), Err(StoreError::BadUrl { .. })),
            "{url}"
        );
    }
}

#[test]
fn a_store_of_a_newer_format_is_neither_read_nor_written() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    tamper(
        &fixture,
        "format",
        Some(b"lito.store/2\ninstall lito 3.1 or newer\x1b[31m\n"),
    );
    let tip = fixture.git(&["rev-parse", "refs/lito/store"]);
    let (record, profiles) = sample(commit, &["b"]);
    let errors = [
        store.samples().unwrap_err(),
        store.object(ObjectKey::of(&profile("a"))).unwrap_err(),
        store.record(&record, &profiles).unwrap_err(),
        store.verify(&whole).unwrap_err(),
        store.gc(&fixture.open(), KEEP_ALL).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, StoreError::Newer { found: 2, known: 1, .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.contains("install lito 3.1 or newer") && !text.contains('\x1b'),
            "{text}"
        );
    }
    assert_eq!(fixture.git(&["rev-parse", "refs/lito/store"]), tip);
}

const KEEP_ALL: RetentionPolicy = RetentionPolicy {
    newest: None,
    since: None,
    gone_commits: GoneCommitPolicy::Keep,
};

#[test]
fn unreadable_is_never_taken_for_empty_nor_overwritten() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    let (record, profiles) = sample(commit, &["b"]);
    for damage in [Some(&b"something else"[..]), None] {
        tamper(&fixture, "format", damage);
        let tip = fixture.git(&["rev-parse", "refs/lito/store"]);
        assert!(matches!(store.samples(), Err(StoreError::Unreadable { .. })));
        assert!(matches!(
            store.record(&record, &profiles),
            Err(StoreError::Unreadable { .. })
        ));
        assert_eq!(fixture.git(&["rev-parse", "refs/lito/store"]), tip);
    }
    // A dangling ref, as after a disk error.
    std::fs::write(fixture.dir().join(".git/refs/lito/store"), "12".repeat(20) + "\n").unwrap();
    assert!(matches!(store.samples(), Err(StoreError::Unreadable { .. })));
    assert!(matches!(
        store.record(&record, &profiles),
        Err(StoreError::Unreadable { .. })
    ));
    std::fs::write(fixture.dir().join(".git/refs/lito/store"), "").unwrap();
    assert!(matches!(store.samples(), Err(StoreError::Unreadable { .. })));
    assert!(matches!(
        store.record(&record, &profiles),
        Err(StoreError::Unreadable { .. })
    ));
}

#[test]
fn a_record_that_cannot_be_read_is_set_aside_and_not_overwritten() {
    let (fixture, commits) = history::<2>();
    let store = stored(&fixture, commits[0], &["a"]);
    stored(&fixture, commits[1], &["b"]);
    let (record, profiles) = sample(commits[1], &["c"]);
    let path = record_path(commits[1], record.environment.id());
    let good = fixture.git(&["show", &format!("refs/lito/store:{path}")]);
    for damage in [
        "{",
        "{\"commit\": 1}",
        &good.replace("\"total\": 7", "\"total\": -7"),
        &good.replace(&commits[1].to_string(), &commits[0].to_string()),
    ] {
        assert_ne!(damage, good);
        tamper(&fixture, &path, Some(damage.as_bytes()));
        let found = store.samples().unwrap();
        assert_eq!(found.samples.len(), 1);
        assert_eq!(
            (found.set_aside.len(), found.set_aside[0].path.as_str()),
            (1, path.as_str())
        );
        assert!(matches!(
            store.record(&record, &profiles),
            Err(StoreError::Unreadable { .. })
        ));
        // The damaged record may have referred to a profile: none is collected.
        let left = StoreGcSummary {
            kept_samples: 1,
            kept_profiles: stored_profiles(&["a", "b"]),
            unreadable: 1,
            ..StoreGcSummary::default()
        };
        assert_eq!(store.gc(&fixture.open(), KEEP_ALL).unwrap(), left);
        let problems: Vec<_> = store
            .verify(&whole)
            .unwrap()
            .into_iter()
            .map(|finding| finding.problem)
            .collect();
        assert_eq!(problems, [StoreProblem::Unused, StoreProblem::Record]);
    }
}

#[test]
fn altered_missing_and_undecodable_profiles_are_named() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a", "b", "c"]);
    let [a, b, c] = ["a", "b", "c"].map(|name| ObjectKey::of(&profile(name)));
    tamper(&fixture, &object_path(a), Some(&profile("a")[..100]));
    tamper(&fixture, &object_path(b), None);
    tamper(&fixture, "samples/stray.txt", Some(b"x"));
    tamper(&fixture, &object_path(ObjectKey::of(b"unused")), Some(b"unused"));
    assert!(
        store
            .object(a)
            .unwrap_err()
            .to_string()
            .contains("altered or cut short")
    );
    assert!(store.object(b).unwrap_err().to_string().contains("missing"));
    assert_eq!(store.object(c).unwrap(), profile("c"));
    let undecodable = profile("c");
    let decode = |content: &[u8]| {
        if content == undecodable {
            Err("not a profile".to_owned())
        } else {
            Ok(())
        }
    };
    let mut found: Vec<_> = store
        .verify(&decode)
        .unwrap()
        .into_iter()
        .map(|finding| (finding.problem, finding.path))
        .collect();
    found.sort();
    let mut expected = vec![
        (StoreProblem::Profile, object_path(a)),
        (StoreProblem::Profile, object_path(b)),
        (StoreProblem::Profile, object_path(c)),
        (StoreProblem::Unused, object_path(ObjectKey::of(b"unused"))),
        (StoreProblem::Stray, "samples/stray.txt".to_owned()),
    ];
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_truncated_git_object_is_damage_and_no_panic() {
    let (fixture, [commit]) = history();
    let store = stored(&fixture, commit, &["a"]);
    let key = ObjectKey::of(&profile("a"));
    let blob = fixture.git(&["rev-parse", &format!("refs/lito/store:{}", object_path(key))]);
    let file = fixture.dir().join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    // libgit2 alone never returns from some of these.
    for length in [0, 1, 10, bytes.len() / 2, bytes.len() - 5] {
        std::fs::write(&file, &bytes[..length]).unwrap();
        let fresh = self::store(&fixture);
        assert!(
            matches!(fresh.object(key), Err(StoreError::Damaged { .. })),
            "cut to {length}"
        );
        assert_eq!(fresh.verify(&whole).unwrap().len(), 1);
    }
    drop(store);
}

pub(super) fn verdict(base: CommitId, head: CommitId) -> verdict::VerdictReport {
    verdict::VerdictReport {
        schema: verdict::SCHEMA.to_owned(),
        base: base.to_string(),
        head: head.to_string(),
        verdict: verdict::Verdict::Pass,
        reason: "nothing moved".to_owned(),
        benchmarks: Vec::new(),
        stages: Vec::new(),
        audited: true,
        audit: None,
        claims: Vec::new(),
        repeat: None,
        environment: environment("a").0,
        programs: std::collections::BTreeMap::new(),
        cost_seconds: 1.5,
        spent: None,
    }
}

#[test]
fn a_verdict_is_read_back_and_stands_beside_the_samples() {
    let (fixture, [base, head]) = history();
    let store = stored(&fixture, base, &["x"]);
    let kept = verdict(base, head);
    store.record_verdict(&kept, 1_600_000_000).unwrap();
    store.record_verdict(&kept, 1_600_000_000).unwrap();
    assert_eq!(store.verdicts().unwrap().verdicts, [kept]);
    assert_eq!(store.samples().unwrap().samples.len(), 1);
    assert_eq!(store.verify(&whole).unwrap(), []);
}

#[test]
fn a_verdict_that_was_altered_or_moved_is_set_aside_and_named() {
    let (fixture, [base, head]) = history();
    let store = store(&fixture);
    let kept = verdict(base, head);
    store.record_verdict(&kept, 1_600_000_000).unwrap();
    let path = format!("verdicts/{head}/{base}-{}.json", environment("a").id());
    let moved = format!("verdicts/{base}/{head}-{}.json", environment("a").id());
    tamper(&fixture, &moved, Some(&serde_json::to_vec(&kept).unwrap()));
    tamper(&fixture, "verdicts/loose", Some(b"x"));
    let found = store.verdicts().unwrap();
    assert_eq!(found.verdicts, [kept]);
    let paths: Vec<&str> = found.set_aside.iter().map(|finding| finding.path.as_str()).collect();
    assert_eq!(paths.len(), 2);
    assert!(paths.contains(&moved.as_str()) && paths.contains(&"verdicts/loose"));
    tamper(&fixture, &path, Some(b"{}"));
    assert_eq!(store.verdicts().unwrap().verdicts, []);
    assert_eq!(store.verify(&whole).unwrap().len(), 3);
}
