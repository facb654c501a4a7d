//! An address → a client that connects to it, with TLS where the address asks for it: direct, or through the proxy that the
//! environment names.
//!
//! Addresses without TLS are reached directly: lito sends secrets to such an address on this machine only, and a proxy would
//! read them.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tower::util::ServiceExt;

/// Variables that name the proxy for addresses with https, the first that is set before the others: the order of curl, and so of
/// git.
const PROXY: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/// Variables that name the hosts that are reached without it.
const EXCEPTIONS: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// Longest time to connect to one address. A machine that drops what it gets would hold a request for minutes.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

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
    pub(crate) fn matcher(&self, target: &Uri) -> Result<Arc<Matcher>, UnusableProxy> {
        // The matcher takes `*` for names alone.
        let all_excepted = self.exceptions.trim() == "*";
        let address = if all_excepted { "" } else { self.address.trim() };
        let matcher = |address: &str| Matcher::builder().https(address).no(self.exceptions.as_str()).build();
        let proxies = matcher(address);
        let wanted = !address.is_empty() && matcher(ANY_PROXY).intercept(target).is_some();
        let usable = |proxy: &Intercept| matches!(proxy.uri().scheme_str(), Some("http" | "https"));
        // A proxy that can't be used must not be passed by in silence.
        if wanted && !proxies.intercept(target).is_some_and(|proxy| usable(&proxy)) {
            return Err(UnusableProxy);
        }
        Ok(Arc::new(proxies))
    }
}

impl fmt::Debug for ProxySettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProxySettings(…)")
    }
}

/// The proxy of the environment is none for HTTP. What it is called may hold a password, and is not told.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the proxy is not the address of one for HTTP: {}", Self::REMEDY)]
pub struct UnusableProxy;

impl UnusableProxy {
    /// The remedy for the user.
    pub(crate) const REMEDY: &str = "set HTTPS_PROXY to one like `http://host:port`, or name the host in NO_PROXY";
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
pub(crate) fn http_client<B>(proxies: Arc<Matcher>) -> Result<Client<impl Connect + Clone + use<B>, B>, String>
where
    B: http_body::Body + Send,
    B::Data: Send,
{
    let mut direct = HttpConnector::new();
    direct.set_connect_timeout(Some(CONNECT_LIMIT));
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

/// The innermost cause of an error: the outer ones only name the layers that passed it on.
pub(crate) fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
