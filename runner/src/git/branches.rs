//! A repository → its default branch, and whether it is hosted on GitHub.

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

    /// Whether one of its remotes is on GitHub, or on a server whose name suggests GitHub Enterprise.
    #[must_use]
    pub fn is_on_github(&self) -> bool {
        let git = self.raw();
        let Ok(remotes) = git.remotes() else {
            return false;
        };
        (remotes.iter().flatten().flatten()).any(|name| {
            let remote = git.find_remote(name);
            remote.is_ok_and(|remote| remote.url().is_ok_and(|url| url.contains("github")))
        })
    }
}
