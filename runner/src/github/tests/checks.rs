//! Our check run: created once, updated in place, with every annotation once.

use super::*;
use crate::github::{AnnotationLevel, CheckAnnotation, CheckConclusion, GithubError, NewCheckRun};

const LIST: &str = "/commits/0123456789abcdef0123456789abcdef01234567/check-runs";
const ACTIONS: &str = "github-actions";

fn check(id: u64, external_id: &str, app: &str) -> Value {
    json!({
        "id": id, "name": "lito / gate", "external_id": external_id, "head_sha": SHA, "status": "completed",
        "html_url": format!("https://github.com/octo/repo/runs/{id}"), "conclusion": "success",
        "output": { "title": "t", "summary": "s", "text": null, "annotations_count": 0 }, "app": { "slug": app },
    })
}

fn page(checks: &[Value]) -> ResponseTemplate {
    ok(&json!({ "total_count": checks.len(), "check_runs": checks }))
}

fn annotations(count: u64) -> Vec<CheckAnnotation> {
    (1..=count)
        .map(|line| CheckAnnotation {
            path: "src/lib.rs".to_owned(),
            start_line: line,
            end_line: line + 1,
            level: AnnotationLevel::Warning,
            title: if line % 2 == 0 {
                String::new()
            } else {
                "slower".to_owned()
            },
            message: format!("line {line}"),
        })
        .collect()
}

fn new_check(count: u64) -> NewCheckRun {
    NewCheckRun {
        name: "lito / gate".to_owned(),
        head_sha: SHA.to_owned(),
        external_id: "run-1".to_owned(),
        details_url: None,
        conclusion: CheckConclusion::Failure,
        title: "2 benchmarks are slower".to_owned(),
        summary: "all of it".to_owned(),
        annotations: annotations(count),
    }
}

fn github() -> MockGithubServer {
    let github = MockGithubServer::start();
    github.answers("GET", "//user", refusal(403, "Resource not accessible by integration"));
    github
}

/// The annotations of each writing request.
fn batches(github: &MockGithubServer) -> Vec<usize> {
    let writes = github
        .requests()
        .into_iter()
        .filter(|request| request.method.as_str() != "GET");
    writes
        .map(|request| {
            let body: Value = request.body_json().unwrap();
            body["output"]["annotations"].as_array().map_or(0, Vec::len)
        })
        .collect()
}

#[test]
fn a_check_run_is_made_completed() {
    let github = github();
    github.answers("GET", LIST, page(&[])).answers(
        "POST",
        "/check-runs",
        ResponseTemplate::new(201).set_body_json(check(4, "run-1", ACTIONS)),
    );
    let made = github.client().upsert_check(&new_check(1)).unwrap();
    assert_eq!(
        (made.id, made.url.as_deref()),
        (4, Some("https://github.com/octo/repo/runs/4"))
    );
    let requests = github.requests();
    let query = requests[0].url.query().unwrap();
    assert_eq!(query, "filter=all&check_name=lito%20%2F%20gate&per_page=100&page=1");
    let post = requests
        .iter()
        .find(|request| request.method.as_str() == "POST")
        .unwrap();
    let expected = json!({
        "name": "lito / gate", "external_id": "run-1", "head_sha": SHA, "status": "completed", "conclusion": "failure",
        "output": {
            "title": "2 benchmarks are slower", "summary": "all of it",
            "annotations": [{
                "path": "src/lib.rs", "start_line": 1, "end_line": 2, "annotation_level": "warning", "title": "slower",
                "message": "line 1",
            }],
        },
    });
    assert_eq!(post.body_json::<Value>().unwrap(), expected);
}

#[test]
fn a_hundred_and_twenty_annotations_take_three_requests() {
    let github = github();
    github
        .answers("GET", LIST, page(&[]))
        .answers(
            "POST",
            "/check-runs",
            ResponseTemplate::new(201).set_body_json(check(4, "run-1", ACTIONS)),
        )
        .answers("PATCH", "/check-runs/4", ok(&check(4, "run-1", ACTIONS)));
    github.client().upsert_check(&new_check(120)).unwrap();
    assert_eq!(batches(&github), [50, 50, 20]);
    let mut lines = Vec::new();
    for request in github
        .requests()
        .iter()
        .filter(|request| request.method.as_str() != "GET")
    {
        let body: Value = request.body_json().unwrap();
        let sent = body["output"]["annotations"].as_array().unwrap().clone();
        lines.extend(sent.iter().map(|annotation| annotation["start_line"].as_u64().unwrap()));
    }
    assert_eq!(lines, (1..=120).collect::<Vec<_>>());
}

#[test]
fn the_check_run_of_the_same_name_and_id_is_updated_with_the_annotations_it_lacks() {
    let github = github();
    let there = json!([
        { "path": "src/lib.rs", "start_line": 1, "end_line": 2, "annotation_level": "warning", "title": "slower",
          "message": "line 1" },
        { "path": "src/lib.rs", "start_line": 2, "end_line": 3, "annotation_level": "warning", "title": "",
          "message": "line 2" },
        { "path": "src/lib.rs", "start_line": 9, "end_line": 9, "annotation_level": null, "title": null,
          "message": null },
    ]);
    let others = [
        check(3, "run-1", ACTIONS),
        check(4, "run-1", ACTIONS),
        check(5, "run-2", ACTIONS),
        check(6, "run-1", "another-app"),
    ];
    github
        .answers("GET", LIST, page(&others))
        .answers("GET", "/check-runs/4/annotations", ok(&there))
        .answers("PATCH", "/check-runs/4", ok(&check(4, "run-1", ACTIONS)));
    let updated = github.client().upsert_check(&new_check(60)).unwrap();
    assert_eq!(updated.id, 4);
    assert_eq!(batches(&github), [0, 50, 8]);
}

#[test]
fn the_newest_check_run_of_our_app_is_found() {
    let github = github();
    let mut other_name = check(9, "x", ACTIONS);
    other_name["name"] = json!("lito");
    let mut no_app = check(8, "x", ACTIONS);
    no_app["app"] = Value::Null;
    let all = [
        check(4, "a", ACTIONS),
        check(6, "b", ACTIONS),
        check(7, "c", "another-app"),
        no_app,
        other_name,
    ];
    github.answers("GET", LIST, page(&all));
    let found = github.client().check(SHA, "lito / gate").unwrap().unwrap();
    assert_eq!((found.id, found.external_id.as_deref()), (6, Some("b")));
    assert_eq!(
        (found.conclusion.as_deref(), found.summary.as_deref()),
        (Some("success"), Some("s"))
    );
    let told = GithubConnection {
        bot: Some("another-app[bot]".to_owned()),
        ..connection(github.server.uri())
    };
    let client = GithubClient::new(&told, github.noted.patience()).unwrap();
    assert_eq!(client.check(SHA, "lito / gate").unwrap().unwrap().id, 7);
    assert_eq!(client.check(SHA, "none").unwrap(), None);
}

#[test]
fn without_permission_to_make_check_runs_the_error_names_it() {
    let github = github();
    github
        .answers("GET", LIST, page(&[]))
        .answers("POST", "/check-runs", refusal(403, "Resource not accessible"));
    let error = github.client().upsert_check(&new_check(0)).unwrap_err();
    assert_eq!(error.missing_permission(), Some("checks=write"));
    assert_eq!(
        error.to_string(),
        format!(
            "creating a check run: octo/repo at {SHA}: the token lacks a permission (\"Resource not accessible\"): grant \
             `checks: write`, in a workflow under `permissions:`"
        )
    );
}

#[test]
fn malformed_commit_ids_are_not_sent() {
    let github = github();
    for sha in ["", "main", "../../..", &"a".repeat(39), &"g".repeat(40)] {
        let error = github.client().check(sha, "x").unwrap_err();
        assert!(matches!(error, GithubError::Invalid { .. }), "{error}");
    }
    assert_eq!(github.requests().len(), 0);
}

#[test]
fn lost_answers_leave_one_check_run_with_every_annotation_once() {
    // Every writing request is carried out, but every second one is not answered.
    let stored: Arc<Mutex<(usize, Vec<Value>)>> = Arc::default();
    let kept = Arc::clone(&stored);
    let mut writes = 0;
    let server = DroppingServer::start(move |line, sent| {
        let mut stored = kept.lock().unwrap();
        if line.starts_with("GET /user") {
            return ServerReply::With(403, json!({ "message": "no" }));
        }
        if line.contains("/annotations") {
            let page = if line.contains("&page=1 ") { 0 } else { 100 };
            let rest: Vec<Value> = stored.1.iter().skip(page).take(100).cloned().collect();
            return ServerReply::With(200, json!(rest));
        }
        if line.starts_with("GET") {
            let checks = vec![check(4, "run-1", ACTIONS); stored.0];
            return ServerReply::With(200, json!({ "total_count": checks.len(), "check_runs": checks }));
        }
        writes += 1;
        if line.starts_with("POST") {
            stored.0 += 1;
        }
        stored
            .1
            .extend(sent["output"]["annotations"].as_array().into_iter().flatten().cloned());
        if writes % 2 == 1 {
            return ServerReply::Drop;
        }
        ServerReply::With(200, check(4, "run-1", ACTIONS))
    });
    let noted = RecordedPauses::default();
    server.client(&noted).upsert_check(&new_check(170)).unwrap();
    let stored = stored.lock().unwrap();
    assert_eq!(stored.0, 1);
    let lines: Vec<u64> = stored
        .1
        .iter()
        .map(|sent| sent["start_line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, (1..=170).collect::<Vec<_>>());
    assert_eq!(server.count("POST") + server.count("PATCH"), 4);
}
