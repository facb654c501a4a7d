//! Which sample a prediction stands on: profiles decoded and indexed, with the sources of the sampled
//! version, each loaded once and kept as long as versions ask for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use analyzer::sample::{IndexedProfile, Sample, SampleInputs};
use profile::Profile;
use profile::inputs::InputRecord;
use runner::benchmark::BenchmarkChoice;
use runner::git::{CommitId, Repository};
use runner::store::{BaselineCriteria, BaselineIndex, ObjectKey, SampleRecord, Store};

use crate::error::EngineError;
use crate::file_sources::SampledFileSource;

/// The samples of a repository's store.
pub struct SampleLoader<'a> {
    repository: &'a Repository,
    store: &'a Store,
    baselines: BaselineIndex<'a, Profile>,
    loaded: Vec<(CommitId, Arc<Sample>)>,
    /// The benchmarks of interest.
    chosen: BenchmarkChoice,
    /// Why recorded inputs could not be read.
    unreadable_inputs: Vec<String>,
}

/// A sample and how far it is.
pub type NearestStoredSample = (Arc<Sample>, u32);

impl<'a> SampleLoader<'a> {
    /// The samples of a store, none of them loaded yet.
    pub fn new(repository: &'a Repository, store: &'a Store) -> Result<Self, EngineError> {
        let baselines = store.baselines(
            repository,
            BaselineCriteria {
                environment: None,
                decode: &decode,
            },
        )?;
        Ok(Self {
            repository,
            store,
            baselines,
            loaded: Vec::new(),
            chosen: BenchmarkChoice::default(),
            unreadable_inputs: Vec::new(),
        })
    }

    /// Only these benchmarks of each sample, as far as names tell.
    #[must_use]
    pub fn only(self, chosen: BenchmarkChoice) -> Self {
        Self { chosen, ..self }
    }

    /// The newest sample at or before a version's parent; the distance is counted from the version itself. A sample of none of
    /// the chosen benchmarks is none.
    pub fn nearest(&mut self, parent: CommitId) -> Result<Option<NearestStoredSample>, EngineError> {
        let Some(baseline) = self.baselines.nearest(parent)? else {
            return Ok(None);
        };
        let sample = self.load(&baseline.sample)?;
        Ok((!sample.benchmarks.is_empty()).then_some((sample, baseline.distance + 1)))
    }

    /// The sample of one commit, if it has a profile.
    pub fn at(&mut self, commit: CommitId) -> Result<Option<Arc<Sample>>, EngineError> {
        let records = self.store.sample(commit)?.samples;
        let usable = records.iter().find(|record| record.is_baseline());
        usable.map(|record| self.load(record)).transpose()
    }

    /// Forgets the samples that nobody holds any more.
    pub fn forget_unused(&mut self) {
        self.loaded.retain(|(_, sample)| Arc::strong_count(sample) > 1);
    }

    /// The defects of records and profiles that are ignored, and of the inputs of samples that were loaded.
    pub fn skipped_record_warnings(&self) -> impl Iterator<Item = String> {
        self.baselines
            .set_aside()
            .iter()
            .map(|finding| format!("{}: {}", finding.path, finding.why))
            .chain(self.unreadable_inputs.iter().cloned())
    }

    /// The sample of a record.
    pub fn load(&mut self, record: &SampleRecord) -> Result<Arc<Sample>, EngineError> {
        if let Some((_, sample)) = self.loaded.iter().find(|(commit, _)| *commit == record.commit) {
            return Ok(Arc::clone(sample));
        }
        let mut benchmarks = Vec::new();
        let is_chosen = |name: &&str| self.chosen.includes(name);
        // Those that were decoded to see whether the sample is whole.
        let mut decoded = self.baselines.take_profiles(record.commit);
        for (_, key) in record.profiles().filter(|(name, _)| is_chosen(name)) {
            let profile = match decoded.remove(&key) {
                Some(profile) => profile,
                None => {
                    let bytes = self.store.object(key)?;
                    profile::format::binary::decode(&bytes).map_err(EngineError::environment)?
                }
            };
            benchmarks.push(IndexedProfile::new(profile));
        }
        let tree = Arc::new(SampledFileSource::new(self.repository.snapshot(record.commit)?));
        let unprofiled = record.unprofiled().filter(is_chosen).map(str::to_owned).collect();
        let left_out = record.left_out().filter(|name| self.chosen.may_include(name));
        let left_out = left_out.map(str::to_owned).collect();
        let inputs = self.inputs(record);
        let sample = Sample::new(record.commit.to_string(), benchmarks, tree)
            .with_inputs(inputs)
            .with_unprofiled(unprofiled)
            .with_left_out(left_out)
            .with_links_followed();
        let sample = Arc::new(sample);
        self.loaded.push((record.commit, Arc::clone(&sample)));
        Ok(sample)
    }

    /// The recorded inputs. One that can't be read counts as not recorded: nothing is concluded from its absence.
    fn inputs(&mut self, record: &SampleRecord) -> SampleInputs {
        // Most benchmarks of a program share one record.
        let mut decoded: BTreeMap<ObjectKey, Option<Arc<InputRecord>>> = BTreeMap::new();
        let mut records = BTreeMap::new();
        let mut unreadable = Vec::new();
        for (benchmark, key) in record.inputs() {
            let inputs = decoded.entry(key).or_insert_with(|| {
                let read = self.store.object(key).map_err(|error| error.to_string());
                let decoded =
                    read.and_then(|bytes| profile::inputs::binary::decode(&bytes).map_err(|error| error.to_string()));
                decoded.map(Arc::new).map_err(|why| unreadable.push(why)).ok()
            });
            if let Some(inputs) = inputs {
                records.insert(benchmark.to_owned(), Arc::clone(inputs));
            }
        }
        self.unreadable_inputs.extend(unreadable.into_iter().map(|why| {
            format!(
                "the inputs of a benchmark at {} cannot be read: {why}: its files are judged by their names; sample its \
                 version again",
                record.commit
            )
        }));
        SampleInputs::new(records)
    }
}

/// A stored profile; the error is the reason why it can't be read.
fn decode(bytes: &[u8]) -> Result<Profile, String> {
    profile::format::binary::decode(bytes).map_err(|why| why.to_string())
}

/// Whether a stored profile can be read.
pub fn decodes(bytes: &[u8]) -> Result<(), String> {
    decode(bytes).map(drop)
}
