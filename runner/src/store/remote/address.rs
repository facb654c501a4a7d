//! The name or address of a remote, as typed → git's argument, the text to show, and the settings with its token.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::RemoteError;
use crate::git::Repository;

/// Environment variable of the token.
pub const TOKEN_VARIABLE: &str = "LITO_STORE_TOKEN";

/// The remote that is used if there are several.
const DEFAULT: &str = "origin";

/// Longest accepted token; longer text is a file pasted by mistake.
const LONGEST_TOKEN: usize = 4096;

/// The other side of a transfer: a remote of the repository, or an address.
#[derive(Debug, Clone)]
pub struct Remote {
    /// Argument for git: a remote's name, or an address.
    argument: String,
    /// The remote, if git is given its name.
    name: Option<String>,
    /// The address, including any secret in it.
    url: String,
    shown: String,
    token: Option<RemoteToken>,
}

/// A secret that gives access to the remote. Never shown, and never part of a command line.
#[derive(Clone)]
pub struct RemoteToken(String);

impl fmt::Debug for RemoteToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(..)")
    }
}

impl RemoteToken {
    /// Parses a token from an environment variable; `None` if it is empty.
    ///
    /// # Errors
    /// The text is not a token: it would end up in a header.
    pub fn new(text: &str) -> Result<Option<RemoteToken>, RemoteError> {
        let text = text.trim();
        if text.len() > LONGEST_TOKEN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(RemoteError::BadToken);
        }
        Ok((!text.is_empty()).then(|| RemoteToken(text.to_owned())))
    }

    /// The value of the header, in the form that GitHub, GitLab and Gitea accept for any token.
    fn header(&self) -> String {
        format!(
            "Authorization: Basic {}",
            base64(format!("x-access-token:{}", self.0).as_bytes())
        )
    }
}

impl Remote {
    /// Finds the remote with this name or at this address; without either `origin`, or the only remote.
    ///
    /// # Errors
    /// There is none, or the choice is ambiguous.
    pub fn find(repository: &Repository, asked: Option<&str>) -> Result<Remote, RemoteError> {
        let known = names(repository);
        let name = match asked {
            Some(asked) if known.iter().any(|name| name == asked) => asked,
            Some(asked) => return at(asked, &known),
            None if known.iter().any(|name| name == DEFAULT) => DEFAULT,
            None => match known.as_slice() {
                [only] => only,
                [] => {
                    return Err(RemoteError::NoRemote {
                        repository: repository.common_dir().to_path_buf(),
                    });
                }
                _ => return Err(RemoteError::SeveralRemotes { known }),
            },
        };
        let found = repository.raw().find_remote(name).ok();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let push_url = found.as_ref().and_then(|remote| remote.pushurl_bytes()).map(text);
        let url = found.as_ref().map(|remote| text(remote.url_bytes()));
        // One address for both directions: pushed states are compared with fetched ones.
        let is_one = push_url.is_none();
        let url = push_url.or(url).unwrap_or_default();
        if url.is_empty() || url.starts_with('-') || name.starts_with('-') {
            return Err(RemoteError::BadRemote {
                asked: name.to_owned(),
                why: "it has no address for git",
            });
        }
        Ok(Remote {
            argument: if is_one { name } else { &url }.to_owned(),
            name: is_one.then(|| name.to_owned()),
            shown: format!("{name} ({})", without_secrets(&url)),
            url,
            token: None,
        })
    }

    /// Adds a token, which is sent to this address only.
    ///
    /// # Errors
    /// The address is `http://`: the token could be read on the way.
    pub fn with_token(self, token: Option<RemoteToken>) -> Result<Remote, RemoteError> {
        let url = without_user(&self.url);
        let is_local = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
            .iter()
            .any(|local| {
                url.strip_prefix(local)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
            });
        if token.is_some() && url.starts_with("http://") && !is_local {
            return Err(RemoteError::BadRemote {
                asked: self.shown,
                why: "a token is not sent over http, where it can be read on the way; use https",
            });
        }
        Ok(Remote { token, ..self })
    }

    /// The address without secrets, for people.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The address without secrets, for other machines to clone from.
    #[must_use]
    pub fn address(&self) -> String {
        without_secrets(&self.url)
    }

    pub(super) fn argument(&self) -> &str {
        &self.argument
    }

    /// True if git reaches it by ssh.
    pub(super) fn is_ssh(&self) -> bool {
        self.url.contains("ssh://") || (!self.url.contains("://") && self.url.contains(':'))
    }

    /// Settings for git, passed in its environment, which other users can't read: one of them contains the token.
    pub(super) fn settings(&self) -> Vec<(String, String)> {
        let mut settings = Vec::new();
        if let Some(name) = &self.name {
            // Otherwise git refuses to push a single ref.
            settings.push((format!("remote.{name}.mirror"), String::from("false")));
        }
        settings.extend(self.secret_settings());
        settings
    }

    fn secret_settings(&self) -> Vec<(String, String)> {
        let (Some(token), true) = (&self.token, self.url.starts_with("http")) else {
            return Vec::new();
        };
        // The complete address is the most specific key, so that none of the user's settings is sent as well. The empty
        // value resets headers that others set for the same address, as checkout actions do: servers refuse two such
        // headers.
        let key = format!("http.{}.extraheader", without_user(&self.url));
        vec![
            (key.clone(), String::new()),
            (key, token.header()),
            // A redirect would send the token to a host that it is not meant for.
            (String::from("http.followRedirects"), String::from("false")),
        ]
    }

    /// Removes known secrets from git's output.
    pub(super) fn redacted(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if let Some(token) = &self.token {
            let encoded = base64(format!("x-access-token:{}", token.0).as_bytes());
            text = text.replace(&token.0, "***").replace(&encoded, "***");
        }
        if let Some(user) = user_of(&self.url) {
            text = text.replace(&format!("{user}@"), "");
            if let Some((_, password)) = user.split_once(':')
                && !password.is_empty()
            {
                text = text.replace(password, "***");
            }
        }
        text
    }
}

fn names(repository: &Repository) -> Vec<String> {
    let names = repository.raw().remotes();
    let mut names: Vec<String> = names
        .iter()
        .flat_map(|names| names.iter_bytes())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    names.sort();
    names
}

/// Resolves an address as typed by the user.
fn at(asked: &str, known: &[String]) -> Result<Remote, RemoteError> {
    let bad = |why| RemoteError::BadRemote {
        asked: without_secrets(asked),
        why,
    };
    if asked.starts_with('-') || asked.is_empty() || asked.contains(char::is_control) {
        return Err(bad("it is neither the name of a remote nor an address"));
    }
    if asked.contains("::") && !asked.contains("://") {
        return Err(bad("it would start a program"));
    }
    let path = Path::new(asked);
    let url = if path.exists() {
        // Git runs in another folder than the user's.
        let path = path.canonicalize().map_err(|_| bad("its path can't be resolved"))?;
        path.to_string_lossy().into_owned()
    } else if asked.contains("://") || asked.contains(':') || asked.starts_with('/') {
        asked.to_owned()
    } else {
        return Err(RemoteError::UnknownRemote {
            asked: asked.to_owned(),
            known: known.to_vec(),
        });
    };
    Ok(Remote {
        argument: url.clone(),
        name: None,
        shown: without_secrets(&url),
        url,
        token: None,
    })
}

/// The part before the host in `https://user:password@host/path`.
fn user_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    host.rsplit_once('@').map(|(user, _)| user)
}

fn without_user(url: &str) -> String {
    match user_of(url) {
        Some(user) => url.replacen(&format!("{user}@"), "", 1),
        None => url.to_owned(),
    }
}

/// The address without user, password and query.
fn without_secrets(url: &str) -> String {
    let url = without_user(url);
    match url.split_once('?') {
        Some((before, _)) if url.contains("://") => before.to_owned(),
        _ => url,
    }
}

/// Base64 as in RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The environment's git settings plus these, as the variables that git reads.
pub(super) fn settings_in_environment(settings: Vec<(String, String)>) -> Vec<(OsString, OsString)> {
    if settings.is_empty() {
        return Vec::new();
    }
    let before: usize = std::env::var("GIT_CONFIG_COUNT")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(0);
    let count = before + settings.len();
    let mut variables = vec![("GIT_CONFIG_COUNT".into(), count.to_string().into())];
    for (index, (key, value)) in settings.into_iter().enumerate() {
        let index = before + index;
        variables.push((format!("GIT_CONFIG_KEY_{index}").into(), key.into()));
        variables.push((format!("GIT_CONFIG_VALUE_{index}").into(), value.into()));
    }
    variables
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let published = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, encoded) in published {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        for (url, shown) in [
            ("https://user:secret@host/a.git", "https://host/a.git"),
            ("https://secret@host/a@b.git", "https://host/a@b.git"),
            ("https://host/a.git?token=secret", "https://host/a.git"),
            ("git@host:a/b.git", "git@host:a/b.git"),
            ("/a/b@c", "/a/b@c"),
        ] {
            assert_eq!(without_secrets(url), shown);
        }
    }

    fn remote(url: &str) -> Remote {
        at(url, &[]).unwrap()
    }

    #[test]
    fn a_token_goes_to_its_address_and_nowhere_else() {
        let token = || RemoteToken::new(" abc \n").unwrap();
        assert_eq!(format!("{:?}", token().unwrap()), "Token(..)");
        let settings = remote("https://u:p@host/a/b.git")
            .with_token(token())
            .unwrap()
            .secret_settings();
        assert_eq!(settings[0].0, "http.https://host/a/b.git.extraheader");
        assert_eq!(settings[0].1, "");
        assert_eq!(settings[1].1, "Authorization: Basic eC1hY2Nlc3MtdG9rZW46YWJj");
        for elsewhere in ["git@host:a/b.git", "ssh://host/a", "/", "file:///a"] {
            let settings = remote(elsewhere).with_token(token()).unwrap();
            assert!(settings.secret_settings().is_empty(), "{elsewhere}");
        }
        for open in [
            "http://host/a",
            "http://localhost.example.test/a",
            "http://127.0.0.1:80@host/a",
        ] {
            assert!(remote(open).with_token(token()).is_err(), "{open}");
            assert!(remote(open).with_token(None).is_ok(), "{open}");
        }
        assert!(
            remote("http://127.0.0.1:80/a").with_token(token()).is_ok(),
            "nobody is on the way"
        );
    }

    #[test]
    fn a_token_that_could_become_another_header_is_refused() {
        for text in ["a\nb", "a b", "ä", &"a".repeat(5000)] {
            assert!(RemoteToken::new(text).is_err(), "{text}");
        }
        assert!(RemoteToken::new(" \n").unwrap().is_none());
    }

    #[test]
    fn output_of_git_is_shown_without_secrets() {
        let remote = remote("https://u:hidden@host/a")
            .with_token(RemoteToken::new("abc").unwrap())
            .unwrap();
        let text = remote.redacted("https://u:hidden@host/a hidden abc eC1hY2Nlc3MtdG9rZW46YWJj end");
        assert_eq!(text, "https://host/a *** *** *** end");
    }

    #[test]
    fn text_that_would_start_a_program_is_not_an_address() {
        for asked in ["ext::sh -c true", "-u", "--upload-pack=x", "", "fd::3", "a\nb"] {
            assert!(at(asked, &[]).is_err(), "{asked}");
        }
        assert!(matches!(
            at("upstraem", &["upstream".to_owned()]),
            Err(RemoteError::UnknownRemote { .. })
        ));
    }
}
