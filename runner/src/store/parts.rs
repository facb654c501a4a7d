//! A store → parts of it that several processes fill at once, each on a ref of its own, and back into one.
//!
//! Each process has a part to itself, and one that is started again gets a new part. So what a killed process left, on
//! whatever machine, holds up nobody.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{Store, StoreError, StoreMergeOptions, StoreMergeSummary};

/// Where parts are: `refs/lito/parts/<job>/<owner>-<unique>`.
const PARTS: &str = "refs/lito/parts/";

impl Store {
    /// A new part of a job for one of its owners. It begins with everything of the store, and of that owner's earlier
    /// parts.
    ///
    /// # Errors
    /// The store can't be read, or the part can't be written.
    pub fn begin_part(&self, job: &str, owner: u32, merging: StoreMergeOptions<'_>) -> Result<Store, StoreError> {
        let earlier = self.parts(&format!("{PARTS}{job}/{owner}-*"))?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let reference = format!("{PARTS}{job}/{owner}-{}-{}", since.as_nanos(), std::process::id());
        if let Some(state) = self.state("beginning a part of the store")? {
            let git = self.repository.raw();
            git.reference(&reference, state.commit, false, "beginning a part")
                .map_err(|error| self.write_error(error.message()))?;
        }
        let part = self.at(&reference)?;
        for earlier in earlier {
            part.merge(&self.at(&earlier)?, merging)?;
        }
        Ok(part)
    }

    /// Merges all parts of a job into the store.
    ///
    /// # Errors
    /// A part can't be read, or the store can't be written. What was merged stays.
    pub fn merge_parts(&self, job: &str, merging: StoreMergeOptions<'_>) -> Result<StoreMergeSummary, StoreError> {
        let mut merged = StoreMergeSummary::default();
        for part in self.parts(&format!("{PARTS}{job}/*"))? {
            merged.add(self.merge(&self.at(&part)?, merging)?);
        }
        Ok(merged)
    }

    /// Removes all parts of a job, whose owners have ended.
    ///
    /// # Errors
    /// A ref can't be removed.
    pub fn remove_parts(&self, job: &str) -> Result<(), StoreError> {
        for part in self.parts(&format!("{PARTS}{job}/*"))? {
            let found = self.repository.raw().find_reference(&part);
            (found.and_then(|mut part| part.delete())).map_err(|error| self.write_error(error.message()))?;
        }
        Ok(())
    }

    /// The refs that match.
    fn parts(&self, pattern: &str) -> Result<Vec<String>, StoreError> {
        let failed = |error: git2::Error| self.unreadable(error.message().to_owned());
        let found = self.repository.raw().references_glob(pattern).map_err(failed)?;
        let names = found.map(|part| Ok(part?.name()?.to_owned()));
        names.collect::<Result<_, git2::Error>>().map_err(failed)
    }

    /// Another store of the same repository.
    fn at(&self, reference: &str) -> Result<Store, StoreError> {
        Store::open(&self.repository, &format!("git:{reference}"))
    }
}
