//! Everything that pricing a change set on a sample needs, put together once for all benchmarks.

use std::collections::HashMap;
use std::sync::Arc;

use crate::change::{ChangeSet, LocatedFunction, Subject};
use crate::cost::{Bodies, Costs, Executions, NewBlocks, Standing};
use crate::resolve::Caller;
use crate::sample::{IndexedProfile, Sample};
use crate::syntax::{ParseCache, SourceFile};

/// A change set standing in a sample.
pub struct Scene<'a> {
    /// What changed.
    pub changes: &'a ChangeSet,
    /// The sample it is priced on.
    pub sample: &'a Sample,
    /// The assumptions.
    pub costs: &'a Costs,
    /// Parses further files of the sampled version.
    pub parser: &'a ParseCache,
    /// For each pair, where it stands in the sample.
    pub standings: Vec<Option<Standing>>,
    /// Functions that only the version before has.
    pub gone: Bodies<'a>,
    /// Functions that only the version after has.
    pub new: Bodies<'a>,
}

/// Which side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before.
    Before,
    /// After.
    After,
}

/// The parsed files of both sides of a change, by path.
#[derive(Debug, Default)]
pub struct Sources {
    /// Before the change.
    pub before: Vec<(Arc<str>, Arc<SourceFile>)>,
    /// After the change.
    pub after: Vec<(Arc<str>, Arc<SourceFile>)>,
}

impl<'a> Scene<'a> {
    /// Finds every changed function in the sample.
    #[must_use]
    pub fn new(
        changes: &'a ChangeSet,
        sources: &'a Sources,
        sample: &'a Sample,
        costs: &'a Costs,
        parser: &'a ParseCache,
    ) -> Self {
        let standings = changes
            .pairs
            .iter()
            .map(|pair| Standing::of(pair, sample, parser))
            .collect();
        let gone = changes
            .pairs
            .iter()
            .filter(|pair| pair.after.is_none())
            .filter_map(|pair| pair.before.as_ref());
        let new = changes
            .pairs
            .iter()
            .filter(|pair| pair.before.is_none())
            .filter_map(|pair| pair.after.as_ref());
        Self {
            changes,
            sample,
            costs,
            parser,
            standings,
            gone: Bodies::new(gone, by_path(&sources.before)),
            new: Bodies::new(new, by_path(&sources.after)),
        }
    }

    /// Runs `then` with the function that a change is in, as a caller on one side. `None` where that side
    /// has no such function.
    pub fn as_caller<T>(
        &self,
        pair: usize,
        side: Side,
        profile: &IndexedProfile,
        then: impl FnOnce(&Caller<'_>) -> T,
    ) -> Option<T> {
        let (located, bodies) = self.located(pair, side)?;
        let source = bodies.source(&located.file)?;
        let standing = self.standings[pair].as_ref();
        let ids = standing.map_or_else(Vec::new, |standing| standing.sampled.ids(profile));
        Some(then(&Caller {
            located,
            source,
            ids: &ids,
            sampled_lines: standing.map(|standing| standing.sampled.function.lines),
        }))
    }

    /// How often the blocks of each changed function run in a benchmark; `None` where it is not executed or
    /// the sampled version did not have it.
    #[must_use]
    pub fn executions(
        &self,
        profile: &IndexedProfile,
        new_blocks: NewBlocks,
    ) -> Vec<Option<Executions>> {
        self.changes
            .pairs
            .iter()
            .zip(&self.standings)
            .map(|(pair, standing)| {
                standing
                    .as_ref()?
                    .executions(pair, profile, new_blocks, self.costs)
            })
            .collect()
    }

    /// The function of a pair on one side, with the bodies of that side.
    #[must_use]
    pub fn located(&self, pair: usize, side: Side) -> Option<(&LocatedFunction, &Bodies<'a>)> {
        let pair = &self.changes.pairs[pair];
        match side {
            Side::Before => pair.before.as_ref().map(|located| (located, &self.gone)),
            Side::After => pair.after.as_ref().map(|located| (located, &self.new)),
        }
    }

    /// The pair that a change is in, if it is in a function.
    #[must_use]
    pub fn pair_of(&self, change: usize) -> Option<usize> {
        match self.changes.changes[change].subject {
            Subject::Function(pair) => Some(pair),
            Subject::Item { .. } | Subject::Dependency { .. } | Subject::Build { .. } => None,
        }
    }
}

fn by_path(files: &[(Arc<str>, Arc<SourceFile>)]) -> HashMap<&str, &SourceFile> {
    files
        .iter()
        .map(|(path, source)| (&**path, &**source))
        .collect()
}
