//! Requests for files of a bucket → their contents, bounded in time, size and number of attempts. Knows no store.
//!
//! A file is created once and never changed, so every request may be repeated: one that is created twice exists already.

use std::cell::Cell;
use std::future::Future;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use http::Uri;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::{Error, ObjectStore as _, ObjectStoreExt as _, PutMode, PutPayload, RetryConfig};

use super::http::BucketConnector;
use super::{BucketAddress, BucketError};
use crate::backoff::backoff_pause;
use crate::http_connection::innermost;
use crate::process::InterruptionFlag;

/// Requests at once. More do not make a transfer faster over an ordinary line, and a small server refuses them.
const AT_ONCE: usize = 16;

/// Attempts of one request; pauses between them get longer.
const ATTEMPTS: u32 = 6;

/// The first pause between attempts.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// The longest pause between attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Time between two looks at whether the user asked to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Refusals that pass: a time-out, a conflict with another request, too many requests.
const PASSING: [u16; 3] = [408, 409, 429];

/// Most characters that are quoted of a server's message.
const LONGEST_QUOTE: usize = 300;

/// Where the storage is, unless the environment says otherwise; only to ask which proxy leads to it.
const STORAGE: &str = "https://s3.amazonaws.com";

/// Any of these names credentials, or where they are.
const CREDENTIALS: [AmazonS3ConfigKey; 5] = [
    AmazonS3ConfigKey::AccessKeyId,
    AmazonS3ConfigKey::SecretAccessKey,
    AmazonS3ConfigKey::WebIdentityTokenFile,
    AmazonS3ConfigKey::ContainerCredentialsRelativeUri,
    AmazonS3ConfigKey::ContainerCredentialsFullUri,
];

/// A key and its content.
pub(super) type BucketFile = (String, Vec<u8>);

/// A content as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FetchedFile {
    Content(Vec<u8>),
    Missing,
    /// It is larger than it may be; its size in bytes.
    TooLarge(u64),
}

/// A connection to the place of an address.
pub(super) struct BucketClient<'a> {
    /// Runs a few requests at a time; the rest of lito is synchronous.
    runtime: tokio::runtime::Runtime,
    storage: AmazonS3,
    prefix: &'a str,
    attempt: &'static str,
    shown: &'a str,
    /// Credentials are asked of the machine, since the environment names none.
    asks_machine: bool,
    time_limit: Duration,
    interruption: &'a InterruptionFlag,
}

impl<'a> BucketClient<'a> {
    /// Prepares requests; sends none.
    ///
    /// # Errors
    /// The variables that say how the storage is reached contradict each other, or would show what is sent.
    pub(super) fn new(
        attempt: &'static str,
        address: &'a BucketAddress,
        time_limit: Duration,
        interruption: &'a InterruptionFlag,
    ) -> Result<Self, BucketError> {
        let unusable = |why: String| BucketError::Settings {
            attempt,
            bucket: address.shown().to_owned(),
            why,
        };
        let builder = AmazonS3Builder::from_env().with_bucket_name(&address.bucket);
        let value = |key: AmazonS3ConfigKey| builder.get_config_value(&key).filter(|value| !value.is_empty());
        let endpoint = value(AmazonS3ConfigKey::S3Endpoint).or_else(|| value(AmazonS3ConfigKey::Endpoint));
        let endpoint = endpoint.as_deref().unwrap_or(STORAGE);
        let target: Uri =
            (endpoint.parse()).map_err(|_| unusable(String::from("AWS_ENDPOINT_URL is not an address")))?;
        let may_be_read = std::env::var("AWS_ALLOW_HTTP").is_ok_and(|allowed| allowed == "true");
        if target.scheme_str() != Some("https") && !is_this_machine(&target) && !may_be_read {
            return Err(unusable(String::from(
                "AWS_ENDPOINT_URL is not https, so others could read what is sent: set AWS_ALLOW_HTTP=true if they may",
            )));
        }
        let is_anonymous = value(AmazonS3ConfigKey::SkipSignature).is_some_and(|skip| skip == "true");
        let asks_machine = !is_anonymous && CREDENTIALS.into_iter().all(|key| value(key).is_none());
        if asks_machine && std::env::var("AWS_EC2_METADATA_DISABLED").is_ok_and(|off| off == "true") {
            return Err(BucketError::Denied {
                attempt,
                bucket: address.shown().to_owned(),
                said: String::from("the environment names no credentials"),
                remedy: MISSING_CREDENTIALS,
            });
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        let connector = runtime.block_on(async { BucketConnector::to(&target) });
        let storage = builder
            .with_http_connector(connector.map_err(unusable)?)
            .with_retry(RetryConfig {
                // Only this client knows that every request may be repeated.
                max_retries: 0,
                ..RetryConfig::default()
            })
            .build()
            .map_err(|error| unusable(innermost(&error)))?;
        Ok(Self {
            runtime,
            storage,
            prefix: &address.prefix,
            attempt,
            shown: address.shown(),
            asks_machine,
            time_limit,
            interruption,
        })
    }

    /// The bucket, for messages.
    pub(super) fn shown(&self) -> &'a str {
        self.shown
    }

    /// The operation that the requests belong to.
    pub(super) fn attempt(&self) -> &'static str {
        self.attempt
    }

    /// The keys of all files in a folder.
    pub(super) fn list(&self, folder: &str) -> Result<Vec<String>, BucketError> {
        let below = self.path(folder);
        let listed = self.runtime.block_on(self.patiently(|| async {
            let files: Vec<_> = self.storage.list(Some(&below)).try_collect().await?;
            Ok(files)
        }))?;
        let outside = if self.prefix.is_empty() {
            0
        } else {
            self.prefix.len() + 1
        };
        let inside = listed
            .into_iter()
            .filter_map(|file| file.location.as_ref().get(outside..).map(str::to_owned));
        Ok(inside.collect())
    }

    /// Fetches files of at most so many bytes, and hands over each with its place among the keys, in any order.
    pub(super) fn fetch<E: From<BucketError>>(
        &self,
        files: &[(String, u64)],
        mut take: impl FnMut(usize, FetchedFile) -> Result<(), E>,
    ) -> Result<(), E> {
        self.runtime.block_on(async {
            let fetches = files
                .iter()
                .enumerate()
                .map(|(index, (key, limit))| async move { (index, self.fetch_one(key, *limit).await) });
            let mut fetched = stream::iter(fetches).buffer_unordered(AT_ONCE);
            while let Some((index, file)) = fetched.next().await {
                take(index, file?)?;
            }
            Ok(())
        })
    }

    /// Creates files that do not exist yet, in any order, and returns how many of them are new. When it returns, all of
    /// them are kept.
    pub(super) fn create(&self, files: Vec<BucketFile>) -> Result<usize, BucketError> {
        let created = files.into_iter().map(|file| self.create_one(file));
        self.runtime.block_on(async {
            let created = stream::iter(created).buffer_unordered(AT_ONCE);
            created
                .try_fold(0, |count, is_new| async move { Ok(count + usize::from(is_new)) })
                .await
        })
    }

    async fn fetch_one(&self, key: &str, limit: u64) -> Result<FetchedFile, BucketError> {
        let path = self.path(key);
        let fetched = self.patiently(|| async {
            let found = match self.storage.get(&path).await {
                Err(error @ Error::NotFound { .. }) if !is_without_bucket(&error) => return Ok(FetchedFile::Missing),
                found => found?,
            };
            if found.meta.size > limit {
                return Ok(FetchedFile::TooLarge(found.meta.size));
            }
            Ok(FetchedFile::Content(found.bytes().await?.to_vec()))
        });
        fetched.await
    }

    /// Whether the file is new.
    async fn create_one(&self, (key, content): BucketFile) -> Result<bool, BucketError> {
        let path = self.path(&key);
        let content = PutPayload::from(content);
        let is_repeated = Cell::new(false);
        self.patiently(|| async {
            let put = self.storage.put_opts(&path, content.clone(), PutMode::Create.into());
            match put.await {
                Ok(_) => Ok(true),
                // By an earlier attempt, whose answer was lost; or by somebody else.
                Err(Error::AlreadyExists { .. }) => Ok(is_repeated.get()),
                Err(error) => {
                    is_repeated.set(true);
                    Err(error)
                }
            }
        })
        .await
    }

    fn path(&self, key: &str) -> Path {
        match self.prefix {
            "" => Path::from(key),
            prefix => Path::from(format!("{prefix}/{key}")),
        }
    }

    /// Sends a request, and again after a pause where the network or the server fails.
    async fn patiently<T, F>(&self, request: impl Fn() -> F) -> Result<T, BucketError>
    where
        F: Future<Output = object_store::Result<T>>,
    {
        let mut round = 0;
        loop {
            let answer = Box::pin(tokio::time::timeout(self.time_limit, request()));
            let answer = match select(answer, Box::pin(self.interrupted())).await {
                Either::Left((answer, _)) => answer,
                Either::Right(_) => return Err(BucketError::Interrupted),
            };
            let error = match answer {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => error,
                Err(_) => {
                    return Err(BucketError::TimedOut {
                        attempt: self.attempt,
                        bucket: self.shown.to_owned(),
                        limit: self.time_limit,
                    });
                }
            };
            round += 1;
            if round == ATTEMPTS || !may_pass(&error) {
                return Err(self.why(&error, round));
            }
            tokio::time::sleep(backoff_pause(FIRST_PAUSE, LONGEST_PAUSE, round - 1)).await;
        }
    }

    /// Ends once the user asks to stop.
    async fn interrupted(&self) {
        while !self.interruption.is_raised() {
            tokio::time::sleep(LOOK).await;
        }
    }

    fn why(&self, error: &Error, attempts: u32) -> BucketError {
        let attempt = self.attempt;
        let bucket = self.shown.to_owned();
        let text = innermost(error);
        let said = said_by_server(&text);
        match error {
            _ if is_without_bucket(error) => BucketError::NotThere { attempt, bucket },
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => BucketError::Denied {
                attempt,
                bucket,
                remedy: match text.contains("RequestTimeTooSkewed") {
                    true => "set the clock of this machine: requests carry the time, and the server's clock differs",
                    false => "the credentials must be allowed to list and to read, and for a push to create",
                },
                said,
            },
            _ if self.asks_machine => BucketError::Denied {
                attempt,
                bucket,
                said: format!("the environment names no credentials, and this machine gave none: {said}"),
                remedy: MISSING_CREDENTIALS,
            },
            _ if !may_pass(error) => BucketError::Settings {
                attempt,
                bucket,
                why: said,
            },
            _ => BucketError::Unreachable {
                attempt,
                bucket,
                attempts,
                said,
            },
        }
    }
}

/// Remedy where there are no credentials.
const MISSING_CREDENTIALS: &str =
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true to read a public bucket";

fn is_this_machine(target: &Uri) -> bool {
    matches!(target.host(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

fn is_without_bucket(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. }) && innermost(error).contains("NoSuchBucket")
}

/// Whether another attempt of the same request may succeed.
fn may_pass(error: &Error) -> bool {
    let text = innermost(error);
    let status = text
        .split_once("status code: ")
        .and_then(|(_, rest)| rest.get(..3)?.parse().ok());
    let is_refused = status.is_some_and(|status| (400..500).contains(&status) && !PASSING.contains(&status));
    matches!(error, Error::Generic { .. }) && !is_refused
}

/// The server's own words in a failure: the code and the message of its XML, or all of it.
fn said_by_server(text: &str) -> String {
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        let (content, _) = rest.split_once(&format!("</{name}>"))?;
        Some(content)
    };
    let said = match (element("Code"), element("Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        (None, _) => text.to_owned(),
    };
    let said = said.replace("&apos;", "'").replace("&quot;", "\"");
    let line: String = said.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim().trim_end_matches('.').chars().take(LONGEST_QUOTE).collect()
}

#[cfg(test)]
mod tests {
    use super::said_by_server;

    #[test]
    fn the_words_of_a_server_are_taken_from_its_answer() {
        let answer = "Server returned non-2xx status code: 503 Service Unavailable: <?xml version=\"1.0\"?>\n<Error>\
                      <Code>SlowDown</Code><Message>Reduce your rate.</Message></Error>";
        assert_eq!(said_by_server(answer), "SlowDown: Reduce your rate");
        assert_eq!(said_by_server("connection\nclosed"), "connection closed");
        assert_eq!(said_by_server(&"a".repeat(1000)).len(), 300);
    }
}
