//! One commit → its sample: checked out, built, and each of its benchmarks profiled and stored at once.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{Event, FailedBefore, Plan, Prepared, SampleError, Sampled, Taken, Untaken, VersionState};
use crate::adapter::Benchmark;
use crate::git::CommitId;
use crate::profiler::probes::{self, Probed};
use crate::store::{Environment, ObjectKey, Outcome, SampleRecord, SampleState};
use crate::suite::{self, Programs, Suite};
use crate::visit::{self, Ground, Visitor, side_by_side};

/// The sampling of versions, one after the other in one checkout.
pub(super) struct Sampling<'p, 'a> {
    plan: &'p Plan<'a>,
    progress: &'p mut dyn FnMut(&Event<'_>),
    visitor: Visitor<'a>,
}

impl<'p, 'a> Sampling<'p, 'a> {
    /// Nothing is checked out yet.
    pub(super) fn new(plan: &'p Plan<'a>, progress: &'p mut dyn FnMut(&Event<'_>)) -> Self {
        Self {
            plan,
            progress,
            visitor: Visitor::new(Ground {
                repository: plan.repository,
                definitions: plan.definitions,
                cache: plan.cache,
                profiler: plan.profiler,
                interruption: plan.interruption,
            }),
        }
    }

    /// Tells the caller how far it is.
    pub(super) fn tell(&mut self, event: &Event<'_>) {
        (self.progress)(event);
    }

    /// Samples a version, as far as that is not stored.
    pub(super) fn version(&mut self, commit: CommitId) -> Result<Sampled, SampleError> {
        let plan = self.plan;
        let visit = self.visitor.visit(commit)?;
        let stored = self.stored(commit, &visit.environment)?;
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
                    VersionState::DoesNotBuild { reason: reason.clone() },
                ));
            }
            _ => {}
        }
        self.tell(&Event::Building { commit });
        let started = Instant::now();
        let outcome = self.visitor.build(&visit, |site| match plan.probes {
            Some(instrument) => probes::prepare(plan.definitions, site, instrument),
            None => suite::prepare(plan.definitions, site, Programs::MeasuredAndCounting).map(Probed::from),
        })?;
        let mut record = SampleRecord::new(commit, visit.committed_at, visit.environment);
        let Probed { suite, table, .. } = match outcome {
            visit::Outcome::Built(probed) => probed,
            visit::Outcome::NoBenchmark(error) => return Err(SampleError::NoBenchmark(error)),
            visit::Outcome::DoesNotBuild { reason } => {
                record.state = SampleState::BuildFailed { reason: reason.clone() };
                plan.store.record(&record, &[])?;
                return Ok(Sampled::nothing(commit, VersionState::DoesNotBuild { reason }));
            }
        };
        let building = started.elapsed();
        let started = Instant::now();
        let prepared = Prepared {
            tree: &visit.tree,
            probes: plan.probes.map(|_| &table),
        };
        let mut sampled = self.profile(&mut record, &suite, known, prepared)?;
        sampled.building = building;
        sampled.profiling = started.elapsed();
        Ok(sampled)
    }

    fn stored(&self, commit: CommitId, environment: &Environment) -> Result<Option<SampleRecord>, SampleError> {
        let id = environment.id();
        let samples = self.plan.store.sample(commit)?.samples;
        Ok(samples.into_iter().find(|record| record.environment.id() == id))
    }

    /// What need not be tried again: profiles that can still be read, and failures unless they are to be retried.
    fn known(&self, record: &SampleRecord) -> BTreeMap<String, Outcome> {
        let is_known = |outcome: &Outcome| match outcome {
            Outcome::Profiled { profile, .. } => self.plan.store.object(*profile).is_ok(),
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => self.plan.failed_before == FailedBefore::Skip,
        };
        let mut known = record.benchmarks.clone();
        known.retain(|_, outcome| is_known(outcome));
        known
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
        let (total, mut done) = (missing.len(), 0);
        side_by_side(
            &missing,
            plan.workers,
            plan.interruption,
            |benchmark| (plan.profiling)(benchmark, &prepared),
            |benchmark, result| {
                self.keep(record, benchmark, result)?;
                done += 1;
                self.tell(&Event::Profiled {
                    commit,
                    benchmark: &benchmark.name,
                    outcome: &record.benchmarks[&benchmark.name],
                    done,
                    total,
                });
                Ok::<(), SampleError>(())
            },
        )?;
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
