//! The versions of releases, in the order of their registry.

use semver::Version;

/// A version. Those of one package are of one kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReleaseVersion {
    /// Of cargo.
    Semantic(Version),
    /// Of Python.
    Python(PythonVersion),
}

impl ReleaseVersion {
    /// True for `1.0.0-rc.1`.
    pub(super) fn is_pre_release(&self) -> bool {
        match self {
            Self::Semantic(version) => !version.pre.is_empty(),
            Self::Python(_) => false,
        }
    }
}

/// A final or a post-release: `1.0`, `1!2.3.4.post1`. Source: PEP 440.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PythonVersion {
    epoch: u64,
    /// Without zeros at its end: `1.0` and `1` are the same.
    release: Vec<u64>,
    post: Option<u64>,
}

impl PythonVersion {
    /// `None` for what is no final release: alpha, beta and release candidates, those of developers, and local ones.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let text = text.strip_prefix('v').unwrap_or(&text);
        let (epoch, text) = text.split_once('!').unwrap_or(("0", text));
        let (release, post) = match text.split_once("post") {
            Some((release, number)) => (release.strip_suffix(['.', '-', '_']).unwrap_or(release), Some(number)),
            None => (text, None),
        };
        let mut release: Vec<u64> = release
            .split('.')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        while release.len() > 1 && release.last() == Some(&0) {
            release.pop();
        }
        let post = match post {
            Some("") => Some(0),
            Some(number) => Some(number.trim_start_matches(['.', '-', '_']).parse().ok()?),
            None => None,
        };
        Some(Self {
            epoch: epoch.parse().ok()?,
            release,
            post,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::PythonVersion;

    #[test]
    fn versions_of_python_are_in_their_order() {
        let ordered = [
            "0.9",
            "1",
            "1.0.1",
            "1.0.1.post1",
            "1.0.1.post2",
            "1.2",
            "1.10",
            "2021.3",
            "1!0.1",
        ];
        for pair in ordered.windows(2) {
            assert!(
                PythonVersion::parse(pair[0]) < PythonVersion::parse(pair[1]),
                "{pair:?}"
            );
            assert!(PythonVersion::parse(pair[0]).is_some());
        }
        assert_eq!(PythonVersion::parse("1.0"), PythonVersion::parse("v1.0.0"));
        assert_eq!(PythonVersion::parse("1.0.post"), PythonVersion::parse("1-post0"));
        for other in ["1.0a1", "1.0rc1", "1.0.dev3", "1.0+local", "", "x", "1..0"] {
            assert_eq!(PythonVersion::parse(other), None, "{other}");
        }
    }
}
