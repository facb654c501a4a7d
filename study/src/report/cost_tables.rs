//! The cost of each policy: when a version is sampled, and what a flagged version has built and run.

use crate::accuracy::{
    BaseMeasurement, CostPolicy, DRIFTS, DriftBound, Evaluation, PolicyRow, SamplingSchedule, StudyHalf,
};

use super::basis::sample_rule;
use super::cell_format;
use super::table_layout::{EvaluationTable, StyledCell, plain, strong};
use super::words;
use report::table::TableColumn;
use verdict::counts::FLOOR;

/// Every policy, for a study and its halves. Of sampling by drift, what it costs at most.
pub(super) fn policies(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    let gate = cell_format::percent(evaluation.options.gate_threshold);
    let floor = cell_format::percent(FLOOR);
    let is_listed = |row: &&PolicyRow| bound(&row.policy) != Some(DriftBound::Largest);
    EvaluationTable {
        title: format!("What it costs, by policy: {study}"),
        about: format!(
            "Shares of building and running everything once a version; the whole cost has scoring ({}), too. It is computed from \
             the stored counts and answers about machine code. As it was: {}; a sample is two builds and two runs; both sides \
             of a flagged version are built and run. Head first: the head is built and held against the newest count at or \
             before its base; the base is built only where they differ by more than {floor} (or the share in brackets), or without \
             such a count. Same code: a benchmark does not run if its machine code is that of a version that was measured. Runs \
             kept: what the gate built and ran of a version is taken off the optimised half of its sample. Drift: a version is \
             sampled when the shares of a benchmark's cost that versions since the sample changed add up to it, which is never \
             too late. A sample every so many versions: the first version of the predictions, then one of each so many. The predictions are those of the samples as they were: what would be found and selected from other \
             samples cannot be computed from them. So these figures stand in brackets, and the cost is that of the same \
             selection. Lost: regressions by {gate} in flagged versions that the policy takes for unmoved, because the head has \
             the older count and the base has not. Skipped versions: flagged versions with a benchmark that moved since the \
             older count and not (by {floor}) since the base, and those of them where it regressed by {gate}: what skipped versions \
             did, seen without an audit.",
            cell_format::maybe_percent(scoring_share(evaluation, study)),
            sample_rule(evaluation),
        ),
        columns: columns(),
        rows: scopes(study)
            .iter()
            .flat_map(|(scope, name)| {
                let listed = of_scope(evaluation, scope).filter(is_listed);
                listed.map(move |row| cells(row, name))
            })
            .collect(),
        drawn: None,
    }
}

/// The policies with the samples as they were, for a terminal.
pub(super) fn policies_in_short(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    let is_listed = |row: &&PolicyRow| row.policy.sampling == SamplingSchedule::AsPredicted;
    EvaluationTable {
        title: format!("What it costs, by policy: {study}"),
        about: String::from(
            "Shares of building and running everything once a version. `--report` writes what each policy is.",
        ),
        columns: columns(),
        rows: of_scope(evaluation, study)
            .filter(is_listed)
            .map(|row| cells(row, study))
            .collect(),
        drawn: None,
    }
}

/// Sampling by drift: between which numbers of samples it lies, for each limit.
pub(super) fn drifts(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    let row_of = |scope: &str, limit: f64, bound: DriftBound, is_all: bool| {
        of_scope(evaluation, scope).find(|row| {
            row.policy.sampling == SamplingSchedule::ByDrift { limit, bound }
                && row.policy.keeps_runs == is_all
                && row.policy.skips_same_code == is_all
        })
    };
    let between = |scope: &str, limit: f64, is_all: bool, figure: &dyn Fn(&PolicyRow) -> String| {
        let shown = |bound| row_of(scope, limit, bound, is_all).map(figure);
        let (least, most) = (shown(DriftBound::Largest)?, shown(DriftBound::Sum)?);
        Some(plain(format!("{least} to {most}")))
    };
    let share = |row: &PolicyRow, seconds: f64| cell_format::maybe_percent(row.share(seconds));
    let mut rows = Vec::new();
    for (scope, name) in scopes(study) {
        for limit in DRIFTS {
            rows.extend(
                [
                    Some(plain(&*name)),
                    Some(plain(cell_format::percent(limit))),
                    between(&scope, limit, false, &|row| row.samples.to_string()),
                    between(&scope, limit, false, &|row| share(row, row.sampling)),
                    between(&scope, limit, true, &|row| share(row, row.sampling)),
                    between(&scope, limit, true, &|row| share(row, row.whole())),
                ]
                .into_iter()
                .collect::<Option<Vec<StyledCell>>>(),
            );
        }
    }
    EvaluationTable {
        title: format!("Sampling by drift: {study}"),
        about: String::from(
            "The drift since a sample is the largest share of a benchmark's cost in functions that changed since then. The stored \
             predictions tell it for one version at a time. Between: as if the versions since the sample had all changed the \
             same functions, and as if none had changed twice.",
        ),
        columns: vec![
            TableColumn::Words("versions"),
            TableColumn::Figures("drift"),
            TableColumn::Figures("samples"),
            TableColumn::Figures("sampling"),
            TableColumn::Figures("sampling, runs kept"),
            TableColumn::Figures("whole cost, all policies"),
        ],
        rows,
        drawn: None,
    }
}

/// The scopes of a study and their names: all of it, then its halves.
fn scopes(study: &str) -> Vec<(String, String)> {
    let halves = StudyHalf::ALL.map(|half| (half.scope(study), format!("{study}, {}", words::half(half))));
    std::iter::once((study.to_owned(), study.to_owned()))
        .chain(halves)
        .collect()
}

fn of_scope<'e>(evaluation: &'e Evaluation, scope: &str) -> impl Iterator<Item = &'e PolicyRow> {
    evaluation.policies.iter().filter(move |row| row.scope == scope)
}

fn scoring_share(evaluation: &Evaluation, study: &str) -> Option<f64> {
    let row = of_scope(evaluation, study).next()?;
    row.share(row.scoring)
}

fn bound(policy: &CostPolicy) -> Option<DriftBound> {
    match policy.sampling {
        SamplingSchedule::AsPredicted | SamplingSchedule::Every(_) => None,
        SamplingSchedule::ByDrift { bound, .. } => Some(bound),
    }
}

fn columns() -> Vec<TableColumn> {
    vec![
        TableColumn::Words("versions"),
        TableColumn::Words("policy"),
        TableColumn::Figures("samples"),
        TableColumn::Figures("sampling"),
        TableColumn::Figures("flagged versions"),
        TableColumn::Figures("whole cost"),
        TableColumn::Figures("builds each"),
        TableColumn::Figures("recall"),
        TableColumn::Figures("recall (moved)"),
        TableColumn::Figures("lost"),
        TableColumn::Figures("skipped versions"),
        TableColumn::Figures("selected"),
    ]
}

fn cells(row: &PolicyRow, scope: &str) -> Vec<StyledCell> {
    let policy = &row.policy;
    let cell = match policy.skips_same_code && policy.keeps_runs {
        true => strong,
        false => plain,
    };
    let of_samples = |figure: String| match policy.sampling {
        SamplingSchedule::AsPredicted => figure,
        SamplingSchedule::Every(_) | SamplingSchedule::ByDrift { .. } => format!("({figure})"),
    };
    let share = |seconds| cell_format::maybe_percent(row.share(seconds));
    let skipped = match policy.base {
        BaseMeasurement::Beyond(_) => format!(
            "{}, {} regressed",
            row.skipped_parts.versions, row.skipped_parts.regressed
        ),
        BaseMeasurement::Always | BaseMeasurement::Presumed => String::from(cell_format::NONE),
    };
    vec![
        plain(scope),
        cell(label(policy)),
        plain(row.samples.to_string()),
        plain(share(row.sampling)),
        plain(share(row.benchmarking)),
        cell(share(row.whole())),
        plain(cell_format::fine(row.builds_per_flagged())),
        plain(of_samples(cell_format::rate(&row.recall))),
        plain(of_samples(cell_format::rate(&row.recall_moved))),
        plain(row.lost.regressed.to_string()),
        plain(skipped),
        plain(of_samples(cell_format::rate(&row.selected))),
    ]
}

/// In what a policy differs from what it was.
fn label(policy: &CostPolicy) -> String {
    let base = match policy.base {
        BaseMeasurement::Always => None,
        BaseMeasurement::Beyond(FLOOR) => Some(String::from("head first")),
        BaseMeasurement::Beyond(bound) => Some(format!("head first ({})", cell_format::percent(bound))),
        BaseMeasurement::Presumed => Some(String::from("base taken as measured")),
    };
    let code = policy.skips_same_code.then(|| String::from("same code"));
    let kept = policy.keeps_runs.then(|| String::from("runs kept"));
    let sampling = match policy.sampling {
        SamplingSchedule::AsPredicted => None,
        SamplingSchedule::Every(versions) => Some(format!("a sample every {versions}")),
        SamplingSchedule::ByDrift { limit, .. } => Some(format!("drift {}", cell_format::percent(limit))),
    };
    let parts: Vec<String> = [base, code, kept, sampling].into_iter().flatten().collect();
    match parts.is_empty() {
        true => String::from("as it was"),
        false => parts.join(" + "),
    }
}
