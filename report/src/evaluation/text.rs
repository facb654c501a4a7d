//! The tables of an evaluation, for a terminal and as markdown.

use analyzer::evaluation::{Evaluation, Model};

use super::headline::{headline, studies};
use super::listing::Listing;
use super::{evidence, figures, models, predicted, projects};
use crate::score::Page;

/// For a terminal: the headline, each project, all models, the cascade.
#[must_use]
pub fn human(evaluation: &Evaluation, page: Page) -> String {
    let mut listings = vec![headline(evaluation)];
    for study in studies(evaluation) {
        listings.push(projects::table_7(evaluation, study));
    }
    listings.push(models::cascade(evaluation));
    listings
        .iter()
        .filter(|listing| !listing.rows.is_empty())
        .map(|listing| listing.human(page.width))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Every table, each under a heading of the third level.
#[must_use]
pub fn markdown(evaluation: &Evaluation) -> String {
    let out: Vec<String> = listings(evaluation)
        .iter()
        .flat_map(|(_, listings)| listings)
        .map(Listing::markdown)
        .collect();
    out.join("\n")
}

/// All tables that have a row, by section.
pub(super) fn listings(evaluation: &Evaluation) -> Vec<(&'static str, Vec<Listing>)> {
    let studies = studies(evaluation);
    let each = |table: &dyn Fn(&str) -> Listing| -> Vec<Listing> {
        studies.iter().map(|study| table(study)).collect()
    };
    let mut found = each(&|study| projects::table_7(evaluation, study));
    for model in [Model::Lito, Model::Paper] {
        found.extend(each(&|study| projects::table_8(evaluation, study, model)));
    }
    found.push(models::suite_total(evaluation));
    let mut sections = vec![
        ("Headline", vec![headline(evaluation)]),
        ("By project", found),
        (
            "Thresholds and samples",
            [
                each(&|study| projects::by_threshold(evaluation, study)),
                each(&|study| projects::by_k(evaluation, study)),
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "All models",
            [
                each(&|study| models::baselines(evaluation, study)),
                each(&|study| figures::ranking_table(evaluation, study)),
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        ("The cascade", vec![models::cascade(evaluation)]),
        (
            "What the evidence is worth",
            [
                each(&|study| models::ablation(evaluation, study)),
                each(&|study| evidence::kinds(evaluation, study)),
                vec![evidence::learned(evaluation)],
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "Probabilities and budgets",
            [
                each(&|study| predicted::predicted_measured_table(evaluation, study)),
                vec![
                    evidence::reliability(evaluation),
                    evidence::budgets(evaluation),
                ],
            ]
            .into_iter()
            .flatten()
            .collect(),
        ),
        (
            "Misses",
            vec![evidence::cases(evaluation), evidence::explained(evaluation)],
        ),
        (
            "Projects",
            vec![
                evidence::projects(evaluation),
                evidence::unusable(evaluation),
            ],
        ),
    ];
    for (_, listings) in &mut sections {
        listings.retain(|listing| !listing.rows.is_empty());
    }
    sections.retain(|(_, listings)| !listings.is_empty());
    sections
}
