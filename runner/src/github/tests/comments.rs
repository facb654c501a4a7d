//! Our comment: found by marker and author on any page, created once under all failures, written only if it differs.

use super::*;
use crate::github::{GithubError, PostOutcome};

const MARKER: &str = "<!-- lito -->";
const LIST: &str = "/issues/7/comments";
const BOT: &str = "github-actions[bot]";

fn comment(id: u64, author: &str, body: &str) -> Value {
    json!({
        "id": id, "html_url": format!("https://github.com/octo/repo/pull/7#issuecomment-{id}"),
        "issue_url": "https://api.github.com/repos/octo/repo/issues/7", "user": { "login": author }, "body": body,
    })
}

fn body(text: &str) -> String {
    format!("{MARKER}\n{text}")
}

/// A server with a workflow's token, which may not query its own account.
fn github() -> MockGithubServer {
    let github = MockGithubServer::start();
    github.answers("GET", "//user", refusal(403, "Resource not accessible by integration"));
    github
}

#[test]
fn the_first_report_is_a_new_comment() {
    let github = github();
    github
        .answers("GET", LIST, ok(&json!([comment(1, "mona", "Nice!")])))
        .answers(
            "POST",
            LIST,
            ResponseTemplate::new(201).set_body_json(comment(2, BOT, &body("x"))),
        );
    let posted = github.client().upsert_comment(7, MARKER, &body("x")).unwrap();
    assert_eq!((posted.posting, posted.id), (PostOutcome::Created, 2));
    assert_eq!(posted.url, "https://github.com/octo/repo/pull/7#issuecomment-2");
    let requests = github.requests();
    let post = requests
        .iter()
        .find(|request| request.method.as_str() == "POST")
        .unwrap();
    assert_eq!(post.body_json::<Value>().unwrap(), json!({ "body": body("x") }));
    assert_eq!(post.headers["authorization"], format!("Bearer {TOKEN}").as_str());
    assert_eq!(post.headers["x-github-api-version"], "2022-11-28");
}

#[test]
fn a_later_report_replaces_the_text() {
    let github = github();
    github
        .answers("GET", LIST, ok(&json!([comment(2, BOT, &body("x"))])))
        .answers("PATCH", "/issues/comments/2", ok(&comment(2, BOT, &body("y"))));
    let posted = github.client().upsert_comment(7, MARKER, &body("y")).unwrap();
    assert_eq!(posted.posting, PostOutcome::Updated);
    assert_eq!(github.count("POST"), 0);
}

#[test]
fn the_same_report_writes_nothing() {
    let github = github();
    let stored = body("x\r\ny\r\n");
    github.answers("GET", LIST, ok(&json!([comment(2, BOT, &stored)])));
    let posted = github.client().upsert_comment(7, MARKER, &body("x\ny")).unwrap();
    assert_eq!(posted.posting, PostOutcome::Unchanged);
    assert_eq!(github.count("POST") + github.count("PATCH"), 0);
}

#[test]
fn our_comment_is_found_on_the_third_page() {
    let github = github();
    github.answers("GET", LIST, |request: &Request| {
        let page = request
            .url
            .query_pairs()
            .find(|(name, _)| name == "page")
            .unwrap()
            .1
            .into_owned();
        // The second page is not full: only the header mentions the third.
        let (comments, next) = match page.as_str() {
            "1" => ((1..=100).map(|id| comment(id, "mona", "+1")).collect(), false),
            "2" => (vec![comment(101, "mona", "+1")], true),
            "3" => (vec![comment(102, BOT, &body("x"))], false),
            _ => panic!("page {page}"),
        };
        let answer = ok(&json!(comments));
        if next {
            answer.insert_header("link", "<https://api.github.com/x?page=3>; rel=\"next\"")
        } else {
            answer
        }
    });
    let found = github.client().comment(7, MARKER).unwrap().unwrap();
    assert_eq!((found.id, found.issue, found.author.as_str()), (102, 7, BOT));
}

#[test]
fn a_list_without_end_is_an_error_and_no_reason_to_post() {
    let github = github();
    let endless = ok(&json!([])).insert_header("link", "<x>; rel=\"next\"");
    github.answers("GET", LIST, endless);
    let error = github.client().upsert_comment(7, MARKER, &body("x")).unwrap_err();
    assert!(error.to_string().contains("more than 100 pages"), "{error}");
    assert_eq!(github.count("POST"), 0);
}

#[test]
fn somebody_elses_comment_with_our_marker_is_not_ours() {
    let github = github();
    let copied = json!([
        comment(1, "mallory", &body("x")),
        comment(2, "github-actions", &body("x"))
    ]);
    github.answers("GET", LIST, ok(&copied)).answers(
        "POST",
        LIST,
        ResponseTemplate::new(201).set_body_json(comment(3, BOT, &body("x"))),
    );
    let client = github.client();
    assert_eq!(client.comment(7, MARKER).unwrap(), None);
    let posted = client.upsert_comment(7, MARKER, &body("x")).unwrap();
    assert_eq!((posted.posting, posted.id), (PostOutcome::Created, 3));
}

#[test]
fn a_comment_whose_author_is_gone_is_not_ours() {
    let github = github();
    let mut orphan = comment(1, "x", &body("x"));
    orphan["user"] = Value::Null;
    github.answers("GET", LIST, ok(&json!([orphan])));
    assert_eq!(github.client().comment(7, MARKER).unwrap(), None);
}

#[test]
fn of_two_comments_the_older_is_kept_up() {
    let github = github();
    let two = json!([comment(5, BOT, &body("a")), comment(4, BOT, &body("b"))]);
    github.answers("GET", LIST, ok(&two));
    assert_eq!(github.client().comment(7, MARKER).unwrap().unwrap().id, 4);
}

#[test]
fn the_account_is_asked_for_once_or_configured() {
    let github = MockGithubServer::start();
    github
        .answers("GET", "//user", ok(&json!({ "login": "Mona" })))
        .answers(
            "GET",
            LIST,
            ok(&json!([
                comment(1, "mona", &body("x")),
                comment(2, "my[bot]", &body("x"))
            ])),
        );
    let client = github.client();
    assert_eq!(client.comment(7, MARKER).unwrap().unwrap().id, 1);
    assert_eq!(client.identity().unwrap(), "Mona");
    let asked = |github: &MockGithubServer| {
        github
            .requests()
            .iter()
            .filter(|request| request.url.path() == "/user")
            .count()
    };
    assert_eq!(asked(&github), 1);
    let told = GithubConnection {
        bot: Some("my[bot]".to_owned()),
        ..connection(github.server.uri())
    };
    let client = GithubClient::new(&told, github.noted.patience()).unwrap();
    assert_eq!(client.comment(7, MARKER).unwrap().unwrap().id, 2);
    assert_eq!(asked(&github), 1);
}

#[test]
fn a_bad_token_is_not_taken_for_a_workflows() {
    let github = MockGithubServer::start();
    github
        .answers("GET", "//user", refusal(401, "Bad credentials"))
        .answers("GET", LIST, ok(&json!([comment(1, BOT, &body("x"))])));
    let error = github.client().comment(7, MARKER).unwrap_err();
    assert!(matches!(error, GithubError::BadToken { .. }), "{error}");
}

#[test]
fn a_text_without_its_marker_is_not_posted() {
    let github = github();
    for marker in [MARKER, ""] {
        let error = github.client().upsert_comment(7, marker, "x").unwrap_err();
        assert!(matches!(error, GithubError::Invalid { .. }), "{error}");
    }
    assert_eq!(github.requests().len(), 0);
}

#[test]
fn without_permission_to_comment_the_error_names_it() {
    let github = github();
    github
        .answers("GET", LIST, ok(&json!([])))
        .answers("POST", LIST, refusal(403, "Resource not accessible"));
    let error = github.client().upsert_comment(7, MARKER, &body("x")).unwrap_err();
    assert_eq!(error.missing_permission(), Some("pull_requests=write"));
    assert_eq!(github.count("POST"), 1);
}

#[test]
fn a_comment_is_read_by_its_number() {
    let github = github();
    github.answers("GET", "/issues/comments/9", ok(&comment(9, "mona", "/lito accept")));
    let read = github.client().issue_comment(9).unwrap();
    assert_eq!(
        (read.issue, read.author.as_str(), read.body.as_str()),
        (7, "mona", "/lito accept")
    );
}

/// Reaction of a server to the n-th POST: (whether it creates the comment, whether it answers).
fn comments_after(posts: &'static [(bool, PostReply)]) -> (usize, Result<PostOutcome, GithubError>, usize) {
    let stored = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&stored);
    let mut post = 0;
    let server = DroppingServer::start(move |line, sent| {
        let mut stored = kept.lock().unwrap();
        if line.starts_with("GET /user") {
            return ServerReply::With(403, json!({ "message": "Resource not accessible by integration" }));
        }
        if line.starts_with("GET") {
            return ServerReply::With(200, json!(*stored));
        }
        let (makes, answered) = posts[post];
        post += 1;
        let made = comment(10 + post as u64, BOT, sent["body"].as_str().unwrap());
        if makes {
            stored.push(made.clone());
        }
        match answered {
            PostReply::Well => ServerReply::With(201, made),
            PostReply::Badly => ServerReply::With(502, json!({ "message": "Server Error" })),
            PostReply::Limited => ServerReply::With(429, json!({ "message": "slow down" })),
            PostReply::Never => ServerReply::Drop,
        }
    });
    let noted = RecordedPauses::default();
    let posted = server.client(&noted).upsert_comment(7, MARKER, &body("x"));
    let stored = stored.lock().unwrap().len();
    (stored, posted.map(|posted| posted.posting), server.count("POST"))
}

#[derive(Clone, Copy)]
enum PostReply {
    Well,
    Badly,
    Limited,
    Never,
}

#[test]
fn whatever_happens_to_a_post_there_are_never_two_comments() {
    use PostReply::{Badly, Limited, Never, Well};
    let cases: [(&'static [(bool, PostReply)], usize); 6] = [
        // Carried out, but the answer is lost: found, not repeated.
        (&[(true, Never)], 1),
        (&[(true, Badly)], 1),
        // Not carried out: repeated.
        (&[(false, Never), (true, Well)], 2),
        (&[(false, Badly), (false, Never), (true, Badly)], 3),
        // A rate limit guarantees that nothing was done.
        (&[(false, Limited), (true, Well)], 2),
        // The last try of all was carried out.
        (
            &[
                (false, Never),
                (false, Never),
                (false, Never),
                (false, Never),
                (true, Never),
            ],
            5,
        ),
    ];
    for (number, (posts, tries)) in cases.into_iter().enumerate() {
        let (stored, posted, count) = comments_after(posts);
        assert_eq!(stored, 1, "case {number}");
        assert_eq!(posted.unwrap(), PostOutcome::Created, "case {number}");
        assert_eq!(count, tries, "case {number}");
    }
}

#[test]
fn a_post_that_never_works_is_an_error_after_all_tries() {
    let (stored, posted, count) = comments_after(&[(false, PostReply::Never); 5]);
    assert!(matches!(posted, Err(GithubError::Unreachable { tries: 5, .. })));
    assert_eq!((stored, count), (0, 5));
}
