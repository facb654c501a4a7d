//! The accuracy study: a list of projects → their histories measured and predicted, into files that the tables are made
//! from.
//!
//! [`projects`] is the list, [`history`] makes each a repository, [`truth`] measures every version (S1), [`prediction`]
//! samples and scores (S2), [`results`] keeps both. What they say together is `analyzer::evaluation`.

pub(crate) mod history;
pub(crate) mod prediction;
pub(crate) mod projects;
pub(crate) mod results;
pub(crate) mod truth;

use runner::process::Interruption;

use crate::terminal::Progress;

/// What every step of the study works with.
#[derive(Clone, Copy)]
pub(crate) struct Desk<'a> {
    /// The user's wish to stop.
    pub(crate) interruption: &'a Interruption,
    /// One step a version, over all projects.
    pub(crate) progress: &'a Progress,
}
