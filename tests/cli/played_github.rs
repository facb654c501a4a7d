//! A played GitHub on this machine: the requests of `lito post` → the check runs and comments that GitHub would have. It
//! keeps what it is given and hands it out again. It knows no permissions, no pages and no failures.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The repository that it has.
pub(crate) const REPOSITORY: &str = "octo/repo";

/// The account that posts.
const BOT: &str = "lito-test[bot]";

/// A connection that says nothing for so long is dropped.
const PATIENCE: Duration = Duration::from_secs(30);

/// Nothing that the tests post is larger.
const LARGEST_BODY: usize = 1 << 20;

/// A running server. Stops when dropped.
pub(crate) struct PlayedGithub {
    address: String,
    stopped: Arc<AtomicBool>,
    posted: Arc<Mutex<Posted>>,
}

/// Everything that was posted and not removed.
#[derive(Default)]
struct Posted {
    checks: Vec<Value>,
    comments: Vec<Value>,
}

impl PlayedGithub {
    /// With one open pull request, which has this head.
    pub(crate) fn with_pull_request(head: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let stopped = Arc::new(AtomicBool::new(false));
        let posted = Arc::new(Mutex::new(Posted::default()));
        let (stop, kept) = (Arc::clone(&stopped), Arc::clone(&posted));
        thread::spawn(move || {
            for connection in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                // Whoever was killed hangs up early, and it does not matter.
                let _ = connection.and_then(|connection| answer(&connection, &head, &kept));
            }
        });
        Self {
            address,
            stopped,
            posted,
        }
    }

    /// The variables by which lito finds it, with a token for it.
    pub(crate) fn environment(&self) -> [(String, String); 3] {
        [
            (String::from("GITHUB_API_URL"), format!("http://{}", self.address)),
            (String::from("GITHUB_TOKEN"), String::from("ghs_OfNoWorth")),
            (String::from("LITO_BOT"), BOT.to_owned()),
        ]
    }

    /// The numbers of check runs and comments.
    pub(crate) fn counts(&self) -> [usize; 2] {
        let posted = self.posted.lock().unwrap();
        [posted.checks.len(), posted.comments.len()]
    }

    /// Removes all that was posted.
    pub(crate) fn clear(&self) {
        *self.posted.lock().unwrap() = Posted::default();
    }
}

impl Drop for PlayedGithub {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the listener up.
        let _ = TcpStream::connect(&self.address);
    }
}

fn answer(mut connection: &TcpStream, head: &str, posted: &Mutex<Posted>) -> std::io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    let Some((line, body)) = request(connection)? else {
        return Ok(());
    };
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default();
    let path = words.next().unwrap_or_default();
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let place = path.strip_prefix(&format!("/repos/{REPOSITORY}/")).unwrap_or_default();
    let (status, answer) = posted.lock().unwrap().answer(method, place, body, head);
    let answer = answer.to_string();
    write!(
        connection,
        "HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{answer}",
        answer.len()
    )
}

/// The first line of a request and its body; `None` where it ends before its length.
fn request(connection: &TcpStream) -> std::io::Result<Option<(String, Value)>> {
    let mut reader = BufReader::new(connection);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap_or(0);
            }
            Some(_) => {}
            None => break,
        }
    }
    assert!(length <= LARGEST_BODY);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((first, serde_json::from_slice(&body).unwrap_or(Value::Null))))
}

impl Posted {
    /// The status and the answer to a request below the repository.
    fn answer(&mut self, method: &str, place: &str, body: Value, head: &str) -> (u16, Value) {
        let parts: Vec<&str> = place.split('/').collect();
        let branch =
            |name: &str, sha: &str| json!({ "ref": name, "sha": sha, "repo": { "id": 1, "default_branch": "main" } });
        match (method, parts.as_slice()) {
            ("GET", ["pulls", number]) => {
                let number: u64 = number.parse().unwrap();
                let pull = json!({
                    "number": number, "html_url": "https://github.example/pull", "state": "open", "draft": false,
                    "user": { "login": "mona" }, "labels": [],
                    "head": branch("topic", head), "base": branch("main", &"f".repeat(40)),
                });
                (200, pull)
            }
            ("GET", ["commits", _, "check-runs"]) => (
                200,
                json!({ "total_count": self.checks.len(), "check_runs": self.checks }),
            ),
            ("GET", ["check-runs", _, "annotations"]) => (200, json!([])),
            ("GET", ["issues", _, "comments"]) => (200, json!(self.comments)),
            ("POST", ["check-runs"]) => {
                let login = BOT.split_once('[').map(|(login, _)| login);
                (201, added(&mut self.checks, body, &json!({ "app": { "slug": login } })))
            }
            ("POST", ["issues", issue, "comments"]) => {
                let rest = json!({
                    "user": { "login": BOT }, "html_url": "https://github.example/comment",
                    "issue_url": format!("https://github.example/issues/{issue}"),
                });
                (201, added(&mut self.comments, body, &rest))
            }
            ("PATCH", ["check-runs", id]) => updated(&mut self.checks, id, &body),
            ("PATCH", ["issues", "comments", id]) => updated(&mut self.comments, id, &body),
            _ => (404, json!({ "message": "Not Found" })),
        }
    }
}

/// Adds an entry with the fields of the request and those that GitHub adds.
fn added(entries: &mut Vec<Value>, mut entry: Value, rest: &Value) -> Value {
    entry["id"] = json!(entries.len() + 1);
    for (name, value) in rest.as_object().into_iter().flatten() {
        entry[name] = value.clone();
    }
    entries.push(entry.clone());
    entry
}

/// Puts the fields of the request into the entry with this number.
fn updated(entries: &mut [Value], id: &str, body: &Value) -> (u16, Value) {
    let id: Option<u64> = id.parse().ok();
    let Some(entry) = entries.iter_mut().find(|entry| entry["id"].as_u64() == id) else {
        return (404, json!({ "message": "Not Found" }));
    };
    for (name, value) in body.as_object().into_iter().flatten() {
        entry[name] = value.clone();
    }
    (200, entry.clone())
}
