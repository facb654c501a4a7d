//! The accuracy study: a list of projects in, how good lito's predictions are out.
//!
//! [`collection`] measures every version of each project (S1), samples some and predicts the others (S2), and leaves
//! one line a version in files. [`accuracy`] is arithmetic on these lines (S3), [`report`] writes its results.
//! Nothing that scores or judges a commit knows of this package.

pub mod accuracy;
pub mod calibration_file;
pub mod collection;
pub mod report;

/// A figure to so many significant digits.
fn rounded(figure: f64, digits: i32) -> f64 {
    if figure == 0.0 || !figure.is_finite() {
        return figure;
    }
    let scale = 10_f64.powi(digits - 1 - figure.abs().log10().floor() as i32);
    (figure * scale).round() / scale
}
