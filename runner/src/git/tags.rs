//! A repository → the tags of its commits.

use std::collections::HashMap;

use super::{CommitId, GitError, Repository};

impl Repository {
    /// The tag of each tagged commit; of several tags, the first by name.
    ///
    /// # Errors
    /// Tags can't be listed. A tag that does not lead to a commit is left out.
    pub fn tags(&self) -> Result<HashMap<CommitId, String>, GitError> {
        let names = (self.raw().tag_names(None)).map_err(GitError::during("listing tags"))?;
        let mut names: Vec<&str> = names.iter().flatten().flatten().collect();
        names.sort_unstable();
        let mut tags = HashMap::new();
        for name in names {
            let reference = self.raw().find_reference(&format!("refs/tags/{name}"));
            if let Ok(commit) = reference.and_then(|reference| reference.peel_to_commit()) {
                let id = CommitId::of(commit.id());
                tags.entry(id).or_insert_with(|| name.to_owned());
            }
        }
        Ok(tags)
    }
}
