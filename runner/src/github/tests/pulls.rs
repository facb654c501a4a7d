//! Pull requests, permissions of people, and runs of workflows.

use super::*;
use crate::github::{GithubError, PullRequestHead, RepositoryName, RepositoryPermission};

const BY_COMMIT: &str = "/commits/0123456789abcdef0123456789abcdef01234567/pulls";
const FORK: u64 = 77;

fn head() -> PullRequestHead {
    PullRequestHead {
        sha: SHA.to_owned(),
        repository_id: FORK,
        owner: "mona".to_owned(),
        branch: "fix/a b&c".to_owned(),
    }
}

fn list(pulls: &[Value]) -> ResponseTemplate {
    ok(&json!(pulls))
}

#[test]
fn a_pull_request_is_read_as_it_is_now() {
    let github = MockGithubServer::start();
    let mut gone = pull(8, "closed", SHA, 1);
    gone["head"]["repo"] = Value::Null;
    gone["user"] = Value::Null;
    github
        .answers("GET", "/pulls/7", ok(&pull(7, "open", SHA, FORK)))
        .answers("GET", "/pulls/8", ok(&gone));
    let client = github.client();
    let read = client.pull(7).unwrap();
    assert!(read.open && !read.draft);
    assert_eq!((read.author.as_str(), read.head_branch.as_str()), ("mona", "topic"));
    assert_eq!((read.head_sha.as_str(), read.head_repository), (SHA, Some(FORK)));
    assert_eq!(
        (read.base_branch.as_str(), read.labels),
        ("main", vec!["fast".to_owned(), "slow".to_owned()])
    );
    let gone = client.pull(8).unwrap();
    assert_eq!(
        (gone.open, gone.head_repository, gone.author.as_str()),
        (false, None, "ghost")
    );
}

/// An open pull request with the head, into a branch.
fn into(branch: &str, number: u64) -> Value {
    let mut pull = pull(number, "open", SHA, FORK);
    pull["base"]["ref"] = json!(branch);
    pull
}

#[test]
fn a_commit_finds_the_open_pull_requests_with_exactly_this_head() {
    let github = MockGithubServer::start();
    github.answers(
        "GET",
        BY_COMMIT,
        list(&[
            pull(1, "open", &"a".repeat(40), FORK),
            pull(2, "open", SHA, 78),
            pull(3, "open", SHA, FORK),
            pull(4, "closed", SHA, FORK),
        ]),
    );
    github.answers(
        "GET",
        "/pulls",
        list(&[into("release", 5), into("release", 6), into("main", 2)]),
    );
    let found = github.client().pulls_by_head(&head()).unwrap();
    let numbers: Vec<(u64, &str, bool)> = (found.iter())
        .map(|pull| (pull.number, pull.base_branch.as_str(), pull.into_default_branch))
        .collect();
    assert_eq!(
        numbers,
        [(3, "main", true), (6, "release", false)],
        "the newest for each branch"
    );
}

#[test]
fn the_pull_request_of_a_fork_is_found_by_its_branch() {
    for nothing in [
        list(&[]),
        refusal(404, "Not Found"),
        refusal(422, "No commit found for SHA"),
    ] {
        let github = MockGithubServer::start();
        github.answers("GET", BY_COMMIT, nothing).answers(
            "GET",
            "/pulls",
            list(&[
                pull(1, "open", &"a".repeat(40), FORK),
                pull(5, "open", SHA, FORK),
                pull(6, "open", SHA, 1),
            ]),
        );
        let found = github.client().pulls_by_head(&head()).unwrap();
        assert_eq!(found.iter().map(|pull| pull.number).collect::<Vec<_>>(), [5]);
        let query = github.requests()[1].url.query().unwrap().to_owned();
        assert_eq!(query, "state=all&head=mona%3Afix%2Fa%20b%26c&per_page=100&page=1");
    }
}

#[test]
fn a_closed_pull_request_is_reported_as_closed_and_one_with_another_head_is_none() {
    let github = MockGithubServer::start();
    github
        .answers("GET", BY_COMMIT, list(&[pull(4, "closed", SHA, FORK)]))
        .answers(
            "GET",
            "/pulls",
            list(&[pull(4, "closed", SHA, FORK), pull(3, "closed", SHA, FORK)]),
        );
    let found = github.client().pulls_by_head(&head()).unwrap();
    assert_eq!(
        found.iter().map(|pull| (pull.number, pull.open)).collect::<Vec<_>>(),
        [(4, false)]
    );
    let github = MockGithubServer::start();
    let moved = || list(&[pull(4, "open", &"b".repeat(40), FORK)]);
    github
        .answers("GET", BY_COMMIT, moved())
        .answers("GET", "/pulls", moved());
    assert_eq!(github.client().pulls_by_head(&head()).unwrap(), []);
}

#[test]
fn a_lack_of_permission_is_not_taken_for_no_pull_request() {
    let github = MockGithubServer::start();
    github.answers("GET", BY_COMMIT, refusal(403, "Resource not accessible"));
    assert_eq!(
        github.client().pulls_by_head(&head()).unwrap_err().missing_permission(),
        Some("pull_requests=read")
    );
}

#[test]
fn permissions_are_ordered_and_nobody_has_none() {
    let github = MockGithubServer::start();
    for (login, answer, permission, writes) in [
        (
            "//repos/octo/repo/collaborators/a/permission",
            "none",
            RepositoryPermission::None,
            false,
        ),
        (
            "//repos/octo/repo/collaborators/b/permission",
            "read",
            RepositoryPermission::Read,
            false,
        ),
        (
            "//repos/octo/repo/collaborators/c/permission",
            "write",
            RepositoryPermission::Write,
            true,
        ),
        (
            "//repos/octo/repo/collaborators/d/permission",
            "admin",
            RepositoryPermission::Admin,
            true,
        ),
    ] {
        github.answers("GET", login, ok(&json!({ "permission": answer, "role_name": answer })));
        let name = login.split('/').nth(6).unwrap();
        let found = github.client().permission(name).unwrap();
        assert_eq!((found, found.may_write()), (permission, writes));
    }
    github
        .answers(
            "GET",
            "/collaborators/nobody/permission",
            refusal(404, "nobody is not a user"),
        )
        .answers(
            "GET",
            "/collaborators/odd/permission",
            ok(&json!({ "permission": "rule" })),
        )
        .answers(
            "GET",
            "/collaborators/dependabot%5Bbot%5D/permission",
            ok(&json!({ "permission": "read" })),
        );
    let client = github.client();
    assert_eq!(client.permission("nobody").unwrap(), RepositoryPermission::None);
    assert_eq!(
        client.permission("dependabot[bot]").unwrap(),
        RepositoryPermission::Read
    );
    assert!(matches!(client.permission("odd"), Err(GithubError::Unreadable { .. })));
    for login in ["", "..", "a/b", "a b", "a?b"] {
        assert!(
            matches!(client.permission(login), Err(GithubError::Invalid { .. })),
            "{login}"
        );
    }
}

#[test]
fn a_run_names_the_head_that_it_ran_for() {
    let github = MockGithubServer::start();
    let run = json!({
        "id": 30, "html_url": "https://github.com/octo/repo/actions/runs/30", "name": "lito",
        "path": ".github/workflows/lito.yml", "event": "pull_request", "status": "completed", "conclusion": "success",
        "head_sha": SHA, "head_branch": "topic", "head_repository": { "id": FORK, "owner": { "login": "mona" } },
        "repository": { "id": 1, "owner": { "login": "octo" } },
    });
    let mut own = run.clone();
    own["head_repository"] = run["repository"].clone();
    let mut deleted = run.clone();
    deleted["head_repository"] = Value::Null;
    let runs = [
        ("/actions/runs/30", &run),
        ("/actions/runs/31", &deleted),
        ("/actions/runs/32", &own),
    ];
    for (path, run) in runs {
        github.answers("GET", path, ok(run));
    }
    let client = github.client();
    let read = client.workflow_run(30).unwrap();
    assert_eq!((read.head_sha.as_str(), read.head_repository), (SHA, Some(FORK)));
    assert_eq!(
        (read.head_owner.as_deref(), read.event.as_str()),
        (Some("mona"), "pull_request")
    );
    assert_eq!(client.workflow_run(31).unwrap().head_repository, None);
    let is_fork = |number| client.workflow_run(number).unwrap().is_fork;
    assert_eq!(
        [30, 31, 32].map(is_fork),
        [true, true, false],
        "what is gone may have been anybody's"
    );
}

#[test]
fn names_of_repositories_are_held_against_their_form() {
    let name: RepositoryName = "rust-lang/rust.vim".parse().unwrap();
    assert_eq!(
        (name.owner(), name.name(), name.to_string().as_str()),
        ("rust-lang", "rust.vim", "rust-lang/rust.vim")
    );
    for wrong in ["", "a", "a/", "/a", "a/b/c", "a/..", "./b", "a b/c", "a/b?c", "a/b\n"] {
        assert!(wrong.parse::<RepositoryName>().is_err(), "{wrong}");
    }
}
