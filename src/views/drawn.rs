//! A comparison of versions into its report.

use std::path::Path;

use report::comparison::Comparison;
use report::view::{Better, View};
use runner::git::Repository;

use super::{COMPARE, Labels, command_line, headline, project};
use crate::compare::Compared;
use crate::exit::Failure;

/// A report of comparisons alone, without versions and sources.
pub(crate) fn of_comparisons<'a>(
    comparisons: &'a [Comparison],
    root: &Path,
    unit: &'a str,
) -> View<'a> {
    let title = match comparisons {
        [only] => only.title(),
        all => all.first().map_or_else(String::new, |first| {
            format!("{} → {}", first.before.label, first.after.label)
        }),
    };
    View {
        project: project(root),
        title,
        unit,
        better: Better::Less,
        made_by: command_line(),
        compare_by: COMPARE.to_owned(),
        versions: Vec::new(),
        headline: headline(comparisons),
        track: None,
        matrices: Vec::new(),
        comparisons,
        outlines: Vec::new(),
    }
}

/// A report of compared versions.
pub(crate) fn of_versions<'a>(
    repository: &Repository,
    root: &Path,
    labels: &Labels,
    compared: &'a Compared,
) -> Result<View<'a>, Failure> {
    Ok(View {
        versions: (compared.versions.iter())
            .map(|commit| labels.version(repository, *commit))
            .collect::<Result<_, Failure>>()?,
        outlines: compared.outlines.iter().cloned().enumerate().collect(),
        ..of_comparisons(&compared.comparisons, root, compared.unit)
    })
}
