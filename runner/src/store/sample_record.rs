//! The record of one sample: outcome of each benchmark of one version in one environment, with the keys of its
//! profiles. Does not interpret the profiles.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use verdict::{ExecutedCode, ProgramIdentity};

use super::entries::StoredFile;
use super::verify::StoreProblem;
use super::{RECORD_LIMIT, record_path};
use crate::git::CommitId;
use crate::profilers::HeapUsage;

/// Key of a stored content: its BLAKE3 hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectKey(pub [u8; 32]);

/// Identifies an [`Environment`]: the first half of the BLAKE3 hash of its facts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EnvironmentId(pub [u8; 16]);

/// Facts that a measurement depends on besides the sources: the processor that programs see, libraries, toolchain, flags.
/// Name → value; nothing that differs between two runs on one machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Environment(pub BTreeMap<String, String>);

/// One sample: the benchmarks of one version in one environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleRecord {
    /// The version.
    pub commit: CommitId,
    /// Time of its commit, in seconds since 1970 (UTC).
    pub committed_at: i64,
    /// Environment of the sample.
    pub environment: Environment,
    /// Progress of sampling.
    pub state: SampleState,
    /// Each attempted benchmark, by name.
    pub benchmarks: BTreeMap<String, SampleOutcome>,
}

/// Progress of the sampling of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SampleState {
    /// Benchmarks are still missing: it is resumed later, and never a baseline.
    InProgress,
    /// Every benchmark was attempted.
    Complete,
    /// The version does not build: it is not attempted again.
    BuildFailed {
        /// The reason, for people.
        reason: String,
    },
}

/// Kind of a stored content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StoredObject {
    Profile,
    Inputs,
}

/// Outcome of one benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SampleOutcome {
    /// It was profiled.
    Profiled {
        /// Key of the profile.
        profile: ObjectKey,
        /// The profile's total, in its unit.
        total: u64,
        /// Key of the recorded inputs; `None` in samples of a lito that recorded none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inputs: Option<ObjectKey>,
        /// The subject's requests to the allocator; `None` where they were not counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heap: Option<HeapUsage>,
        /// The identity of the optimised program; `None` where it is not known, and in samples of a lito that recorded none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<ProgramIdentity>,
    },
    /// It failed.
    Failed {
        /// The reason, for people.
        reason: String,
    },
    /// It exceeded its time limit.
    TimedOut {
        /// The limit, in seconds.
        seconds: u64,
    },
    /// It was not tried: it was not chosen, or the time ended before its turn. What it executes is not known.
    LeftOut,
}

/// The rank of an outcome, and what breaks ties.
type OutcomePrecedence<'o> = (
    u8,
    u64,
    &'o [u8],
    &'o [u8],
    Option<HeapUsage>,
    Option<&'o ProgramIdentity>,
);

impl StoredFile for SampleRecord {
    type Key = (CommitId, EnvironmentId);

    const FOLDER: &'static str = "samples";
    const LIMIT: u64 = RECORD_LIMIT;
    const PROBLEM: StoreProblem = StoreProblem::Record;
    const NAME: &'static str = "a sample";

    fn parse_key(folder: &str, file: &str) -> Option<Self::Key> {
        let environment = EnvironmentId::from_str(file.strip_suffix(".json")?).ok()?;
        Some((SampleRecord::parse_commit(folder)?, environment))
    }

    fn path(key: &Self::Key) -> String {
        record_path(key.0, key.1)
    }

    fn check_key(&self, key: &Self::Key) -> Result<(), String> {
        if (self.commit, self.environment.id()) == *key {
            Ok(())
        } else {
            Err("it belongs to another version or environment".to_owned())
        }
    }

    fn joined(self, other: Self) -> Self {
        self.joined_with(&other)
    }
}

impl SampleRecord {
    /// The commit of a folder of records; `None` for a name that lito does not write.
    pub(super) fn parse_commit(folder: &str) -> Option<CommitId> {
        let commit = CommitId::from_str(folder).ok()?;
        // One spelling only: `A` and `a` must not be two records of one sample.
        (commit.to_string() == folder).then_some(commit)
    }

    /// A sample without benchmarks, to be filled.
    #[must_use]
    pub fn new(commit: CommitId, committed_at: i64, environment: Environment) -> SampleRecord {
        SampleRecord {
            commit,
            committed_at,
            environment,
            state: SampleState::InProgress,
            benchmarks: BTreeMap::new(),
        }
    }

    /// True if predictions may use it: it is complete and has a profile.
    #[must_use]
    pub fn is_baseline(&self) -> bool {
        self.state == SampleState::Complete && self.profiles().next().is_some()
    }

    /// Benchmarks with a profile, with its key.
    pub fn profiles(&self) -> impl Iterator<Item = (&str, ObjectKey)> {
        self.benchmarks.iter().filter_map(|(name, outcome)| match outcome {
            SampleOutcome::Profiled { profile, .. } => Some((name.as_str(), *profile)),
            SampleOutcome::Failed { .. } | SampleOutcome::TimedOut { .. } | SampleOutcome::LeftOut => None,
        })
    }

    /// Adds to known programs what each benchmark executes of them.
    pub fn add_executed_code(&mut self, mut executed: BTreeMap<String, ExecutedCode>) {
        for (name, outcome) in &mut self.benchmarks {
            if let SampleOutcome::Profiled {
                program: Some(program), ..
            } = outcome
                && let Some(code) = executed.remove(name)
            {
                program.executed = Some(code);
            }
        }
    }

    /// Benchmarks that were not tried.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        self.benchmarks.iter().filter_map(|(name, outcome)| match outcome {
            SampleOutcome::LeftOut => Some(name.as_str()),
            SampleOutcome::Profiled { .. } | SampleOutcome::Failed { .. } | SampleOutcome::TimedOut { .. } => None,
        })
    }

    /// Benchmarks, and targets with benchmarks, that were tried and have no profile.
    pub fn unprofiled(&self) -> impl Iterator<Item = &str> {
        self.benchmarks.iter().filter_map(|(name, outcome)| match outcome {
            SampleOutcome::Profiled { .. } | SampleOutcome::LeftOut => None,
            SampleOutcome::Failed { .. } | SampleOutcome::TimedOut { .. } => Some(name.as_str()),
        })
    }

    /// Keys of the recorded inputs of benchmarks with a profile.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, ObjectKey)> {
        self.benchmarks.iter().filter_map(|(name, outcome)| match outcome {
            SampleOutcome::Profiled { inputs, .. } => Some((name.as_str(), (*inputs)?)),
            SampleOutcome::Failed { .. } | SampleOutcome::TimedOut { .. } | SampleOutcome::LeftOut => None,
        })
    }

    /// Keys of everything that the record refers to, each with its benchmark.
    pub(super) fn objects(&self) -> impl Iterator<Item = (&str, ObjectKey, StoredObject)> {
        let profiles = self.profiles().map(|(name, key)| (name, key, StoredObject::Profile));
        profiles.chain(self.inputs().map(|(name, key)| (name, key, StoredObject::Inputs)))
    }

    /// Merges a later record of the same version and environment. Knowledge is kept: a failure does not replace a
    /// profile, nor an incomplete sample a complete one; otherwise the later record counts.
    #[must_use]
    pub(super) fn merged_with(self, later: &SampleRecord) -> SampleRecord {
        let mut benchmarks = self.benchmarks;
        if later.state == SampleState::Complete {
            // It knows what is left out.
            benchmarks
                .retain(|name, outcome| *outcome != SampleOutcome::LeftOut || later.benchmarks.contains_key(name));
        }
        for (name, outcome) in &later.benchmarks {
            let replaces = match (benchmarks.get(name), outcome) {
                (None, _) | (_, SampleOutcome::Profiled { .. }) => true,
                (Some(_), SampleOutcome::LeftOut) => false,
                (Some(known), SampleOutcome::Failed { .. } | SampleOutcome::TimedOut { .. }) => {
                    !matches!(known, SampleOutcome::Profiled { .. })
                }
            };
            if replaces {
                benchmarks.insert(name.clone(), outcome.clone());
            }
        }
        let state = if self.state == SampleState::Complete {
            self.state
        } else {
            later.state.clone()
        };
        SampleRecord {
            state,
            benchmarks,
            ..later.clone()
        }
    }

    /// Merges two records of one version and environment without an order in time: of two states and of two outcomes,
    /// the one with more information counts, by an order without ties. So neither order nor repetition of merges
    /// matters.
    #[must_use]
    pub(super) fn joined_with(self, other: &SampleRecord) -> SampleRecord {
        let mut benchmarks = self.benchmarks;
        for (name, outcome) in &other.benchmarks {
            let ours = benchmarks.get(name);
            if ours.is_none_or(|ours| ours.precedence() < outcome.precedence()) {
                benchmarks.insert(name.clone(), outcome.clone());
            }
        }
        let state = std::cmp::max_by(self.state, other.state.clone(), |one, other| {
            one.precedence().cmp(&other.precedence())
        });
        SampleRecord {
            commit: self.commit,
            committed_at: self.committed_at.min(other.committed_at),
            environment: self.environment,
            state,
            benchmarks,
        }
    }
}

impl SampleState {
    /// Order by information: a version that was built once can be built, whatever failed elsewhere.
    fn precedence(&self) -> (u8, &str) {
        match self {
            SampleState::BuildFailed { reason } => (0, reason),
            SampleState::InProgress => (1, ""),
            SampleState::Complete => (2, ""),
        }
    }
}

impl SampleOutcome {
    /// Order by information: a profile before a time limit, a time limit before a failure, a failure before none. Ties are broken arbitrarily,
    /// but everywhere in the same way.
    fn precedence(&self) -> OutcomePrecedence<'_> {
        match self {
            SampleOutcome::LeftOut => (0, 0, &[], &[], None, None),
            SampleOutcome::Failed { reason } => (1, 0, reason.as_bytes(), &[], None, None),
            SampleOutcome::TimedOut { seconds } => (2, *seconds, &[], &[], None, None),
            SampleOutcome::Profiled {
                profile,
                total,
                inputs,
                heap,
                program,
            } => {
                let inputs = inputs.as_ref().map_or(&[][..], |inputs| &inputs.0);
                (3, *total, &profile.0, inputs, *heap, program.as_ref())
            }
        }
    }
}

impl Environment {
    /// Identifier: equal exactly for equal environments.
    #[must_use]
    pub fn id(&self) -> EnvironmentId {
        let mut hasher = blake3::Hasher::new();
        for text in self.0.iter().flat_map(|(name, value)| [name, value]) {
            // Each text is preceded by its length, so that no two environments give the same bytes.
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let mut id = [0; 16];
        id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        EnvironmentId(id)
    }
}

impl ObjectKey {
    /// The key under which `content` is stored.
    #[must_use]
    pub fn of(content: &[u8]) -> ObjectKey {
        ObjectKey(*blake3::hash(content).as_bytes())
    }
}

/// Text that is not the hexadecimal form of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("reading a key of the store: expected {expected} lower-case hexadecimal digits")]
pub struct StoreKeyError {
    expected: usize,
}

/// Parses lower-case hexadecimal digits: one spelling per key, so that paths and keys are one to one.
fn from_hex<const BYTES: usize>(text: &str) -> Result<[u8; BYTES], StoreKeyError> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; BYTES];
    if text.len() != 2 * BYTES {
        return Err(StoreKeyError { expected: 2 * BYTES });
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = match pair {
            [high, low] => digit(*high).zip(digit(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        }
        .ok_or(StoreKeyError { expected: 2 * BYTES })?;
    }
    Ok(bytes)
}

macro_rules! hexadecimal {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, out)
            }
        }

        impl FromStr for $name {
            type Err = StoreKeyError;

            fn from_str(text: &str) -> Result<$name, StoreKeyError> {
                from_hex(text).map($name)
            }
        }

        impl TryFrom<String> for $name {
            type Error = StoreKeyError;

            fn try_from(text: String) -> Result<$name, StoreKeyError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(key: $name) -> String {
                key.to_string()
            }
        }
    };
}

hexadecimal!(ObjectKey);
hexadecimal!(EnvironmentId);
