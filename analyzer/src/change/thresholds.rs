//! The limits of the change analysis, read from `config/changes.toml` (which gives the reasons).

use std::sync::LazyLock;

use serde::Deserialize;

/// The shipped thresholds.
pub(super) static THRESHOLDS: LazyLock<Thresholds> = LazyLock::new(|| {
    toml::from_str(include_str!("../../config/changes.toml")).expect("the shipped thresholds are read by a test")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Thresholds {
    pub(super) functions: Functions,
    pub(super) written_out: WrittenOut,
    pub(super) blocks: Blocks,
    pub(super) sequences: Sequences,
    pub(super) complete_change: CompleteChange,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Functions {
    pub(super) renamed_similarity: f64,
    pub(super) same_name: f64,
    pub(super) smallest_body: usize,
    pub(super) candidates: usize,
    pub(super) commonest: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenOut {
    pub(super) largest_helper: usize,
    pub(super) deepest: usize,
    pub(super) largest: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Blocks {
    pub(super) similarity: f64,
    pub(super) wrapped_similarity: f64,
    pub(super) smallest_wrapped: usize,
    pub(super) wrappers: usize,
    pub(super) deepest: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sequences {
    pub(super) largest_table: usize,
    pub(super) most_moves: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompleteChange {
    pub(super) kept: f64,
    pub(super) changed: usize,
    pub(super) changed_calls: usize,
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
