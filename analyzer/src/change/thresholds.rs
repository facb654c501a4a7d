//! The limits of the change analysis, read from `config/changes.toml` (which gives the reasons).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

/// The shipped thresholds.
pub(super) static THRESHOLDS: LazyLock<ChangeThresholds> = LazyLock::new(|| {
    toml::from_str(include_str!("../../config/changes.toml")).expect("the shipped thresholds are read by a test")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeThresholds {
    pub(super) functions: FunctionThresholds,
    pub(super) written_out: InliningThresholds,
    pub(super) blocks: BlockThresholds,
    pub(super) sequences: SequenceThresholds,
    pub(super) complete_change: CompleteChangeThresholds,
    pub(super) bounds: BoundNames,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FunctionThresholds {
    pub(super) renamed_similarity: f64,
    pub(super) same_name: f64,
    pub(super) smallest_body: usize,
    pub(super) candidates: usize,
    pub(super) commonest: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InliningThresholds {
    pub(super) largest_helper: usize,
    pub(super) deepest: usize,
    pub(super) largest: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockThresholds {
    pub(super) similarity: f64,
    pub(super) wrapped_similarity: f64,
    pub(super) smallest_wrapped: usize,
    pub(super) wrappers: usize,
    pub(super) deepest: usize,
    pub(super) largest: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SequenceThresholds {
    pub(super) largest_table: usize,
    pub(super) most_moves: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompleteChangeThresholds {
    pub(super) kept: f64,
    pub(super) changed: usize,
    pub(super) changed_calls: usize,
}

/// The names of calls that bound what follows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BoundNames {
    pub(super) limiting: BTreeSet<String>,
    pub(super) symmetric: BTreeSet<String>,
    pub(super) appending: BTreeSet<String>,
    pub(super) numbers: BTreeSet<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_thresholds_are_shares_where_they_have_to_be() {
        let t = &*THRESHOLDS;
        for share in [
            t.functions.renamed_similarity,
            t.functions.same_name,
            t.blocks.similarity,
            t.blocks.wrapped_similarity,
            t.complete_change.kept,
        ] {
            assert!((0.0..=1.0).contains(&share), "{share} is no share");
        }
        assert!(t.blocks.similarity < t.blocks.wrapped_similarity);
    }
}
