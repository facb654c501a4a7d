//! A real server of S3 on this machine, and a line to it on which requests and answers go wrong.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::needs;
use crate::repository::{LitoOutput, answer, program};

/// The bucket of the tests.
pub(super) const BUCKET: &str = "lito-store";

/// A connection that says nothing for so long is dropped.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server with an empty bucket. Ends when dropped.
pub(super) struct BucketServer {
    process: Child,
    bucket: &'static str,
    pub(super) address: String,
}

impl BucketServer {
    pub(super) fn start() -> Self {
        Self::with(BUCKET)
    }

    /// With a bucket of that name.
    pub(super) fn with(bucket: &'static str) -> Self {
        let environment = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/object_storage/environment/bin");
        let server: PathBuf = environment.join("moto_server");
        needs::file(server.to_str().unwrap());
        let mut process = Command::new(server)
            .args(["-H", "127.0.0.1", "-p", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "the server did not start");
            if let Some((_, address)) = line.trim().split_once("http://") {
                break address.to_owned();
            }
        };
        // It goes on noting requests.
        thread::spawn(move || said.read_to_end(&mut Vec::new()));
        let server = Self {
            process,
            bucket,
            address,
        };
        server.send("PUT", "", b"");
        server
    }

    /// Writes a file, whoever it belongs to.
    pub(super) fn put(&self, key: &str, content: &[u8]) {
        self.send("PUT", &format!("/{key}"), content);
    }

    pub(super) fn get(&self, key: &str) -> Vec<u8> {
        self.send("GET", &format!("/{key}"), b"")
    }

    pub(super) fn delete(&self, key: &str) {
        self.send("DELETE", &format!("/{key}"), b"");
    }

    /// The keys below a folder, in their order.
    pub(super) fn keys(&self, folder: &str) -> Vec<String> {
        let listed = self.send("GET", &format!("?list-type=2&prefix={folder}"), b"");
        let listed = String::from_utf8(listed).unwrap();
        let keys = listed.split("<Key>").skip(1);
        keys.map(|rest| rest.split("</Key>").next().unwrap().to_owned())
            .collect()
    }

    /// Sends a request with a signature that the server does not look into, and gives the body of the answer.
    fn send(&self, method: &str, target: &str, body: &[u8]) -> Vec<u8> {
        let mut connection = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} /{}{target} HTTP/1.0\r\nhost: {}\r\ncontent-length: {}\r\n\
             authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/s3/aws4_request, \
             SignedHeaders=host, Signature=0\r\n\r\n",
            self.bucket,
            self.address,
            body.len()
        );
        connection.write_all(head.as_bytes()).unwrap();
        connection.write_all(body).unwrap();
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        assert!(
            head.split(' ').nth(1).unwrap().starts_with('2'),
            "{method} {target}: {head}"
        );
        answer.split_off(end + 4)
    }
}

impl Drop for BucketServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The fate of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineFault {
    /// It is answered.
    None,
    /// It does not arrive: this status comes back, with this code.
    Refused(u16, &'static str),
    /// It arrives, and the connection ends instead of an answer.
    AnswerLost,
    /// It arrives, and half of the answer comes back.
    AnswerCut,
    /// It arrives, and nothing comes back.
    Silence,
}

/// A request, as the one who decides about it sees it.
pub(super) struct LineRequest {
    /// Its number, from 1.
    pub(super) number: usize,
    pub(super) method: String,
}

/// A line to a server. Ends when dropped.
pub(super) struct FaultyLine {
    pub(super) address: String,
    ended: Arc<AtomicBool>,
    requests: Arc<AtomicUsize>,
}

impl FaultyLine {
    /// Every request goes wrong as `fault` says.
    pub(super) fn to(server: &BucketServer, fault: impl Fn(&LineRequest) -> LineFault + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let line = Self {
            address: listener.local_addr().unwrap().to_string(),
            ended: Arc::new(AtomicBool::new(false)),
            requests: Arc::new(AtomicUsize::new(0)),
        };
        let (ended, requests) = (Arc::clone(&line.ended), Arc::clone(&line.requests));
        let (server, fault) = (server.address.clone(), Arc::new(fault));
        thread::spawn(move || {
            for connection in listener.incoming() {
                if ended.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(connection) = connection else { continue };
                let (server, fault, requests) = (server.clone(), Arc::clone(&fault), Arc::clone(&requests));
                thread::spawn(move || {
                    // Who broke the connection off is not the test's concern.
                    let _ = carry(&connection, &server, &requests, &*fault);
                    let _ = connection.shutdown(Shutdown::Both);
                });
            }
        });
        line
    }

    /// The number of requests so far.
    pub(super) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for FaultyLine {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.address);
    }
}

/// Carries one request over a connection, and its answer back.
fn carry(
    connection: &TcpStream,
    server: &str,
    requests: &AtomicUsize,
    fault: &dyn Fn(&LineRequest) -> LineFault,
) -> std::io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    let mut incoming = BufReader::new(connection);
    let mut head = String::new();
    let mut length = 0;
    loop {
        let before = head.len();
        if incoming.read_line(&mut head)? == 0 {
            return Ok(());
        }
        let line = head[before..].trim_end().to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    incoming.read_exact(&mut body)?;
    let request = LineRequest {
        number: requests.fetch_add(1, Ordering::SeqCst) + 1,
        method: head.split(' ').next().unwrap_or_default().to_owned(),
    };
    let fault = fault(&request);
    let mut outgoing = connection;
    if let LineFault::Refused(status, code) = fault {
        let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>Not now.</Message></Error>");
        let length = body.len();
        return write!(
            outgoing,
            "HTTP/1.1 {status} No\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
    }
    let mut there = TcpStream::connect(server)?;
    there.set_read_timeout(Some(PATIENCE))?;
    there.write_all(head.replacen("\r\n", "\r\nconnection: close\r\n", 1).as_bytes())?;
    there.write_all(&body)?;
    let mut answer = Vec::new();
    there.read_to_end(&mut answer)?;
    match fault {
        LineFault::None => outgoing.write_all(&answer),
        LineFault::AnswerCut => outgoing.write_all(&answer[..answer.len() - answer.len() / 4]),
        LineFault::Silence => {
            thread::sleep(PATIENCE);
            Ok(())
        }
        LineFault::AnswerLost | LineFault::Refused(..) => Ok(()),
    }
}

/// Lito with credentials for a storage at an address.
pub(super) fn command(folder: &Path, address: &str, arguments: &[&str]) -> Command {
    let mut command = program("lito");
    command
        .args(arguments)
        .current_dir(folder)
        .env("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
        .env("AWS_SECRET_ACCESS_KEY", "secret-of-the-tests")
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ENDPOINT_URL", format!("http://{address}"));
    command
}

/// Runs it.
pub(super) fn lito(folder: &Path, address: &str, arguments: &[&str]) -> LitoOutput {
    let output = answer(&command(folder, address, arguments).output().unwrap());
    for said in [&output.stdout, &output.stderr] {
        assert!(!said.contains("secret-of-the-tests"), "{said}");
    }
    output
}
