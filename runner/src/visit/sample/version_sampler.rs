//! One commit → its sample: visits it, and profiles and stores each of its benchmarks at once.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use profile::format::binary;
use profile::inputs::{self, CompiledInputs, InputRecord};
use verdict::ProgramIdentity;

use super::inputs::{add_command, macros_of_commit, opened_of_commit};
use super::order::most_telling_first;
use super::{
    FailureRetryPolicy, SampleError, SampleEvent, SampleFailure, SamplePlan, SampledVersion, SampledVersionState,
};
use crate::build::CommandInputs;
use crate::frameworks::Benchmark;
use crate::git::CommitId;
use crate::profilers::{HeapUsage, ProfiledRun, ProfilerBuild, ProfilerError, ProfilerFailureKind};
use crate::store::{Environment, ObjectKey, SampleOutcome, SampleRecord, SampleState};
use crate::suite::SampledFunctions;
use crate::visit::{VersionVisitor, VisitBuildOutcome, VisitError, VisitEvent, run_in_parallel};

/// The sampling of one version.
pub(super) struct VersionSampler<'p, 'a, 'v> {
    pub(super) plan: &'p SamplePlan<'a>,
    pub(super) visitor: &'p mut VersionVisitor<'v>,
    pub(super) progress: &'p mut dyn FnMut(&SampleEvent<'_>),
}

/// A run with its requests to the allocator, if they were counted.
type HeapedRun = Result<(ProfiledRun, Option<HeapUsage>), ProfilerError>;

/// The build's knowledge of a benchmark's program.
#[derive(Clone, Copy)]
struct KnownOfProgram<'b> {
    compiled: Option<&'b CompiledInputs>,
    command: Option<&'b CommandInputs>,
    identity: Option<&'b ProgramIdentity>,
}

impl VersionSampler<'_, '_, '_> {
    fn tell(&mut self, event: &SampleEvent<'_>) {
        (self.progress)(event);
    }

    /// Samples a version, except for stored outcomes.
    pub(super) fn version(&mut self, commit: CommitId) -> Result<SampledVersion, SampleError> {
        let plan = self.plan;
        let environment = self.visitor.environment(commit, plan.profiler, &mut |holder| {
            (self.progress)(&SampleEvent::Waiting { holder });
        })?;
        let mut known = match self.stored_outcomes(commit, &environment)? {
            ControlFlow::Break(settled) => return Ok(settled),
            ControlFlow::Continue(known) => known,
        };
        if !self.visitor.has_checkout() {
            self.visitor.check_out(commit, &mut |holder| {
                (self.progress)(&SampleEvent::Waiting { holder });
            })?;
            // Another process may have sampled it while this one waited for its turn.
            known = match self.stored_outcomes(commit, &environment)? {
                ControlFlow::Break(settled) => return Ok(settled),
                ControlFlow::Continue(known) => known,
            };
        }
        let started = Instant::now();
        let (visit, outcome) = self.visitor.built_for(commit, plan.profiler, &mut |event| {
            (self.progress)(&match event {
                VisitEvent::Waiting { holder } => SampleEvent::Waiting { holder },
                VisitEvent::Building => SampleEvent::Building { commit },
            });
        })?;
        let mut record = SampleRecord::new(commit, visit.committed_at, environment);
        let build = match &*outcome {
            VisitBuildOutcome::Built(build) => build,
            VisitBuildOutcome::NoBenchmark(error) => {
                let reason = error.to_string();
                return Ok(SampledVersion::without_profiles(
                    commit,
                    SampledVersionState::NoBenchmark { reason },
                ));
            }
            VisitBuildOutcome::DoesNotBuild { reason } => {
                // With its submodules it may build.
                if visit.empty_submodules.is_empty() {
                    record.state = SampleState::BuildFailed { reason: reason.clone() };
                    plan.store.record(&record, &[])?;
                }
                return Ok(SampledVersion::without_profiles(
                    commit,
                    SampledVersionState::DoesNotBuild { reason: reason.clone() },
                ));
            }
        };
        let building = started.elapsed();
        let started = Instant::now();
        let mut sampled = self.profile(&mut record, build, known)?;
        sampled.building = building;
        sampled.profiling = started.elapsed();
        Ok(sampled)
    }

    /// Breaks with a version of which nothing is to be taken; goes on with the outcomes that need no other try.
    fn stored_outcomes(
        &self,
        commit: CommitId,
        environment: &Environment,
    ) -> Result<ControlFlow<SampledVersion, BTreeMap<String, SampleOutcome>>, SampleError> {
        let Some(record) = self.stored(commit, environment)? else {
            return Ok(ControlFlow::Continue(BTreeMap::new()));
        };
        let known = self.known(&record);
        let retry = self.plan.failed_before == FailureRetryPolicy::Retry;
        Ok(match &record.state {
            SampleState::Complete if known.len() == record.benchmarks.len() => ControlFlow::Break(SampledVersion {
                profiled: record.profiles().count(),
                failures: SampleFailure::of_record(&record),
                reused: known.len(),
                ..SampledVersion::without_profiles(commit, SampledVersionState::AlreadySampled)
            }),
            SampleState::BuildFailed { reason } if !retry => {
                let state = SampledVersionState::DoesNotBuild { reason: reason.clone() };
                ControlFlow::Break(SampledVersion::without_profiles(commit, state))
            }
            _ => ControlFlow::Continue(known),
        })
    }

    fn stored(&self, commit: CommitId, environment: &Environment) -> Result<Option<SampleRecord>, SampleError> {
        let id = environment.id();
        let samples = self.plan.store.sample(commit)?.samples;
        Ok(samples.into_iter().find(|record| record.environment.id() == id))
    }

    /// Outcomes that need no other try: profiles that can still be read, and failures unless they are to be retried.
    fn known(&self, record: &SampleRecord) -> BTreeMap<String, SampleOutcome> {
        let is_known = |outcome: &SampleOutcome| match outcome {
            SampleOutcome::Profiled { profile, inputs, .. } => {
                let is_readable = |key: &ObjectKey| self.plan.store.object(*key).is_ok();
                is_readable(profile) && inputs.as_ref().is_none_or(is_readable)
            }
            SampleOutcome::Failed { .. } | SampleOutcome::TimedOut { .. } => {
                self.plan.failed_before == FailureRetryPolicy::Skip
            }
            SampleOutcome::LeftOut => false,
        };
        let mut known = record.benchmarks.clone();
        known.retain(|_, outcome| is_known(outcome));
        known
    }

    /// Takes the missing profiles, and stores each.
    fn profile(
        &mut self,
        record: &mut SampleRecord,
        build: &ProfilerBuild,
        known: BTreeMap<String, SampleOutcome>,
    ) -> Result<SampledVersion, SampleError> {
        let plan = self.plan;
        let suite = &build.suite;
        let commit = record.commit;
        for failure in &suite.failures {
            record.benchmarks.insert(
                failure.target.clone(),
                SampleOutcome::Failed {
                    reason: failure.reason.clone(),
                },
            );
        }
        let missing = suite
            .benchmarks
            .iter()
            .filter(|benchmark| !known.contains_key(&benchmark.name));
        let missing = most_telling_first(missing);
        let left_out = suite.left_out.iter().map(|name| (name.clone(), SampleOutcome::LeftOut));
        record.benchmarks.extend(left_out);
        let reused = suite.benchmarks.len() - missing.len();
        record.benchmarks.extend(known);
        self.tell(&SampleEvent::Listed {
            commit,
            benchmarks: suite.benchmarks.len(),
            stored: reused,
            tests_stand_in: suite.tests_stand_in,
        });
        let identities = suite.program_identities();
        let mut sampled_functions = SampledFunctions::at(commit.to_string());
        let (total, mut done) = (missing.len(), 0);
        let (mut uncounted, mut unnamed) = (Vec::new(), Vec::new());
        let started = Instant::now();
        let (profiler, budget, interruption) = (plan.profiler, plan.budget, plan.interruption);
        // One is always taken: a sample without a profile is none.
        let is_first = AtomicBool::new(true);
        let is_over =
            || !is_first.swap(false, Ordering::Relaxed) && budget.is_some_and(|budget| started.elapsed() >= budget);
        let profile = |batch: &Vec<&Benchmark>| {
            let runs = profiler.profile_batch(batch, build, interruption);
            let profiled: Vec<&Benchmark> = (batch.iter().zip(&runs))
                .filter(|(_, run)| matches!(run, Some(Ok(_))))
                .map(|(benchmark, _)| *benchmark)
                .collect();
            // The profiles stand without it.
            let mut heaps = match is_over() {
                true => Vec::new().into_iter(),
                false => profiler.heap_of_batch(&profiled, build, interruption).into_iter(),
            };
            (runs.into_iter())
                .map(|run| Some(run?.map(|run| (run, heaps.next().flatten()))))
                .collect::<Vec<_>>()
        };
        let mut batches = profiler.batches(&missing, build, plan.workers);
        while !batches.is_empty() {
            let mut alone = Vec::new();
            let finished = |batch: &Vec<&'_ Benchmark>, results: Option<Vec<Option<HeapedRun>>>| {
                let Some(results) = results else {
                    let left_out = batch
                        .iter()
                        .map(|benchmark| (benchmark.name.clone(), SampleOutcome::LeftOut));
                    record.benchmarks.extend(left_out);
                    return Ok(());
                };
                for (benchmark, result) in batch.iter().zip(results) {
                    let Some(result) = result else {
                        alone.push(benchmark.name.clone());
                        continue;
                    };
                    let known = KnownOfProgram {
                        compiled: suite.compiled.get(&benchmark.name),
                        command: suite.commands.get(&benchmark.name),
                        identity: identities.get(&benchmark.name),
                    };
                    if let Ok((run, _)) = &result {
                        for (reason, told) in [(&run.uncounted, &mut uncounted), (&run.unnamed, &mut unnamed)] {
                            let name = benchmark.name.clone();
                            told.extend(reason.clone().map(|reason| SampleFailure { name, reason }));
                        }
                        sampled_functions.add(&run.profile);
                    }
                    self.keep(record, benchmark, known, result)?;
                    done += 1;
                    self.tell(&SampleEvent::Profiled {
                        commit,
                        benchmark: &benchmark.name,
                        outcome: &record.benchmarks[&benchmark.name],
                        done,
                        total,
                        elapsed: (batch.len() == 1).then(|| started.elapsed()),
                    });
                }
                Ok::<(), SampleError>(())
            };
            let all: Vec<_> = batches.iter().collect();
            run_in_parallel(
                &all,
                plan.workers,
                interruption,
                |batch| (!is_over()).then(|| profile(batch)),
                finished,
            )?;
            batches = (missing.iter())
                .filter(|benchmark| alone.contains(&benchmark.name))
                .map(|benchmark| vec![*benchmark])
                .collect();
            is_first.store(done == 0, Ordering::Relaxed);
        }
        if plan.interruption.is_raised() {
            return Err(SampleError::Interrupted);
        }
        record.add_executed_code(suite.executed_code(&sampled_functions));
        record.state = SampleState::Complete;
        plan.store.record(record, &[])?;
        let profiled = record.profiles().count();
        Ok(SampledVersion {
            state: SampledVersionState::Sampled,
            profiled,
            failures: SampleFailure::of_record(record),
            uncounted,
            unnamed,
            left_out: record.left_out().map(str::to_owned).collect(),
            reused,
            ..SampledVersion::without_profiles(commit, SampledVersionState::Sampled)
        })
    }

    fn keep(
        &self,
        record: &mut SampleRecord,
        benchmark: &Benchmark,
        known: KnownOfProgram<'_>,
        result: HeapedRun,
    ) -> Result<(), SampleError> {
        let name = benchmark.name.clone();
        let (outcome, objects) = match result {
            Ok((run, heap)) => {
                let ProfiledRun {
                    profile,
                    opened,
                    asked_names,
                    ..
                } = run;
                let bytes = binary::encode(&profile);
                let of_commit = |opened| opened_of_commit(opened, self.plan.repository, record.commit);
                let mut recorded = InputRecord {
                    compiled: known.compiled.cloned().unwrap_or_default(),
                    opened: of_commit(&opened).map_err(VisitError::Git)?,
                    asked_names,
                    macros: None,
                };
                if let Some(command) = known.command.filter(|command| command.opened.is_complete) {
                    let opened = of_commit(&command.opened).map_err(VisitError::Git)?;
                    add_command(&mut recorded, opened, command);
                    let of_commit = |found| macros_of_commit(found, self.plan.repository, record.commit);
                    recorded.macros = (command.macros.as_ref().map(of_commit).transpose()).map_err(VisitError::Git)?;
                }
                let inputs = inputs::binary::encode(&recorded);
                let outcome = SampleOutcome::Profiled {
                    profile: ObjectKey::of(&bytes),
                    total: profile.total,
                    inputs: Some(ObjectKey::of(&inputs)),
                    heap,
                    program: known.identity.cloned(),
                };
                (outcome, vec![bytes, inputs])
            }
            Err(error) => (failure_outcome(record.commit, &name, &error)?, Vec::new()),
        };
        record.benchmarks.insert(name, outcome);
        Ok(self.plan.store.record(record, &objects)?)
    }
}

/// The outcome that is stored for a benchmark without a profile; an error if nothing more can be profiled.
fn failure_outcome(commit: CommitId, benchmark: &str, error: &ProfilerError) -> Result<SampleOutcome, SampleError> {
    match error.kind() {
        ProfilerFailureKind::Benchmark => Ok(SampleOutcome::Failed {
            reason: error.to_string(),
        }),
        ProfilerFailureKind::TimedOut { limit } => Ok(SampleOutcome::TimedOut {
            seconds: limit.as_secs(),
        }),
        ProfilerFailureKind::Tool | ProfilerFailureKind::Machine => Err(SampleError::Profiler {
            commit,
            benchmark: benchmark.to_owned(),
            reason: error.to_string(),
        }),
        ProfilerFailureKind::Interrupted => Err(SampleError::Interrupted),
    }
}
