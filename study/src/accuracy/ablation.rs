//! What each class of evidence is worth: the whole of learning and selecting again without it.

use super::Options;
use super::folds::folds;
use super::join::Joined;
use super::rows::Row;
use super::selector::Model;
use super::table::{Setting, headline_rows};
use analyzer::cost::Class;
use analyzer::score::Calibration;

/// The rows of our model without some evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Ablated {
    /// What is missing: `nothing`, a class, or several classes that belong together.
    pub without: String,
    /// One row a study: headline, the gate's threshold, any benchmark, source stage.
    pub rows: Vec<Row>,
}

/// Classes that stand for one idea each.
const TOGETHER: [(&str, &[Class]); 4] = [
    ("prices of calls and work", &[Class::Calls, Class::Work]),
    (
        "what a function's own calls do not show (recompiled, inlining)",
        &[Class::Recompiled, Class::Inlining],
    ),
    (
        "declarations (constants, types, implementations, imports, macros)",
        &[
            Class::Constant,
            Class::Type,
            Class::Implementation,
            Class::ImportedFunction,
            Class::Macro,
        ],
    ),
    (
        "the build (dependencies, settings, attributes of files)",
        &[Class::Dependency, Class::BuildSetting, Class::FileAttribute],
    ),
];

/// With everything, without each class that occurs, without each idea.
pub(super) fn ablation(setting: Setting<'_>) -> Vec<Ablated> {
    let prior = &setting.options.prior;
    let occurring = occurring(setting.headline);
    let mut variants = vec![(String::from("nothing"), prior.clone())];
    variants.push((
        String::from("the priced sum"),
        Calibration {
            expected: 0.0,
            ..prior.clone()
        },
    ));
    for class in &occurring {
        variants.push((class_name(*class), prior.without(&[*class])));
    }
    for (name, classes) in TOGETHER {
        if classes.iter().any(|class| occurring.contains(class)) {
            let mut without = prior.without(classes);
            if classes.contains(&Class::Calls) {
                without.expected = 0.0;
            }
            variants.push((name.to_owned(), without));
        }
    }
    variants
        .into_iter()
        .map(|(without, prior)| {
            let options = Options {
                prior,
                ..setting.options.clone()
            };
            let folds = folds(setting.headline, &options, Some(setting.folds));
            let rows = headline_rows(
                Setting {
                    folds: &folds,
                    options: &options,
                    ..setting
                },
                Model::Lito,
            );
            Ablated { without, rows }
        })
        .collect()
}

fn occurring(joined: &[Joined<'_>]) -> Vec<Class> {
    Class::ALL
        .into_iter()
        .filter(|class| {
            joined
                .iter()
                .flat_map(|j| &j.versions)
                .flat_map(|v| &v.pairs)
                .any(|pair| pair.predicted.terms.touched.contains_key(class))
        })
        .collect()
}

/// As it is written in files.
fn class_name(class: Class) -> String {
    let mut name = String::new();
    for character in format!("{class:?}").chars() {
        if character.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(character.to_lowercase());
    }
    name
}
