//! Which addresses are reached through a proxy, what it is told, and what is said where it refuses.

use super::*;
use crate::github::GithubError;

/// A proxy that lets nobody through, and the requests that it got, each with its headers.
struct RefusingProxy {
    address: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl RefusingProxy {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&seen);
        // Ends with the test's process; there is nothing to clean up.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                    head.push(byte[0]);
                }
                noted.lock().unwrap().push(String::from_utf8(head).unwrap());
                stream
                    .write_all(b"HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n")
                    .unwrap();
            }
        });
        Self { address, seen }
    }

    fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// The failure to reach this address by that proxy.
fn failure(api_url: &str, address: String, exceptions: &str) -> GithubError {
    let behind = GithubConnection {
        proxy: ProxySettings {
            address,
            exceptions: exceptions.to_owned(),
        },
        ..connection(api_url.to_owned())
    };
    let patience = RetryPolicy {
        attempts: 1,
        ..RecordedPauses::default().patience()
    };
    GithubClient::new(&behind, patience)
        .and_then(|client| client.pull(7))
        .unwrap_err()
}

#[test]
fn an_address_with_https_is_reached_through_the_proxy_that_is_told_no_more_than_the_host() {
    let proxy = RefusingProxy::start();
    for address in [proxy.address.clone(), format!("http://{}", proxy.address)] {
        let error = failure("https://github.test/api/v3", address, "").to_string();
        let expected = format!("proxy authorization required, through the proxy {}", proxy.address);
        assert!(error.contains(&expected), "{error}");
    }
    assert_eq!(
        proxy.requests(),
        ["CONNECT github.test:443 HTTP/1.1\r\nHost: github.test:443\r\n\r\n"; 2]
    );
}

#[test]
fn a_proxy_that_wants_a_password_is_asked_once_and_the_error_says_where_it_goes() {
    let proxy = RefusingProxy::start();
    let behind = GithubConnection {
        proxy: ProxySettings {
            address: proxy.address.clone(),
            exceptions: String::new(),
        },
        ..connection("https://github.test/api/v3".to_owned())
    };
    let pauses = RecordedPauses::default();
    let asked = GithubClient::new(&behind, pauses.patience()).and_then(|client| client.pull(7));
    let error = asked.unwrap_err();
    assert!(matches!(error, GithubError::ProxyRefusal { .. }), "{error}");
    assert!(
        error.to_string().contains("HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"),
        "{error}"
    );
    assert_eq!(proxy.requests().len(), 1, "no repetition");
}

#[test]
fn the_proxys_password_is_sent_to_it_and_shown_to_nobody() {
    let proxy = RefusingProxy::start();
    let address = format!("http://mona:s%40cret@{}", proxy.address);
    let error = failure("https://github.test:8443", address.clone(), "").to_string();
    assert!(!error.contains("cret") && !error.contains("mona"), "{error}");
    let settings = ProxySettings {
        address,
        exceptions: String::new(),
    };
    assert_eq!(format!("{settings:?}"), "ProxySettings(…)");
    let [request] = &proxy.requests()[..] else {
        panic!("{:?}", proxy.requests())
    };
    assert!(request.starts_with("CONNECT github.test:8443 "), "{request}");
    // mona:s@cret
    assert!(
        request.contains("Proxy-Authorization: Basic bW9uYTpzQGNyZXQ=\r\n"),
        "{request}"
    );
}

#[test]
fn exceptions_are_reached_directly() {
    // Nothing listens there.
    let api = "https://127.0.0.1:1";
    for (exceptions, asked) in [
        ("", 1),
        ("github.test", 1),
        ("127.0.0.1", 0),
        ("a.test, 127.0.0.0/8", 0),
        ("*", 0),
    ] {
        let proxy = RefusingProxy::start();
        let error = failure(api, proxy.address.clone(), exceptions).to_string();
        assert_eq!(proxy.requests().len(), asked, "{exceptions}: {error}");
    }
}

#[test]
fn a_token_without_tls_goes_through_no_proxy() {
    let proxy = RefusingProxy::start();
    let error = failure("http://127.0.0.1:1", proxy.address.clone(), "").to_string();
    assert_eq!(proxy.requests(), [""; 0], "{error}");
}

#[test]
fn a_proxy_that_cannot_be_used_is_an_error_and_not_passed_by() {
    for wrong in ["socks5://127.0.0.1:1", "ftp://127.0.0.1", "http://", "a b"] {
        let error = failure("https://github.test", wrong.to_owned(), "");
        assert!(
            matches!(error, GithubError::Invalid { what: "the proxy", .. }),
            "{wrong}: {error}"
        );
        let excepted = failure("https://127.0.0.1:1", wrong.to_owned(), "127.0.0.1");
        assert!(
            matches!(excepted, GithubError::Unreachable { .. }),
            "{wrong}: {excepted}"
        );
    }
}
