//! Each policy of garbage collection: which samples it removes, and the words for it.

use super::*;

/// A store with four samples, oldest first, at the times 1 to 4; the third version does not build.
fn four_versions() -> (GitFixture, [CommitId; 4], Store) {
    let (fixture, commits) = history::<4>();
    let store = store(&fixture);
    let names = [&["a", "b"][..], &["b"], &[], &["c"]];
    for (time, (commit, names)) in (1..).zip(commits.iter().zip(names)) {
        let (mut record, profiles) = sample(*commit, names);
        record.committed_at = time;
        if names.is_empty() {
            record.state = SampleState::BuildFailed {
                reason: String::from("no compiler"),
            };
        }
        store.record(&record, &profiles).unwrap();
    }
    (fixture, commits, store)
}

fn left(store: &Store) -> Vec<CommitId> {
    let samples = store.samples().unwrap().samples;
    samples.into_iter().map(|sample| sample.commit).collect()
}

fn gone(summary: &StoreGcSummary) -> Vec<(CommitId, ExpiryReason)> {
    let samples = summary.samples.iter();
    samples.map(|sample| (sample.commit, sample.reason)).collect()
}

#[test]
fn samples_of_gone_commits_go_with_their_profiles_and_nothing_else() {
    let (fixture, commits, store) = four_versions();
    let (record, profiles) = sample(CommitId([9; 20]), &["b", "gone"]);
    store.record(&record, &profiles).unwrap();
    let repository = fixture.open();
    let nothing = store.gc(&repository, KEEP_ALL).unwrap();
    assert_eq!((nothing.samples.len(), nothing.kept_samples), (0, 5));
    let policy = RetentionPolicy {
        gone_commits: GoneCommitPolicy::Drop,
        ..KEEP_ALL
    };
    let removed = store.gc(&repository, policy).unwrap();
    let environment = record.environment.id();
    assert_eq!(
        removed,
        StoreGcSummary {
            samples: vec![ExpiredSample {
                commit: record.commit,
                environment,
                benchmarks: 2,
                reason: ExpiryReason::GoneCommit,
            }],
            profiles: stored_profiles(&["gone"]),
            kept_samples: 4,
            kept_profiles: stored_profiles(&["a", "b", "c"]),
            unreadable: 0,
        }
    );
    assert_eq!(left(&store), commits);
    assert_eq!(store.verify(&whole).unwrap(), []);
}

#[test]
fn a_sample_of_a_commit_that_cannot_be_read_stays() {
    let (fixture, commits, store) = four_versions();
    let repository = fixture.open();
    let id = commits[0].to_string();
    let file = repository.common_dir().join("objects").join(&id[..2]).join(&id[2..]);
    let content = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, &content[..content.len() / 2]).unwrap();
    let policy = RetentionPolicy {
        gone_commits: GoneCommitPolicy::Drop,
        ..KEEP_ALL
    };
    let removed = store.gc(&fixture.open(), policy).unwrap();
    assert_eq!(gone(&removed), []);
    assert_eq!(left(&store).len(), 4);
}

#[test]
fn the_newest_versions_with_profiles_stay_in_each_environment() {
    let (fixture, commits, store) = four_versions();
    let (mut elsewhere, profiles) = sample(commits[0], &["d"]);
    elsewhere.environment = environment("another");
    elsewhere.committed_at = 1;
    store.record(&elsewhere, &profiles).unwrap();
    let repository = fixture.open();
    let keep = |newest| RetentionPolicy {
        newest: Some(newest),
        ..KEEP_ALL
    };
    let removed = store.gc(&repository, keep(2)).unwrap();
    // The version that does not build is no third one, and the other environment has one only.
    assert_eq!(gone(&removed), [(commits[0], ExpiryReason::BeyondLimits)]);
    assert_eq!(removed.profiles, stored_profiles(&["a"]));
    assert_eq!(store.object(ObjectKey::of(&profile("b"))).unwrap(), profile("b"));
    let removed = store.gc(&repository, keep(1)).unwrap();
    assert_eq!(gone(&removed), [(commits[1], ExpiryReason::BeyondLimits)]);
    assert_eq!(left(&store), [commits[0], commits[2], commits[3]]);
    assert_eq!(store.verify(&whole).unwrap(), []);
    assert_eq!(fixture.git(&["rev-list", "--count", "refs/lito/store"]), "1");
    stored(&fixture, commits[1], &["b"]);
    assert_eq!(store.samples().unwrap().samples.len(), 4, "it can be sampled again");
}

#[test]
fn older_samples_go_unless_they_are_among_the_newest() {
    let (fixture, commits, store) = four_versions();
    let repository = fixture.open();
    let since = |time, newest| RetentionPolicy {
        newest,
        since: Some(time),
        ..KEEP_ALL
    };
    let announced = |policy| gone(&store.garbage(&repository, policy).unwrap());
    let beyond = |commits: &[CommitId]| -> Vec<(CommitId, ExpiryReason)> {
        let newest_first = commits.iter().rev();
        newest_first
            .map(|commit| (*commit, ExpiryReason::BeyondLimits))
            .collect()
    };
    assert_eq!(announced(since(1, None)), []);
    assert_eq!(announced(since(3, None)), beyond(&commits[..2]));
    assert_eq!(announced(since(3, Some(2))), beyond(&commits[..1]));
    assert_eq!(announced(since(2, Some(1))), beyond(&commits[..1]));
    assert_eq!(announced(since(5, Some(1))), beyond(&commits[..2]));
    assert_eq!(announced(since(5, None)), beyond(&commits));
}

#[test]
fn what_is_announced_is_what_goes_and_announcing_changes_nothing() {
    let (fixture, _, store) = four_versions();
    let repository = fixture.open();
    let tip = fixture.git(&["rev-parse", "refs/lito/store"]);
    let policy = RetentionPolicy {
        newest: Some(1),
        ..KEEP_ALL
    };
    let announced = store.garbage(&repository, policy).unwrap();
    assert_eq!(announced.samples.len(), 2);
    assert_eq!(fixture.git(&["rev-parse", "refs/lito/store"]), tip);
    assert_eq!(store.gc(&repository, policy).unwrap(), announced);
    assert_ne!(fixture.git(&["rev-parse", "refs/lito/store"]), tip);
    let empty = GitFixture::new();
    assert_eq!(
        self::store(&empty).garbage(&empty.open(), policy).unwrap(),
        StoreGcSummary::default()
    );
}
