//! Judgements of a demonstration → the measurements and costs of its report. Imports and judges nothing.

use std::collections::BTreeSet;

use report::demo::{DemoCosts, DemoMeasurement, DemoTaskTotal};
use runner::sample::SampledVersion;
use verdict::{BenchmarkOutcome, CascadeStageName, Metric, Verdict, VerdictReport};

use crate::pipeline::GateJudgement;

/// The measurement of a version, as the table shows it.
#[must_use]
pub fn measurement(report: &VerdictReport) -> DemoMeasurement {
    if report.verdict == Verdict::Skipped {
        return DemoMeasurement::NotRun;
    }
    let changes: Vec<(String, f64)> = (report.benchmarks.iter())
        .filter(|entry| entry.metric == Metric::Instructions)
        .filter_map(|entry| match entry.verdict {
            // The same code did not change.
            BenchmarkOutcome::SameCode => Some((entry.name.clone(), 0.0)),
            _ => Some((entry.name.clone(), entry.change?)),
        })
        .collect();
    if changes.is_empty() {
        let reason = (report.benchmarks.iter())
            .find(|entry| entry.verdict != BenchmarkOutcome::Skipped)
            .map_or(&report.reason, |entry| &entry.reason);
        return DemoMeasurement::Failed(reason.clone());
    }
    DemoMeasurement::Changes(changes)
}

/// The time spent on each task.
#[must_use]
pub fn costs(judgements: &[GateJudgement], sampling: f64, versions: usize) -> DemoCosts {
    let mut costs = DemoCosts {
        sampling,
        scoring: 0.0,
        building: DemoTaskTotal::default(),
        running: DemoTaskTotal::default(),
        versions,
        benchmarks: 0,
    };
    for GateJudgement { report, builds, .. } in judgements {
        let names: BTreeSet<&str> = (report.benchmarks.iter())
            .filter(|entry| entry.metric == Metric::Instructions)
            .map(|entry| entry.name.as_str())
            .collect();
        costs.benchmarks = costs.benchmarks.max(names.len());
        costs.building.add(*builds, 0.0);
        let (mut settled, mut counting) = (0, None);
        for stage in &report.stages {
            match stage.name {
                CascadeStageName::Source => costs.scoring += stage.seconds,
                CascadeStageName::HeadBuild | CascadeStageName::Build => costs.building.add(0, stage.seconds),
                CascadeStageName::LastMeasured => {
                    settled = stage.benchmarks - stage.selected;
                    *counting.get_or_insert(0.0) += stage.seconds;
                }
                CascadeStageName::Counts => *counting.get_or_insert(0.0) += stage.seconds,
                CascadeStageName::WallTime => {}
            }
        }
        if let Some(seconds) = counting {
            let counted = (report.benchmarks.iter()).filter(|entry| entry.metric == Metric::Instructions);
            let starts: u32 = counted.map(|entry| entry.starts).sum();
            let is_base_built = (report.stages.iter()).any(|stage| stage.name == CascadeStageName::Build);
            // Of both sides, except for the bases that were not built.
            let runs = match is_base_built {
                true => (2 * starts).saturating_sub(settled),
                false => starts,
            };
            costs.running.add(runs, seconds);
        }
    }
    costs
}

/// Seconds spent on building and profiling samples.
#[must_use]
pub fn sampling_seconds(sampled: &[SampledVersion]) -> f64 {
    sampled
        .iter()
        .map(|version| (version.building + version.profiling).as_secs_f64())
        .sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use verdict::BenchmarkVerdict;

    use super::*;

    fn report(verdict: Verdict, outcomes: &[(&str, verdict::BenchmarkOutcome, Option<f64>)]) -> VerdictReport {
        let entries = outcomes.iter().map(|&(name, outcome, change)| BenchmarkVerdict {
            change,
            reason: String::from("why"),
            ..BenchmarkVerdict::without_values(name, Metric::Instructions, outcome)
        });
        VerdictReport {
            schema: String::new(),
            base: String::new(),
            head: String::new(),
            verdict,
            reason: String::from("because"),
            benchmarks: entries.collect(),
            stages: Vec::new(),
            audited: false,
            audit: None,
            claims: Vec::new(),
            repeat: None,
            environment: BTreeMap::new(),
            programs: BTreeMap::new(),
            cost_seconds: 0.0,
            spent: None,
        }
    }

    #[test]
    fn what_is_the_same_code_did_not_move_and_what_was_skipped_is_not_told() {
        use verdict::BenchmarkOutcome::{Pass, SameCode, Skipped};
        let report = report(
            Verdict::Pass,
            &[("a", Pass, Some(0.1)), ("b", SameCode, None), ("c", Skipped, None)],
        );
        let expected = vec![(String::from("a"), 0.1), (String::from("b"), 0.0)];
        assert_eq!(measurement(&report), DemoMeasurement::Changes(expected));
    }

    #[test]
    fn a_version_that_could_not_be_measured_says_why() {
        let failed = report(Verdict::Inconclusive, &[("a", verdict::BenchmarkOutcome::Failed, None)]);
        assert_eq!(measurement(&failed), DemoMeasurement::Failed(String::from("why")));
        assert_eq!(measurement(&report(Verdict::Skipped, &[])), DemoMeasurement::NotRun);
    }
}
