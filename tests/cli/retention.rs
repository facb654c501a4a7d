//! `lito store gc` with limits: what goes, what stays and why, and how the store of a remote gets smaller too.

use std::time::{SystemTime, UNIX_EPOCH};

use runner::store::SampleState;

use super::remote::{known, record_at, versions};
use super::repository::{TestRepository, lito_in};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Puts a sample of each version into the store: of the last one today, of each one before 30 days earlier.
fn sampled(repository: &TestRepository, commits: &[String]) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let now = i64::try_from(now).unwrap();
    for (age, commit) in (0..).zip(commits.iter().rev()) {
        let time = now - age * 30 * DAY;
        record_at(repository.path(), commit, time, &[commit], SampleState::Complete);
    }
}

fn left(repository: &TestRepository) -> Vec<String> {
    known(repository.path()).into_iter().map(|(commit, _)| commit).collect()
}

fn sorted(commits: &[String]) -> Vec<String> {
    let mut sorted = commits.to_vec();
    sorted.sort();
    sorted
}

#[test]
fn a_dry_run_lists_what_goes_and_why_and_changes_nothing() {
    let (repository, commits, _hub) = versions(4);
    sampled(&repository, &commits);
    let before = repository.store();
    let listed = repository.lito(&["store", "gc", "--keep", "2", "--dry-run"]);
    listed.says(
        0,
        &[
            "would remove 2 samples and 2 profiles",
            "keep 2 samples and 2 profiles",
            "nothing is removed",
            "among the newest 2 of its environment",
        ],
    );
    assert_eq!(
        listed.stdout.matches("older than the newest 2").count(),
        2,
        "{listed:#?}"
    );
    for (commit, goes) in commits.iter().zip([true, true, false, false]) {
        assert_eq!(listed.stdout.contains(&commit[..10]), goes, "{listed:#?}");
    }
    assert_eq!(repository.store(), before);
    let removed = repository.lito(&["store", "gc", "--keep", "2"]);
    assert_eq!(removed.stdout, listed.stdout);
    removed.says(
        0,
        &["removed 2 samples and 2 profiles", "kept 2 samples and 2 profiles"],
    );
    assert_eq!(left(&repository), sorted(&commits[2..]));
    repository.lito(&["store", "verify"]).output();
}

#[test]
fn an_age_removes_older_samples_but_not_the_newest_that_are_kept() {
    let (repository, commits, _hub) = versions(4);
    sampled(&repository, &commits);
    let both = ["store", "gc", "--older-than", "45d", "--keep", "3"];
    let removed = repository.lito(&both);
    assert!(removed.output().contains("older than 45d and than the newest 3"));
    assert_eq!(left(&repository), sorted(&commits[1..]));
    let removed = repository.lito(&["store", "gc", "--older-than", "45d"]);
    assert!(removed.output().contains("older than 45d"));
    removed.says(0, &["no older than 45d"]);
    assert_eq!(left(&repository), sorted(&commits[2..]));
    let tip = repository.store();
    let nothing = repository.lito(&["store", "gc", "--older-than", "45d"]);
    nothing.says(0, &["removed 0 samples and 0 profiles"]);
    assert_eq!((nothing.stdout.as_str(), repository.store()), ("", tip));
}

#[test]
fn if_no_sample_stays_it_is_said() {
    let (repository, commits, _hub) = versions(1);
    record_at(
        repository.path(),
        &commits[0],
        1_600_000_000,
        &["a"],
        SampleState::Complete,
    );
    let all = ["store", "gc", "--older-than", "0s", "--dry-run"];
    repository.lito(&all).says(0, &["no sample stays", "`--keep 1`"]);
}

#[test]
fn limits_that_are_none_are_refused() {
    let (repository, commits, _hub) = versions(1);
    sampled(&repository, &commits);
    let before = repository.store();
    for (option, value) in [
        ("--keep", "0"),
        ("--keep", "-1"),
        ("--keep", "few"),
        ("--older-than", "90"),
        ("--older-than", "-1d"),
        ("--older-than", "99999999999999999999d"),
    ] {
        let refused = repository.lito(&["store", "gc", &format!("{option}={value}")]);
        refused.fails(2, &[option, value]);
    }
    assert_eq!(repository.store(), before);
    // Longer than anything: nothing is older.
    let all_of_time = repository.lito(&["store", "gc", "--older-than", "200000000d"]);
    all_of_time.says(0, &["removed 0 samples"]);
}

#[test]
fn a_remote_gets_smaller_if_its_store_is_replaced_under_a_lease() {
    let (repository, commits, hub) = versions(3);
    sampled(&repository, &commits);
    repository.lito(&["store", "push"]).output();
    let at_remote = || repository.git(&["ls-remote", "origin", "refs/lito/store"]);
    let old = at_remote()[..40].to_owned();
    repository.lito(&["store", "fetch"]).output();
    repository.lito(&["store", "gc", "--keep", "1"]).output();
    let lease = format!("--force-with-lease=refs/lito/store:{old}");
    repository.git(&["push", "--quiet", &lease, "origin", "refs/lito/store"]);
    assert_eq!(at_remote()[..40], repository.store());
    let clone = hub.clone(&[]);
    lito_in(clone.path(), &["store", "fetch"]).output();
    assert_eq!(known(clone.path()).len(), 1);
}
