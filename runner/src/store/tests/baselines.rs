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
        nearest
            .baseline
            .map(|found| (found.sample.commit, found.distance, found.ancestry))
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
    assert_eq!((nearest.baseline, nearest.end), (None, crate::git::HistoryEnd::Root));
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
    let found = baselines.nearest(commits[3]).unwrap().baseline.unwrap();
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
    let found = baselines.nearest(rewritten).unwrap().baseline.unwrap();
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
    let found = baselines.nearest(merge).unwrap().baseline.unwrap();
    assert_eq!(
        (found.sample.commit, found.distance, found.ancestry),
        (side, 1, BaselineAncestry::Merged)
    );
}

#[test]
fn a_shallow_clone_is_reported_as_the_end_of_the_search() {
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
    assert_eq!(
        (nearest.baseline, nearest.end),
        (None, crate::git::HistoryEnd::ShallowBoundary)
    );
}
