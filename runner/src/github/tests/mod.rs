#![allow(clippy::unwrap_used)]

mod artifacts;
mod checks;
mod comments;
mod contract;
mod malformed_answers;
mod proxies;
mod pulls;
mod retries;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use wiremock::{Match, Mock, MockServer, Request, Respond, ResponseTemplate};

use super::{GithubClient, GithubConnection, GithubToken, RetryPause, RetryPolicy};
use crate::http_connection::ProxySettings;

const TOKEN: &str = "ghs_0123456789abcdefSECRET";
const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

/// Requested pauses, recorded instead of slept.
#[derive(Clone, Default)]
struct RecordedPauses(Arc<Mutex<Vec<Duration>>>);

impl RecordedPauses {
    fn all(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }

    fn patience(&self) -> RetryPolicy {
        let noted = Arc::clone(&self.0);
        RetryPolicy {
            request_timeout: Duration::from_secs(10),
            pauses: RetryPause::by(move |pause| {
                noted.lock().unwrap().push(pause);
                true
            }),
            ..RetryPolicy::default()
        }
    }
}

fn connection(url: String) -> GithubConnection {
    GithubConnection {
        api_url: url,
        token: Some(GithubToken::new(TOKEN).unwrap()),
        repository: "octo/repo".parse().unwrap(),
        bot: None,
        proxy: ProxySettings::default(),
    }
}

/// A server with predefined answers.
struct MockGithubServer {
    runtime: tokio::runtime::Runtime,
    server: MockServer,
    noted: RecordedPauses,
}

impl MockGithubServer {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let server = runtime.block_on(MockServer::start());
        Self {
            runtime,
            server,
            noted: RecordedPauses::default(),
        }
    }

    /// Answers a method and path, the first `times` times.
    fn answers(&self, method: &'static str, path: &'static str, answer: impl Respond + 'static) -> &Self {
        self.mount(Mock::given(RequestMatcher(method, path)).respond_with(answer))
    }

    fn answers_once(&self, method: &'static str, path: &'static str, answer: impl Respond + 'static) -> &Self {
        self.mount(
            Mock::given(RequestMatcher(method, path))
                .respond_with(answer)
                .up_to_n_times(1),
        )
    }

    fn mount(&self, mock: Mock) -> &Self {
        self.runtime.block_on(mock.mount(&self.server));
        self
    }

    fn client(&self) -> GithubClient {
        self.client_with(self.noted.patience())
    }

    fn client_with(&self, patience: RetryPolicy) -> GithubClient {
        GithubClient::new(&connection(self.server.uri()), patience).unwrap()
    }

    fn requests(&self) -> Vec<Request> {
        self.runtime.block_on(self.server.received_requests()).unwrap()
    }

    /// Requests of one method so far.
    fn count(&self, method: &str) -> usize {
        self.requests()
            .iter()
            .filter(|request| request.method.as_str() == method)
            .count()
    }
}

/// A method and a path below the repository, or the whole path where it starts with `//`.
struct RequestMatcher(&'static str, &'static str);

impl Match for RequestMatcher {
    fn matches(&self, request: &Request) -> bool {
        let path = match self.1.strip_prefix('/') {
            Some(whole) if whole.starts_with('/') => whole.to_owned(),
            _ => format!("/repos/octo/repo{}", self.1),
        };
        request.method.as_str() == self.0 && request.url.path() == path
    }
}

fn ok(body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

fn refusal(status: u16, message: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(json!({ "message": message }))
}

/// A pull request in GitHub's format, with the fields that are read.
fn pull(number: u64, state: &str, sha: &str, repository: u64) -> Value {
    json!({
        "number": number, "html_url": format!("https://github.com/octo/repo/pull/{number}"), "state": state,
        "draft": false, "user": { "login": "mona" }, "labels": [{ "name": "slow" }, { "name": "fast" }],
        "head": { "ref": "topic", "sha": sha, "repo": { "id": repository } },
        "base": { "ref": "main", "sha": "f".repeat(40), "repo": { "id": 1, "default_branch": "main" } },
    })
}

/// Reaction of a [`DroppingServer`] to a request.
enum ServerReply {
    /// Answers with a status and a JSON body.
    With(u16, Value),
    /// Closes the connection without an answer.
    Drop,
}

/// A server that may close the connection after it carried a request out.
struct DroppingServer {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl DroppingServer {
    /// `reply` receives the request line and the body.
    fn start(mut reply: impl FnMut(&str, &Value) -> ServerReply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&seen);
        // Ends with the test's process; there is nothing to clean up.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some((line, body)) = request(&mut stream) else {
                    continue;
                };
                lines.lock().unwrap().push(line.clone());
                if let ServerReply::With(status, body) = reply(&line, &body) {
                    let body = body.to_string();
                    // The client may be gone already.
                    let _ = write!(
                        stream,
                        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                        body.len()
                    );
                }
            }
        });
        Self { url, seen }
    }

    fn client(&self, noted: &RecordedPauses) -> GithubClient {
        GithubClient::new(&connection(self.url.clone()), noted.patience()).unwrap()
    }

    fn count(&self, method: &str) -> usize {
        self.seen
            .lock()
            .unwrap()
            .iter()
            .filter(|line| line.starts_with(method))
            .count()
    }
}

/// The request line and the body of a request.
fn request(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    let mut line = head.lines().next()?.to_owned();
    let method = line.find(' ')?;
    line[..method].make_ascii_uppercase();
    Some((line, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}
