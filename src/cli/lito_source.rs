//! Text that names a lito → its git repository and commit, for workflows that install it. Looks nothing up.

use std::fmt;
use std::str::FromStr;

/// The address of every repository on GitHub begins with it.
const GITHUB: &str = "https://github.com/";

/// Digits of a commit's identifier: a tag, or fewer digits, could come to name other code.
const DIGITS: usize = 40;

/// A git repository that holds lito, at one commit. Its address and commit need no quotes in a shell or in YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LitoSource {
    address: String,
    commit: String,
}

impl LitoSource {
    /// The address, `https://...`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The commit, all digits.
    pub(crate) fn commit(&self) -> &str {
        &self.commit
    }

    /// The repository as an action of GitHub, `OWNER/NAME`; `None` if it is elsewhere.
    pub(crate) fn action(&self) -> Option<&str> {
        let name = self.address.strip_prefix(GITHUB)?;
        let name = name.strip_suffix(".git").unwrap_or(name);
        (name.split('/').count() == 2).then_some(name)
    }
}

impl fmt::Display for LitoSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.address, self.commit)
    }
}

impl FromStr for LitoSource {
    type Err = &'static str;

    /// Reads `OWNER/NAME@COMMIT`, a repository on GitHub, or `https://HOST/PATH@COMMIT`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text).ok_or("expected OWNER/NAME@COMMIT or https://HOST/PATH@COMMIT with all 40 digits of the commit")
    }
}

fn read(text: &str) -> Option<LitoSource> {
    let (place, commit) = text.trim().split_once('@')?;
    let is_name = |part: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
        !matches!(part, "" | "." | "..") && part.chars().all(fits)
    };
    let address = match place.strip_prefix("https://") {
        Some(rest) => {
            let (host, path) = rest.trim_end_matches('/').split_once('/')?;
            let (name, port) = host.split_once(':').unwrap_or((host, "443"));
            let is_port = !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit());
            (is_name(name) && is_port && path.split('/').all(is_name)).then(|| format!("https://{host}/{path}"))?
        }
        None => {
            let (owner, name) = place.split_once('/')?;
            (is_name(owner) && is_name(name)).then(|| format!("{GITHUB}{owner}/{name}"))?
        }
    };
    let is_commit = commit.len() == DIGITS && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_commit.then(|| LitoSource {
        address,
        commit: commit.to_ascii_lowercase(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn a_name_is_a_repository_on_github_and_an_action() {
        for place in [
            "example/lito",
            "https://github.com/example/lito",
            "https://github.com/example/lito.git/",
        ] {
            let source: LitoSource = format!("{place}@{COMMIT}").parse().unwrap();
            assert_eq!(source.action(), Some("example/lito"), "{place}");
            assert!(source.address().starts_with("https://github.com/example/lito"));
            assert_eq!(source.commit(), COMMIT);
        }
    }

    #[test]
    fn another_host_is_no_action() {
        for place in [
            "https://git.example.test:8443/a/b/lito.git",
            "https://git.example.test/lito",
        ] {
            let source: LitoSource = format!("{place}@{COMMIT}").parse().unwrap();
            assert_eq!((source.address(), source.action()), (place, None));
            assert_eq!(source.to_string(), format!("{place}@{COMMIT}"));
        }
    }

    #[test]
    fn what_could_move_hide_a_password_or_leave_its_place_is_refused() {
        for place in [
            "lito",
            "a/b/c",
            "../lito",
            "a b/lito",
            "a/$(b)",
            "http://example.test/lito",
            "https://example.test",
            "https://example.test:x/lito",
            "https://example.test/a/../lito",
            "https://name:word@example.test/lito",
            "https://example.test/lito?a=b",
            "file:///lito",
        ] {
            assert!(format!("{place}@{COMMIT}").parse::<LitoSource>().is_err(), "{place}");
        }
        for commit in ["", "v1", "0123", &COMMIT.replace('0', "g")] {
            assert!(format!("a/b@{commit}").parse::<LitoSource>().is_err(), "{commit}");
        }
    }
}
