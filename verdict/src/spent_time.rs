//! The cost of a judgement, beside what two habits without lito would have cost: counting every benchmark at both versions, and
//! the framework's own full run at both. Only recorded values enter; where one lacks, the result says so by `None`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CascadeStageName, VerdictReport};

/// Versions that a judgement compares.
const SIDES: f64 = 2.0;

/// Seconds of building and counting, as the stages of one verdict recorded them. Counts that it took from an earlier run
/// make them smaller, never larger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountingCost {
    /// The version whose verdict recorded them.
    pub measured_at: String,
    /// Seconds of building both versions.
    pub build_seconds: f64,
    /// Mean seconds of counting one benchmark at both versions.
    pub benchmark_seconds: f64,
}

/// The time that a judgement took, and what it is held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpentTime {
    /// Measured: seconds of all stages but wall time, which counting replaces.
    pub seconds: f64,
    /// All benchmarks that are known.
    pub benchmarks: u32,
    /// The recorded costs that the model of counting every benchmark rests on; `None` where nothing has been measured yet.
    #[serde(default)]
    pub counting: Option<CountingCost>,
    /// Seconds that the framework's own full run of one version takes, as `cost.full_run` of `lito.toml` states it.
    #[serde(default)]
    pub stated_full_run_seconds: Option<f64>,
    /// The price of a minute, as `cost.price_per_minute` states it.
    #[serde(default)]
    pub price: Option<MinutePrice>,
}

/// The price of a minute of the machine that measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MinutePrice {
    /// In the currency, for one minute.
    pub per_minute: f64,
    /// The currency, in the maintainer's words.
    pub currency: String,
}

impl CountingCost {
    /// The costs that the stages of a verdict recorded; `None` if it did not both build and count.
    ///
    /// Where the head was counted alone, the base is taken to cost as much. Where the head's build has no stage of its own, the
    /// stage of the build holds both.
    #[must_use]
    pub fn of(report: &VerdictReport) -> Option<Self> {
        let stage = |name| report.stages.iter().find(|stage| stage.name == name);
        let build_seconds = match (stage(CascadeStageName::HeadBuild), stage(CascadeStageName::Build)) {
            (Some(head), Some(base)) => head.seconds + base.seconds,
            (Some(head), None) => SIDES * head.seconds,
            (None, Some(both)) => both.seconds,
            (None, None) => return None,
        };
        let mean = |name| {
            let counted = stage(name).filter(|stage| stage.benchmarks > 0)?;
            Some(counted.seconds / f64::from(counted.benchmarks))
        };
        let benchmark_seconds = match (mean(CascadeStageName::LastMeasured), mean(CascadeStageName::Counts)) {
            (Some(head), Some(rest)) => head + rest,
            (Some(head), None) => SIDES * head,
            (None, Some(both)) => both,
            (None, None) => return None,
        };
        let is_usable = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
        (is_usable(build_seconds) && is_usable(benchmark_seconds)).then(|| Self {
            measured_at: report.head.clone(),
            build_seconds,
            benchmark_seconds,
        })
    }

    /// Modelled: seconds of building both versions and counting so many benchmarks at both.
    #[must_use]
    pub fn of_benchmarks(&self, benchmarks: u32) -> f64 {
        self.build_seconds + self.benchmark_seconds * f64::from(benchmarks)
    }
}

impl SpentTime {
    /// The time that a report's stages took, beside the costs of counting that are known.
    #[must_use]
    pub fn of(report: &VerdictReport, counting: Option<CountingCost>) -> Self {
        let stages = report.stages.iter();
        let counted = stages.filter(|stage| stage.name != CascadeStageName::WallTime);
        Self {
            seconds: counted.map(|stage| stage.seconds).sum(),
            benchmarks: u32::try_from(report.benchmark_names().len()).unwrap_or(u32::MAX),
            counting,
            stated_full_run_seconds: None,
            price: None,
        }
    }

    /// Modelled: seconds of counting every benchmark at both versions; `None` if no cost or no benchmark is known.
    #[must_use]
    pub fn everything(&self) -> Option<f64> {
        let cost = self.counting.as_ref().filter(|_| self.benchmarks > 0)?;
        Some(cost.of_benchmarks(self.benchmarks))
    }

    /// Stated: seconds of the framework's full runs of both versions.
    #[must_use]
    pub fn full_runs(&self) -> Option<f64> {
        self.stated_full_run_seconds.map(|seconds| SIDES * seconds)
    }
}

/// The costs of several judgements together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpentTotal {
    /// Judgements.
    pub judgements: usize,
    /// Those of them for which the cost of counting everything is known.
    pub compared: usize,
    /// Measured: seconds that the compared ones took.
    pub seconds: f64,
    /// Modelled: seconds of counting every benchmark at both versions of each compared one.
    pub everything: f64,
}

impl SpentTotal {
    /// The total over kept verdicts. One that was kept before costs were told is read off its stages.
    #[must_use]
    pub fn of(reports: &[VerdictReport]) -> Self {
        let mut total = Self {
            judgements: reports.len(),
            ..Self::default()
        };
        for report in reports {
            let spent = report.spent.clone();
            let spent = spent.unwrap_or_else(|| SpentTime::of(report, CountingCost::of(report)));
            if let Some(everything) = spent.everything() {
                total.compared += 1;
                total.seconds += spent.seconds;
                total.everything += everything;
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{CascadeStage, Verdict};

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

    #[test]
    fn both_sides_are_what_was_recorded_of_each() {
        use CascadeStageName::{Build, Counts, HeadBuild, LastMeasured, Source};
        let cost =
            |stages: &[_]| CountingCost::of(&report(stages)).map(|cost| (cost.build_seconds, cost.benchmark_seconds));
        assert_eq!(cost(&[(Build, 4, 20.0), (Counts, 4, 8.0)]), Some((20.0, 2.0)));
        assert_eq!(cost(&[(HeadBuild, 4, 9.0), (LastMeasured, 4, 4.0)]), Some((18.0, 2.0)));
        let all = [
            (HeadBuild, 4, 9.0),
            (LastMeasured, 4, 4.0),
            (Build, 2, 11.0),
            (Counts, 2, 3.0),
        ];
        assert_eq!(cost(&all), Some((20.0, 2.5)));
        assert_eq!(cost(&[(Source, 4, 0.1)]), None);
        assert_eq!(cost(&[(Build, 4, 20.0)]), None, "nothing was counted");
    }

    #[test]
    fn a_skipped_version_is_held_against_earlier_costs_or_against_nothing() {
        let skipped = report(&[(CascadeStageName::Source, 4, 0.5)]);
        assert_eq!(SpentTime::of(&skipped, None).everything(), None);
        let earlier = CountingCost {
            measured_at: String::from("e"),
            build_seconds: 20.0,
            benchmark_seconds: 2.0,
        };
        let spent = SpentTime {
            benchmarks: 3,
            ..SpentTime::of(&skipped, Some(earlier))
        };
        assert_eq!((spent.seconds, spent.everything()), (0.5, Some(26.0)));
    }

    #[test]
    fn wall_time_is_no_part_of_what_counting_is_held_against() {
        use CascadeStageName::{Build, Counts, WallTime};
        let spent = SpentTime::of(&report(&[(Build, 1, 2.0), (Counts, 1, 1.0), (WallTime, 1, 60.0)]), None);
        assert!((spent.seconds - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_total_compares_only_the_judgements_whose_alternative_is_known() {
        use CascadeStageName::{Build, Counts, Source};
        let mut told = report(&[(Source, 2, 0.5)]);
        let counting = CountingCost {
            measured_at: String::from("e"),
            build_seconds: 20.0,
            benchmark_seconds: 2.0,
        };
        told.spent = Some(SpentTime {
            benchmarks: 2,
            ..SpentTime::of(&told, Some(counting))
        });
        // Counted before costs were told, but of no benchmark that it names.
        let untold = report(&[(Build, 1, 2.0), (Counts, 1, 1.0)]);
        let total = SpentTotal::of(&[told, untold]);
        let wanted = SpentTotal {
            judgements: 2,
            compared: 1,
            seconds: 0.5,
            everything: 24.0,
        };
        assert_eq!(total, wanted);
    }
}
