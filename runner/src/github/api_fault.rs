//! An unsuccessful answer → the kind of failure, and the wait that GitHub requested. Pure: the only clock is the one in
//! the answer.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use super::GithubError;
use super::transport::{ApiCall, ApiResponse};

/// Wait after a rate limit without a stated time, from GitHub's documentation.
const UNTOLD_LIMIT: Duration = Duration::from_secs(60);

/// Added to the end of a limit, which is stated in whole seconds.
const RESET_MARGIN: Duration = Duration::from_secs(1);

/// Characters kept of a server's message.
const LONGEST_SAYING: usize = 300;

/// Most details of a refusal that are shown.
const MOST_DETAILS: usize = 3;

/// Phrases of rate limits that come as 403 without any header.
const LIMIT_WORDS: [&str; 3] = ["rate limit", "abuse detection", "too many requests"];

/// A failed exchange.
#[derive(Debug)]
pub(super) enum ApiFault {
    /// No complete answer arrived. The request may have been carried out.
    Lost { why: String },
    /// The proxy wants a name and a password, or others (407). Nothing was sent to GitHub, and a repetition has the same answer.
    RefusedByProxy { why: String },
    /// A server error. The request may have been carried out.
    Failing {
        status: u16,
        wait: Option<Duration>,
        said: String,
    },
    /// A rate limit. The request was not carried out.
    Limited { wait: Duration },
    /// The token is not accepted.
    BadToken { said: String },
    /// The token lacks a permission.
    Forbidden { needs: String, said: String },
    /// It does not exist.
    NotFound,
    /// Another refusal.
    Rejected { status: u16, said: String },
    /// An answer that can't be used.
    Unreadable { why: String },
}

impl ApiFault {
    /// Whether the request may have been carried out nevertheless.
    pub(super) fn is_ambiguous(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::Failing { .. })
    }

    /// Classifies an answer.
    pub(super) fn of(answer: &ApiResponse, call: &ApiCall) -> Self {
        let status = answer.status;
        let said = complaint(&answer.body);
        if status == StatusCode::TOO_MANY_REQUESTS
            || (status == StatusCode::FORBIDDEN && is_limit(&answer.headers, &said))
        {
            return Self::Limited {
                wait: asked_wait(&answer.headers).unwrap_or(UNTOLD_LIMIT),
            };
        }
        match status {
            StatusCode::UNAUTHORIZED => Self::BadToken { said },
            StatusCode::FORBIDDEN => Self::Forbidden {
                needs: text(&answer.headers, "x-accepted-github-permissions")
                    .map(printable_line)
                    .filter(|needs| !needs.is_empty())
                    .unwrap_or_else(|| call.needs.to_owned()),
                said,
            },
            StatusCode::NOT_FOUND => Self::NotFound,
            _ if status.is_server_error() => Self::Failing {
                status: status.as_u16(),
                wait: retry_after(&answer.headers),
                said,
            },
            _ => Self::Rejected {
                status: status.as_u16(),
                said,
            },
        }
    }

    pub(super) fn into_error(self, call: &ApiCall, tries: u32, waited: Duration) -> GithubError {
        let (attempt, on) = (call.attempt, call.on.clone());
        match self {
            Self::Lost { why } => GithubError::Unreachable {
                attempt,
                on,
                tries,
                why,
            },
            Self::RefusedByProxy { why } => GithubError::ProxyRefusal { attempt, on, why },
            Self::Failing { status, said, .. } => GithubError::Failing {
                attempt,
                on,
                status,
                tries,
                said,
            },
            Self::Limited { wait } => GithubError::Limited {
                attempt,
                on,
                asked: wait,
                waited,
            },
            Self::BadToken { said } => GithubError::BadToken { attempt, on, said },
            Self::Forbidden { needs, said } => GithubError::Forbidden {
                attempt,
                on,
                needs,
                said,
            },
            Self::NotFound => GithubError::NotFound {
                attempt,
                on,
                needs: call.needs,
            },
            Self::Rejected { status, said } => GithubError::Rejected {
                attempt,
                on,
                status,
                said,
            },
            Self::Unreadable { why } => GithubError::Unreadable { attempt, on, why },
        }
    }
}

/// Whether a 403 is a rate limit rather than a missing permission.
fn is_limit(headers: &HeaderMap, said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    headers.contains_key(http::header::RETRY_AFTER)
        || number(headers, "x-ratelimit-remaining") == Some(0)
        || LIMIT_WORDS.iter().any(|words| said.contains(words))
}

/// `retry-after`, or else the time until the exhausted limit is renewed.
fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    retry_after(headers).or_else(|| {
        if number(headers, "x-ratelimit-remaining") != Some(0) {
            return None;
        }
        let reset = number(headers, "x-ratelimit-reset")?;
        let now = date(text(headers, "date")?)?;
        Some(Duration::from_secs(reset.saturating_sub(now)).saturating_add(RESET_MARGIN))
    })
}

/// Seconds, or a date that is compared with the answer's own.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = text(headers, "retry-after")?;
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let now = date(text(headers, "date")?)?;
    Some(Duration::from_secs(date(value)?.saturating_sub(now)))
}

/// Seconds since 1970 of an HTTP date.
fn date(value: &str) -> Option<u64> {
    let time = httpdate::parse_http_date(value).ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    text(headers, name)?.trim().parse().ok()
}

/// The message of a refusal, on one short line.
fn complaint(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct ApiErrorResponse {
        message: Option<String>,
        #[serde(default)]
        errors: serde_json::Value,
    }
    let refusal = serde_json::from_slice::<ApiErrorResponse>(body).ok();
    let Some(refusal) = refusal.filter(|refusal| refusal.message.is_some()) else {
        // Not GitHub's own format; the beginning shows which server answered instead.
        let beginning = &body[..body.len().min(4 * LONGEST_SAYING)];
        return printable_line(&String::from_utf8_lossy(beginning));
    };
    let mut parts: Vec<String> = refusal.message.into_iter().collect();
    let details = refusal.errors.as_array().into_iter().flatten();
    parts.extend(details.take(MOST_DETAILS).map(detail));
    printable_line(&parts.join("; "))
}

/// One entry of `errors`: a sentence, or an object that names the field.
fn detail(error: &serde_json::Value) -> String {
    if let Some(sentence) = error.as_str() {
        return sentence.to_owned();
    }
    let part = |name: &str| error.get(name).and_then(serde_json::Value::as_str);
    match (part("message"), part("field"), part("code")) {
        (Some(message), Some(field), _) => format!("{field}: {message}"),
        (Some(message), None, _) => message.to_owned(),
        (None, Some(field), Some(code)) => format!("{field}: {code}"),
        _ => error.to_string(),
    }
}

/// A server's message for display: one short line without characters that control a terminal or the writing direction.
pub(super) fn printable_line(said: &str) -> String {
    let mut line = String::new();
    for character in said.chars().take(4 * LONGEST_SAYING) {
        let turns = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if character.is_whitespace() || character.is_control() {
            if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
        } else if !turns {
            line.push(character);
        }
    }
    let line = line.trim_end();
    match line.char_indices().nth(LONGEST_SAYING) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
