//! The accuracy study: a list of projects → the accuracy of lito's predictions.
//!
//! [`collection`] measures every version of each project (S1), samples some and predicts the others (S2), and stores
//! one line for each version in files. [`accuracy`] evaluates these lines (S3), [`report`] writes the results. The
//! packages that score or judge a commit do not depend on this one.

pub mod accuracy;
pub mod calibration_file;
pub mod collection;
pub mod report;

/// Rounds a figure to a number of significant digits.
fn rounded(figure: f64, digits: i32) -> f64 {
    if figure == 0.0 || !figure.is_finite() {
        return figure;
    }
    let scale = 10_f64.powi(digits - 1 - figure.abs().log10().floor() as i32);
    (figure * scale).round() / scale
}
