//! One request → its answer, bounded in time and size, or the failure. Sends once: nothing here repeats.
//!
//! `http_connection` connects. octocrab sets the headers that GitHub requires and sends the token to the API's host only.
//! Its own retries and redirects are switched off at build time: its retries do not know whether a request was carried out,
//! and redirects are followed here, to the same host only.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use hyper_util::client::proxy::matcher::Matcher;
use octocrab::service::middleware::auth_header::AuthHeaderLayer;
use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::service::middleware::extra_headers::ExtraHeadersLayer;
use octocrab::{AuthState, Octocrab, OctocrabBuilder};

use super::api_fault::{ApiFault, printable_line};
use super::{GithubConnection, GithubError, GithubToken};
use crate::http_connection::{UnusableProxy, http_client, innermost};

/// Largest answer: a page of a hundred comments or check runs, each with texts of 64 KiB, escaped.
const LARGEST_ANSWER: usize = 32 << 20;

/// Most redirects that are followed: a renamed repository has one.
const MOST_REDIRECTS: usize = 3;

/// A request with its name for messages.
#[derive(Debug, Clone)]
pub(super) struct ApiCall {
    /// The attempted operation: `posting a comment`.
    pub(super) attempt: &'static str,
    /// Its target: `owner/name#12`.
    pub(super) on: String,
    /// The permission that it needs, as GitHub calls it: `checks=write`.
    pub(super) needs: &'static str,
    pub(super) method: Method,
    /// Path and query below the API's address.
    pub(super) path: String,
    pub(super) body: Option<serde_json::Value>,
}

/// A complete answer.
#[derive(Debug)]
pub(super) struct ApiResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl ApiResponse {
    /// Decodes the answer's body.
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
    /// Runs one request at a time; the rest of lito is synchronous.
    runtime: tokio::runtime::Runtime,
    github: Octocrab,
    api: Uri,
    proxies: Arc<Matcher>,
}

impl ApiTransport {
    pub(super) fn new(connection: &GithubConnection) -> Result<Self, GithubError> {
        let api = api_address(connection)?;
        let setup = |why: String| GithubError::Setup {
            url: connection.api_url.clone(),
            why,
        };
        let proxies = connection
            .proxy
            .matcher(&api)
            .map_err(|UnusableProxy| GithubError::Invalid {
                what: "the proxy",
                // It may hold a password.
                value: String::new(),
                why: "it is not the address of a proxy for HTTP",
                remedy: UnusableProxy::REMEDY,
            })?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| setup(error.to_string()))?;
        let github = runtime
            .block_on(async { client(&api, connection.token.as_ref(), &proxies) })
            .map_err(setup)?;
        Ok(Self {
            runtime,
            github,
            api,
            proxies,
        })
    }

    /// Sends a request once. A success, or the 302 of a download, is an answer.
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
                    path = self.moved_to(&answer)?;
                }
                status if status.is_success() || status == StatusCode::FOUND => return Ok(answer),
                _ => return Err(ApiFault::of(&answer, call)),
            }
        }
        Err(ApiFault::Unreadable {
            why: "it redirects too often".to_owned(),
        })
    }

    /// The target of a redirect, if it is on the same host.
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

    /// Fetches the target of a 302 from any host, without the token.
    ///
    /// The address is signed and thus secret for a while: errors do not contain it.
    pub(super) fn download(&self, redirect: &ApiResponse, bounds: ResponseLimits) -> Result<Vec<u8>, ApiFault> {
        let target = location(redirect)?;
        if !may_be_fetched(&self.api, &target) {
            return Err(ApiFault::Unreadable {
                why: "it redirects to an address without https".to_owned(),
            });
        }
        let answer = self.runtime.block_on(async {
            let storage = client(&target, None, &self.proxies).map_err(|why| ApiFault::Lost { why })?;
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

/// Words of a proxy's 407 in the error of the HTTP library, which has no type of its own for it.
const PROXY_REFUSES: &str = "proxy authorization required";

/// Limits of an answer in time and memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResponseLimits {
    pub(super) limit: Duration,
    pub(super) largest: usize,
}

/// A client for one host, within the runtime.
fn client(host: &Uri, token: Option<&GithubToken>, proxies: &Arc<Matcher>) -> Result<Octocrab, String> {
    let authorization = token
        .map(|token| {
            let mut header = HeaderValue::from_str(&format!("Bearer {}", token.0))?;
            header.set_sensitive(true);
            Ok(header)
        })
        .transpose()
        .map_err(|error: http::header::InvalidHeaderValue| error.to_string())?;
    // GitHub refuses requests without a name.
    let name = vec![(http::header::USER_AGENT, HeaderValue::from_static("lito"))];
    let built = OctocrabBuilder::new_empty()
        .with_service(http_client(Arc::clone(proxies))?)
        .with_layer(&ExtraHeadersLayer::new(Arc::new(name)))
        .with_layer(&BaseUriLayer::new(host.clone()))
        .with_layer(&AuthHeaderLayer::new(authorization, host.clone(), host.clone()))
        .with_auth(AuthState::None)
        .build();
    match built {
        Ok(built) => Ok(built),
        Err(never) => match never {},
    }
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
        // The media type of GitHub's own API description; `application/vnd.github+json` is equivalent.
        .header(http::header::ACCEPT, "application/json")
        // Nothing drives a kept connection between requests, so it would be dead after a pause; after a POST, that
        // would look like a request that may have been carried out.
        .header(http::header::CONNECTION, "close");
    let request = client
        .build_request(request, body)
        .map_err(|error| ApiFault::Unreadable {
            why: printable_line(&innermost(&error)),
        })?;
    let lost = |error: &dyn Error| {
        let why = printable_line(&innermost(error));
        match why.contains(PROXY_REFUSES) {
            true => ApiFault::RefusedByProxy { why },
            false => ApiFault::Lost { why },
        }
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
            why: format!("no complete answer within {:?}", bounds.limit),
        })
    })
}

fn location(answer: &ApiResponse) -> Result<Uri, ApiFault> {
    answer
        .headers
        .get(http::header::LOCATION)
        .and_then(|location| Uri::try_from(location.as_bytes()).ok())
        .ok_or_else(|| ApiFault::Unreadable {
            why: "it redirects without an address".to_owned(),
        })
}

/// Whether a redirect keeps the request, and its token, on the API's host.
pub(super) fn is_same_host(api: &Uri, target: &Uri) -> bool {
    target.authority().is_none() || (target.authority() == api.authority() && target.scheme() == api.scheme())
}

/// Whether a download address is acceptable: without TLS only if the API is, too, on this machine.
pub(super) fn may_be_fetched(api: &Uri, target: &Uri) -> bool {
    match target.scheme_str() {
        Some("https") => true,
        Some("http") => api.scheme_str() == Some("http"),
        _ => false,
    }
}

/// Checks that the API's address is safe for a token.
fn api_address(connection: &GithubConnection) -> Result<Uri, GithubError> {
    let invalid = |why, remedy| GithubError::Invalid {
        what: "the API's address",
        // Not shown if it contains a password.
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
        return Err(invalid("it has no host", example));
    };
    if authority.as_str().contains('@') {
        return Err(invalid("it contains a user name", "pass the token in GITHUB_TOKEN"));
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
            "the token would be sent unencrypted",
            "set GITHUB_API_URL to an address with https",
        )),
        _ => Err(invalid("it is neither http nor https", example)),
    }
}
