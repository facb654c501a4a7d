//! One request → its answer, bounded in time and size, or what failed. Sends once: nothing here repeats.
//!
//! octocrab makes the connection, sets the headers that GitHub wants and sends the token to the API's host only. Its
//! own retries and redirects are switched off at build time: retries know nothing of what was already carried out, and
//! a redirect is followed here to the same host only.

use std::error::Error;
use std::time::Duration;

use http::{HeaderMap, Method, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use octocrab::Octocrab;

use super::api_fault::{ApiFault, printable_line};
use super::{GithubConnection, GithubError};

/// A page of a hundred comments or check runs, each with texts of 64 KiB, escaped.
const LARGEST_ANSWER: usize = 32 << 20;

/// Redirects that are followed: a repository that was renamed has one.
const MOST_REDIRECTS: usize = 3;

/// A request, and how it is called in messages.
#[derive(Debug, Clone)]
pub(super) struct ApiCall {
    /// What is attempted: `posting a comment`.
    pub(super) attempt: &'static str,
    /// On what: `owner/name#12`.
    pub(super) on: String,
    /// The permission that it takes, as GitHub names it: `checks=write`.
    pub(super) needs: &'static str,
    pub(super) method: Method,
    /// Path and query below the API's address.
    pub(super) path: String,
    pub(super) body: Option<serde_json::Value>,
}

/// A whole answer.
#[derive(Debug)]
pub(super) struct ApiResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl ApiResponse {
    /// The value that the answer holds.
    pub(super) fn decode<T: serde::de::DeserializeOwned>(&self, call: &ApiCall) -> Result<T, GithubError> {
        let unreadable = |why: String| GithubError::Unreadable {
            attempt: call.attempt,
            on: call.on.clone(),
            why,
        };
        if !self.status.is_success() {
            return Err(unreadable(format!("it has status {}", self.status.as_u16())));
        }
        serde_json::from_slice(&self.body).map_err(|error| unreadable(printable_line(&error.to_string())))
    }
}

/// The connection to one API.
pub(super) struct ApiTransport {
    /// Drives one request at a time; what lito does beside is not asynchronous.
    runtime: tokio::runtime::Runtime,
    github: Octocrab,
    api: Uri,
}

impl ApiTransport {
    pub(super) fn new(connection: &GithubConnection) -> Result<Self, GithubError> {
        let api = api_address(connection)?;
        let setup = |why: String| GithubError::Setup {
            url: connection.api_url.clone(),
            why,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| setup(error.to_string()))?;
        let github = runtime
            .block_on(async { client(&api, connection.token.as_ref().map(|token| token.0.as_str())) })
            .map_err(setup)?;
        Ok(Self { runtime, github, api })
    }

    /// Sends a request once. A success, or the 302 that answers a download, is an answer.
    pub(super) fn send_once(&self, call: &ApiCall, limit: Duration) -> Result<ApiResponse, ApiFault> {
        let mut path = call.path.clone();
        for _ in 0..=MOST_REDIRECTS {
            let answer = self.runtime.block_on(send(
                &self.github,
                call.method.clone(),
                &path,
                call.body.as_ref(),
                ResponseLimits {
                    limit,
                    largest: LARGEST_ANSWER,
                },
            ))?;
            match answer.status {
                StatusCode::MOVED_PERMANENTLY | StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => {
                    path = self.moved_to(&answer)?
                }
                status if status.is_success() || status == StatusCode::FOUND => return Ok(answer),
                _ => return Err(ApiFault::of(&answer, call)),
            }
        }
        Err(ApiFault::Unreadable {
            why: "it redirects in circles".to_owned(),
        })
    }

    /// Where a redirect leads, if that is the same host.
    fn moved_to(&self, answer: &ApiResponse) -> Result<String, ApiFault> {
        let target = location(answer)?;
        if is_same_host(&self.api, &target) {
            Ok(target.to_string())
        } else {
            Err(ApiFault::Unreadable {
                why: "it redirects to another host".to_owned(),
            })
        }
    }

    /// Fetches what a 302 points to, from whatever host, without the token.
    ///
    /// The address is signed, that is, a secret for a while: it does not occur in what fails.
    pub(super) fn download(&self, redirect: &ApiResponse, bounds: ResponseLimits) -> Result<Vec<u8>, ApiFault> {
        let target = location(redirect)?;
        if !may_be_fetched(&self.api, &target) {
            return Err(ApiFault::Unreadable {
                why: "it redirects to an address without https".to_owned(),
            });
        }
        let answer = self.runtime.block_on(async {
            let storage = client(&target, None).map_err(|why| ApiFault::Lost { why })?;
            send(&storage, Method::GET, &target.to_string(), None, bounds).await
        })?;
        if answer.status.is_success() {
            return Ok(answer.body);
        }
        let status = answer.status.as_u16();
        let said = "the storage behind GitHub refused the download".to_owned();
        Err(if answer.status.is_server_error() || status == 429 {
            ApiFault::Failing {
                status,
                wait: None,
                said,
            }
        } else {
            ApiFault::Rejected { status, said }
        })
    }
}

/// How much of time and memory an answer may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResponseLimits {
    pub(super) limit: Duration,
    pub(super) largest: usize,
}

/// A client for one host, within the runtime.
fn client(host: &Uri, token: Option<&str>) -> Result<Octocrab, String> {
    let words = |error: octocrab::Error| printable_line(&innermost(&error));
    let builder = Octocrab::builder().base_uri(host.clone()).map_err(words)?;
    let builder = match token {
        Some(token) => builder.personal_token(token.to_owned()),
        None => builder,
    };
    builder.build().map_err(words)
}

async fn send(
    client: &Octocrab,
    method: Method,
    path: &str,
    body: Option<&serde_json::Value>,
    bounds: ResponseLimits,
) -> Result<ApiResponse, ApiFault> {
    let request = http::Request::builder()
        .method(method)
        .uri(path)
        // The media type of GitHub's own description of its API; `application/vnd.github+json` gives the same.
        .header(http::header::ACCEPT, "application/json")
        // Nothing drives a kept connection between requests, so that a pause would find it dead: after a POST that
        // looks like one that may have been carried out.
        .header(http::header::CONNECTION, "close");
    let request = client
        .build_request(request, body)
        .map_err(|error| ApiFault::Unreadable {
            why: printable_line(&innermost(&error)),
        })?;
    let lost = |error: &dyn Error| ApiFault::Lost {
        why: printable_line(&innermost(error)),
    };
    let whole = async {
        let response = client.execute(request).await.map_err(|error| lost(&error))?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, bounds.largest).collect().await.map_err(|error| {
            if error.is::<http_body_util::LengthLimitError>() {
                ApiFault::Unreadable {
                    why: format!("it is larger than {} bytes", bounds.largest),
                }
            } else {
                lost(error.as_ref())
            }
        })?;
        Ok(ApiResponse {
            status: parts.status,
            headers: parts.headers,
            body: body.to_bytes().to_vec(),
        })
    };
    tokio::time::timeout(bounds.limit, whole).await.unwrap_or_else(|_| {
        Err(ApiFault::Lost {
            why: format!("no whole answer within {:?}", bounds.limit),
        })
    })
}

fn location(answer: &ApiResponse) -> Result<Uri, ApiFault> {
    answer
        .headers
        .get(http::header::LOCATION)
        .and_then(|location| Uri::try_from(location.as_bytes()).ok())
        .ok_or_else(|| ApiFault::Unreadable {
            why: "it redirects to nowhere".to_owned(),
        })
}

/// Whether a redirect leaves the request, and its token, with the API.
pub(super) fn is_same_host(api: &Uri, target: &Uri) -> bool {
    target.authority().is_none() || (target.authority() == api.authority() && target.scheme() == api.scheme())
}

/// Whether a download may be read from an address: in the clear only where the API is, on this machine.
pub(super) fn may_be_fetched(api: &Uri, target: &Uri) -> bool {
    match target.scheme_str() {
        Some("https") => true,
        Some("http") => api.scheme_str() == Some("http"),
        _ => false,
    }
}

/// The last cause of an error: those before it only say which layer passed it on.
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// The API's address, if a token may be sent there.
fn api_address(connection: &GithubConnection) -> Result<Uri, GithubError> {
    let invalid = |why, remedy| GithubError::Invalid {
        what: "the API's address",
        // With a password in it, it is not shown.
        value: if connection.api_url.contains('@') {
            String::new()
        } else {
            printable_line(&connection.api_url)
        },
        why,
        remedy,
    };
    let example = "set GITHUB_API_URL to one like `https://api.github.com`";
    let url = connection.api_url.trim_end_matches('/');
    let address: Uri = url.parse().map_err(|_| invalid("it is not an address", example))?;
    let Some(authority) = address.authority() else {
        return Err(invalid("it names no host", example));
    };
    if authority.as_str().contains('@') {
        return Err(invalid("it holds a user name", "hand the token in by GITHUB_TOKEN"));
    }
    if address.query().is_some() {
        return Err(invalid("it has a query", example));
    }
    let host = authority.host().trim_matches(['[', ']']);
    let local = host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    match address.scheme_str() {
        Some("https") => Ok(address),
        Some("http") if local || connection.token.is_none() => Ok(address),
        Some("http") => Err(invalid(
            "the token would be sent in the clear",
            "set GITHUB_API_URL to an address with https",
        )),
        _ => Err(invalid("it is neither http nor https", example)),
    }
}
