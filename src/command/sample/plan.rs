//! `lito sample --plan`: versions and what the store holds of them, into a list and a division among machines. Builds
//! nothing, and so does not know the environment that samples would be taken in: any that is stored counts.

use std::collections::BTreeMap;

use report::number_format;
use runner::git::CommitId;
use runner::store::{SampleState, Store};
use serde::Serialize;

use crate::cli::PlanFormat;
use crate::exit::Failure;
use engine::shards::Shard;

/// The version of the contract.
const SCHEMA: &str = "lito.plan/1";

/// What is to be sampled, and by whom.
#[derive(Debug, Serialize)]
pub(super) struct SamplingPlanDocument {
    schema: &'static str,
    every: u32,
    versions: Vec<PlannedVersion>,
    shards: Vec<ShardAssignment>,
    matrix: WorkflowMatrix,
}

#[derive(Debug, Serialize)]
struct PlannedVersion {
    commit: String,
    state: PlannedVersionState,
}

/// What the store holds of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum PlannedVersionState {
    /// Nothing whole: it is sampled.
    Due,
    /// A sample that predictions stand on: it is left out.
    Sampled,
    /// It does not build, or none of its benchmarks ran: left out unless `--retry` is given.
    Failed,
}

#[derive(Debug, Serialize)]
struct ShardAssignment {
    shard: String,
    versions: Vec<String>,
}

/// As a workflow takes it: one job for each shard that has something to do.
#[derive(Debug, Serialize)]
struct WorkflowMatrix {
    shard: Vec<String>,
}

/// What is asked of a plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct SamplingPlanRequest {
    /// For the record: every how many versions were chosen.
    pub(super) every: u32,
    /// Machines.
    pub(super) shards: u32,
    /// Whether what failed before is due again.
    pub(super) retry: bool,
}

impl SamplingPlanDocument {
    /// The plan for these versions, as the store is now.
    pub(super) fn of(
        commits: &[CommitId],
        store: &Store,
        request: SamplingPlanRequest,
    ) -> Result<SamplingPlanDocument, Failure> {
        let mut stored = BTreeMap::new();
        for sample in store.samples()?.samples {
            let state = match sample.state {
                SampleState::InProgress => continue,
                _ if sample.is_baseline() => PlannedVersionState::Sampled,
                SampleState::Complete | SampleState::BuildFailed { .. } if request.retry => {
                    continue;
                }
                SampleState::Complete | SampleState::BuildFailed { .. } => PlannedVersionState::Failed,
            };
            let known = stored.entry(sample.commit).or_insert(state);
            if state == PlannedVersionState::Sampled {
                *known = state;
            }
        }
        let versions: Vec<(CommitId, PlannedVersionState)> = commits
            .iter()
            .map(|commit| (*commit, stored.get(commit).copied().unwrap_or(PlannedVersionState::Due)))
            .collect();
        let due = |shard: Shard| {
            let part = shard
                .part(&versions)
                .filter(|(_, state)| *state == PlannedVersionState::Due);
            part.map(|(commit, _)| commit.to_string()).collect::<Vec<_>>()
        };
        let shards: Vec<ShardAssignment> = Shard::all(request.shards)
            .map(|shard| ShardAssignment {
                shard: shard.to_string(),
                versions: due(shard),
            })
            .filter(|part| !part.versions.is_empty())
            .collect();
        Ok(SamplingPlanDocument {
            schema: SCHEMA,
            every: request.every,
            matrix: WorkflowMatrix {
                shard: shards.iter().map(|part| part.shard.clone()).collect(),
            },
            versions: versions
                .iter()
                .map(|(commit, state)| PlannedVersion {
                    commit: commit.to_string(),
                    state: *state,
                })
                .collect(),
            shards,
        })
    }

    /// As it is asked for.
    pub(super) fn text(&self, format: PlanFormat) -> String {
        match format {
            PlanFormat::Human => self.human(),
            // In one line: so it fits into a variable of a workflow.
            PlanFormat::Json => {
                let json = serde_json::to_string(self).expect("strings and numbers are always encoded");
                format!("{json}\n")
            }
        }
    }

    fn human(&self) -> String {
        let count = |state| {
            let of_state = self.versions.iter().filter(|version| version.state == state);
            of_state.count()
        };
        let mut text = format!(
            "{}: {} due, {} sampled, {} failed before\n",
            number_format::counted_noun(self.versions.len(), "version"),
            count(PlannedVersionState::Due),
            count(PlannedVersionState::Sampled),
            count(PlannedVersionState::Failed)
        );
        for version in &self.versions {
            let state = match version.state {
                PlannedVersionState::Due => "due",
                PlannedVersionState::Sampled => "sampled",
                PlannedVersionState::Failed => "failed",
            };
            let shard = self
                .shards
                .iter()
                .find(|part| part.versions.contains(&version.commit))
                .map_or(String::new(), |part| format!("  shard {}", part.shard));
            text.push_str(&format!("  {}  {state:7}{shard}", &version.commit[..10]));
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }
}
