//! An evaluation as one page that opens from disk: without external files and scripts, in the reader's light or dark
//! theme.

use crate::accuracy::Evaluation;

use super::basis::{EvaluationBasis, is_of_store};
use super::headline::studies;
use super::svg::{Plot, svg};
use super::table_layout::{EvaluationTable, escaped};
use super::text::listings;
use super::{accuracy_plots, prediction_plots};

const STYLE: &str = include_str!("page.css");

/// The whole page.
#[must_use]
pub fn html(evaluation: &Evaluation, basis: &EvaluationBasis) -> String {
    let sections = listings(evaluation);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>How good the prediction is</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>How good the prediction is</h1>\n"
    );
    for sentences in basis.sentences() {
        out.push_str(&format!("<p>{}</p>\n", escaped(&sentences)));
    }
    out.push_str("<nav aria-label=\"Sections\"><ul>\n");
    for (name, _) in &sections {
        out.push_str(&format!(
            "<li><a href=\"#section-{}\">{}</a></li>\n",
            slug(name),
            escaped(name)
        ));
    }
    out.push_str("</ul></nav>\n");
    for (name, listings) in &sections {
        let id = format!("section-{}", slug(name));
        out.push_str(&format!(
            "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n",
            escaped(name)
        ));
        for study in studies(evaluation) {
            let mut drawn = drawn(evaluation, study, name);
            drawn.retain(|(_, table)| !table.rows.is_empty());
            if !drawn.is_empty() {
                out.push_str("<div class=\"figures\">\n");
                for (plot, table) in &drawn {
                    out.push_str(&figure(plot, table));
                }
                out.push_str("</div>\n");
            }
        }
        for listing in listings {
            out.push_str(&listing.html(&format!("table-{}", slug(&listing.title))));
        }
        out.push_str("</section>\n");
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// The figures of a section for one study, each with the table of the same data.
fn drawn(evaluation: &Evaluation, study: &str, section: &str) -> Vec<(Plot, EvaluationTable)> {
    use super::{evidence_tables, project_tables};
    let mut drawn = Vec::new();
    match section {
        "Thresholds and samples" => {
            drawn.push((
                accuracy_plots::against_threshold(evaluation, study),
                project_tables::by_threshold(evaluation, study),
            ));
            if !is_of_store(evaluation) {
                drawn.push((
                    accuracy_plots::against_k(evaluation, study),
                    project_tables::by_k(evaluation, study),
                ));
            }
        }
        "All models" => {
            let table = || accuracy_plots::ranking_table(evaluation, study);
            drawn.push((accuracy_plots::precision_recall(evaluation, study), table()));
            drawn.push((accuracy_plots::roc(evaluation, study), table()));
        }
        "Probabilities and budgets" => {
            drawn.push((
                prediction_plots::predicted_measured(evaluation, study),
                prediction_plots::predicted_measured_table(evaluation, study),
            ));
            drawn.push((
                prediction_plots::reliability(evaluation, study),
                evidence_tables::reliability(evaluation),
            ));
            drawn.push((
                accuracy_plots::budget(evaluation, study),
                evidence_tables::budgets(evaluation),
            ));
        }
        _ => {}
    }
    drawn
}

fn figure(plot: &Plot, table: &EvaluationTable) -> String {
    let id = format!("figure-{}", slug(&plot.title));
    format!(
        "<figure id=\"{id}\">\n{}<figcaption><strong>{}</strong> {} <a href=\"#table-{}\">As a table</a></figcaption>\n</figure>\n",
        svg(plot, &id),
        escaped(&plot.title),
        escaped(&plot.about),
        slug(&table.title)
    )
}

/// A title as an anchor: letters and digits, the rest a dash.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}
