//! One commit → its sample: checked out, built, and each of its benchmarks profiled and stored at once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::{
    Event, FailedBefore, Plan, Prepared, SampleError, Sampled, Taken, Untaken, VersionState,
    environment,
};
use crate::adapter::Benchmark;
use crate::build::{Purpose, Site};
use crate::environment::{Fingerprint, NEEDED_SPACE, free_space};
use crate::git::CommitId;
use crate::profiler::probes::{self, Probed};
use crate::store::{Environment, ObjectKey, Outcome, SampleRecord, SampleState};
use crate::suite::{self, Programs, Suite, SuiteError};
use crate::toolchain;
use crate::worktree::Worktree;

/// The sampling of versions, one after the other in one checkout.
pub(super) struct Sampling<'p, 'a> {
    plan: &'p Plan<'a>,
    progress: &'p mut dyn FnMut(&Event<'_>),
    checkout: Option<Worktree>,
}

impl<'p, 'a> Sampling<'p, 'a> {
    /// Nothing is checked out yet.
    pub(super) fn new(plan: &'p Plan<'a>, progress: &'p mut dyn FnMut(&Event<'_>)) -> Self {
        Self {
            plan,
            progress,
            checkout: None,
        }
    }

    /// Tells the caller how far it is.
    pub(super) fn tell(&mut self, event: &Event<'_>) {
        (self.progress)(event);
    }

    /// Samples a version, as far as that is not stored.
    pub(super) fn version(&mut self, commit: CommitId) -> Result<Sampled, SampleError> {
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
        self.tell(&Event::Building { commit });
        let committed_at = plan.repository.committed_at(commit)?;
        let site = Site {
            tree: &tree,
            repository: &repository,
            cache: plan.cache,
            committed_at: Some(committed_at),
            compiler: &compiler,
            purpose: Purpose::Costs,
            interruption: plan.interruption,
        };
        let mut record = SampleRecord::new(commit, committed_at, environment);
        let started = Instant::now();
        let prepared = match plan.probes {
            Some(instrument) => probes::prepare(plan.definitions, &site, instrument),
            None => suite::prepare(plan.definitions, &site, Programs::MeasuredAndCounting)
                .map(Probed::from),
        };
        let Probed { suite, table, .. } = match prepared {
            Ok(prepared) => prepared,
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
        let prepared = Prepared {
            tree: &tree,
            probes: plan.probes.map(|_| &table),
        };
        let mut sampled = self.profile(&mut record, &suite, known, prepared)?;
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
        prepared: Prepared<'_>,
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
        self.tell(&Event::Listed {
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
                            .send((benchmark, profiling(benchmark, &prepared)))
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
                self.tell(&Event::Profiled {
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
