//! The stages that earlier verdicts recorded → how long the next judgement is likely to take, beside running everything.
//!
//! Only recorded seconds enter. Where no verdict both built and counted, there is no forecast. Wall time is no part of it:
//! its time is a budget that the user sets.

use crate::spent_time::CountingCost;
use crate::{CascadeStageName, VerdictReport};

/// Verdicts that enter, the newest: enough for a median that one slow machine does not move.
const MOST_VERDICTS: usize = 9;

/// How far above everything a forecast must be to be said: below it, both are the same to whoever waits.
const NOTICEABLE: f64 = 1.05;

/// The likely time of a judgement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateForecast {
    /// Seconds of building and counting, from medians of recorded stages.
    pub gate_seconds: f64,
    /// Seconds of building both versions and counting every benchmark at both, from the same medians.
    pub everything_seconds: f64,
    /// Benchmarks that are to be run.
    pub selected: u32,
    /// Benchmarks that are known.
    pub benchmarks: u32,
    /// Verdicts that the medians are of.
    pub verdicts: u32,
    /// Seconds of the framework's own full runs of both versions, if the maintainer states them; builds excluded.
    pub full_run_seconds: Option<f64>,
}

/// The recorded seconds of one judgement that built and counted.
struct RecordedStages {
    score: f64,
    first_build: f64,
    second_build: Option<f64>,
    /// Of one benchmark at both versions.
    benchmark: f64,
}

impl GateForecast {
    /// The forecast from verdicts, the newest first; `None` if none of them built and counted, or nothing is selected.
    ///
    /// With `dependencies_are_built`, the first build is taken to cost as much as a second one: what a later build of a
    /// judgement finds built, this one finds as well.
    #[must_use]
    pub fn of<'a>(
        newest_first: impl IntoIterator<Item = &'a VerdictReport>,
        selected: u32,
        benchmarks: u32,
        dependencies_are_built: bool,
    ) -> Option<Self> {
        let recorded = newest_first.into_iter().filter_map(RecordedStages::of);
        let recorded: Vec<RecordedStages> = recorded.take(MOST_VERDICTS).collect();
        if selected == 0 || benchmarks < selected {
            return None;
        }
        let of_each = |seconds: fn(&RecordedStages) -> Option<f64>| median(recorded.iter().filter_map(seconds));
        let benchmark = of_each(|stages| Some(stages.benchmark))?;
        let first = of_each(|stages| Some(stages.first_build))?;
        let second = of_each(|stages| stages.second_build).unwrap_or(first);
        let first = if dependencies_are_built {
            first.min(second)
        } else {
            first
        };
        let with_base = recorded.iter().filter(|stages| stages.second_build.is_some()).count();
        let base_is_needed = with_base as f64 / recorded.len() as f64;
        // Half of what a benchmark costs at both versions is the base's.
        let counted = benchmark * (1.0 + base_is_needed) / 2.0;
        let score = of_each(|stages| Some(stages.score))?;
        Some(Self {
            gate_seconds: score + first + base_is_needed * second + counted * f64::from(selected),
            everything_seconds: first + second + benchmark * f64::from(benchmarks),
            selected,
            benchmarks,
            verdicts: u32::try_from(recorded.len()).unwrap_or(u32::MAX),
            full_run_seconds: None,
        })
    }

    /// True if running everything is likely to be over sooner.
    #[must_use]
    pub fn is_above_everything(&self) -> bool {
        self.gate_seconds > NOTICEABLE * self.everything_seconds
    }

    /// True if the framework's own full runs are stated to be over sooner.
    #[must_use]
    pub fn is_above_full_runs(&self) -> bool {
        self.full_run_seconds
            .is_some_and(|full| self.gate_seconds > NOTICEABLE * full)
    }
}

impl RecordedStages {
    fn of(report: &VerdictReport) -> Option<Self> {
        // A verdict upon programs that were built before says nothing about builds: its own costs are not kept with it.
        let is_own = |cost: &CountingCost| cost.measured_at == report.head;
        if report
            .spent
            .as_ref()
            .is_some_and(|spent| !spent.counting.as_ref().is_some_and(is_own))
        {
            return None;
        }
        let cost = CountingCost::of(report)?;
        let seconds = |name| {
            let stage = report.stages.iter().find(|stage| stage.name == name)?;
            (stage.seconds.is_finite() && stage.seconds >= 0.0).then_some(stage.seconds)
        };
        let (head, base) = (seconds(CascadeStageName::HeadBuild), seconds(CascadeStageName::Build));
        let (first_build, second_build) = match (head, base) {
            (Some(head), base) => (head, base),
            // One stage for both.
            (None, Some(both)) => (both / 2.0, Some(both / 2.0)),
            (None, None) => return None,
        };
        Some(Self {
            score: seconds(CascadeStageName::Source).unwrap_or(0.0),
            first_build,
            second_build,
            benchmark: cost.benchmark_seconds,
        })
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match (values.len(), values.len().is_multiple_of(2)) {
        (0, _) => None,
        (_, true) => Some(f64::midpoint(values[middle - 1], values[middle])),
        (_, false) => Some(values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::CascadeStageName::{Build, Counts, HeadBuild, LastMeasured, Source};
    use crate::{CascadeStage, SpentTime, Verdict};

    fn report(stages: &[(CascadeStageName, u32, f64)]) -> VerdictReport {
        let stages = stages.iter().map(|&(name, benchmarks, seconds)| CascadeStage {
            name,
            benchmarks,
            selected: 0,
            seconds,
        });
        VerdictReport {
            schema: crate::SCHEMA.to_owned(),
            base: String::from("b"),
            head: String::from("h"),
            verdict: Verdict::Pass,
            reason: String::new(),
            benchmarks: Vec::new(),
            stages: stages.collect(),
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

    /// A head that was built from nothing, and a base upon its dependencies.
    fn both_built() -> VerdictReport {
        report(&[
            (Source, 4, 1.0),
            (HeadBuild, 4, 50.0),
            (LastMeasured, 4, 4.0),
            (Build, 4, 10.0),
            (Counts, 4, 4.0),
        ])
    }

    fn seconds(forecast: Option<GateForecast>) -> Option<(f64, f64)> {
        forecast.map(|forecast| (forecast.gate_seconds, forecast.everything_seconds))
    }

    #[test]
    fn nothing_recorded_is_no_forecast() {
        assert_eq!(GateForecast::of([], 1, 4, false), None);
        assert_eq!(GateForecast::of(&[report(&[(Source, 4, 0.1)])], 1, 4, false), None);
        assert_eq!(GateForecast::of(&[both_built()], 0, 4, false), None, "nothing is run");
        let mut taken_over = both_built();
        taken_over.spent = Some(SpentTime::of(&taken_over, None));
        assert_eq!(
            GateForecast::of(&[taken_over], 1, 4, false),
            None,
            "its builds were taken from an earlier run"
        );
    }

    #[test]
    fn a_gate_costs_its_share_of_everything() {
        assert_eq!(
            seconds(GateForecast::of(&[both_built()], 1, 4, false)),
            Some((1.0 + 60.0 + 2.0, 60.0 + 8.0))
        );
        assert_eq!(
            seconds(GateForecast::of(&[both_built()], 1, 4, true)),
            Some((1.0 + 20.0 + 2.0, 20.0 + 8.0)),
            "upon built dependencies"
        );
        let head_alone = report(&[(Source, 4, 1.0), (HeadBuild, 4, 50.0), (LastMeasured, 4, 4.0)]);
        assert_eq!(
            seconds(GateForecast::of(&[head_alone.clone()], 2, 4, false)),
            Some((1.0 + 50.0 + 2.0, 100.0 + 8.0)),
            "no base was needed"
        );
        // Every second one needed its base.
        let (gate, _) = seconds(GateForecast::of(&[head_alone, both_built()], 1, 4, false)).unwrap_or_default();
        assert!((gate - (1.0 + 50.0 + 5.0 + 1.5)).abs() < 1e-9, "{gate}");
    }

    #[test]
    fn one_slow_machine_moves_no_forecast() {
        let usual = report(&[(Build, 4, 20.0), (Counts, 4, 8.0)]);
        let slow = report(&[(Build, 4, 2000.0), (Counts, 4, 800.0)]);
        let forecast = GateForecast::of(&[slow, usual.clone(), usual], 4, 4, false);
        assert_eq!(seconds(forecast), Some((28.0, 28.0)));
    }

    #[test]
    fn a_gate_above_everything_is_told_from_one_that_is_as_long() {
        let scored_for_long = report(&[(Source, 4, 30.0), (Build, 4, 20.0), (Counts, 4, 8.0)]);
        let above = |report: VerdictReport, selected, full_run_seconds| {
            let forecast = GateForecast::of(&[report], selected, 4, false).map(|forecast| GateForecast {
                full_run_seconds,
                ..forecast
            });
            forecast.map(|forecast| (forecast.is_above_everything(), forecast.is_above_full_runs()))
        };
        assert_eq!(above(scored_for_long, 4, None), Some((true, false)));
        assert_eq!(above(both_built(), 4, Some(30.0)), Some((false, true)));
        assert_eq!(above(both_built(), 4, Some(300.0)), Some((false, false)));
    }
}
