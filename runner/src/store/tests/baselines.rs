//! Samples along a history → the baseline that is found for a commit.

use super::*;
use crate::git::tests::git;

#[test]
fn the_nearest_complete_sample_at_or_before_a_commit_is_found() {
    let (fixture, commits) = history::<6>();
    let store = stored(&fixture, commits[1], &["a"]);
    let (mut incomplete, profiles) = sample(commits[3], &["a"]);
    incomplete.state = SampleState::InProgress;
    store.record(&incomplete, &profiles).unwrap();
    let (mut broken, _) = sample(commits[2], &[]);
    broken.state = SampleState::BuildFailed {
        reason: "error[E0308]".to_owned(),
    };
    store.record(&broken, &[]).unwrap();
    stored(&fixture, commits[5], &["a"]);
    let repository = fixture.open();
    let any = BaselineCriteria {
        environment: None,
        decode: &whole,
    };
    let mut baselines = store.baselines(&repository, any).unwrap();
    let mut distance = |commit| {
        let nearest = baselines.nearest(commit).unwrap();
        nearest.map(|found| (found.sample.commit, found.distance, found.ancestry))
    };
    let along = BaselineAncestry::FirstParents;
    assert_eq!(distance(commits[4]), Some((commits[1], 3, along)));
    assert_eq!(distance(commits[3]), Some((commits[1], 2, along)));
    assert_eq!(distance(commits[1]), Some((commits[1], 0, along)));
    assert_eq!(distance(commits[5]), Some((commits[5], 0, along)));
    assert_eq!(distance(commits[0]), None);
    let other = BaselineCriteria {
        environment: Some(environment("b").id()),
        decode: &whole,
    };
    let nearest = store
        .baselines(&repository, other)
        .unwrap()
        .nearest(commits[5])
        .unwrap();
    assert_eq!(nearest, None);
}

#[test]
fn a_sample_with_a_damaged_profile_gives_way_to_the_one_before() {
    let (fixture, commits) = history::<4>();
    stored(&fixture, commits[0], &["a"]);
    let store = stored(&fixture, commits[2], &["a", "b"]);
    let damaged = object_path(ObjectKey::of(&profile("b")));
    tamper(&fixture, &damaged, Some(b"bad"));
    let repository = fixture.open();
    let mut baselines = store
        .baselines(
            &repository,
            BaselineCriteria {
                environment: None,
                decode: &whole,
            },
        )
        .unwrap();
    let found = baselines.nearest(commits[3]).unwrap().unwrap();
    assert_eq!((found.sample.commit, found.distance), (commits[0], 3));
    assert_eq!(
        baselines
            .set_aside()
            .iter()
            .map(|finding| &finding.path)
            .collect::<Vec<_>>(),
        [&damaged]
    );
}

#[test]
fn after_a_force_push_the_nearest_reachable_ancestor_counts() {
    let (fixture, commits) = history::<3>();
    let store = stored(&fixture, commits[0], &["a"]);
    stored(&fixture, commits[2], &["a"]);
    let (gone, profiles) = sample(CommitId([9; 20]), &["a"]);
    store.record(&gone, &profiles).unwrap();
    fixture.git(&["reset", "-q", "--hard", &commits[1].to_string()]);
    let rewritten = fixture.commit("rewritten");
    let repository = fixture.open();
    let mut baselines = store
        .baselines(
            &repository,
            BaselineCriteria {
                environment: None,
                decode: &whole,
            },
        )
        .unwrap();
    let found = baselines.nearest(rewritten).unwrap().unwrap();
    assert_eq!((found.sample.commit, found.distance), (commits[0], 2));
}

#[test]
fn a_sample_on_a_merged_branch_serves_if_there_is_no_other() {
    let (fixture, _) = history::<2>();
    fixture.git(&["checkout", "-q", "-b", "side"]);
    let side = fixture.commit("side");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let store = stored(&fixture, side, &["a"]);
    let repository = fixture.open();
    let merge = repository.resolve("main").unwrap();
    let mut baselines = store
        .baselines(
            &repository,
            BaselineCriteria {
                environment: None,
                decode: &whole,
            },
        )
        .unwrap();
    let found = baselines.nearest(merge).unwrap().unwrap();
    assert_eq!(
        (found.sample.commit, found.distance, found.ancestry),
        (side, 1, BaselineAncestry::Merged)
    );
}

/// A history that merged two branches of one commit each, with a sample on the newer one: the older branch, the newer
/// one, and the last merge.
fn two_merged_branches() -> (GitFixture, [CommitId; 3]) {
    let (fixture, _) = history::<2>();
    let merged = |name: &str| {
        fixture.git(&["checkout", "-q", "-b", name]);
        let commit = fixture.commit(name);
        fixture.git(&["checkout", "-q", "main"]);
        fixture.git(&["merge", "-q", "--no-ff", "-m", name, name]);
        commit
    };
    let (older, newer) = (merged("older"), merged("newer"));
    stored(&fixture, newer, &["a"]);
    let merge = fixture.open().resolve("main").unwrap();
    (fixture, [older, newer, merge])
}

/// The nearest baseline of a version in a repository with a store.
fn nearest(repository: &Repository, version: CommitId) -> Option<BaselineSample> {
    let store = Store::open(repository, DEFAULT_URL).unwrap();
    let any = BaselineCriteria {
        environment: None,
        decode: &whole,
    };
    store.baselines(repository, any).unwrap().nearest(version).unwrap()
}

fn merged_at_distance_1(nearest: Option<&BaselineSample>) -> Option<CommitId> {
    let found = nearest?;
    assert_eq!((found.distance, found.ancestry), (1, BaselineAncestry::Merged));
    Some(found.sample.commit)
}

#[test]
fn a_missing_commit_of_another_merged_branch_hides_no_sample() {
    let (fixture, [older, newer, merge]) = two_merged_branches();
    let id = older.to_string();
    let object = fixture.dir().join(".git/objects").join(&id[..2]).join(&id[2..]);
    std::fs::remove_file(object).unwrap();
    assert_eq!(
        merged_at_distance_1(nearest(&fixture.open(), merge).as_ref()),
        Some(newer)
    );
}

#[test]
fn a_sample_on_a_merged_branch_serves_in_a_shallow_clone() {
    let (fixture, [_, newer, merge]) = two_merged_branches();
    let source = format!("file://{}", fixture.dir().display());
    fixture.git(&["clone", "-q", "--depth", "3", &source, "../shallow"]);
    let shallow = fixture.beside("shallow");
    let store = "refs/lito/store:refs/lito/store";
    git(&shallow, &["fetch", "-q", "origin", store], 0);
    let nearest = nearest(&Repository::open(&shallow).unwrap(), merge);
    assert_eq!(merged_at_distance_1(nearest.as_ref()), Some(newer));
}

#[test]
fn a_sample_that_a_shallow_clone_left_out_is_not_found() {
    let (fixture, commits) = history::<3>();
    let source = format!("file://{}", fixture.dir().display());
    stored(&fixture, commits[0], &["a"]);
    fixture.git(&["clone", "-q", "--depth", "2", &source, "../shallow"]);
    let shallow = fixture.beside("shallow");
    git(
        &shallow,
        &["fetch", "-q", "origin", "refs/lito/store:refs/lito/store"],
        0,
    );
    let repository = Repository::open(&shallow).unwrap();
    let store = Store::open(&repository, DEFAULT_URL).unwrap();
    assert_eq!(store.samples().unwrap().samples.len(), 1);
    let mut baselines = store
        .baselines(
            &repository,
            BaselineCriteria {
                environment: None,
                decode: &whole,
            },
        )
        .unwrap();
    let nearest = baselines.nearest(commits[2]).unwrap();
    assert_eq!(nearest, None);
}

/// Index of all samples.
fn index<'a>(store: &'a Store, repository: &'a Repository) -> BaselineIndex<'a, ()> {
    let any = BaselineCriteria {
        environment: None,
        decode: &whole,
    };
    store.baselines(repository, any).unwrap()
}

fn paths(index: &BaselineIndex<'_, ()>) -> Vec<String> {
    index.set_aside().iter().map(|finding| finding.path.clone()).collect()
}

#[test]
fn a_damaged_record_gives_way_to_the_one_before_and_is_named() {
    let (fixture, commits) = history::<4>();
    stored(&fixture, commits[0], &["a"]);
    let store = stored(&fixture, commits[2], &["b"]);
    let damaged = record_path(commits[2], environment("a").id());
    tamper(&fixture, &damaged, Some(b"{"));
    let repository = fixture.open();
    let mut index = index(&store, &repository);
    let found = index.nearest(commits[3]).unwrap().unwrap();
    assert_eq!((found.sample.commit, found.distance), (commits[0], 3));
    assert_eq!(paths(&index), [damaged]);
}

#[test]
fn what_is_no_record_is_named_wherever_it_lies_among_the_samples() {
    let (fixture, commits) = history::<2>();
    let store = stored(&fixture, commits[0], &["a"]);
    for stray in ["samples/zzz", "samples/not-a-commit/x.json"] {
        tamper(&fixture, stray, Some(b"x"));
    }
    let repository = fixture.open();
    let mut index = index(&store, &repository);
    assert!(index.nearest(commits[1]).unwrap().is_some());
    assert_eq!(paths(&index), ["samples/not-a-commit/x.json", "samples/zzz"]);
}

#[test]
fn the_profiles_of_a_sample_are_decoded_once_and_handed_out_once() {
    let (fixture, commits) = history::<2>();
    let store = stored(&fixture, commits[0], &["a", "b"]);
    let repository = fixture.open();
    let decoded = std::cell::Cell::new(0);
    let decode = |bytes: &[u8]| {
        decoded.set(decoded.get() + 1);
        Ok(bytes.to_vec())
    };
    let any = BaselineCriteria {
        environment: None,
        decode: &decode,
    };
    let mut index = store.baselines(&repository, any).unwrap();
    for commit in [commits[1], commits[0], commits[1]] {
        assert!(index.nearest(commit).unwrap().is_some());
    }
    assert_eq!(decoded.get(), 2);
    let expected = ["a", "b"].map(|name| (ObjectKey::of(&profile(name)), profile(name)));
    assert_eq!(index.take_profiles(commits[0]), expected.into());
    assert_eq!(index.take_profiles(commits[0]), [].into());
}

#[test]
fn without_a_sample_the_history_is_not_read() {
    let (fixture, commits) = history::<3>();
    let id = commits[0].to_string();
    let object = fixture.dir().join(".git/objects").join(&id[..2]).join(&id[2..]);
    let (gone, profiles) = sample(CommitId([9; 20]), &["a"]);
    let store = store(&fixture);
    store.record(&gone, &profiles).unwrap();
    std::fs::remove_file(object).unwrap();
    let repository = fixture.open();
    assert_eq!(index(&store, &repository).nearest(commits[2]).unwrap(), None);
}

#[test]
fn the_samples_of_a_version_are_read_without_those_of_others() {
    let (fixture, commits) = history::<2>();
    stored(&fixture, commits[0], &["a"]);
    let store = stored(&fixture, commits[1], &["a"]);
    tamper(&fixture, &record_path(commits[0], environment("a").id()), Some(b"{"));
    let found = store.sample(commits[1]).unwrap();
    assert_eq!((found.samples.len(), found.set_aside.len()), (1, 0));
    let found = store.sample(commits[0]).unwrap();
    assert_eq!((found.samples.len(), found.set_aside.len()), (0, 1));
}
