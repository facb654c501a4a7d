//! Malformed answers: an error each time, and no other host receives the token.

use super::*;
use crate::github::GithubError;
use crate::github::transport::{is_same_host, may_be_fetched};

fn error_of(answer: ResponseTemplate) -> GithubError {
    let github = MockGithubServer::start();
    github.answers("GET", "/pulls/7", answer);
    let error = github.client().pull(7).unwrap_err();
    assert_eq!(github.requests().len(), 1);
    let text = format!("{error} {error:?}");
    assert!(!text.contains(TOKEN) && text.chars().count() < 1600, "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\n']), "{text:?}");
    error
}

#[test]
fn unexpected_json_is_an_error() {
    let html = "<html><body>Sign in to the hotel's network</body></html>";
    let deep = "[".repeat(100_000);
    let cases = [
        ResponseTemplate::new(200).set_body_string(html),
        ResponseTemplate::new(200).set_body_string(""),
        ResponseTemplate::new(200).set_body_string("null"),
        ResponseTemplate::new(200).set_body_string("{\"number\": -1}"),
        ResponseTemplate::new(200).set_body_string("{\"number\": 1e400}"),
        ResponseTemplate::new(200).set_body_string(deep),
        ResponseTemplate::new(200).set_body_bytes(b"{\"number\": \"\xff\"}".as_slice()),
        ResponseTemplate::new(204),
        ResponseTemplate::new(302).insert_header("location", "https://example.com/"),
    ];
    for answer in cases {
        let error = error_of(answer);
        assert!(matches!(error, GithubError::Unreadable { .. }), "{error}");
    }
}

#[test]
fn an_answer_larger_than_any_of_githubs_is_not_kept() {
    let error = error_of(ResponseTemplate::new(200).set_body_bytes(vec![b' '; (32 << 20) + 1]));
    assert!(error.to_string().contains("larger than 33554432 bytes"), "{error}");
}

#[test]
fn long_and_hostile_words_are_cut_and_cleaned() {
    let words = format!(
        "\u{1b}[31m{}\u{202e}\r\nsecond line {}",
        "a".repeat(200),
        "b".repeat(10_000)
    );
    let error = error_of(refusal(422, &words));
    assert!(
        error.to_string().contains("[31maaa") && error.to_string().contains('…'),
        "{error}"
    );
    error_of(ResponseTemplate::new(418).set_body_string(words.repeat(10)));
    error_of(refusal(403, "no").insert_header("x-accepted-github-permissions", "a".repeat(5_000).as_str()));
}

#[test]
fn a_renamed_repository_is_followed_on_the_same_host_only() {
    let github = MockGithubServer::start();
    let moved = ResponseTemplate::new(301).insert_header("location", "/repositories/5/pulls/7");
    github
        .answers("GET", "/pulls/7", moved)
        .answers("GET", "//repositories/5/pulls/7", ok(&pull(7, "open", SHA, 1)));
    assert_eq!(github.client().pull(7).unwrap().number, 7);
    let whole = format!("{}/repos/octo/repo/pulls/7", github.server.uri());
    github.answers(
        "GET",
        "/pulls/8",
        ResponseTemplate::new(307).insert_header("location", whole.as_str()),
    );
    assert_eq!(github.client().pull(8).unwrap().number, 7);
    let other = MockGithubServer::start();
    other.answers("GET", "//repos/octo/repo/pulls/7", ok(&pull(7, "open", SHA, 1)));
    let elsewhere = format!("{}/repos/octo/repo/pulls/7", other.server.uri());
    let error = error_of(ResponseTemplate::new(301).insert_header("location", elsewhere.as_str()));
    assert!(error.to_string().contains("another host"), "{error}");
    assert_eq!(other.requests().len(), 0);
}

#[test]
fn a_redirect_takes_no_request_out_of_its_encryption() {
    let uri = |text: &str| text.parse::<http::Uri>().unwrap();
    let api = uri("https://api.github.com");
    for (target, same, fetched) in [
        ("/repositories/5", true, false),
        ("https://api.github.com/repositories/5", true, true),
        ("http://api.github.com/repositories/5", false, false),
        ("https://api.github.com:8443/repositories/5", false, true),
        ("https://api.github.com.example.com/", false, true),
        ("https://api.github.com@example.com/", false, true),
        ("ftp://api.github.com/", false, false),
    ] {
        assert_eq!(is_same_host(&api, &uri(target)), same, "{target}");
        assert_eq!(may_be_fetched(&api, &uri(target)), fetched, "{target}");
    }
    assert!(may_be_fetched(
        &uri("http://127.0.0.1:1"),
        &uri("http://127.0.0.1:2/zip")
    ));
}

#[test]
fn redirects_in_circles_come_to_an_end() {
    let github = MockGithubServer::start();
    let circle = ResponseTemplate::new(308).insert_header("location", "/repos/octo/repo/pulls/7");
    github.answers("GET", "/pulls/7", circle);
    let error = github.client().pull(7).unwrap_err();
    assert!(error.to_string().contains("too often"), "{error}");
    assert_eq!(github.requests().len(), 4);
}

#[test]
fn a_token_goes_to_no_address_that_would_show_it() {
    let at = |url: &str| GithubClient::new(&connection(url.to_owned()), RetryPolicy::default());
    for url in [
        "http://github.example.com/api/v3",
        "http://127.0.0.1.example.com",
        "ftp://127.0.0.1",
        "api.github.com",
        "",
        "https://user:PASSWORD@api.github.com",
        "https://api.github.com/?a=b",
        "https://",
        "not an address",
    ] {
        let error = at(url).unwrap_err();
        assert!(matches!(error, GithubError::Invalid { .. }), "{url}: {error}");
        assert!(!error.to_string().contains("PASSWORD"), "{error}");
    }
    for url in [
        "https://api.github.com",
        "https://github.example.com/api/v3/",
        "http://localhost:3000",
        "http://[::1]:3000",
    ] {
        assert!(at(url).is_ok(), "{url}");
    }
    let open = GithubConnection {
        token: None,
        ..connection("http://github.example.com/api/v3".to_owned())
    };
    assert!(GithubClient::new(&open, RetryPolicy::default()).is_ok());
}

#[test]
fn the_path_of_the_apis_address_comes_before_every_path() {
    let github = MockGithubServer::start();
    github.answers("GET", "//api/v3/repos/octo/repo/pulls/7", ok(&pull(7, "open", SHA, 1)));
    let url = format!("{}/api/v3/", github.server.uri());
    let client = GithubClient::new(&connection(url), github.noted.patience()).unwrap();
    assert_eq!(client.pull(7).unwrap().number, 7);
}

#[test]
fn tokens_are_checked_for_use_in_a_header_and_not_shown() {
    for wrong in ["", " \n", "a b", "a\nb", "tökén"] {
        let error = GithubToken::new(wrong).unwrap_err();
        assert!(!error.to_string().contains("tökén"), "{error}");
    }
    let token = GithubToken::new(&format!(" {TOKEN}\n")).unwrap();
    assert_eq!(format!("{token:?}"), "Token(…)");
    assert!(!format!("{:?}", connection(String::new())).contains(TOKEN));
}

#[test]
fn without_a_token_no_authorization_is_sent() {
    let github = MockGithubServer::start();
    github.answers("GET", "/pulls/7", ok(&pull(7, "open", SHA, 1)));
    let open = GithubConnection {
        token: None,
        ..connection(github.server.uri())
    };
    assert_eq!(
        GithubClient::new(&open, github.noted.patience())
            .unwrap()
            .pull(7)
            .unwrap()
            .number,
        7
    );
    assert!(!github.requests()[0].headers.contains_key("authorization"));
}
