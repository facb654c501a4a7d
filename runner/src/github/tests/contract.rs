//! Every request of the client, checked against GitHub's own description of its API, which Prism serves.
//!
//! The answers are the description's examples. `tests/github/description.mjs` selects the used part of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Instant;

use http::Method;

use super::*;
use crate::github::transport::ApiCall;
use crate::github::{
    AnnotationLevel, ArtifactLimits, CheckAnnotation, CheckConclusion, GithubError, NewCheckRun, PostOutcome,
    PullRequestHead,
};
use crate::needs;
use crate::process::{InterruptionFlag, Invocation, run};

/// Longest start of Prism: it takes a second on an idle machine.
const LONGEST_START: Duration = Duration::from_secs(90);

/// Time after which Prism is ended in any case.
const LONGEST_LIFE: Duration = Duration::from_secs(240);

const PRISM: &str = "node_modules/@stoplight/prism-cli/dist/index.js";
const DESCRIPTION: &str = "node_modules/@octokit/openapi/generated/api.github.com.json";

/// GitHub as described by its API description; ends when dropped.
struct PrismServer {
    url: String,
    /// Paths of the description and their methods: `get /user`.
    described: BTreeSet<String>,
    folder: tempfile::TempDir,
    stop: InterruptionFlag,
    process: Option<JoinHandle<()>>,
}

impl PrismServer {
    fn start() -> Self {
        let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/github");
        needs::program("node");
        for file in [PRISM, DESCRIPTION] {
            if !packages.join(file).exists() {
                needs::missing(&format!("tests/github/{file}"));
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("part.json");
        let cut = Invocation::new("node", &packages, LONGEST_START)
            .arguments(["description.mjs".into(), PathBuf::from(&part)]);
        let cut = run(&cut, &InterruptionFlag::default()).unwrap();
        assert!(cut.status.success(), "{}", cut.stderr.text());
        let stop = InterruptionFlag::default();
        let log = folder.path().join("log");
        // Into a file, because captured output is available only at the end.
        let serve = Invocation::new("sh", &packages, LONGEST_LIFE)
            .arguments(["-c", "exec \"$@\" > \"$LOG\" 2>&1", "sh"])
            .arguments(["node", PRISM, "mock", "--errors", "--host", "127.0.0.1", "--port", "0"])
            .arguments([&part])
            .variable("LOG", &log);
        let stopped = stop.clone();
        let process = std::thread::spawn(move || {
            // Its log contains the result.
            let _ = run(&serve, &stopped);
        });
        let mut prism = Self {
            url: String::new(),
            described: operations(&part),
            folder,
            stop,
            process: Some(process),
        };
        prism.url = prism.address();
        prism
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Waits until Prism prints its address.
    fn address(&self) -> String {
        let started = Instant::now();
        loop {
            let log = self.log();
            let line = log.lines().find_map(|line| line.split_once("Prism is listening on "));
            // A line without its end may be incomplete.
            if let Some((_, url)) = line.filter(|_| log.ends_with('\n')) {
                return url.trim().to_owned();
            }
            let ended = self.process.as_ref().is_some_and(JoinHandle::is_finished);
            assert!(!ended, "Prism ended before it listened:\n{log}");
            assert!(started.elapsed() < LONGEST_START, "Prism does not listen:\n{log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Method and path of the requests that it got.
    fn requests(&self) -> Vec<(String, String)> {
        let log = self.log();
        let received = log.lines().filter(|line| line.contains("Request received"));
        received
            .map(|line| {
                let mut words = line.split_once("[HTTP SERVER] ").unwrap().1.split_whitespace();
                let method = words.next().unwrap().to_owned();
                let target = words.next().unwrap();
                let path = target.split_once('?').map_or(target, |(path, _)| path);
                (method, path.to_owned())
            })
            .collect()
    }

    fn client(&self, bot: Option<&str>) -> GithubClient {
        let connection = GithubConnection {
            bot: bot.map(str::to_owned),
            ..connection(self.url.clone())
        };
        let patience = RetryPolicy {
            // A mock that fails once would fail again.
            attempts: 1,
            ..RecordedPauses::default().patience()
        };
        GithubClient::new(&connection, patience).unwrap()
    }
}

impl Drop for PrismServer {
    fn drop(&mut self) {
        self.stop.raise();
        if let Some(process) = self.process.take() {
            let _ = process.join();
        }
        if std::thread::panicking() {
            let log = self.log();
            let last = log.lines().rev().take(12).collect::<Vec<_>>();
            #[allow(clippy::print_stderr)]
            for line in last.iter().rev() {
                eprintln!("{line}");
            }
        }
    }
}

/// The operations in an API description.
fn operations(part: &Path) -> BTreeSet<String> {
    let part: Value = serde_json::from_slice(&fs::read(part).unwrap()).unwrap();
    let paths = part["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().keys();
        methods.map(move |method| format!("{method} {path}"))
    });
    operations.collect()
}

/// Whether a request belongs to an operation, in whose path `{…}` matches any part.
fn is_for(operation: &str, (method, path): &(String, String)) -> bool {
    let (wanted, pattern) = operation.split_once(' ').unwrap();
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    wanted == method
        && pattern.len() == path.len()
        && pattern
            .iter()
            .zip(path)
            .all(|(pattern, part)| pattern.starts_with('{') || *pattern == part)
}

fn annotation(line: u64, level: AnnotationLevel) -> CheckAnnotation {
    CheckAnnotation {
        path: "src/lib.rs".to_owned(),
        start_line: line,
        end_line: line,
        level,
        title: if line == 1 { String::new() } else { "slower".to_owned() },
        message: "costs 12% more".to_owned(),
    }
}

fn check(name: &str, conclusion: CheckConclusion) -> NewCheckRun {
    let levels = [
        AnnotationLevel::Notice,
        AnnotationLevel::Warning,
        AnnotationLevel::Failure,
    ];
    NewCheckRun {
        name: name.to_owned(),
        head_sha: SHA.to_owned(),
        // As in the description's example.
        external_id: String::new(),
        details_url: Some("https://github.com/octo/repo/actions/runs/1".to_owned()),
        conclusion,
        title: "1 benchmark is slower".to_owned(),
        summary: "| benchmark | change |\n|---|---|".to_owned(),
        annotations: (1..=60)
            .zip(levels.into_iter().cycle())
            .map(|(line, level)| annotation(line, level))
            .collect(),
    }
}

#[test]
fn every_request_is_one_that_github_describes() {
    let prism = PrismServer::start();
    let client = prism.client(None);
    assert_eq!(client.identity().unwrap(), "octocat");

    assert!(client.pull(7).unwrap().open);
    let head = PullRequestHead {
        sha: SHA.to_owned(),
        repository_id: 5,
        owner: "mona".to_owned(),
        branch: "fix/this & that".to_owned(),
    };
    assert_eq!(client.pulls_by_head(&head).unwrap(), []);

    assert_eq!(client.comment(7, "Me too").unwrap().unwrap().author, "octocat");
    assert_eq!(
        client
            .upsert_comment(7, "<!-- lito -->", "<!-- lito -->")
            .unwrap()
            .posting,
        PostOutcome::Created
    );
    assert_eq!(
        client.upsert_comment(7, "Me too", "Me too, later").unwrap().posting,
        PostOutcome::Updated
    );
    assert_eq!(client.issue_comment(1).unwrap().body, "Me too");

    // The description's example violates its own schema here, so Prism generates an answer.
    let error = client.permission("mona").unwrap_err();
    assert!(
        error.to_string().contains("`string` is not a known permission"),
        "{error}"
    );

    let app = prism.client(Some("octoapp[bot]"));
    assert!(app.check(SHA, "mighty_readme").unwrap().is_some());
    app.upsert_check(&check("lito", CheckConclusion::Success)).unwrap();
    for conclusion in [
        CheckConclusion::Failure,
        CheckConclusion::Neutral,
        CheckConclusion::Skipped,
    ] {
        app.upsert_check(&check("mighty_readme", conclusion)).unwrap();
    }

    assert_eq!(client.workflow_run(30).unwrap().event, "push");
    let error = client.artifact(30, "Rails", &ArtifactLimits::default()).unwrap_err();
    // The archive's address was left out of the answer, so that no test contacts another host.
    assert!(error.to_string().contains("redirects without an address"), "{error}");

    let requests = prism.requests();
    for operation in &prism.described {
        assert!(
            requests.iter().any(|request| is_for(operation, request)),
            "{operation} was not tried"
        );
    }
    for request in &requests {
        assert!(
            prism.described.iter().any(|operation| is_for(operation, request)),
            "{request:?} is not described"
        );
    }
    assert!(!prism.log().contains("Violation: request"), "{}", prism.log());
}

#[test]
fn requests_that_github_does_not_describe_are_refused() {
    let prism = PrismServer::start();
    let client = prism.client(None);
    let send = |method: Method, path: &str, body: Value| {
        let call = ApiCall {
            body: Some(body).filter(|body| !body.is_null()),
            ..client.call(method, "trying", "checks=write", path)
        };
        client.send(&call, &mut client.budget())
    };
    let good = json!({ "name": "a", "head_sha": SHA, "output": { "title": "t", "summary": "s" } });
    assert!(send(Method::POST, "/check-runs", good.clone()).is_ok());
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };
    let wrong = [
        with("conclusion", json!("succes")),
        with("details_uri", json!("https://example.com")),
        with("head_sha", Value::Null),
        with("output", json!({ "title": "t" })),
        with(
            "output",
            json!({ "title": "t", "summary": "s", "annotations": [{ "path": "a" }] }),
        ),
        with("output", json!({ "title": "t", "summary": "s", "annotation": [] })),
        with("output", json!({ "title": "t", "summary": "s".repeat(65_536) })),
        with(
            "output",
            json!({ "title": "t", "summary": "s", "annotations": vec![annotation(1, AnnotationLevel::Notice); 51] }),
        ),
    ];
    for body in wrong {
        let refused = send(Method::POST, "/check-runs", body.clone());
        assert!(
            matches!(refused, Err(GithubError::Rejected { status: 422, .. })),
            "{body}: {refused:?}"
        );
    }
    for path in [
        "/pulls?states=all&head=a:b&per_page=1&page=1",
        "/pulls?state=any&head=a:b&per_page=1&page=1",
        "/issues/7/comments?per_page=many&page=1",
    ] {
        let refused = send(Method::GET, path, Value::Null);
        assert!(
            matches!(refused, Err(GithubError::Rejected { status: 400..=422, .. })),
            "{path}: {refused:?}"
        );
    }
    let refused = send(Method::POST, "/issues/7/comments", json!({ "text": "x" }));
    assert!(
        matches!(refused, Err(GithubError::Rejected { status: 422, .. })),
        "{refused:?}"
    );
    let refused = send(Method::POST, "/check-run", good);
    assert!(matches!(refused, Err(GithubError::NotFound { .. })), "{refused:?}");
}
