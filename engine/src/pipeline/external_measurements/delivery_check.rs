//! A delivery of another job → whether it is about these versions, and within the limits of what a job can measure.

use std::collections::BTreeSet;

use verdict::{
    BenchmarkMeasurement, JobMeasurements, MEASUREMENTS_SCHEMA, MeasurementRound, Metric, MissingMeasurements,
    ReportedValues,
};

use crate::pipeline::GateRequest;

/// Results allowed: more than any project has, in all metrics.
const ENTRIES: usize = 20_000;

/// Bytes of a name or a sentence. Names of benchmarks are often file names, which end at 255.
const TEXT: usize = 4_096;

/// Facts of an environment: ten times as many as there are.
const FACTS: usize = 200;

/// Values of one side in one metric: more runs, and more iterations of one start, than lito ever takes.
const VALUES: usize = 100_000;

/// Checks that a delivery is about these versions, and within the limits.
pub(super) fn usable(job: &JobMeasurements, question: &GateRequest<'_>) -> Result<(), MissingMeasurements> {
    if job.schema != MEASUREMENTS_SCHEMA {
        return Err(MissingMeasurements::OtherSchema);
    }
    let ours = [question.base, question.head].map(|commit| commit.to_string());
    if [&job.base, &job.head] != [&ours[0], &ours[1]] {
        return Err(MissingMeasurements::OtherVersions);
    }
    let sizes = [
        (job.measurements.len(), ENTRIES),
        (job.stages.len(), ENTRIES),
        (job.environment.len(), FACTS),
    ];
    if let Some((_, limit)) = sizes.into_iter().find(|(size, limit)| size > limit) {
        return Err(MissingMeasurements::TooManyResults { limit });
    }
    if texts(job).any(|text| text.len() > TEXT) {
        return Err(MissingMeasurements::TextTooLong { limit: TEXT });
    }
    let is_possible = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    let are_possible = is_possible(job.cost_seconds)
        && job.stages.iter().all(|stage| is_possible(stage.seconds))
        && job.measurements.iter().all(are_values_possible);
    if !are_possible {
        return Err(MissingMeasurements::ImpossibleNumbers);
    }
    let mut told = BTreeSet::new();
    let mut told_of = job
        .measurements
        .iter()
        .map(|measurement| (&measurement.benchmark, measurement.metric));
    match told_of.all(|one| told.insert(one)) {
        true => Ok(()),
        false => Err(MissingMeasurements::ReportedTwice),
    }
}

fn texts(job: &JobMeasurements) -> impl Iterator<Item = &String> {
    let of_measurements = job.measurements.iter().flat_map(|measurement| {
        let more = match &measurement.values {
            ReportedValues::Unmeasured { reason, .. } => Some(reason),
            ReportedValues::Counts { measured_before, .. } => {
                measured_before.as_ref().map(|(version, _)| &version.commit)
            }
            ReportedValues::Rounds(_) => None,
        };
        [&measurement.benchmark, &measurement.tool].into_iter().chain(more)
    });
    of_measurements.chain(job.environment.iter().flat_map(|(name, value)| [name, value]))
}

/// Whether values can be of their metric: amounts, of both sides, as many as there are rounds at most.
fn are_values_possible(measurement: &BenchmarkMeasurement) -> bool {
    let are_amounts =
        |values: &[f64]| values.len() <= VALUES && values.iter().all(|value| value.is_finite() && *value >= 0.0);
    match &measurement.values {
        ReportedValues::Counts { base, head, .. } => {
            let is_counted = measurement.metric != Metric::WallTime;
            is_counted && !base.is_empty() && !head.is_empty() && are_amounts(base) && are_amounts(head)
        }
        ReportedValues::Rounds(rounds) => {
            let sides = |round: &MeasurementRound| {
                [&round.base, &round.control, &round.head]
                    .into_iter()
                    .all(|start| are_amounts(&start.0))
            };
            measurement.metric == Metric::WallTime && rounds.len() <= VALUES && rounds.iter().all(sides)
        }
        ReportedValues::Unmeasured { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use runner::git::CommitId;
    use verdict::BenchmarkOutcome;

    use super::*;
    use crate::pipeline::{GateReuse, GateThoroughness, SelectionRequest};
    use crate::skipping_audit::AuditDraw;

    fn question() -> GateRequest<'static> {
        GateRequest {
            base: CommitId([1; 20]),
            head: CommitId([2; 20]),
            which: SelectionRequest::Flagged { audit: AuditDraw::NONE },
            claims: &[],
            metrics: &[],
            budget: std::time::Duration::ZERO,
            draft: false,
            is_scored_again: false,
            reuse: GateReuse::Everything,
            thoroughness: GateThoroughness::Gate,
        }
    }

    fn counted(benchmark: &str, metric: Metric) -> BenchmarkMeasurement {
        BenchmarkMeasurement {
            benchmark: benchmark.to_owned(),
            metric,
            tool: String::from("callgrind"),
            values: ReportedValues::Counts {
                base: vec![100.0],
                head: vec![110.0],
                measured_before: None,
            },
            starts: 1,
            retries: 0,
        }
    }

    fn delivery() -> JobMeasurements {
        let question = question();
        JobMeasurements {
            schema: MEASUREMENTS_SCHEMA.to_owned(),
            base: question.base.to_string(),
            head: question.head.to_string(),
            measurements: vec![counted("parse", Metric::Instructions)],
            stages: Vec::new(),
            environment: BTreeMap::new(),
            cost_seconds: 1.0,
        }
    }

    #[track_caller]
    fn refused(change: impl FnOnce(&mut JobMeasurements), why: &MissingMeasurements) {
        let mut job = delivery();
        assert_eq!(usable(&job, &question()), Ok(()));
        change(&mut job);
        assert_eq!(usable(&job, &question()).as_ref(), Err(why));
    }

    fn values(job: &mut JobMeasurements) -> (&mut Vec<f64>, &mut Vec<f64>) {
        match &mut job.measurements[0].values {
            ReportedValues::Counts { base, head, .. } => (base, head),
            other @ (ReportedValues::Rounds(_) | ReportedValues::Unmeasured { .. }) => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_job_left_is_refused_if_it_is_about_something_else() {
        refused(
            |job| job.schema = String::from("lito.verdict/1"),
            &MissingMeasurements::OtherSchema,
        );
        refused(|job| job.head = job.base.clone(), &MissingMeasurements::OtherVersions);
        refused(|job| job.base = String::new(), &MissingMeasurements::OtherVersions);
    }

    #[test]
    fn what_a_job_left_is_refused_if_it_is_more_than_anybody_has() {
        let many = |job: &mut JobMeasurements| job.measurements = vec![job.measurements[0].clone(); ENTRIES + 1];
        refused(many, &MissingMeasurements::TooManyResults { limit: ENTRIES });
        let facts = |job: &mut JobMeasurements| {
            let named = (0..=FACTS).map(|at| (at.to_string(), String::new()));
            job.environment = named.collect();
        };
        refused(facts, &MissingMeasurements::TooManyResults { limit: FACTS });
        let long = || "x".repeat(TEXT + 1);
        let too_long = MissingMeasurements::TextTooLong { limit: TEXT };
        refused(|job| job.measurements[0].benchmark = long(), &too_long);
        refused(
            |job| drop(job.environment.insert(String::from("compiler"), long())),
            &too_long,
        );
        let reason = |job: &mut JobMeasurements| {
            job.measurements[0].values = ReportedValues::Unmeasured {
                outcome: BenchmarkOutcome::Failed,
                reason: long(),
            };
        };
        refused(reason, &too_long);
    }

    #[test]
    fn numbers_that_nothing_can_have_are_refused() {
        for impossible in [f64::NAN, f64::INFINITY, -1.0] {
            refused(
                |job| values(job).0.push(impossible),
                &MissingMeasurements::ImpossibleNumbers,
            );
            refused(
                |job| values(job).1.push(impossible),
                &MissingMeasurements::ImpossibleNumbers,
            );
            refused(
                |job| job.cost_seconds = impossible,
                &MissingMeasurements::ImpossibleNumbers,
            );
        }
        refused(|job| values(job).1.clear(), &MissingMeasurements::ImpossibleNumbers);
        refused(
            |job| job.measurements[0].metric = Metric::WallTime,
            &MissingMeasurements::ImpossibleNumbers,
        );
    }

    #[test]
    fn a_benchmark_that_is_told_of_twice_is_refused() {
        refused(
            |job| job.measurements.push(counted("parse", Metric::Instructions)),
            &MissingMeasurements::ReportedTwice,
        );
    }

    proptest! {
        /// Whatever a job writes is read as values that were checked, or refused.
        #[test]
        fn any_delivery_is_usable_or_refused(text in "\\PC{0,200}", number in proptest::num::f64::ANY) {
            prop_assert!(serde_json::from_str::<JobMeasurements>(&text).is_err());
            let mut job = delivery();
            values(&mut job).0.push(number);
            let is_amount = number.is_finite() && number >= 0.0;
            prop_assert_eq!(usable(&job, &question()).is_ok(), is_amount);
        }
    }
}
