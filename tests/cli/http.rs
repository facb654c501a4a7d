//! A git server on this machine, as small as one can be: it speaks HTTP, and CGI to `git http-backend`. It can also
//! refuse, fail or keep silent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A connection that says nothing for so long is dropped.
const PATIENCE: Duration = Duration::from_secs(30);

/// Nothing that the tests push is larger.
const LARGEST_BODY: usize = 64 << 20;

/// How the server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HttpServerMode {
    /// As git does.
    Serve,
    /// As git does, to whoever sends this header, and 401 to others.
    Ask(String),
    /// As git does for reading; this status for writing.
    ReadOnly(u16),
    /// Always with this status.
    Fail(u16),
    /// That it is elsewhere, below this address.
    Moved(String),
    /// Not at all: the connection stays open.
    Hang,
}

/// A running server. Stops when dropped.
pub(crate) struct GitHttpServer {
    address: String,
    stopped: Arc<AtomicBool>,
    /// The `Authorization` headers that came, in order.
    authorizations: Arc<Mutex<Vec<String>>>,
}

impl GitHttpServer {
    /// Serves the repositories below a folder.
    pub(crate) fn of(root: &Path, manner: HttpServerMode) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let stopped = Arc::new(AtomicBool::new(false));
        let authorizations = Arc::new(Mutex::new(Vec::new()));
        let (stop, headers) = (Arc::clone(&stopped), Arc::clone(&authorizations));
        let root = root.to_path_buf();
        thread::spawn(move || {
            for connection in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(connection) = connection else { continue };
                let (root, manner) = (root.clone(), manner.clone());
                let (stop, headers) = (Arc::clone(&stop), Arc::clone(&headers));
                thread::spawn(move || {
                    // Whoever hangs up early does not matter.
                    let _ = answer(&connection, &root, &manner, &stop, &headers);
                    let _ = connection.shutdown(Shutdown::Both);
                });
            }
        });
        Self {
            address,
            stopped,
            authorizations,
        }
    }

    /// The address of a repository.
    pub(crate) fn url(&self, repository: &str) -> String {
        format!("http://{}/{repository}", self.address)
    }

    pub(crate) fn authorizations(&self) -> Vec<String> {
        self.authorizations.lock().unwrap().clone()
    }
}

impl Drop for GitHttpServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the listener up.
        let _ = TcpStream::connect(&self.address);
    }
}

struct HttpTestRequest {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl HttpTestRequest {
    fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

fn answer(
    connection: &TcpStream,
    root: &Path,
    manner: &HttpServerMode,
    stop: &AtomicBool,
    headers: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    let request = read(connection)?;
    let authorization = request.header("authorization").to_owned();
    if !authorization.is_empty() {
        headers.lock().unwrap().push(authorization.clone());
    }
    let is_write = request.path.ends_with("git-receive-pack") || request.query.contains("git-receive-pack");
    match manner {
        HttpServerMode::Hang => {
            while !stop.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(20));
            }
            Ok(())
        }
        HttpServerMode::Fail(status) => refuse(connection, *status),
        HttpServerMode::Moved(elsewhere) => {
            let mut connection = connection;
            write!(
                connection,
                "HTTP/1.1 301 Moved\r\nLocation: {elsewhere}{}?{}\r\nContent-Length: 0\r\n\
                 Connection: close\r\n\r\n",
                request.path, request.query
            )
        }
        HttpServerMode::Ask(expected) if *expected != authorization => refuse(connection, 401),
        HttpServerMode::ReadOnly(status) if is_write => refuse(connection, *status),
        HttpServerMode::Serve | HttpServerMode::Ask(_) | HttpServerMode::ReadOnly(_) => {
            serve(connection, root, &request)
        }
    }
}

fn refuse(mut connection: &TcpStream, status: u16) -> std::io::Result<()> {
    let ask = match status {
        401 => "WWW-Authenticate: Basic realm=\"git\"\r\n",
        _ => "",
    };
    write!(
        connection,
        "HTTP/1.1 {status} No\r\n{ask}Content-Length: 0\r\nConnection: close\r\n\r\n"
    )
}

fn read(mut connection: &TcpStream) -> std::io::Result<HttpTestRequest> {
    let mut reader = BufReader::new(connection);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default().to_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut request = HttpTestRequest {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body: Vec::new(),
    };
    if request.header("expect").eq_ignore_ascii_case("100-continue") {
        connection.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    if request.header("transfer-encoding") == "chunked" {
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
            assert!(request.body.len() + size <= LARGEST_BODY);
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk)?;
            request.body.extend_from_slice(&chunk[..size]);
            if size == 0 {
                break;
            }
        }
    } else {
        let size: usize = request.header("content-length").parse().unwrap_or(0);
        assert!(size <= LARGEST_BODY);
        request.body = vec![0; size];
        reader.read_exact(&mut request.body)?;
    }
    Ok(request)
}

fn backend() -> PathBuf {
    let output = Command::new("git").arg("--exec-path").output().unwrap();
    let folder = String::from_utf8(output.stdout).unwrap();
    Path::new(folder.trim()).join("git-http-backend")
}

fn serve(mut connection: &TcpStream, root: &Path, request: &HttpTestRequest) -> std::io::Result<()> {
    let mut child = Command::new(backend())
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("REQUEST_METHOD", &request.method)
        .env("CONTENT_TYPE", request.header("content-type"))
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", request.header("content-encoding"))
        .env("GIT_PROTOCOL", request.header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().unwrap();
    let body = request.body.clone();
    let writer = thread::spawn(move || {
        // It may answer without having read everything.
        let _ = stdin.write_all(&body);
    });
    let output = child.wait_with_output()?;
    writer.join().unwrap();
    let split = output
        .stdout
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap_or(0);
    let (head, body) = output.stdout.split_at(split);
    let body = body.get(4..).unwrap_or_default();
    let head = String::from_utf8_lossy(head).into_owned();
    let status = head
        .lines()
        .find_map(|line| line.strip_prefix("Status: "))
        .unwrap_or("200 OK");
    write!(connection, "HTTP/1.1 {status}\r\n")?;
    for line in head.lines().filter(|line| !line.starts_with("Status: ")) {
        write!(connection, "{line}\r\n")?;
    }
    write!(
        connection,
        "Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    connection.write_all(body)
}
