//! A revision → what the benchmarks of its newest sample execute. Builds nothing.

use std::sync::Arc;

use analyzer::coverage::BenchmarkCoverage;
use analyzer::sample::Sample;
use analyzer::syntax::ParseCache;
use runner::git::{CommitId, Repository};
use runner::store::Store;

use crate::error::EngineError;
use crate::outlines::outlines;
use crate::sample_loader::SampleLoader;

/// The newest sample at or before a version, and what its benchmarks execute; `None` if there is no sample.
///
/// # Errors
/// The store or the sources of the sampled version can't be read.
pub fn coverage_at(
    repository: &Repository,
    store: &Store,
    version: CommitId,
) -> Result<Option<(Arc<Sample>, BenchmarkCoverage)>, EngineError> {
    let Some((sample, _)) = SampleLoader::new(repository, store)?.nearest(version)? else {
        return Ok(None);
    };
    let sampled = repository.resolve(&sample.commit)?;
    let parser = ParseCache::default();
    let outline = outlines(repository, &[sampled], &parser)?.remove(0);
    let coverage = BenchmarkCoverage::of(&sample, &outline, &parser);
    Ok(Some((sample, coverage)))
}
