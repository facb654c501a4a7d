//! The harness of a project and its results → whether the results are still those of the harness.

use runner::visit::harness_digest;

use super::StudyContext;
use super::project_list::StudyProject;
use super::result_files::{ProjectMetadata, ProjectResultsFolder};
use engine::EngineError;

/// Sets results aside that another harness measured, and tells so. Results from before digests were kept are taken as
/// they are.
pub(super) fn set_aside_if_changed(
    project: &StudyProject,
    folder: &ProjectResultsFolder,
    context: &StudyContext<'_>,
) -> Result<(), EngineError> {
    let mut about = folder.about()?;
    let measured = folder.measured()?.len();
    let now = harness_digest(&project.harness);
    match continuation(&about, measured, &now) {
        HarnessContinuation::Same => {}
        HarnessContinuation::First => about.samples = Some(store_of(&now)),
        HarnessContinuation::Changed => {
            context.progress.warn(&format!(
                "{}: its harness changed since it was measured: {} measured anew; the old counts are in measured.before.jsonl",
                project.folder(),
                report::number_format::counted_noun(measured, "version"),
            ));
            folder.set_aside()?;
            about = ProjectMetadata {
                dropped: about.dropped,
                samples: Some(store_of(&now)),
                ..ProjectMetadata::default()
            };
        }
    }
    about.harness = Some(now);
    folder.write_metadata(&about)
}

/// How results go on with a harness.
#[derive(Debug, PartialEq, Eq)]
enum HarnessContinuation {
    /// The same one, or it is not known that it is another one.
    Same,
    /// There are no results yet.
    First,
    /// It is another one.
    Changed,
}

fn continuation(about: &ProjectMetadata, measured: usize, now: &str) -> HarnessContinuation {
    match &about.harness {
        Some(known) if known == now => HarnessContinuation::Same,
        Some(_) => HarnessContinuation::Changed,
        None if measured == 0 => HarnessContinuation::First,
        None => HarnessContinuation::Same,
    }
}

/// The store of the samples that a harness takes: samples of another one tell nothing about its benchmarks.
fn store_of(digest: &str) -> String {
    format!("git:refs/lito/harness/{digest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(harness: Option<&str>) -> ProjectMetadata {
        ProjectMetadata {
            harness: harness.map(str::to_owned),
            ..ProjectMetadata::default()
        }
    }

    #[test]
    fn only_a_digest_that_differs_is_a_change() {
        assert_eq!(continuation(&about(Some("a")), 3, "a"), HarnessContinuation::Same);
        assert_eq!(continuation(&about(Some("a")), 3, "b"), HarnessContinuation::Changed);
        assert_eq!(
            continuation(&about(None), 3, "b"),
            HarnessContinuation::Same,
            "taken as they are"
        );
        assert_eq!(continuation(&about(None), 0, "b"), HarnessContinuation::First);
    }

    #[test]
    fn samples_of_results_without_a_digest_stay_where_they_are() {
        assert_eq!(about(None).store(), runner::store::DEFAULT_URL);
    }
}
