//! Failures that are waited for and repeated, the length of the pauses, and the error of each refusal.

use super::*;
use crate::github::GithubError;
use crate::process::InterruptionFlag;

const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
/// The same date in seconds since 1970.
const DATE_SECONDS: u64 = 784_111_777;

fn one_pull() -> ResponseTemplate {
    ok(&pull(7, "open", SHA, 1))
}

/// Pauses after one failure that is followed by success.
fn pauses_after(failure: ResponseTemplate) -> Vec<Duration> {
    let github = MockGithubServer::start();
    github
        .answers_once("GET", "/pulls/7", failure)
        .answers("GET", "/pulls/7", one_pull());
    assert_eq!(github.client().pull(7).unwrap().number, 7);
    assert_eq!(github.requests().len(), 2);
    github.noted.all()
}

#[test]
fn a_rate_limit_with_a_time_is_waited_for_exactly() {
    let limit = refusal(429, "slow down").insert_header("retry-after", "7");
    assert_eq!(pauses_after(limit), [Duration::from_secs(7)]);
    let limit = refusal(403, "slow down").insert_header("retry-after", "8");
    assert_eq!(pauses_after(limit), [Duration::from_secs(8)]);
    let limit = refusal(429, "slow down")
        .insert_header("date", DATE)
        .insert_header("retry-after", "Sun, 06 Nov 1994 08:49:46 GMT");
    assert_eq!(pauses_after(limit), [Duration::from_secs(9)]);
}

#[test]
fn an_exhausted_limit_is_waited_for_until_its_reset_by_the_clock_of_the_answer() {
    let limit = refusal(403, "no")
        .insert_header("date", DATE)
        .insert_header("x-ratelimit-remaining", "0")
        .insert_header("x-ratelimit-reset", (DATE_SECONDS + 42).to_string().as_str());
    assert_eq!(pauses_after(limit), [Duration::from_secs(43)]);
}

#[test]
fn a_rate_limit_without_a_time_takes_a_minute() {
    let limit = refusal(403, "You have exceeded a secondary rate limit. Please wait.");
    assert_eq!(pauses_after(limit), [Duration::from_secs(60)]);
    assert_eq!(pauses_after(ResponseTemplate::new(429)), [Duration::from_secs(60)]);
}

#[test]
fn a_rate_limit_beyond_the_longest_wait_is_an_error_that_states_it() {
    for wait in [3600, u64::MAX] {
        let github = MockGithubServer::start();
        let limit = refusal(429, "no").insert_header("retry-after", wait.to_string().as_str());
        github.answers("GET", "/pulls/7", limit);
        let error = github.client().pull(7).unwrap_err();
        assert!(matches!(error, GithubError::Limited { asked, .. } if asked.as_secs() == wait));
        assert!(error.to_string().contains(&format!("{wait} seconds")), "{error}");
        assert_eq!(github.requests().len(), 1);
        assert_eq!(github.noted.all(), []);
    }
}

#[test]
fn waits_add_up_to_the_longest() {
    let github = MockGithubServer::start();
    github.answers(
        "GET",
        "/pulls/7",
        refusal(429, "no").insert_header("retry-after", "140"),
    );
    let error = github.client().pull(7).unwrap_err();
    assert!(
        matches!(error, GithubError::Limited { waited, .. } if waited.as_secs() == 280),
        "{error}"
    );
    assert_eq!(github.noted.all(), [Duration::from_secs(140); 2]);
}

#[test]
fn server_errors_are_waited_out_with_growing_pauses() {
    let github = MockGithubServer::start();
    let failing = || ResponseTemplate::new(502);
    github
        .mount(
            Mock::given(RequestMatcher("GET", "/pulls/7"))
                .respond_with(failing())
                .up_to_n_times(3),
        )
        .answers("GET", "/pulls/7", one_pull());
    assert_eq!(github.client().pull(7).unwrap().number, 7);
    let pauses = github.noted.all();
    assert_eq!(pauses.len(), 3);
    for (pause, longest) in pauses.iter().zip([1000, 2000, 4000]) {
        let longest = Duration::from_millis(longest);
        assert!(*pause >= longest / 2 && *pause <= longest, "{pauses:?}");
    }
}

#[test]
fn a_server_error_that_stays_ends_with_its_status_and_words() {
    let github = MockGithubServer::start();
    github.answers("GET", "/pulls/7", refusal(503, "Unicorn!"));
    let error = github.client().pull(7).unwrap_err();
    assert_eq!(
        error.to_string(),
        "reading a pull request: octo/repo#7: GitHub answered 503 after 5 tries (\"Unicorn!\"): check GitHub's status \
         page, then repeat"
    );
    assert_eq!(github.requests().len(), 5);
}

#[test]
fn a_late_answer_counts_as_no_answer() {
    let github = MockGithubServer::start();
    github.answers("GET", "/pulls/7", one_pull().set_delay(Duration::from_secs(30)));
    let patience = RetryPolicy {
        attempts: 2,
        request_timeout: Duration::from_millis(100),
        ..github.noted.patience()
    };
    let error = github.client_with(patience).pull(7).unwrap_err();
    assert!(matches!(error, GithubError::Unreachable { tries: 2, .. }), "{error}");
    assert!(error.to_string().contains("within 100ms"), "{error}");
}

#[test]
fn dropped_connections_are_tried_again() {
    let noted = RecordedPauses::default();
    let mut failures = 2;
    let server = DroppingServer::start(move |_, _| {
        if failures > 0 {
            failures -= 1;
            return ServerReply::Drop;
        }
        ServerReply::With(200, pull(7, "open", SHA, 1))
    });
    assert_eq!(server.client(&noted).pull(7).unwrap().number, 7);
    assert_eq!(server.count("GET"), 3);
    assert_eq!(noted.all().len(), 2);
}

#[test]
fn nobody_listening_is_an_error_with_the_cause() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let noted = RecordedPauses::default();
    let client = GithubClient::new(&connection(url), noted.patience()).unwrap();
    let error = client.pull(7).unwrap_err();
    assert!(error.to_string().contains("refused"), "{error}");
    assert_eq!(noted.all().len(), 4);
}

#[test]
fn who_asks_to_stop_is_not_kept_waiting() {
    let github = MockGithubServer::start();
    github.answers(
        "GET",
        "/pulls/7",
        refusal(429, "no").insert_header("retry-after", "100"),
    );
    let interruption = InterruptionFlag::default();
    interruption.raise();
    let patience = RetryPolicy {
        pauses: RetryPause::until(interruption),
        ..RetryPolicy::default()
    };
    let error = github.client_with(patience).pull(7).unwrap_err();
    assert!(matches!(error, GithubError::Interrupted { .. }), "{error}");
}

#[test]
fn refusals_are_not_repeated_and_state_a_remedy() {
    let permissions = refusal(403, "Resource not accessible by integration")
        .insert_header("x-accepted-github-permissions", "pull_requests=write");
    let invalid = ResponseTemplate::new(422).set_body_json(json!({
        "message": "Validation Failed",
        "errors": [
            { "resource": "CheckRun", "field": "head_sha", "code": "invalid" },
            "a sentence",
            { "message": "body is too long" },
            "a fourth",
        ],
    }));
    let cases = [
        (
            refusal(401, "Bad credentials"),
            "does not accept the token (\"Bad credentials\")",
        ),
        (permissions, "grant `pull-requests: write`"),
        (refusal(403, "no"), "grant `pull-requests: read`"),
        (refusal(404, "Not Found"), "not found, or not visible to this token"),
        (refusal(410, "gone"), "refused the request with status 410 (\"gone\")"),
        (
            invalid,
            "422 (\"Validation Failed; head_sha: invalid; a sentence; body is too long\")",
        ),
    ];
    for (answer, words) in cases {
        let github = MockGithubServer::start();
        github.answers("GET", "/pulls/7", answer);
        let error = github.client().pull(7).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("reading a pull request: octo/repo#7: "), "{text}");
        assert!(text.contains(words), "{text}");
        assert!(!text.contains(TOKEN) && !format!("{error:?}").contains(TOKEN));
        assert_eq!(github.requests().len(), 1, "{text}");
        assert_eq!(github.noted.all(), []);
    }
}

#[test]
fn an_error_states_the_missing_permission() {
    let github = MockGithubServer::start();
    let answer = refusal(403, "no").insert_header("x-accepted-github-permissions", "checks=write");
    github
        .answers("GET", "/pulls/7", answer)
        .answers("GET", "/pulls/8", refusal(404, "no"));
    let client = github.client();
    assert_eq!(client.pull(7).unwrap_err().missing_permission(), Some("checks=write"));
    assert_eq!(client.pull(8).unwrap_err().missing_permission(), None);
}
