//! A sample and a later version → the *drift*: how much of what the sample says is out of date at that version.
//!
//! The drift is the share of a benchmark's cost in functions that changed since the sample; that of a sample is the
//! largest of its benchmarks. A prediction rests on counts of code as the sample knew it, so a new sample is worth its
//! cost once the drift is large, however many versions that takes. Takes no sample.

use analyzer::change::is_beside_benchmarks;
use analyzer::cost::{ChangeClass, PredictionTerms, credible_share};
use analyzer::score::{ScoreOptions, VersionScore};
use runner::git::{CommitId, Repository};

use crate::error::EngineError;
use crate::file_sources;
use crate::sample_loader::{NearestStoredSample, SampleLoader};
use crate::scoring;

/// The functions that changed since a sample, by how the sample knows them: as they were, not at all, or no longer there.
/// A function belongs to one of the three; what was spent in a replaced dependency comes to it.
const CHANGED_CODE: [ChangeClass; 4] = [
    ChangeClass::Rebuilt,
    ChangeClass::Unsampled,
    ChangeClass::Replaced,
    ChangeClass::ReplacedDependency,
];

/// How far a version has moved away from its newest sample.
#[derive(Debug, Clone, PartialEq)]
pub enum SampleDrift {
    /// There is no sample at or before the version.
    NoSample,
    /// The sources of benchmarks changed, or files that could not be analysed: what the sample says of it is not known.
    Unknown,
    /// The largest share of a benchmark's cost in functions that changed, from 0 to 1.
    Share(f64),
}

impl SampleDrift {
    /// Whether a sample is worth taking at a limit, a share. What is not known always is.
    #[must_use]
    pub fn reaches(&self, limit: f64) -> bool {
        match self {
            Self::NoSample | Self::Unknown => true,
            Self::Share(share) => *share > 0.0 && *share >= limit,
        }
    }
}

/// The drift of a version since its newest sample.
///
/// # Errors
/// If the version, the sample or the sources can't be read.
pub fn drift_at(
    repository: &Repository,
    samples: &mut SampleLoader<'_>,
    version: CommitId,
    scoring: &ScoreOptions,
) -> Result<SampleDrift, EngineError> {
    match samples.nearest(version)? {
        Some(nearest) => drift_since(repository, &nearest, version, scoring),
        None => Ok(SampleDrift::NoSample),
    }
}

fn drift_since(
    repository: &Repository,
    nearest: &NearestStoredSample,
    version: CommitId,
    scoring: &ScoreOptions,
) -> Result<SampleDrift, EngineError> {
    let sampled: CommitId = nearest.0.commit.parse().map_err(EngineError::environment)?;
    if sampled == version {
        return Ok(SampleDrift::Share(0.0));
    }
    let changed = file_sources::changed_paths(repository, sampled, version)?;
    if changed.iter().any(|path| is_beside_benchmarks(path)) {
        return Ok(SampleDrift::Unknown);
    }
    let score = scoring::score_pair_on_sample(repository, (sampled, version), Some(nearest.clone()), scoring)?;
    Ok(drift_of(&score))
}

/// The drift that a score of a version against its sample tells.
fn drift_of(score: &VersionScore) -> SampleDrift {
    if !score.degraded.is_empty() {
        return SampleDrift::Unknown;
    }
    let shares = score.benchmarks.iter().map(|benchmark| changed_share(&benchmark.terms));
    SampleDrift::Share(shares.fold(0.0, f64::max))
}

/// An upper bound of the share of a benchmark's cost in functions that changed since the sample.
#[must_use]
pub fn changed_share(terms: &PredictionTerms) -> f64 {
    let shares = CHANGED_CODE.iter().filter_map(|class| terms.touched.get(class));
    credible_share(shares.sum())
}

#[cfg(test)]
mod tests {
    use analyzer::change::DegradedFile;
    use analyzer::score::{BenchmarkPrediction, ScoreDecision};

    use super::*;
    use crate::score_fixture;

    fn score(touched: &[&[(ChangeClass, f64)]]) -> VersionScore {
        let benchmarks = touched.iter().map(|touched| BenchmarkPrediction {
            terms: PredictionTerms {
                touched: touched.iter().copied().collect(),
                ..PredictionTerms::default()
            },
            ..BenchmarkPrediction::default()
        });
        score_fixture::score(ScoreDecision::Skip, benchmarks.collect())
    }

    #[test]
    fn the_benchmark_with_the_largest_share_of_changed_code_decides() {
        let one: &[(ChangeClass, f64)] = &[(ChangeClass::Rebuilt, 0.2), (ChangeClass::Unsampled, 0.1)];
        let two: &[(ChangeClass, f64)] = &[(ChangeClass::Constant, 0.9), (ChangeClass::Replaced, 0.05)];
        let SampleDrift::Share(share) = drift_of(&score(&[two, one])) else {
            panic!("a share is known")
        };
        assert!((share - 0.3).abs() < 1e-12, "{share}");
        assert_eq!(
            drift_of(&score(&[&[(ChangeClass::Rebuilt, 7.0)]])),
            SampleDrift::Share(1.0)
        );
        assert_eq!(drift_of(&score(&[])), SampleDrift::Share(0.0));
    }

    #[test]
    fn what_could_not_be_analysed_and_a_share_that_is_no_number_count_as_everything() {
        let mut degraded = score(&[&[]]);
        degraded.degraded.push(DegradedFile {
            file: String::from("src/lib.rs"),
            why: String::from("syntax error"),
        });
        assert_eq!(drift_of(&degraded), SampleDrift::Unknown);
        assert_eq!(
            drift_of(&score(&[&[(ChangeClass::Rebuilt, f64::NAN)]])),
            SampleDrift::Share(1.0)
        );
    }

    #[test]
    fn a_version_that_changed_nothing_needs_no_sample_whatever_the_limit() {
        assert!(!SampleDrift::Share(0.0).reaches(0.0));
        assert!(SampleDrift::Share(0.5).reaches(0.5) && !SampleDrift::Share(0.49).reaches(0.5));
        assert!(SampleDrift::NoSample.reaches(1.0) && SampleDrift::Unknown.reaches(1.0));
    }
}
