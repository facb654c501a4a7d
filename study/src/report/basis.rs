//! The data behind an evaluation, in words and as JSON: the study, or the content of a repository's own store.

use crate::accuracy::{Evaluation, LearningMode};
use verdict::SkipAudit;

use super::cell_format;
use super::evaluation_document::BasisEntry;
use report::number_format;

/// The data behind an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub enum EvaluationBasis {
    /// Every version of some projects, measured whatever its prediction.
    Study(StudyBasis),
    /// The content of a repository's store.
    Store(StoreBasis),
}

/// The weights that judge the projects of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StudyBasis {
    /// Fitted on the list itself: for each project on all others.
    LeftOut,
    /// The shipped weights.
    Shipped {
        /// The projects of the list that these were fitted on.
        fitted_on: Vec<String>,
    },
}

/// The source of the counts in a store, as numbers of versions that have some.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoreBasis {
    /// Versions measured by the gate because they were flagged.
    pub flagged: usize,
    /// Versions that were not flagged but measured by the gate's audit.
    pub audited: usize,
    /// Versions that were sampled, with a sample of the version before.
    pub sampled: usize,
    /// Versions among these without a sample at or before their base: they are in no table.
    pub unpredicted: usize,
    /// The result of the audits of skipped versions; `None` without any audit.
    pub audit: Option<SkipAudit>,
}

impl EvaluationBasis {
    /// The limits of the figures, in sentences.
    pub(super) fn sentences(&self) -> Vec<String> {
        match self {
            Self::Study(StudyBasis::LeftOut) => vec![String::from(
                "Every version measured, every version predicted, the two held against each other. The weights are fitted on \
                 this list itself: whatever was learned, was learned without the project that it is used on, but from the \
                 other projects of the list.",
            )],
            Self::Study(StudyBasis::Shipped { fitted_on }) => {
                let mut sentences = vec![String::from(
                    "Every version measured, every version predicted, the two held against each other. The weights are those \
                     that lito ships: nothing was learned from this list.",
                )];
                if !fitted_on.is_empty() {
                    sentences.push(format!(
                        "But they were fitted on versions of projects of these names: {}. For those the figures are too good; \
                         `--weights left-out` learns the weights for each project from the others.",
                        fitted_on.join(", ")
                    ));
                }
                sentences
            }
            Self::Store(rests_on) => rests_on.sentences(),
        }
    }

    /// The basis in the contract's form.
    pub(super) fn entry(&self) -> BasisEntry<'_> {
        match self {
            Self::Study(StudyBasis::LeftOut) => BasisEntry::Study {
                weights: "left_out",
                fitted_on: None,
            },
            Self::Study(StudyBasis::Shipped { fitted_on }) => BasisEntry::Study {
                weights: "shipped",
                fitted_on: Some(fitted_on),
            },
            Self::Store(rests_on) => BasisEntry::Store {
                gated: rests_on.gated(),
                flagged: rests_on.flagged,
                audited: rests_on.audited,
                sampled: rests_on.sampled,
                unpredicted: rests_on.unpredicted,
                audit: rests_on.audit,
            },
        }
    }
}

impl StoreBasis {
    /// Number of versions that the gate measured.
    fn gated(&self) -> usize {
        self.flagged + self.audited
    }

    fn sentences(&self) -> Vec<String> {
        let mut from = format!(
            "This rests on {} that the store of this repository has counts of: {} measured by the gate ({} because flagged, {} \
             by audit){}.",
            number_format::counted_noun(self.gated() + self.sampled, "version"),
            self.gated(),
            self.flagged,
            self.audited,
            match self.sampled {
                0 => String::new(),
                sampled => format!(", and {sampled} sampled one after the other"),
            }
        );
        if self.unpredicted > 0 {
            from.push_str(&format!(
                " Without a sample at or before the version that they are compared with, and so in no table: {}.",
                self.unpredicted
            ));
        }
        let audit = match &self.audit {
            None => String::from(
                "No skipped version was measured by the gate so far, so what it misses is not known; `gate.audit` in lito.toml \
                 has it measure a share of them.",
            ),
            Some(audit) => format!(
                "The audit alone: of {} that {} skipped and measured all the same, {} had a regression, {} (at 95% confidence \
                 {} to {}).",
                number_format::counted_noun(audit.measured as usize, "version"),
                if audit.measured == 1 { "was" } else { "were" },
                audit.missed,
                cell_format::percent(f64::from(audit.missed) / f64::from(audit.measured.max(1))),
                cell_format::percent(audit.low),
                cell_format::percent(audit.high)
            ),
        };
        vec![
            from,
            format!(
                "Versions that are not flagged are known by the audit only, so recall is an estimate over what was measured, \
                 and too high where few were audited. {audit}"
            ),
            String::from(
                "Every version was predicted anew, with the figures that lito ships. Builds and runs were not timed one by \
                 one, so nothing is said of cost.",
            ),
        ]
    }
}

/// True if each version is predicted from one sample only, which holds for a repository's own store.
pub(super) fn is_of_store(evaluation: &Evaluation) -> bool {
    is_pretrained(evaluation) && evaluation.options.ks.len() == 1
}

/// True if nothing was learned from the evaluated data.
pub(super) fn is_pretrained(evaluation: &Evaluation) -> bool {
    matches!(evaluation.options.learning, LearningMode::Given(_))
}

/// What the tables of what was learned add where projects are held out.
pub(super) fn without_held_out(evaluation: &Evaluation) -> &'static str {
    match evaluation.projects.iter().any(|project| project.held_out) {
        true => " Projects that are held out are not among them.",
        false => "",
    }
}

/// The rule that chooses the sample for each prediction, at the headline.
pub(super) fn sample_rule(evaluation: &Evaluation) -> String {
    if is_of_store(evaluation) {
        return String::from("each version from the newest sample at or before the one it is compared with");
    }
    let k = evaluation.options.headline;
    let rule = evaluation.rows.iter().find(|row| row.k == k);
    let rule = rule.map_or_else(|| k.to_string(), |row| row.k_rule.clone());
    format!("k = {rule}")
}
