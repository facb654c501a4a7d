//! The value of each class of evidence: learning and selection are repeated without it.

use super::EvaluationOptions;
use super::accuracy_row::AccuracyRow;
use super::accuracy_table::{EvaluationContext, headline_rows, learned_parts};
use super::calibration_parameters::without_classes;
use super::folds::folds;
use super::measured_predicted::EvaluatedProject;
use super::selection_models::SelectionModel;
use analyzer::cost::{Calibration, ChangeClass};

/// The rows of lito's model without some evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct AblationResult {
    /// The missing evidence: `nothing`, a class, or several classes that belong together.
    pub without: String,
    /// One row for each study: headline, the gate's threshold, any benchmark, source stage. Projects that are held out
    /// are left out, because the value of evidence decides what the model has.
    pub rows: Vec<AccuracyRow>,
}

/// Classes that belong to one idea.
const TOGETHER: [(&str, &[ChangeClass]); 4] = [
    ("prices of calls and work", &[ChangeClass::Calls, ChangeClass::Work]),
    (
        "what a function's own calls do not show (recompiled, inlining)",
        &[ChangeClass::Recompiled, ChangeClass::Inlining],
    ),
    (
        "declarations (constants, types, implementations, imports, macros)",
        &[
            ChangeClass::Constant,
            ChangeClass::Type,
            ChangeClass::Implementation,
            ChangeClass::ImportedFunction,
            ChangeClass::Macro,
        ],
    ),
    (
        "the build (dependencies, settings, attributes of files)",
        &[
            ChangeClass::Dependency,
            ChangeClass::BuildSetting,
            ChangeClass::FileAttribute,
        ],
    ),
];

/// The results with all classes, without each class that occurs, and without each idea.
pub(super) fn ablation(setting: EvaluationContext<'_>) -> Vec<AblationResult> {
    let prior = &setting.options.prior;
    let occurring = occurring(setting.headline);
    let scopes = learned_parts(setting.headline);
    let mut variants = vec![(String::from("nothing"), prior.clone())];
    variants.push((
        String::from("the priced sum"),
        Calibration {
            expected: 0.0,
            ..prior.clone()
        },
    ));
    for class in &occurring {
        variants.push((class_name(*class), without_classes(prior, &[*class])));
    }
    for (name, classes) in TOGETHER {
        if classes.iter().any(|class| occurring.contains(class)) {
            let mut without = without_classes(prior, classes);
            if classes.contains(&ChangeClass::Calls) {
                without.expected = 0.0;
            }
            variants.push((name.to_owned(), without));
        }
    }
    variants
        .into_iter()
        .map(|(without, prior)| {
            let options = EvaluationOptions {
                prior,
                ..setting.options.clone()
            };
            let folds = folds(setting.headline, &options, Some(setting.folds));
            let rows = headline_rows(
                EvaluationContext {
                    folds: &folds,
                    options: &options,
                    ..setting
                },
                SelectionModel::Lito,
                &scopes,
            );
            AblationResult { without, rows }
        })
        .collect()
}

fn occurring(joined: &[EvaluatedProject<'_>]) -> Vec<ChangeClass> {
    ChangeClass::ALL
        .into_iter()
        .filter(|class| {
            joined
                .iter()
                .filter(|j| !j.project.held_out)
                .flat_map(|j| &j.versions)
                .flat_map(|v| &v.pairs)
                .any(|pair| pair.predicted.terms.touched.contains_key(class))
        })
        .collect()
}

/// The name of a class in files.
fn class_name(class: ChangeClass) -> String {
    let mut name = String::new();
    for character in format!("{class:?}").chars() {
        if character.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(character.to_lowercase());
    }
    name
}
