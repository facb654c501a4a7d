//! The accuracy study: a list of projects → their histories measured and predicted, into files that the tables are made
//! from.
//!
//! [`projects`] is the list, [`history`] makes each a repository, [`truth`] measures every version (S1), [`prediction`]
//! samples and scores (S2), [`results`] keeps both; [`own`] reads the same from the store of a repository that lito already
//! works for. What they say together is `analyzer::evaluation`.

pub(crate) mod fitted;
pub(crate) mod history;
pub(crate) mod own;
pub(crate) mod prediction;
pub(crate) mod projects;
mod reasons;
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

/// A figure to so many significant digits.
fn rounded(figure: f64, digits: i32) -> f64 {
    if figure == 0.0 || !figure.is_finite() {
        return figure;
    }
    let scale = 10_f64.powi(digits - 1 - figure.abs().log10().floor() as i32);
    (figure * scale).round() / scale
}
