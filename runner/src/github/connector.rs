//! An address → a connection to it, with TLS where the address asks for it: direct, or through the proxy that the environment
//! names.
//!
//! Addresses without TLS are reached directly: lito sends a token to such an address on this machine only, and a proxy would read
//! it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::{TokioExecutor, TokioIo};
use octocrab::OctoBody;
use tokio::net::TcpStream;
use tower::util::ServiceExt;

use super::GithubError;
use super::transport::innermost;

/// Variables that name the proxy for addresses with https, the first that is set before the others: the order of curl, and so of
/// git.
const PROXY: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/// Variables that name the hosts that are reached without it.
const EXCEPTIONS: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// A proxy that could be used.
const ANY_PROXY: &str = "http://localhost";

/// A failure to connect, as the client takes it.
type ConnectError = Box<dyn Error + Send + Sync>;

/// A connection, before the TLS of its address.
type Connection = MaybeHttpsStream<TokioIo<TcpStream>>;

/// The proxy for addresses with https. It may hold a password, which no message contains.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProxySettings {
    /// `http://user:password@host:port`; without a scheme, http. Empty: none.
    pub address: String,
    /// Hosts, domains, addresses and networks that are reached without it, separated by commas; `*`: all.
    pub exceptions: String,
}

impl ProxySettings {
    /// As the environment names it.
    #[must_use]
    pub fn of_environment() -> Self {
        let first = |names: &[&str]| names.iter().find_map(|name| std::env::var(name).ok());
        Self {
            address: first(&PROXY).unwrap_or_default(),
            exceptions: first(&EXCEPTIONS).unwrap_or_default(),
        }
    }

    /// Says of each address whether the proxy leads to it.
    ///
    /// # Errors
    /// The proxy would lead to this one, and can't be used.
    pub(super) fn matcher(&self, api: &Uri) -> Result<Arc<Matcher>, GithubError> {
        // The matcher takes `*` for names alone.
        let all_excepted = self.exceptions.trim() == "*";
        let address = if all_excepted { "" } else { self.address.trim() };
        let matcher = |address: &str| Matcher::builder().https(address).no(self.exceptions.as_str()).build();
        let proxies = matcher(address);
        let wanted = !address.is_empty() && matcher(ANY_PROXY).intercept(api).is_some();
        let usable = |proxy: &Intercept| matches!(proxy.uri().scheme_str(), Some("http" | "https"));
        // A proxy that can't be used must not be passed by in silence.
        if wanted && !proxies.intercept(api).is_some_and(|proxy| usable(&proxy)) {
            return Err(GithubError::Invalid {
                what: "the proxy",
                // It may hold a password.
                value: String::new(),
                why: "it is not the address of a proxy for HTTP",
                remedy: "set HTTPS_PROXY to one like `http://host:port`, or name GitHub's host in NO_PROXY",
            });
        }
        Ok(Arc::new(proxies))
    }
}

impl fmt::Debug for ProxySettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProxySettings(…)")
    }
}

/// A failure of the proxy, or on the way to it.
#[derive(Debug, thiserror::Error)]
#[error("{why}, through the proxy {proxy}")]
struct ProxyFailure {
    proxy: String,
    why: String,
}

/// A client that connects so. It is used within a runtime.
///
/// # Errors
/// The system has no certificates.
pub(super) fn http_client(proxies: Arc<Matcher>) -> Result<Client<impl Connect + Clone, OctoBody>, String> {
    let mut direct = HttpConnector::new();
    direct.enforce_http(false);
    let to_proxy = with_tls(direct.clone())?;
    let connect = move |target: Uri| {
        let proxy = proxies.intercept(&target);
        let (direct, to_proxy) = (direct.clone(), to_proxy.clone());
        async move {
            let Some(proxy) = proxy else {
                return Ok(MaybeHttpsStream::Http(direct.oneshot(target).await?));
            };
            let tunnel = Tunnel::new(proxy.uri().clone(), to_proxy);
            let tunnel = match proxy.basic_auth() {
                Some(user) => tunnel.with_auth(user.clone()),
                None => tunnel,
            };
            let connected: Result<Connection, _> = tunnel.oneshot(target).await;
            connected.map_err(|error| {
                ConnectError::from(ProxyFailure {
                    proxy: proxy.uri().authority().map(ToString::to_string).unwrap_or_default(),
                    why: innermost(&error),
                })
            })
        }
    };
    let connector = with_tls(tower::service_fn(connect))?;
    Ok(Client::builder(TokioExecutor::new()).build(connector))
}

/// Adds TLS with the system's certificates to the connections to addresses with https.
fn with_tls<C>(connector: C) -> Result<HttpsConnector<C>, String> {
    let provider = rustls::crypto::ring::default_provider();
    let builder = HttpsConnectorBuilder::new()
        .with_provider_and_native_roots(provider)
        .map_err(|error| error.to_string())?;
    Ok(builder.https_or_http().enable_http1().wrap_connector(connector))
}
