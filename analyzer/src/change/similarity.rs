//! Two functions → how alike they are in what they do, whatever they are called and wherever they stand.

use std::sync::Arc;

use super::function_matching::{dice, features, shared};
use super::thresholds::THRESHOLDS;
use crate::syntax::SyntaxFunction;

/// A function with what it does, ready to be compared with many.
#[derive(Debug, Clone)]
pub struct FunctionFeatures {
    /// The function.
    pub function: Arc<SyntaxFunction>,
    features: Vec<u64>,
}

impl FunctionFeatures {
    /// Reads a function.
    #[must_use]
    pub fn new(function: Arc<SyntaxFunction>) -> Self {
        let features = features(&function);
        Self { function, features }
    }

    /// How alike two functions are: shares of calls, operations and blocks, more for one name on one type, and most for
    /// the same tokens. From 0 to 2.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let limits = &THRESHOLDS.functions;
        let (one, two) = (&self.function, &other.function);
        let same_name = one.name() == two.name() && one.owner == two.owner;
        if one.digest == two.digest {
            return if same_name { 2.0 } else { 1.5 };
        }
        let bonus = if same_name { limits.same_name } else { 0.0 };
        dice(&self.features, &other.features) + bonus
    }

    /// The share of what this function does that a later version of it no longer does, in 0..=1.
    #[must_use]
    pub fn share_gone_from(&self, later: &Self) -> f64 {
        match self.features.len() {
            0 => 0.0,
            all => 1.0 - shared(&self.features, &later.features) as f64 / all as f64,
        }
    }

    /// True if a function that is so alike, and no longer there, can be taken for this one. Plain bodies are alike by
    /// chance, unless they have the name as well.
    #[must_use]
    pub fn is_likely_same(&self, other: &Self) -> bool {
        let limits = &THRESHOLDS.functions;
        let (one, two) = (&self.function, &other.function);
        let same_name = one.name() == two.name() && one.owner == two.owner;
        let is_plain = self.features.len().min(other.features.len()) < limits.smallest_body;
        one.test_only == two.test_only
            && (same_name || !is_plain)
            && self.similarity(other) >= limits.renamed_similarity
    }
}
