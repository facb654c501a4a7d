//! Merges in any order: no intact entry is lost, and no damaged one is accepted.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use verdict::{ACKNOWLEDGEMENT_SCHEMA, Acknowledgement};

use super::super::tests::{environment, history, profile, sample, store, stored, tamper, verdict, whole};
use super::super::*;
use crate::git::tests::GitFixture;

const JOIN: StoreMergeOptions<'static> = StoreMergeOptions {
    decode: &whole,
    accepted: AcknowledgementPolicy::Take,
    ancestors: MergeHistoryPolicy::Join,
};

const LEAVE_BEHIND: StoreMergeOptions<'static> = StoreMergeOptions {
    ancestors: MergeHistoryPolicy::LeaveBehind,
    ..JOIN
};

fn acknowledgement(pull: u64, head: CommitId, benchmark: &str, at: i64) -> Acknowledgement {
    Acknowledgement {
        schema: ACKNOWLEDGEMENT_SCHEMA.to_owned(),
        pull,
        benchmark: benchmark.to_owned(),
        reason: format!("worth it at {at}"),
        by: "somebody".to_owned(),
        at,
        head: head.to_string(),
        base: CommitId([7; 20]).to_string(),
        accepted: BTreeMap::new(),
    }
}

/// Another store in the same repository.
fn other(fixture: &GitFixture, name: &str) -> Store {
    Store::open(&fixture.open(), &format!("git:refs/lito/{name}")).unwrap()
}

fn put(store: &Store, commit: CommitId, benchmarks: &[&str]) {
    let (record, profiles) = sample(commit, benchmarks);
    store.record(&record, &profiles).unwrap();
}

fn tip(fixture: &GitFixture, store: &Store) -> String {
    fixture.git(&["rev-parse", store.reference()])
}

/// As `tamper`, in another store than the default.
fn tamper_with(fixture: &GitFixture, store: &Store, path: &str, content: Option<&[u8]>) {
    let own = fixture.git(&["for-each-ref", "--format=%(objectname)", "refs/lito/store"]);
    let tip = tip(fixture, store);
    fixture.git(&["update-ref", "refs/lito/store", &tip]);
    tamper(fixture, path, content);
    let tampered = fixture.git(&["rev-parse", "refs/lito/store"]);
    fixture.git(&["update-ref", store.reference(), &tampered]);
    match own.is_empty() {
        true => fixture.git(&["update-ref", "-d", "refs/lito/store"]),
        false => fixture.git(&["update-ref", "refs/lito/store", &own]),
    };
}

/// Entries of a store, in the property below.
#[derive(Debug, Clone)]
enum MergeTestEntry {
    Sample(SampleRecord, Vec<Vec<u8>>),
    Verdict(usize, usize, bool),
    Acknowledgement(u64, usize, usize, i64),
}

fn outcome() -> impl Strategy<Value = Option<Result<u8, SampleOutcome>>> {
    prop_oneof![
        Just(None),
        (0..3_u8).prop_map(|profile| Some(Ok(profile))),
        (0..2_u8).prop_map(|reason| Some(Err(SampleOutcome::Failed {
            reason: reason.to_string()
        }))),
        (1..3_u64).prop_map(|seconds| Some(Err(SampleOutcome::TimedOut { seconds }))),
    ]
}

fn state() -> impl Strategy<Value = SampleState> {
    prop_oneof![
        Just(SampleState::InProgress),
        Just(SampleState::Complete),
        (0..2_u8).prop_map(|reason| SampleState::BuildFailed {
            reason: reason.to_string()
        }),
    ]
}

fn entry() -> impl Strategy<Value = MergeTestEntry> {
    let samples = (0..3_u8, 0..2_u8, state(), prop::collection::vec(outcome(), 3)).prop_map(
        |(commit, processor, state, outcomes)| {
            let environment = environment(&processor.to_string());
            let mut record = SampleRecord::new(CommitId([commit; 20]), 1_600_000_000 + i64::from(commit), environment);
            record.state = state;
            let mut profiles = Vec::new();
            for (name, outcome) in outcomes.into_iter().enumerate() {
                let outcome = match outcome {
                    None => continue,
                    Some(Err(outcome)) => outcome,
                    Some(Ok(number)) => {
                        profiles.push(profile(&number.to_string()));
                        SampleOutcome::Profiled {
                            profile: ObjectKey::of(profiles.last().unwrap()),
                            total: u64::from(number % 2),
                            inputs: None,
                            heap: None,
                            program: None,
                        }
                    }
                };
                record.benchmarks.insert(name.to_string(), outcome);
            }
            MergeTestEntry::Sample(record, profiles)
        },
    );
    prop_oneof![
        4 => samples,
        1 => (0..2_usize, 0..3_usize, any::<bool>()).prop_map(|(head, seconds, audited)| MergeTestEntry::Verdict(head, seconds, audited)),
        1 => (1..3_u64, 0..2_usize, 0..3_usize, 0..3_i64)
            .prop_map(|(pull, head, name, at)| MergeTestEntry::Acknowledgement(pull, head, name, at)),
    ]
}

/// A store at its own ref with these entries, each sample once: a second record would leave unused profiles.
fn made_of(repository: &Repository, name: &str, entries: &[MergeTestEntry]) -> Store {
    let store = Store::open(repository, &format!("git:refs/made/{name}")).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for entry in entries {
        match entry {
            MergeTestEntry::Sample(record, profiles) => {
                if seen.insert((record.commit, record.environment.id())) {
                    store.record(record, profiles).unwrap();
                }
            }
            MergeTestEntry::Verdict(head, seconds, audited) => {
                let mut verdict = verdict(CommitId([9; 20]), CommitId([u8::try_from(*head).unwrap(); 20]));
                verdict.cost_seconds = *seconds as f64 + 0.1;
                verdict.audited = *audited;
                store.record_verdict(&verdict, 1_600_000_000).unwrap();
            }
            MergeTestEntry::Acknowledgement(pull, head, name, at) => {
                let head = CommitId([u8::try_from(*head).unwrap(); 20]);
                let given = acknowledgement(*pull, head, &name.to_string(), *at);
                store.record_acknowledgement(&given).unwrap();
            }
        }
    }
    store
}

/// The tree of a copy of the first store with the others merged into it, one after the other.
fn merged(repository: &Repository, name: &str, merging: StoreMergeOptions<'_>, stores: &[&Store]) -> Option<git2::Oid> {
    let copy = Store::open(repository, &format!("git:refs/merged/{name}")).unwrap();
    for store in stores {
        assert_eq!(copy.merge(store, merging).unwrap().left_out, []);
    }
    assert_eq!(copy.verify(&whole).unwrap(), []);
    copy.state("comparing").unwrap().map(|state| state.tree.id())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_merging_does_not_matter(
        a in prop::collection::vec(entry(), 0..5),
        b in prop::collection::vec(entry(), 0..5),
        c in prop::collection::vec(entry(), 0..5),
        join in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        git2::Repository::init_bare(folder.path()).unwrap();
        let repository = Repository::open(folder.path()).unwrap();
        let [a, b, c] = [("a", &a), ("b", &b), ("c", &c)].map(|(name, entries)| made_of(&repository, name, entries));
        let merging = if join { JOIN } else { LEAVE_BEHIND };
        let merged = |name: &str, stores: &[&Store]| merged(&repository, name, merging, stores);
        let all = merged("abc", &[&a, &b, &c]);
        prop_assert_eq!(merged("cba", &[&c, &b, &a]), all);
        prop_assert_eq!(merged("bac", &[&b, &a, &c]), all);
        prop_assert_eq!(merged("bcb", &[&b, &c, &b]), merged("cb", &[&c, &b]));
        let bc = Store::open(&repository, "git:refs/merged/bcb").unwrap();
        prop_assert_eq!(merged("a-bc", &[&a, &bc]), all, "grouped otherwise");
        let whole = Store::open(&repository, "git:refs/merged/abc").unwrap();
        for part in [&a, &b, &c, &bc, &whole] {
            prop_assert!(whole.merge(part, merging).unwrap().is_empty(), "it knows all of it");
        }
        prop_assert_eq!(merged("again", &[&whole, &whole]), all);
    }
}

#[test]
fn two_histories_meet_in_a_commit_with_both_parents_and_go_on_in_a_line() {
    let (fixture, commits) = history::<3>();
    let ours = stored(&fixture, commits[0], &["a"]);
    let theirs = other(&fixture, "theirs");
    put(&theirs, commits[1], &["b"]);
    let before = [tip(&fixture, &ours), tip(&fixture, &theirs)];
    let merged = ours.merge(&theirs, JOIN).unwrap();
    assert_eq!((merged.samples, merged.profiles), (1, 1));
    let parents = fixture.git(&["rev-parse", "refs/lito/store^1", "refs/lito/store^2"]);
    for parent in &before {
        assert!(parents.contains(parent.as_str()), "{parents}");
    }
    // The other store only has to follow.
    assert_eq!(theirs.merge(&ours, JOIN).unwrap().samples, 1);
    assert_eq!(tip(&fixture, &theirs), tip(&fixture, &ours));
    // If both merge the same two states at the same time, they create the same commit.
    fixture.git(&["update-ref", "refs/lito/store", &before[0]]);
    let one = tip(&fixture, &theirs);
    fixture.git(&["update-ref", theirs.reference(), &before[1]]);
    let ours_before = other(&fixture, "ours-before");
    fixture.git(&["update-ref", ours_before.reference(), &before[0]]);
    theirs.merge(&ours_before, JOIN).unwrap();
    assert_eq!(tip(&fixture, &theirs), one);
    // One more on top: nothing to merge, the ref is fast-forwarded.
    put(&theirs, commits[2], &["c"]);
    ours.merge(&theirs, JOIN).unwrap();
    assert_eq!(tip(&fixture, &ours), tip(&fixture, &theirs));
    fixture.git(&["fsck", "--strict"]);
}

#[test]
fn of_a_history_that_is_left_behind_only_what_is_read_comes_in() {
    let (fixture, commits) = history::<2>();
    let ours = stored(&fixture, commits[0], &["a"]);
    let before = tip(&fixture, &ours);
    let theirs = other(&fixture, "theirs");
    put(&theirs, commits[1], &["b"]);
    tamper_with(&fixture, &theirs, "evil/payload", Some(b"x"));
    let merged = ours.merge(&theirs, LEAVE_BEHIND).unwrap();
    assert_eq!((merged.samples, merged.left_out.len()), (1, 1));
    assert_eq!(
        fixture.git(&["rev-list", "--parents", "-1", "refs/lito/store"]),
        format!("{} {before}", tip(&fixture, &ours))
    );
}

/// Merges a store with one damaged sample into one with another, and returns what was left out.
#[track_caller]
fn left_out(damage: impl Fn(&GitFixture, &Store, CommitId)) -> Vec<(StoreProblem, String, String)> {
    let (fixture, commits) = history::<3>();
    let ours = stored(&fixture, commits[0], &["a"]);
    let theirs = other(&fixture, "theirs");
    put(&theirs, commits[1], &["b"]);
    put(&theirs, commits[2], &["c", "d"]);
    damage(&fixture, &theirs, commits[2]);
    let undecodable = |content: &[u8]| match content.starts_with(b"profile of") {
        true => Ok(()),
        false => Err("not a profile".to_owned()),
    };
    let merging = StoreMergeOptions {
        decode: &undecodable,
        ..JOIN
    };
    let merged = ours.merge(&theirs, merging).unwrap();
    let samples = ours.samples().unwrap();
    assert_eq!(samples.set_aside, []);
    let known: Vec<CommitId> = samples.samples.iter().map(|sample| sample.commit).collect();
    assert!(known.contains(&commits[0]) && known.contains(&commits[1]));
    assert_eq!(ours.verify(&undecodable).unwrap(), [], "what came in is whole");
    fixture.git(&["fsck", "--strict"]);
    let finding = |finding: StoreFinding| (finding.problem, finding.path, finding.why);
    merged.left_out.into_iter().map(finding).collect()
}

fn path_of(commit: CommitId) -> String {
    record_path(commit, environment("a").id())
}

#[test]
fn a_record_that_names_a_profile_nobody_has_is_left_out() {
    let found = left_out(|fixture, theirs, commit| {
        let gone = object_path(ObjectKey::of(&profile("d")));
        tamper_with(fixture, theirs, &gone, None);
        let _ = commit;
    });
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, StoreProblem::Record);
    assert!(found[0].2.contains("it is missing"), "{found:?}");
}

#[test]
fn a_record_whose_profile_is_altered_or_none_is_left_out() {
    let altered = left_out(|fixture, theirs, _| {
        let path = object_path(ObjectKey::of(&profile("d")));
        tamper_with(fixture, theirs, &path, Some(&profile("another")));
    });
    assert_eq!((altered.len(), altered[0].0), (1, StoreProblem::Record));
    assert!(altered[0].2.contains("altered or cut short"), "{altered:?}");
    let none = left_out(|_, theirs, commit| {
        let mut record = SampleRecord::new(commit, 0, environment("a"));
        let content = b"no profile at all".to_vec();
        let outcome = SampleOutcome::Profiled {
            profile: ObjectKey::of(&content),
            total: 1,
            inputs: None,
            heap: None,
            program: None,
        };
        record.benchmarks.insert("e".to_owned(), outcome);
        theirs.record(&record, &[content]).unwrap();
    });
    assert_eq!((none.len(), none[0].0), (1, StoreProblem::Record));
    assert!(none[0].2.contains("not a profile"), "{none:?}");
}

#[test]
fn records_in_the_wrong_place_too_large_or_unreadable_are_left_out() {
    let damages: [fn(&str) -> Vec<u8>; 4] = [
        |_| b"{".to_vec(),
        |good| good.replace("\"total\": 7", "\"total\": -7").into_bytes(),
        |good| {
            good.replace("\"processor\": \"a\"", "\"processor\": \"b\"")
                .into_bytes()
        },
        |good| format!("{good}{}", " ".repeat(17 << 20)).into_bytes(),
    ];
    for damage in damages {
        let found = left_out(|fixture, theirs, commit| {
            let path = path_of(commit);
            let good = fixture.git(&["show", &format!("{}:{path}", theirs.reference())]);
            let bad = damage(&good);
            assert_ne!(bad, good.as_bytes());
            tamper_with(fixture, theirs, &path, Some(&bad));
        });
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, StoreProblem::Record);
        assert!(found[0].1.starts_with("samples/"));
    }
}

#[test]
fn strays_and_what_no_record_names_are_left_out() {
    let found = left_out(|fixture, theirs, commit| {
        for path in [
            "samples/stray.txt".to_owned(),
            format!("samples/{}/x.json", commit.to_string().to_uppercase()),
            "verdicts/loose".to_owned(),
            "acknowledgements/007/x.json".to_owned(),
            "objects/zz/zz".to_owned(),
            "hooks/pre-push".to_owned(),
        ] {
            tamper_with(fixture, theirs, &path, Some(b"x"));
        }
        let unused = object_path(ObjectKey::of(b"profile of nobody"));
        tamper_with(fixture, theirs, &unused, Some(b"profile of nobody"));
    });
    let strays = found.iter().filter(|(problem, ..)| *problem == StoreProblem::Stray);
    assert_eq!((strays.count(), found.len()), (6, 6), "{found:?}");
}

#[test]
fn our_own_damage_stays_unless_the_other_store_has_it_whole() {
    let (fixture, commits) = history::<3>();
    let ours = stored(&fixture, commits[0], &["a"]);
    put(&ours, commits[1], &["b"]);
    let theirs = other(&fixture, "theirs");
    put(&theirs, commits[1], &["b"]);
    put(&theirs, commits[2], &["c"]);
    tamper(&fixture, &path_of(commits[0]), Some(b"{"));
    tamper(&fixture, &path_of(commits[1]), Some(b"{"));
    let altered = object_path(ObjectKey::of(&profile("b")));
    tamper(&fixture, &altered, Some(b"cut"));
    let merged = ours.merge(&theirs, JOIN).unwrap();
    assert_eq!((merged.samples, merged.profiles), (2, 2));
    let broken = ours.verify(&whole).unwrap();
    let paths: Vec<&str> = broken.iter().map(|finding| finding.path.as_str()).collect();
    // The unreadable record may refer to the profile, which is therefore kept as well.
    let kept = object_path(ObjectKey::of(&profile("a")));
    assert_eq!(paths, [kept.as_str(), path_of(commits[0]).as_str()]);
    assert_eq!(ours.sample(commits[1]).unwrap().samples.len(), 1);
}

#[test]
fn neither_a_newer_nor_an_unreadable_store_is_merged_or_written() {
    for format in [
        Some(&b"lito.store/2\ninstall lito 3.1 or newer\n"[..]),
        Some(b"x"),
        None,
    ] {
        let (fixture, commits) = history::<2>();
        let ours = stored(&fixture, commits[0], &["a"]);
        let theirs = other(&fixture, "theirs");
        put(&theirs, commits[1], &["b"]);
        tamper_with(&fixture, &theirs, "format", format);
        for (into, from) in [(&ours, &theirs), (&theirs, &ours)] {
            let before = tip(&fixture, into);
            let error = into.merge(from, JOIN).unwrap_err();
            assert!(
                matches!(error, StoreError::Newer { .. } | StoreError::Unreadable { .. }),
                "{error}"
            );
            assert_eq!(tip(&fixture, into), before);
        }
    }
}

#[test]
fn a_history_that_was_cut_short_is_merged_without_being_followed() {
    let (fixture, commits) = history::<3>();
    let ours = stored(&fixture, commits[0], &["a"]);
    let theirs = other(&fixture, "theirs");
    let first = tip(&fixture, &ours);
    fixture.git(&["update-ref", theirs.reference(), &first]);
    put(&ours, commits[1], &["b"]);
    let second = tip(&fixture, &ours);
    put(&ours, commits[2], &["c"]);
    let file = fixture.dir().join(".git/objects").join(&second[..2]).join(&second[2..]);
    std::fs::remove_file(&file).unwrap();
    // libgit2 alone never returns from some of these.
    for length in 0..4 {
        std::fs::write(&file, &[0x78, 0x01, 0x2b, 0x29][..length]).unwrap();
        let fresh = other(&fixture, "store");
        assert_eq!(fresh.merge(&theirs, JOIN).unwrap(), StoreMergeSummary::default());
        assert_eq!(fresh.samples().unwrap().samples.len(), 3);
    }
}

#[test]
fn a_profile_wins_over_a_failure_and_a_complete_sample_over_a_part() {
    let (fixture, [commit]) = history();
    let ours = store(&fixture);
    let mut failed = SampleRecord::new(commit, 5, environment("a"));
    failed.state = SampleState::BuildFailed {
        reason: "no network".to_owned(),
    };
    ours.record(&failed, &[]).unwrap();
    let theirs = other(&fixture, "theirs");
    put(&theirs, commit, &["x"]);
    let third = other(&fixture, "third");
    let mut part = SampleRecord::new(commit, 5, environment("a"));
    let reason = "killed".to_owned();
    part.benchmarks.insert("x".to_owned(), SampleOutcome::Failed { reason });
    let limit = SampleOutcome::TimedOut { seconds: 60 };
    part.benchmarks.insert("y".to_owned(), limit.clone());
    third.record(&part, &[]).unwrap();
    ours.merge(&third, JOIN).unwrap();
    ours.merge(&theirs, JOIN).unwrap();
    let found = ours.samples().unwrap().samples.remove(0);
    assert!(found.is_baseline());
    assert!(matches!(found.benchmarks["x"], SampleOutcome::Profiled { .. }));
    assert_eq!(found.benchmarks["y"], limit);
}

#[test]
fn of_two_verdicts_the_one_that_decided_more_stays() {
    use verdict::{BenchmarkOutcome, BenchmarkVerdict};
    let (fixture, [base, head]) = history();
    let entry = |name: &str, outcome| BenchmarkVerdict::without_values(name, verdict::Metric::Instructions, outcome);
    let mut undecided = verdict(base, head);
    undecided.cost_seconds = 9000.0;
    undecided.benchmarks = vec![
        entry("a", BenchmarkOutcome::Inconclusive),
        entry("b", BenchmarkOutcome::Inconclusive),
    ];
    let mut decided = verdict(base, head);
    decided.benchmarks = vec![entry("a", BenchmarkOutcome::Regression)];
    for (mine, other_one) in [(&undecided, &decided), (&decided, &undecided)] {
        let ours = store(&fixture);
        ours.record_verdict(mine, 5).unwrap();
        let theirs = other(&fixture, "theirs");
        theirs.record_verdict(other_one, 5).unwrap();
        ours.merge(&theirs, JOIN).unwrap();
        assert_eq!(ours.verdicts().unwrap().verdicts, [decided.clone()]);
    }
}

#[test]
fn an_acknowledgement_is_kept_and_the_last_one_counts() {
    let (fixture, [base, head]) = history();
    let ours = stored(&fixture, base, &["a"]);
    let [first, second] = [10, 20].map(|at| acknowledgement(3, head, "../../a b", at));
    ours.record_acknowledgement(&second).unwrap();
    ours.record_acknowledgement(&first).unwrap();
    let elsewhere = acknowledgement(4, head, "c", 5);
    ours.record_acknowledgement(&elsewhere).unwrap();
    let found = ours.acknowledgements(3).unwrap();
    assert_eq!(
        (found.acknowledgements, found.set_aside),
        (vec![second.clone()], vec![])
    );
    assert_eq!(ours.acknowledgements(5).unwrap(), StoredAcknowledgements::default());
    let all = ours.all_acknowledgements().unwrap();
    assert_eq!(
        (all.acknowledgements.len(), all.set_aside.len()),
        (2, 0),
        "of each pull request"
    );
    assert!(all.acknowledgements.contains(&second) && all.acknowledgements.contains(&elsewhere));
    assert_eq!(ours.verify(&whole).unwrap(), []);
    let paths = fixture.git(&["ls-tree", "-r", "--name-only", "refs/lito/store"]);
    assert!(paths.contains(&format!("acknowledgements/3/{head}-")), "{paths}");
    assert!(!paths.contains("a b"), "{paths}");
    // Entries of missing commits are removed; accepted regressions stay.
    let gone = CommitId([1; 20]);
    put(&ours, gone, &["g"]);
    let policy = RetentionPolicy {
        newest: None,
        since: None,
        gone_commits: GoneCommitPolicy::Drop,
    };
    assert_eq!(ours.gc(&fixture.open(), policy).unwrap().samples.len(), 1);
    assert_eq!(
        ours.acknowledgements(3).unwrap().acknowledgements,
        std::slice::from_ref(&second)
    );
    // Another store's acknowledgement counts if it is later, and if that store may provide any.
    let theirs = other(&fixture, "theirs");
    let last = acknowledgement(3, head, "../../a b", 30);
    theirs.record_acknowledgement(&last).unwrap();
    let refusing = StoreMergeOptions {
        accepted: AcknowledgementPolicy::LeaveOut,
        ..JOIN
    };
    let merged = ours.merge(&theirs, refusing).unwrap();
    assert_eq!((merged.acknowledgements, merged.left_out.len()), (0, 1));
    assert_eq!(ours.acknowledgements(3).unwrap().acknowledgements, [second]);
    // The history was joined, so another ref represents a trusted store.
    let again = other(&fixture, "again");
    again.record_acknowledgement(&last).unwrap();
    again.record_acknowledgement(&elsewhere).unwrap();
    assert_eq!(ours.merge(&again, JOIN).unwrap().acknowledgements, 1);
    assert_eq!(ours.acknowledgements(3).unwrap().acknowledgements, [last]);
}

#[test]
fn an_acknowledgement_that_was_altered_moved_or_is_none_is_set_aside_and_named() {
    let (fixture, [_, head]) = history();
    let ours = store(&fixture);
    let given = acknowledgement(3, head, "a", 10);
    ours.record_acknowledgement(&given).unwrap();
    let listed = fixture.git(&["ls-tree", "-r", "--name-only", "refs/lito/store"]);
    let path = listed.lines().find(|path| path.starts_with("ack")).unwrap();
    let text = fixture.git(&["show", &format!("refs/lito/store:{path}")]);
    for (from, to) in [
        ("\"pull\": 3", "\"pull\": 4"),
        ("\"at\": 10", "\"at\": -1"),
        ("acknowledgement/1", "acknowledgement/2"),
        ("\"a\"", "\"b\""),
        ("{}", "{\"instructions\": 1e999}"),
    ] {
        let bad = text.replacen(from, to, 1);
        assert_ne!(bad, text);
        tamper(&fixture, path, Some(bad.as_bytes()));
        let found = ours.acknowledgements(3).unwrap();
        assert_eq!((found.acknowledgements.len(), found.set_aside.len()), (0, 1), "{to}");
        let problems = ours.verify(&whole).unwrap();
        assert_eq!(problems[0].problem, StoreProblem::Acknowledgement);
        let error = ours.record_acknowledgement(&given).unwrap_err();
        assert!(matches!(error, StoreError::Unreadable { .. }), "{error}");
    }
    let mut nobody = given.clone();
    nobody.head = "HEAD".to_owned();
    assert!(ours.record_acknowledgement(&nobody).is_err());
}
