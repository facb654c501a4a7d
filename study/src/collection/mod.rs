//! The accuracy study: a list of projects → their histories measured and predicted, as result files for the tables.
//!
//! [`project_list`] reads the list, and [`study_run`] takes each project through the steps: [`history`] creates a
//! repository, [`measurement`] measures every version (S1), [`prediction`] samples and scores (S2), [`result_files`]
//! stores both. [`store_study`] reads such results from the store of a repository that lito already works for.
//! `crate::accuracy` evaluates them.

mod failure_reasons;
mod harness_change;
pub mod history;
pub mod measurement;
pub mod prediction;
pub mod project_list;
pub mod result_files;
mod sample_choice;
pub mod shipped_weights;
pub mod store_study;
pub mod study_run;

use runner::process::InterruptionFlag;
use runner::sample::FailureRetryPolicy;

use engine::progress::Progress;

/// The shared context of every step of the study.
#[derive(Clone, Copy)]
pub struct StudyContext<'a> {
    /// The user's request to stop.
    pub interruption: &'a InterruptionFlag,
    /// Progress over all projects, one step for each version.
    pub progress: Progress<'a>,
    /// Whether versions that failed to measure or to be sampled are tried again.
    pub failed_before: FailureRetryPolicy,
}

/// The rule by which versions are sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StudySampling<'a> {
    /// Those at multiples of each of these distances, in versions.
    Every(&'a [u32]),
    /// Those at which the drift since the newest sample reaches this share.
    ByDrift(f64),
}

/// The place of predictions from samples by drift among those from samples at a distance.
const BY_DRIFT: [u32; 1] = [0];

impl StudySampling<'_> {
    /// The distances of the samples that predictions are made from: 0 for samples by drift.
    fn distances(&self) -> &[u32] {
        match self {
            Self::Every(distances) => distances,
            Self::ByDrift(_) => &BY_DRIFT,
        }
    }
}
