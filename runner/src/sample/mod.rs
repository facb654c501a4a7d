//! Commits → stored samples: each version checked out, built, listed, and every benchmark of it profiled.
//!
//! Each profile is stored as soon as it is there, so that a kill loses at most the ones under way; what is stored is
//! not taken again. A version counts as sampled only when every benchmark was tried. A version that does not build
//! and a benchmark that fails are recorded with their reason, and the sampling goes on. How a profile is taken is
//! the caller's: see [`Profiling`].

mod progress;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc;
use std::time::{Duration, Instant};

pub use progress::{Event, Sampled, VersionState};

use crate::adapter::Benchmark;
use crate::benchmark::Definition;
use crate::build::{Cache, Purpose, Site};
use crate::environment::{Fingerprint, NEEDED_SPACE, free_space};
use crate::git::{CommitId, GitError, Repository};
use crate::process::Interruption;
use crate::store::{Environment, ObjectKey, Outcome, SampleRecord, SampleState, Store, StoreError};
use crate::suite::{self, Programs, Suite, SuiteError};
use crate::toolchain::{self, ToolchainError};
use crate::worktree::{Worktree, WorktreeError};

/// What to sample, with what, into what.
pub struct Plan<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// Where samples go.
    pub store: &'a Store,
    /// The versions, in the order in which they are taken.
    pub commits: &'a [CommitId],
    /// The benchmarks; empty: discovered.
    pub definitions: &'a [Definition],
    /// Where builds and the checkout stand.
    pub cache: &'a Cache,
    /// Benchmarks profiled at the same time. Counts do not depend on it.
    pub workers: usize,
    /// What is done with what is stored as failed.
    pub failed_before: FailedBefore,
    /// Version of the profiler, for the fingerprint: `valgrind-3.19.0`.
    pub profiler: &'a str,
    /// Takes one profile.
    pub profiling: Profiling<'a>,
    /// The user's wish to stop.
    pub interruption: &'a Interruption,
}

/// What is done with a version that did not build the last time, or with a benchmark that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailedBefore {
    /// It is left out: the same toolchain gives the same errors.
    #[default]
    Skip,
    /// It is tried again, because something outside the fingerprint changed.
    Retry,
}

/// Runs one benchmark of the version that is checked out at the path, once, under a profiler.
pub type Profiling<'a> = &'a (dyn Fn(&Benchmark, &Path) -> Result<Taken, Untaken> + Sync);

/// One profile, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The encoded profile.
    pub bytes: Vec<u8>,
    /// Its total.
    pub total: u64,
}

/// Why a profile was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Untaken {
    /// The benchmark failed.
    Failed {
        /// Why.
        reason: String,
    },
    /// The benchmark ran longer than it may.
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// The profiler can't work at all on this machine: nothing is recorded.
    Machine {
        /// Why, and what to do.
        reason: String,
    },
    /// The user stopped it: nothing is recorded.
    Interrupted,
}

/// Why sampling stopped. What is stored stays, and is not taken again.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// None of the versions has a benchmark.
    #[error(transparent)]
    NoBenchmark(SuiteError),
    /// This machine can't build.
    #[error("sampling {commit}: {source}")]
    Build {
        /// The version.
        commit: CommitId,
        /// Why.
        source: SuiteError,
    },
    /// This machine can't profile.
    #[error("profiling {benchmark} of {commit}: {reason}")]
    Profiler {
        /// The version.
        commit: CommitId,
        /// The benchmark.
        benchmark: String,
        /// Why, and what to do.
        reason: String,
    },
    /// Too little room to build.
    #[error("building in {}: only {free_mb} MB are free, {needed_mb} MB are needed; make room, or set LITO_CACHE to a \
             folder on a larger disk", path.display())]
    DiskFull {
        /// The folder.
        path: PathBuf,
        /// Free, in MB.
        free_mb: u64,
        /// Needed, in MB.
        needed_mb: u64,
    },
    /// The user stopped it.
    #[error("sampling: interrupted; what is stored stays, and sampling again goes on from there")]
    Interrupted,
    /// The toolchain gives no answer.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The version can't be checked out.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// The history can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The store can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Samples every version of a plan, telling how far it is.
///
/// # Errors
/// If this machine can't go on; a version or a benchmark that fails is not an error but recorded.
pub fn sample(
    plan: &Plan<'_>,
    progress: &mut dyn FnMut(&Event<'_>),
) -> Result<Vec<Sampled>, SampleError> {
    let mut sampling = Sampling {
        plan,
        progress,
        checkout: None,
    };
    let (mut done, mut without) = (Vec::new(), None);
    for (index, &commit) in plan.commits.iter().enumerate() {
        if plan.interruption.is_raised() {
            return Err(SampleError::Interrupted);
        }
        (sampling.progress)(&Event::Version {
            commit,
            index,
            total: plan.commits.len(),
        });
        let sampled = match sampling.version(commit) {
            Ok(sampled) => sampled,
            Err(SampleError::NoBenchmark(error)) => {
                let reason = error.to_string();
                without.get_or_insert(error);
                Sampled::nothing(commit, VersionState::NoBenchmark { reason })
            }
            Err(other) => return Err(other),
        };
        (sampling.progress)(&Event::VersionDone { sampled: &sampled });
        done.push(sampled);
    }
    match without {
        Some(error)
            if done
                .iter()
                .all(|sampled| matches!(sampled.state, VersionState::NoBenchmark { .. })) =>
        {
            Err(SampleError::NoBenchmark(error))
        }
        _ => Ok(done),
    }
}

/// What a sample's counts depend on besides the version: the machine, and the definitions with their harnesses.
#[must_use]
pub fn environment(
    fingerprint: &Fingerprint,
    definitions: &[Definition],
    repository: &Path,
) -> Environment {
    let mut environment = fingerprint.facts();
    if !definitions.is_empty() {
        let text = serde_json::to_string(definitions).unwrap_or_default();
        let harnesses = definitions
            .iter()
            .filter_map(|definition| definition.harness.as_ref());
        let mut hasher = blake3::Hasher::new();
        hasher.update(text.as_bytes());
        for harness in harnesses {
            hash_folder(&repository.join(harness), &mut hasher);
        }
        environment.0.insert(
            "definitions".to_owned(),
            hasher.finalize().to_hex()[..DEFINITIONS_DIGITS].to_owned(),
        );
    }
    environment
}

/// Hexadecimal digits that tell one user's sets of definitions apart.
const DEFINITIONS_DIGITS: usize = 16;

/// Names and contents below a folder in a fixed order; build folders and what can't be read are left out.
fn hash_folder(folder: &Path, hasher: &mut blake3::Hasher) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default();
        if ["target", ".git", "Cargo.lock"]
            .iter()
            .any(|skipped| name == *skipped)
        {
            continue;
        }
        hasher.update(name.as_encoded_bytes()).update(&[0]);
        if path.is_dir() {
            hash_folder(&path, hasher);
        } else if let Ok(content) = std::fs::read(&path) {
            hasher
                .update(&(content.len() as u64).to_le_bytes())
                .update(&content);
        }
    }
}

struct Sampling<'p, 'a> {
    plan: &'p Plan<'a>,
    progress: &'p mut dyn FnMut(&Event<'_>),
    checkout: Option<Worktree>,
}

impl Sampling<'_, '_> {
    fn version(&mut self, commit: CommitId) -> Result<Sampled, SampleError> {
        let plan = self.plan;
        let repository = plan
            .repository
            .workdir()
            .unwrap_or(plan.repository.common_dir())
            .to_owned();
        let tree = self.check_out(commit)?;
        // Asked in the tree, since a version may name its own toolchain.
        let compiler = toolchain::compiler(&tree, plan.interruption)?;
        let fingerprint = Fingerprint::here(&compiler, plan.profiler);
        let environment = environment(&fingerprint, plan.definitions, &repository);
        let stored = self.stored(commit, &environment)?;
        let retry = plan.failed_before == FailedBefore::Retry;
        let known = stored.as_ref().map(|record| self.known(record));
        let known = known.unwrap_or_default();
        match stored.as_ref().map(|record| (record, &record.state)) {
            Some((record, SampleState::Complete)) if known.len() == record.benchmarks.len() => {
                let profiled = record.profiles().count();
                return Ok(Sampled {
                    profiled,
                    failed: known.len() - profiled,
                    reused: known.len(),
                    ..Sampled::nothing(commit, VersionState::AlreadySampled)
                });
            }
            Some((_, SampleState::BuildFailed { reason })) if !retry => {
                return Ok(Sampled::nothing(
                    commit,
                    VersionState::DoesNotBuild {
                        reason: reason.clone(),
                    },
                ));
            }
            _ => {}
        }
        self.check_space()?;
        (self.progress)(&Event::Building { commit });
        let site = Site {
            tree: &tree,
            repository: &repository,
            cache: plan.cache,
            compiler: &compiler,
            purpose: Purpose::Costs,
            interruption: plan.interruption,
        };
        let committed_at = plan.repository.committed_at(commit)?;
        let mut record = SampleRecord::new(commit, committed_at, environment);
        let started = Instant::now();
        let suite = match suite::prepare(plan.definitions, &site, Programs::MeasuredAndCounting) {
            Ok(suite) => suite,
            Err(error) if error.is_interruption() => return Err(SampleError::Interrupted),
            Err(error @ SuiteError::NoBenchmark { .. }) => {
                return Err(SampleError::NoBenchmark(error));
            }
            Err(SuiteError::Build(error)) if error.is_the_versions_fault() => {
                let reason = error.to_string();
                record.state = SampleState::BuildFailed {
                    reason: reason.clone(),
                };
                plan.store.record(&record, &[])?;
                return Ok(Sampled::nothing(
                    commit,
                    VersionState::DoesNotBuild { reason },
                ));
            }
            Err(source) => return Err(SampleError::Build { commit, source }),
        };
        let building = started.elapsed();
        let started = Instant::now();
        let mut sampled = self.profile(&mut record, &suite, known, &tree)?;
        sampled.building = building;
        sampled.profiling = started.elapsed();
        Ok(sampled)
    }

    fn check_out(&mut self, commit: CommitId) -> Result<PathBuf, SampleError> {
        let checkout = match self.checkout.take() {
            Some(mut checkout) => {
                checkout.switch(commit)?;
                checkout
            }
            None => Worktree::checkout(self.plan.repository, commit, &self.plan.cache.tree())?,
        };
        let path = checkout.path().to_owned();
        self.checkout = Some(checkout);
        Ok(path)
    }

    fn stored(
        &self,
        commit: CommitId,
        environment: &Environment,
    ) -> Result<Option<SampleRecord>, SampleError> {
        let id = environment.id();
        let samples = self.plan.store.sample(commit)?.samples;
        Ok(samples
            .into_iter()
            .find(|record| record.environment.id() == id))
    }

    /// What need not be tried again: profiles that can still be read, and failures unless they are to be retried.
    fn known(&self, record: &SampleRecord) -> BTreeMap<String, Outcome> {
        let is_known = |outcome: &Outcome| match outcome {
            Outcome::Profiled { profile, .. } => self.plan.store.object(*profile).is_ok(),
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => {
                self.plan.failed_before == FailedBefore::Skip
            }
        };
        let mut known = record.benchmarks.clone();
        known.retain(|_, outcome| is_known(outcome));
        known
    }

    fn check_space(&self) -> Result<(), SampleError> {
        let path = self.plan.cache.root();
        // Where the system does not tell, the build will.
        match free_space(path) {
            Ok(free) if free < NEEDED_SPACE => Err(SampleError::DiskFull {
                path: path.to_owned(),
                free_mb: free >> 20,
                needed_mb: NEEDED_SPACE >> 20,
            }),
            _ => Ok(()),
        }
    }

    /// Takes the profiles that are not known yet, and stores each.
    fn profile(
        &mut self,
        record: &mut SampleRecord,
        suite: &Suite,
        known: BTreeMap<String, Outcome>,
        tree: &Path,
    ) -> Result<Sampled, SampleError> {
        let plan = self.plan;
        let commit = record.commit;
        for failure in &suite.failures {
            record.benchmarks.insert(
                failure.target.clone(),
                Outcome::Failed {
                    reason: failure.reason.clone(),
                },
            );
        }
        let missing: Vec<&Benchmark> = suite
            .benchmarks
            .iter()
            .filter(|benchmark| !known.contains_key(&benchmark.name))
            .collect();
        let reused = suite.benchmarks.len() - missing.len();
        record.benchmarks.extend(known);
        (self.progress)(&Event::Listed {
            commit,
            benchmarks: suite.benchmarks.len(),
            stored: reused,
        });
        let total = missing.len();
        let mut error = None;
        let queue = Mutex::new(missing.into_iter());
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..plan.workers.clamp(1, total.max(1)) {
                let (sender, queue) = (sender.clone(), &queue);
                let (profiling, interruption) = (plan.profiling, plan.interruption);
                scope.spawn(move || {
                    while !interruption.is_raised() {
                        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                        let Some(benchmark) = next else { break };
                        if sender
                            .send((benchmark, profiling(benchmark, tree)))
                            .is_err()
                        {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for (done, (benchmark, result)) in receiver.iter().enumerate() {
                if let Err(stop) = self.keep(record, benchmark, result) {
                    error = Some(stop);
                    // Nobody takes what is still in the queue; what is under way comes to its end unheard.
                    queue
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .by_ref()
                        .for_each(drop);
                    break;
                }
                let outcome = &record.benchmarks[&benchmark.name];
                (self.progress)(&Event::Profiled {
                    commit,
                    benchmark: &benchmark.name,
                    outcome,
                    done: done + 1,
                    total,
                });
            }
            drop(receiver);
        });
        if let Some(error) = error {
            return Err(error);
        }
        if plan.interruption.is_raised() {
            return Err(SampleError::Interrupted);
        }
        record.state = SampleState::Complete;
        plan.store.record(record, &[])?;
        let profiled = record.profiles().count();
        let failed = record.benchmarks.len() - profiled;
        Ok(Sampled {
            state: VersionState::Sampled,
            profiled,
            failed,
            reused,
            ..Sampled::nothing(commit, VersionState::Sampled)
        })
    }

    fn keep(
        &self,
        record: &mut SampleRecord,
        benchmark: &Benchmark,
        result: Result<Taken, Untaken>,
    ) -> Result<(), SampleError> {
        let name = benchmark.name.clone();
        let (outcome, profiles) = match result {
            Ok(taken) => {
                let profile = ObjectKey::of(&taken.bytes);
                (
                    Outcome::Profiled {
                        profile,
                        total: taken.total,
                    },
                    vec![taken.bytes],
                )
            }
            Err(Untaken::Failed { reason }) => (Outcome::Failed { reason }, Vec::new()),
            Err(Untaken::TimedOut { limit }) => (
                Outcome::TimedOut {
                    seconds: limit.as_secs(),
                },
                Vec::new(),
            ),
            Err(Untaken::Machine { reason }) => {
                return Err(SampleError::Profiler {
                    commit: record.commit,
                    benchmark: name,
                    reason,
                });
            }
            Err(Untaken::Interrupted) => return Err(SampleError::Interrupted),
        };
        record.benchmarks.insert(name, outcome);
        Ok(self.plan.store.record(record, &profiles)?)
    }
}
