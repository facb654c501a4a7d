//! Criterion's programs → the mean time of an iteration in each of its samples, from the file that it writes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::{MEASURED, WARM_UP, finish, instead_of_test};
use crate::adapter::Benchmark;
use crate::measure::{Conditions, Unmeasured};

/// Samples of a start: criterion's least.
const SAMPLES: u32 = 10;

/// Criterion resamples for a report that nobody reads; fewer make it warn.
const RESAMPLES: u32 = 1001;

/// What command line parsers say of a number that they don't take: `isn't a valid value`, `invalid value`.
const REFUSED: &str = "valid value";

/// Folders below criterion's in which the samples of one benchmark are: group, function, parameter, `new`.
const DEEPEST: usize = 6;

/// What criterion keeps of a measurement.
#[derive(Deserialize)]
struct Samples {
    /// Iterations of each sample.
    iters: Vec<f64>,
    /// Their time together, in nanoseconds.
    times: Vec<f64>,
}

pub(super) fn start(
    benchmark: &Benchmark,
    limit: Duration,
    conditions: &Conditions<'_>,
) -> Result<Vec<f64>, Unmeasured> {
    let folder = tempfile::Builder::new()
        .prefix("lito-criterion-")
        .tempdir()
        .map_err(|error| {
            Unmeasured::machine(format!("making a folder for criterion's samples: {error}"))
        })?;
    // A folder of its own, so that it compares with no earlier run, and there is one sample to be found.
    let home = [("CRITERION_HOME".into(), folder.path().into())];
    let arguments = |unit| instead_of_test(benchmark, &options(unit));
    let finished = match finish(benchmark, arguments(Unit::Any), &home, limit, conditions) {
        // Criterion 0.3 takes whole seconds only.
        Err(Unmeasured::Failed { reason, .. }) if reason.contains(REFUSED) => {
            finish(benchmark, arguments(Unit::Whole), &home, limit, conditions)?
        }
        other => other?,
    };
    let found = samples(folder.path(), DEEPEST);
    let [file] = found.as_slice() else {
        return Err(Unmeasured::failed(format!(
            "criterion wrote {} samples, one was asked for: {}",
            found.len(),
            super::shown(&finished.stdout.text())
        )));
    };
    let text = std::fs::read(file).map_err(Unmeasured::machine)?;
    per_iteration(&text)
        .map_err(|reason| Unmeasured::failed(format!("reading criterion's samples: {reason}")))
}

/// How numbers of seconds are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Any,
    Whole,
}

/// What the benchmark itself sets goes before these.
fn options(unit: Unit) -> Vec<String> {
    let seconds = |span: Duration| match unit {
        Unit::Any => span.as_secs_f64().to_string(),
        Unit::Whole => span.as_secs().max(1).to_string(),
    };
    [
        ("--warm-up-time", seconds(WARM_UP)),
        ("--measurement-time", seconds(MEASURED)),
        ("--sample-size", SAMPLES.to_string()),
        ("--nresamples", RESAMPLES.to_string()),
    ]
    .into_iter()
    .flat_map(|(option, value)| [option.to_owned(), value])
    .chain(["--noplot".to_owned()])
    .collect()
}

/// Every `new/sample.json` below a folder.
fn samples(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth > 0 {
                found.extend(samples(&path, depth - 1));
            }
        } else if path.ends_with("new/sample.json") {
            found.push(path);
        }
    }
    found
}

fn per_iteration(text: &[u8]) -> Result<Vec<f64>, String> {
    let samples: Samples = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if samples.iters.len() != samples.times.len() || samples.iters.iter().any(|n| *n < 1.0) {
        return Err("iterations and times do not fit".to_owned());
    }
    Ok(samples
        .times
        .iter()
        .zip(&samples.iters)
        .map(|(time, iterations)| time / iterations)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_samples_time_is_shared_by_its_iterations() {
        let text = br#"{"sampling_mode":"Linear","iters":[2.0,4.0],"times":[10.0,22.0]}"#;
        assert_eq!(per_iteration(text), Ok(vec![5.0, 5.5]));
    }

    #[test]
    fn garbage_is_an_error() {
        for text in [
            "",
            "[[1.0],[2.0]]",
            r#"{"iters":[2.0],"times":[]}"#,
            r#"{"iters":[0.0],"times":[1.0]}"#,
        ] {
            assert!(per_iteration(text.as_bytes()).is_err(), "{text}");
        }
    }
}
