//! The accuracy study: a list of projects → their histories measured and predicted, into files that the tables are made
//! from.
//!
//! [`projects`] is the list, [`history`] makes each a repository, [`truth`] measures every version (S1), [`prediction`]
//! samples and scores (S2), [`results`] keeps both; [`own`] reads the same from the store of a repository that lito already
//! works for. What they say together is `crate::accuracy`.

mod failure_reasons;
pub mod history;
pub mod measurement;
pub mod prediction;
pub mod project_list;
pub mod result_files;
pub mod store_study;

use runner::process::InterruptionFlag;

use engine::progress::Progress;

/// What every step of the study works with.
#[derive(Clone, Copy)]
pub struct StudyContext<'a> {
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
    /// One step a version, over all projects.
    pub progress: Progress<'a>,
}
