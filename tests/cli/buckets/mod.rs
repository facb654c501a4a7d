//! The store in a bucket of a real server of S3: what many machines write there, what a part of it serves for, and what is
//! left where the server, the line or a writer fails.

mod server;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use runner::store::{ObjectKey, SampleState};
use serde_json::Value;
use tempfile::TempDir;

use super::book::{follow, recipes};
use super::jobs::{copy, history, wait_until};
use super::remote::{BareRemote, known, record, record_as, versions};
use super::repository::{TestRepository, git_in};
use server::{BucketServer, FaultyLine, LineFault, command, lito};

/// The place that the tests use.
const PLACE: &str = "s3://lito-store/ci/sum";

/// The files of a store, in one hash.
fn tree(folder: &Path) -> String {
    git_in(folder, &["rev-parse", "refs/lito/store^{tree}"])
}

/// A machine without samples, which gets those of the bucket.
fn fetched(hub: &BareRemote, address: &str) -> TempDir {
    let clone = hub.clone(&[]);
    let got = lito(clone.path(), address, &["store", "fetch", PLACE]);
    got.says(0, &["got "]);
    assert!(!got.stderr.contains("left out"), "{got:#?}");
    clone
}

#[test]
fn a_store_goes_to_a_bucket_and_comes_to_another_machine() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(3);
    let on = |arguments: &[&str]| lito(repository.path(), &server.address, arguments);
    on(&["store", "fetch", PLACE]).says(0, &["s3://lito-store/ci/sum has no store yet", "lito store push"]);
    on(&["store", "push", PLACE]).says(0, &["no refs/lito/store to push yet"]);
    record(repository.path(), &commits[0], &["a", "b"]);
    record(repository.path(), &commits[1], &["a", "c"]);
    on(&["store", "push", PLACE]).says(0, &["s3://lito-store/ci/sum: sent 2 samples, 3 profiles"]);
    on(&["store", "push", PLACE]).says(0, &["it has everything; got nothing new"]);

    let clone = hub.clone(&["--depth=1"]);
    lito(clone.path(), &server.address, &["store", "fetch", PLACE]).says(0, &["got 2 samples, 3 profiles"]);
    lito(clone.path(), &server.address, &["store", "fetch", PLACE]).says(0, &["got nothing new"]);
    assert_eq!(tree(clone.path()), tree(repository.path()));
    assert_eq!(git_in(clone.path(), &["for-each-ref", "refs/lito/fetched"]), "");
    lito(clone.path(), &server.address, &["store", "verify"]).output();
    git_in(clone.path(), &["fsck", "--strict"]);
    // Beside it, and at the top of the bucket, are other places.
    lito(clone.path(), &server.address, &["store", "fetch", "s3://lito-store/ci"]).says(0, &["has no store yet"]);
    lito(clone.path(), &server.address, &["store", "push", "s3://lito-store"]).says(0, &["sent 2 samples"]);
}

#[test]
fn what_machines_know_of_one_version_is_put_together_in_any_order() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(1);
    let others = [hub.clone(&[]), hub.clone(&[])];
    let folders = [repository.path(), others[0].path(), others[1].path()];
    record_as(folders[0], &commits[0], &["a"], SampleState::InProgress);
    record(folders[1], &commits[0], &["a", "b"]);
    record(folders[2], &commits[0], &["c"]);
    for folder in folders {
        lito(folder, &server.address, &["store", "push", PLACE]).output();
    }
    for folder in folders {
        lito(folder, &server.address, &["store", "fetch", PLACE]).output();
        assert_eq!(known(folder), [(commits[0].clone(), 3)]);
        assert_eq!(tree(folder), tree(folders[0]));
    }
    // Nothing was replaced, and nobody has anything to add.
    assert_eq!(
        server.keys("ci/sum/samples/").len(),
        3,
        "{:?}",
        server.keys("ci/sum/samples/")
    );
    lito(folders[0], &server.address, &["store", "push", PLACE]).says(0, &["it has everything"]);
    assert_eq!(tree(fetched(&hub, &server.address).path()), tree(folders[0]));
}

#[test]
fn machines_that_push_at_once_lose_nothing() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(1);
    let machines = 6_u8;
    thread::scope(|scope| {
        for machine in 0..machines {
            let (server, hub, commits) = (&server, &hub, &commits);
            scope.spawn(move || {
                let clone = hub.clone(&[]);
                for push in 0..3 {
                    record(
                        clone.path(),
                        &format!("{:02x}", machine * 3 + push + 1).repeat(20),
                        &["a"],
                    );
                    record(clone.path(), &commits[0], &[&format!("{machine}/{push}")]);
                    lito(clone.path(), &server.address, &["store", "push", PLACE]).says(0, &["sent "]);
                }
            });
        }
    });
    lito(repository.path(), &server.address, &["store", "fetch", PLACE]).says(0, &["got 19 samples"]);
    assert!(known(repository.path()).contains(&(commits[0].clone(), 18)));
    lito(repository.path(), &server.address, &["store", "verify"]).output();
}

#[test]
fn a_server_or_line_that_fails_now_and_then_costs_only_time() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(3);
    for commit in &commits {
        record(repository.path(), commit, &["a", "b", commit]);
    }
    for (name, fault) in [
        ("busy", LineFault::Refused(503, "SlowDown")),
        ("failing", LineFault::Refused(500, "InternalError")),
        ("forgetful", LineFault::AnswerLost),
        ("cutting", LineFault::AnswerCut),
    ] {
        let line = FaultyLine::to(&server, move |request| match request.number % 3 {
            0 => fault,
            _ => LineFault::None,
        });
        let place = format!("s3://lito-store/{name}");
        lito(repository.path(), &line.address, &["store", "push", &place]).says(0, &["sent 3 samples"]);
        let clone = hub.clone(&[]);
        let got = lito(clone.path(), &line.address, &["store", "fetch", &place]);
        got.says(0, &["got 3 samples, 5 profiles"]);
        assert_eq!(tree(clone.path()), tree(repository.path()), "{name}");
        assert!(line.requests() > 20, "{name}: some went wrong");
    }
}

#[test]
fn a_server_that_always_fails_is_given_up_and_nothing_changes() {
    let server = BucketServer::start();
    let (repository, commits, _hub) = versions(1);
    record(repository.path(), &commits[0], &["a"]);
    let before = tree(repository.path());
    let failing = |fault: LineFault| {
        let line = FaultyLine::to(&server, move |_| fault);
        lito(
            repository.path(),
            &line.address,
            &["store", "push", PLACE, "--time-limit", "20s"],
        )
    };
    failing(LineFault::Refused(503, "SlowDown")).fails(
        3,
        &["pushing the store: s3://lito-store/ci/sum: not reachable in 6 attempts: SlowDown: Not now"],
    );
    failing(LineFault::Refused(403, "AccessDenied")).fails(3, &["not allowed: AccessDenied", "for a push to create"]);
    failing(LineFault::Refused(403, "RequestTimeTooSkewed")).fails(3, &["set the clock of this machine"]);
    failing(LineFault::Refused(400, "AuthorizationHeaderMalformed"))
        .fails(3, &["AuthorizationHeaderMalformed", "check the AWS_ variables"]);
    failing(LineFault::Refused(404, "NoSuchBucket")).fails(3, &["there is no such bucket"]);
    let silent = FaultyLine::to(&server, |_| LineFault::Silence);
    lito(
        repository.path(),
        &silent.address,
        &["store", "fetch", PLACE, "--time-limit", "1s"],
    )
    .fails(3, &["no answer within 1s", "--time-limit"]);
    assert_eq!(tree(repository.path()), before);
}

#[test]
fn who_may_only_read_fetches_and_is_told_why_it_cannot_push() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(1);
    record(repository.path(), &commits[0], &["a"]);
    lito(repository.path(), &server.address, &["store", "push", PLACE]).output();
    let reading = FaultyLine::to(&server, |request| match request.method.as_str() {
        "PUT" => LineFault::Refused(403, "AccessDenied"),
        _ => LineFault::None,
    });
    let clone = fetched(&hub, &reading.address);
    record(clone.path(), &commits[0], &["b"]);
    lito(clone.path(), &reading.address, &["store", "push", PLACE]).fails(3, &["not allowed", "AccessDenied"]);
}

#[test]
fn a_push_that_is_killed_at_any_request_leaves_a_store_that_can_be_read_and_completed() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(2);
    for commit in &commits {
        record(repository.path(), commit, &["a", commit]);
    }
    // The number of requests of one push.
    let line = FaultyLine::to(&server, |_| LineFault::None);
    lito(
        repository.path(),
        &line.address,
        &["store", "push", "s3://lito-store/whole"],
    )
    .output();
    let all = line.requests();
    assert!(all > 8, "{all}");
    for last in 1..=all {
        let place = format!("s3://lito-store/{last}");
        // The last request arrives, and its sender does not live to hear of it.
        let line = FaultyLine::to(&server, move |request| match request.number == last {
            true => LineFault::Silence,
            false => LineFault::None,
        });
        let mut push = command(repository.path(), &line.address, &["store", "push", &place])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("the last request", || line.requests() >= last);
        // It has arrived once the server has answered it.
        thread::sleep(Duration::from_millis(50));
        push.kill().unwrap();
        push.wait().unwrap();
        let clone = hub.clone(&[]);
        let got = lito(clone.path(), &server.address, &["store", "fetch", &place]);
        got.output();
        assert!(!got.stderr.contains("left out"), "{last}: {got:#?}");
        lito(repository.path(), &server.address, &["store", "push", &place]).output();
        lito(clone.path(), &server.address, &["store", "fetch", &place]).output();
        assert_eq!(tree(clone.path()), tree(repository.path()), "{last}");
    }
}

#[test]
fn a_fetch_that_is_killed_leaves_nothing_behind_and_is_repeated() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(2);
    for commit in &commits {
        record(repository.path(), commit, &["a", commit]);
    }
    lito(repository.path(), &server.address, &["store", "push", PLACE]).output();
    let clone = hub.clone(&[]);
    for last in 1..=9 {
        let line = FaultyLine::to(&server, move |request| match request.number == last {
            true => LineFault::Silence,
            false => LineFault::None,
        });
        let mut fetch = command(clone.path(), &line.address, &["store", "fetch", PLACE])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("the last request", || line.requests() >= last);
        fetch.kill().unwrap();
        fetch.wait().unwrap();
    }
    lito(clone.path(), &server.address, &["store", "fetch", PLACE]).says(0, &["got 2 samples, 3 profiles"]);
    assert_eq!(tree(clone.path()), tree(repository.path()));
    assert_eq!(git_in(clone.path(), &["for-each-ref", "refs/lito/fetched"]), "");
    git_in(clone.path(), &["fsck", "--strict"]);
}

#[test]
fn what_is_not_what_its_key_says_is_left_out_and_named() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(4);
    for commit in &commits {
        record(repository.path(), commit, &[commit]);
    }
    lito(repository.path(), &server.address, &["store", "push", PLACE]).output();
    let records: Vec<String> = commits
        .iter()
        .map(|commit| server.keys(&format!("ci/sum/samples/{commit}/")).pop().unwrap())
        .collect();
    // The record of another version, a cut one, and one whose profile is another.
    server.put(&records[0], &server.get(&records[1]));
    let whole = server.get(&records[2]);
    server.put(&records[2], &whole[..whole.len() / 2]);
    let last = git_in(
        repository.path(),
        &["show", &format!("refs/lito/store:samples/{}", commits[3])],
    );
    let last = git_in(
        repository.path(),
        &[
            "show",
            &format!(
                "refs/lito/store:samples/{}/{}",
                commits[3],
                last.lines().last().unwrap()
            ),
        ],
    );
    let (_, key) = last.split_once("\"profile\": \"").unwrap();
    let damaged = &format!("ci/sum/objects/{}/{}.gz", &key[..2], &key[2..64]);
    server.put(damaged, b"altered");
    server.put("ci/sum/samples/notes.txt", b"of somebody");
    let clone = hub.clone(&[]);
    let got = lito(clone.path(), &server.address, &["store", "fetch", PLACE]);
    got.says(
        0,
        &[
            "got 1 sample, 1 profile",
            "4 entries left out",
            "altered",
            "unpacked",
            "notes.txt",
        ],
    );
    assert_eq!(known(clone.path()), [(commits[1].clone(), 1)]);
    lito(clone.path(), &server.address, &["store", "verify"]).output();
    // A sample that was removed to be replaced comes back from a machine that holds it.
    server.delete(&records[3]);
    server.delete(damaged);
    lito(repository.path(), &server.address, &["store", "push", PLACE]).output();
    lito(clone.path(), &server.address, &["store", "fetch", PLACE]).says(0, &["got 1 sample, 1 profile"]);
}

#[test]
fn a_sample_of_an_impossible_time_does_not_hold_up_the_others() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(2);
    record(repository.path(), &commits[0], &["a"]);
    lito(repository.path(), &server.address, &["store", "push", PLACE]).output();
    let of_first = server.keys("ci/sum/samples/").pop().unwrap();
    let (path, _) = of_first.rsplit_once('/').unwrap();
    let ours = path.trim_start_matches("ci/sum/");
    let written = git_in(repository.path(), &["show", &format!("refs/lito/store:{ours}.json")]);
    let late = written.replace(&commits[0], &commits[1]).replace(
        "\"committed_at\": 1600000000",
        &format!("\"committed_at\": {}", i64::MAX),
    );
    assert!(late.contains(&i64::MAX.to_string()), "{late}");
    let place = path.replace(&commits[0], &commits[1]);
    server.put(
        &format!("{place}/{}.json.gz", ObjectKey::of(late.as_bytes())),
        &gzip(late.as_bytes()),
    );
    let clone = hub.clone(&[]);
    lito(clone.path(), &server.address, &["store", "fetch", PLACE]).says(0, &["got 2 samples, 1 profile"]);
    git_in(clone.path(), &["fsck", "--strict"]);
}

/// Packed as any tool does.
fn gzip(content: &[u8]) -> Vec<u8> {
    let mut child = Command::new("gzip")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(content).unwrap();
    child.wait_with_output().unwrap().stdout
}

#[test]
fn a_store_of_a_later_lito_is_neither_read_nor_written() {
    let server = BucketServer::start();
    let (repository, commits, _hub) = versions(1);
    record(repository.path(), &commits[0], &["a"]);
    for (format, said) in [
        (
            &b"lito.bucket/2\ninstall lito 9.9.9 or newer\n"[..],
            "install lito 9.9.9 or newer",
        ),
        (b"something else\n", "it is not a lito store"),
    ] {
        server.put("later/format", format);
        for command in ["fetch", "push"] {
            let refused = lito(
                repository.path(),
                &server.address,
                &["store", command, "s3://lito-store/later"],
            );
            refused.fails(3, &[said, "nothing was changed there"]);
        }
        assert_eq!(server.keys("later/"), ["later/format"]);
    }
}

#[test]
fn the_nearest_samples_serve_a_prediction_as_all_do() {
    let server = BucketServer::start();
    let (repository, commits, hub) = versions(10);
    for number in [1, 3, 5, 7] {
        record(repository.path(), &commits[number], &["a"]);
    }
    lito(repository.path(), &server.address, &["store", "push", PLACE]).output();
    let nearest = |arguments: &[&str]| {
        let clone = hub.clone(&[]);
        let mut all = vec!["store", "fetch", PLACE];
        all.extend(arguments);
        lito(clone.path(), &server.address, &all).output();
        clone
    };
    let samples = |clone: &TempDir| {
        known(clone.path())
            .into_iter()
            .map(|(commit, _)| commit)
            .collect::<Vec<_>>()
    };
    let sorted = |numbers: &[usize]| {
        let mut wanted: Vec<String> = numbers.iter().map(|number| commits[*number].clone()).collect();
        wanted.sort();
        wanted
    };
    assert_eq!(samples(&nearest(&["--nearest", "1"])), sorted(&[7]));
    assert_eq!(
        samples(&nearest(&["--nearest", "2", "--of", &commits[5]])),
        sorted(&[3, 5])
    );
    assert_eq!(samples(&nearest(&["--nearest", "9", "--of", "HEAD~8"])), sorted(&[1]));
    let part = nearest(&["--nearest", "1"]);
    let score = |folder: &Path| lito(folder, &server.address, &["score", "HEAD", "--format", "json"]);
    assert_eq!(score(part.path()).output(), score(repository.path()).output());
    // A git remote has no parts.
    repository
        .lito(&["store", "fetch", "--nearest", "1"])
        .fails(2, &["git sends all of a ref", "--nearest"]);
}

#[test]
fn a_bucket_that_cannot_be_asked_safely_is_not_asked() {
    let (repository, commits, _hub) = versions(1);
    record(repository.path(), &commits[0], &["a"]);
    let asked = |place: &str, variables: &[(&str, &str)]| {
        let mut push = command(repository.path(), "127.0.0.1:9", &["store", "push", place]);
        push.envs(variables.iter().copied());
        super::repository::answer(&push.output().unwrap())
    };
    asked("s3://Not_A_Bucket", &[]).fails(2, &["`s3://Not_A_Bucket`", "3 to 63 lower-case"]);
    asked("s3://key:hidden@lito-store", &[]).fails(2, &["AWS_ACCESS_KEY_ID"]);
    asked(PLACE, &[("AWS_ENDPOINT_URL", "http://storage.test")]).fails(3, &["not https", "AWS_ALLOW_HTTP"]);
    let nothing = [
        ("AWS_ACCESS_KEY_ID", ""),
        ("AWS_SECRET_ACCESS_KEY", ""),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ];
    asked(PLACE, &nothing).fails(3, &["names no credentials", "AWS_SKIP_SIGNATURE"]);
}

/// The bucket of the book.
const BOOKS: &str = "s3://my-bucket/my-library";

/// The environment of the book's steps that transfer.
fn credentials(address: &str) -> [(&str, &str); 4] {
    [
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "secret-of-the-tests"),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ENDPOINT_URL", address),
    ]
}

#[test]
fn the_books_recipes_for_a_bucket_run_as_they_are_written() {
    let server = BucketServer::with("my-bucket");
    let address = format!("http://{}", server.address);
    let (repository, commits, hub) = versions(3);
    record(repository.path(), &commits[0], &["a", "b"]);
    let recipes = recipes("how-to/store.md", "Keep it in a bucket");
    let [whole, part] = &recipes[..] else {
        panic!("{recipes:?}")
    };
    let sent = format!("{BOOKS}: sent 1 sample, 2 profiles");
    follow(whole, repository.path(), &[("AWS_ENDPOINT_URL", &address)]).says(0, &[&sent, "got nothing new"]);
    let clone = hub.clone(&[]);
    git_in(clone.path(), &["branch", "my-branch"]);
    let got = format!("{BOOKS}: got 1 sample, 2 profiles");
    follow(part, clone.path(), &credentials(&address)).says(0, &[&got, "got nothing new"]);
    assert_eq!(tree(clone.path()), tree(repository.path()));
}

#[test]
fn machines_that_follow_the_book_fill_a_bucket_and_go_on_with_each_others_work() {
    let server = BucketServer::with("my-bucket");
    let address = format!("http://{}", server.address);
    let one = history(3);
    let other = copy(&one);
    let recipe = &recipes("how-to/sample.md", "On machines that share nothing but a bucket")[0];
    let on = |machine: &TestRepository, number: &str| {
        let cache = machine.cache().to_str().unwrap();
        let own = [("I", number), ("LITO_CACHE", cache)];
        follow(recipe, machine.path(), &[&own[..], &credentials(&address)].concat())
    };
    let plan = one.lito(&[
        "sample", "--last", "4000", "--every", "1", "--plan", "--shards", "100", "--format", "json",
    ]);
    let plan: Value = serde_json::from_str(plan.output()).unwrap();
    let shards = plan["matrix"]["shard"].as_array().unwrap();
    let numbers: Vec<&str> = shards
        .iter()
        .map(|shard| shard.as_str().unwrap().strip_suffix("/100").unwrap())
        .collect();
    assert_eq!(numbers.len(), 3);
    on(&one, numbers[0]).says(0, &["sampled  1 benchmark", "sent 1 sample"]);
    on(&other, numbers[1]).says(3, &["got 1 sample", "does not build", "sent 1 sample"]);
    on(&other, numbers[2]).says(0, &["sampled  1 benchmark", "sent 1 sample"]);
    on(&one, numbers[2]).says(0, &["got 2 samples", "was sampled before", "it has everything"]);
    assert_eq!(one.stored("samples").len(), 3);
    assert_eq!(tree(one.path()), tree(other.path()));
}
