//! Criterion's programs → the mean time of an iteration in each of its samples, from the file that it writes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::frameworks::timing::{MEASURED, TimedStart, TimingError, WARM_UP, shown};
use crate::owned::OwnedFolder;

/// Fewest samples of a start: criterion's minimum.
const FEWEST_SAMPLES: u32 = 10;

/// Most samples of a start. Each sample of [`MEASURED`] is then shorter than a scheduler's slice: on a busy machine
/// most samples are uninterrupted, and so is their median. Two starts of one program with eleven processes on two cores
/// differed by 1.2% (median of 12 pairs), and by 3.9% with ten samples in the same time.
const MOST_SAMPLES: u32 = 100;

/// Criterion's resamples serve only its own report, which is not used; with fewer, it warns.
const RESAMPLES: u32 = 1001;

/// The common part of command line parsers' messages about a number that they reject: `isn't a valid value`, `invalid
/// value`.
const REFUSED: &str = "valid value";

/// Deepest folder, below criterion's own, of one benchmark's samples: group, function, parameter, `new`.
const DEEPEST: usize = 6;

/// Criterion's record of a measurement.
#[derive(Deserialize)]
struct CriterionSamples {
    /// Iterations of each sample.
    iters: Vec<f64>,
    /// Their time together, in nanoseconds.
    times: Vec<f64>,
}

/// The times of one start, in nanoseconds for an iteration.
pub(super) fn time_start(start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
    let folder = OwnedFolder::temporary("criterion")
        .map_err(|error| TimingError::machine(format!("making a folder for criterion's samples: {error}")))?;
    // A folder of its own: criterion then finds no earlier run to compare with, and there is only one sample file.
    let home = [("CRITERION_HOME".into(), folder.path().into())];
    let once = start.run(start.benchmark.arguments.clone(), &home)?;
    let count = sample_count(once.wall);
    let arguments = |unit| start.arguments_replacing_test(&options(unit, count));
    let finished = match start.run(arguments(SecondsFormat::Any), &home) {
        // Criterion 0.3 takes whole seconds only.
        Err(TimingError::Failed(reason)) if reason.contains(REFUSED) => {
            start.run(arguments(SecondsFormat::Whole), &home)?
        }
        other => other?,
    };
    let found = samples(folder.path(), DEEPEST);
    let [file] = found.as_slice() else {
        return Err(TimingError::Failed(format!(
            "criterion wrote {} sample files instead of one: {}",
            found.len(),
            shown(&finished.stdout.text())
        )));
    };
    let text = std::fs::read(file).map_err(TimingError::machine)?;
    per_iteration(&text).map_err(|reason| TimingError::Failed(format!("reading criterion's samples: {reason}")))
}

/// The number of samples that fit if one iteration takes as long as running the program once: slow benchmarks must not
/// be iterated a hundred times.
fn sample_count(once: Duration) -> u32 {
    let fitting = MEASURED.as_nanos() / once.as_nanos().max(1);
    u32::try_from(fitting)
        .unwrap_or(MOST_SAMPLES)
        .clamp(FEWEST_SAMPLES, MOST_SAMPLES)
}

/// The notation of a number of seconds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SecondsFormat {
    Any,
    Whole,
}

/// Options for criterion; the benchmark's own settings override these.
fn options(unit: SecondsFormat, samples: u32) -> Vec<String> {
    let seconds = |span: Duration| match unit {
        SecondsFormat::Any => span.as_secs_f64().to_string(),
        SecondsFormat::Whole => span.as_secs().max(1).to_string(),
    };
    [
        ("--warm-up-time", seconds(WARM_UP)),
        ("--measurement-time", seconds(MEASURED)),
        ("--sample-size", samples.to_string()),
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
    let samples: CriterionSamples = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if samples.iters.len() != samples.times.len() || samples.iters.iter().any(|n| *n < 1.0) {
        return Err("the numbers of iterations and times differ".to_owned());
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
    fn slow_benchmarks_take_few_samples() {
        let count = |milliseconds| sample_count(Duration::from_millis(milliseconds));
        assert_eq!([count(0), count(1), count(2)], [100; 3]);
        assert_eq!([count(10), count(20), count(60_000)], [20, 10, 10]);
    }

    #[test]
    fn garbage_is_an_error() {
        for text in [
            "",
            "[[1.0]]",
            r#"{"iters":[2.0],"times":[]}"#,
            r#"{"iters":[0.0],"times":[1.0]}"#,
        ] {
            assert!(per_iteration(text.as_bytes()).is_err(), "{text}");
        }
    }
}
