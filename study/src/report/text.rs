//! The tables of an evaluation, for a terminal and as markdown.

use crate::accuracy::{Evaluation, SelectionModel};

use super::basis::{EvaluationBasis, StudyBasis, is_of_store, is_pretrained};
use super::headline::{headline, studies};
use super::table_layout::EvaluationTable;
use super::{accuracy_plots, cost_tables, evidence_tables, model_tables, prediction_plots, project_tables};
use report::score::PageLayout;
use report::text;

/// Columns of the paper's Table 7.
const WIDE: usize = 110;

/// Columns of a page with unknown width.
const UNKNOWN_WIDTH: usize = 100;

/// The tables for a terminal: the headline, each project, the cascade, the cost by policy.
#[must_use]
pub fn human(evaluation: &Evaluation, basis: &EvaluationBasis, page: PageLayout) -> String {
    let mut out = String::new();
    for sentences in basis.sentences() {
        for line in text::wrapped(&sentences, page.width.unwrap_or(UNKNOWN_WIDTH)) {
            out.push_str(&format!("{line}\n"));
        }
    }
    out.push('\n');
    let mut listings = vec![headline(evaluation)];
    for study in studies(evaluation) {
        listings.push(match page.width {
            Some(width) if width < WIDE => project_tables::table_7_in_short(evaluation, study),
            _ => project_tables::table_7(evaluation, study),
        });
    }
    listings.push(model_tables::cascade(evaluation));
    for study in studies(evaluation) {
        listings.push(cost_tables::policies_in_short(evaluation, study));
    }
    listings.push(evidence_tables::unusable(evaluation));
    let listings: Vec<String> = (listings.iter())
        .filter(|listing| !listing.rows.is_empty())
        .map(|listing| listing.human(page.width))
        .collect();
    out + &listings.join("\n")
}

/// Every table, each under a heading of the third level.
#[must_use]
pub fn markdown(evaluation: &Evaluation, basis: &EvaluationBasis) -> String {
    let sentences = match basis {
        // The pages around the tables of lito's own study contain these sentences.
        EvaluationBasis::Study(StudyBasis::LeftOut) => Vec::new(),
        EvaluationBasis::Study(StudyBasis::Shipped { .. }) | EvaluationBasis::Store(_) => basis.sentences(),
    };
    let sentences = sentences
        .iter()
        .map(|sentences| format!("{}\n", text::markdown_prose(sentences)));
    let sections = listings(evaluation);
    let listings = sections.iter().flat_map(|(_, listings)| listings);
    let out: Vec<String> = sentences.chain(listings.map(EvaluationTable::markdown)).collect();
    out.join("\n")
}

/// All tables that have a row, by section.
pub(super) fn listings(evaluation: &Evaluation) -> Vec<(&'static str, Vec<EvaluationTable>)> {
    let studies = studies(evaluation);
    let each = |table: &dyn Fn(&str) -> EvaluationTable| -> Vec<EvaluationTable> {
        studies.iter().map(|study| table(study)).collect()
    };
    let mut found = each(&|study| project_tables::table_7(evaluation, study));
    for model in [SelectionModel::Lito, SelectionModel::Paper] {
        found.extend(each(&|study| project_tables::table_8(evaluation, study, model)));
    }
    found.push(model_tables::suite_total(evaluation));
    let mut sections = vec![
        ("Headline", vec![headline(evaluation)]),
        ("By project", found),
        (
            "Thresholds and samples",
            [
                each(&|study| project_tables::by_threshold(evaluation, study)),
                if is_of_store(evaluation) {
                    Vec::new()
                } else {
                    each(&|study| project_tables::by_k(evaluation, study))
                },
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "All models",
            [
                each(&|study| model_tables::baselines(evaluation, study)),
                each(&|study| accuracy_plots::ranking_table(evaluation, study)),
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        ("The cascade", vec![model_tables::cascade(evaluation)]),
        (
            "Cost",
            [
                each(&|study| cost_tables::policies(evaluation, study)),
                each(&|study| cost_tables::drifts(evaluation, study)),
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "What the evidence is worth",
            [
                each(&|study| model_tables::ablation(evaluation, study)),
                each(&|study| evidence_tables::kinds(evaluation, study)),
                if is_pretrained(evaluation) {
                    Vec::new()
                } else {
                    vec![evidence_tables::learned(evaluation)]
                },
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "Probabilities and budgets",
            [
                each(&|study| prediction_plots::predicted_measured_table(evaluation, study)),
                vec![
                    evidence_tables::reliability(evaluation),
                    evidence_tables::budgets(evaluation),
                ],
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "Misses",
            vec![
                evidence_tables::cases(evaluation),
                evidence_tables::explained(evaluation),
            ],
        ),
        (
            "Projects",
            vec![
                evidence_tables::projects(evaluation),
                evidence_tables::unusable(evaluation),
            ],
        ),
    ];
    for (_, listings) in &mut sections {
        listings.retain(|listing| !listing.rows.is_empty());
    }
    sections.retain(|(_, listings)| !listings.is_empty());
    sections
}
