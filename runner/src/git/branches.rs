//! A repository → its default branch, and the hosts of its remotes.

use super::Repository;

impl Repository {
    /// The default branch: the remote's default, else `main` or `master`, else the one that is checked out; `None`
    /// without any.
    #[must_use]
    pub fn default_branch(&self) -> Option<String> {
        let remote = (self.raw().find_reference("refs/remotes/origin/HEAD").ok())
            .and_then(|head| head.symbolic_target().ok().flatten().map(str::to_owned))
            .and_then(|target| Some(target.strip_prefix("refs/remotes/origin/")?.to_owned()));
        let named = || {
            ["main", "master"].into_iter().find(|name| {
                let local = self.raw().find_reference(&format!("refs/heads/{name}"));
                local.is_ok()
            })
        };
        let checked_out = || {
            let head = self.raw().find_reference("HEAD").ok()?;
            let target = head.symbolic_target().ok().flatten()?;
            Some(target.strip_prefix("refs/heads/")?.to_owned())
        };
        remote.or_else(|| named().map(str::to_owned)).or_else(checked_out)
    }

    /// The hosts of its remotes in lower case, that of `origin` first; a remote in a folder has none.
    #[must_use]
    pub fn remote_hosts(&self) -> Vec<String> {
        let git = self.raw();
        let Ok(remotes) = git.remotes() else {
            return Vec::new();
        };
        let mut names: Vec<&str> = remotes.iter().flatten().flatten().collect();
        names.sort_by_key(|name| *name != "origin");
        let host = |name: &str| Some(host_of(git.find_remote(name).ok()?.url().ok()?)?.to_ascii_lowercase());
        names.into_iter().filter_map(host).collect()
    }
}

/// The host in the address of a remote: `https://host:443/path`, `ssh://user@host/path`, `user@host:path`.
fn host_of(address: &str) -> Option<&str> {
    let place = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split('/').next()?,
        None => {
            let (place, _) = address.split_once(':')?;
            (!place.contains('/')).then_some(place)?
        }
    };
    let host = place.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_read_from_every_kind_of_address_and_from_nothing_else() {
        for (address, host) in [
            ("https://github.com/a/b", Some("github.com")),
            (
                "https://name:word@git.example.test:8443/github/b",
                Some("git.example.test"),
            ),
            ("ssh://git@gitlab.com:22/a/b.git", Some("gitlab.com")),
            ("git@gitlab.com:github/b.git", Some("gitlab.com")),
            ("file:///github.com/b", None),
            ("/srv/github.com/b", None),
            ("./a:b", None),
            ("", None),
        ] {
            assert_eq!(host_of(address), host, "{address}");
        }
    }
}
