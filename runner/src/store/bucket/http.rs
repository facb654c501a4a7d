//! The storage's requests → lito's own client for HTTP, with the proxies and the TLS that everything else here has.

use std::fmt;

use http::Uri;
use http_body_util::BodyExt as _;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::Connect;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};

use crate::http_connection::{ProxySettings, UnusableProxy, http_client};

/// Makes clients that reach the storage as the environment says.
pub(super) struct BucketConnector {
    client: HttpClient,
}

impl BucketConnector {
    /// For a storage at this address. Used within a runtime.
    pub(super) fn to(target: &Uri) -> Result<Self, String> {
        let proxies = ProxySettings::of_environment().matcher(target);
        let proxies = proxies.map_err(|error: UnusableProxy| error.to_string())?;
        Ok(Self {
            client: HttpClient::new(BucketService(http_client(proxies)?)),
        })
    }
}

impl fmt::Debug for BucketConnector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BucketConnector")
    }
}

impl HttpConnector for BucketConnector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(self.client.clone())
    }
}

/// Sends a request once.
struct BucketService<C>(Client<C, HttpRequestBody>);

impl<C> fmt::Debug for BucketService<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BucketService")
    }
}

#[async_trait::async_trait]
impl<C: Connect + Clone + Send + Sync + 'static> HttpService for BucketService<C> {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = self.0.request(request).await.map_err(|error| {
            let kind = match error.is_connect() {
                true => HttpErrorKind::Connect,
                false => HttpErrorKind::Interrupted,
            };
            HttpError::new(kind, error)
        })?;
        let (head, body) = response.into_parts();
        let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
        Ok(HttpResponse::from_parts(head, HttpResponseBody::new(body)))
    }
}
