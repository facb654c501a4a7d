//! A report with one of everything, for the tests of its renderings.

use analyzer::change::ChangeKind;
use analyzer::score::{
    BenchmarkEffect, BenchmarkPrediction, DecisionReason, SampleReference, ScoreDecision, ScoredChange, VersionScore,
};
use verdict::Metric;
use verdict::{
    BenchmarkOutcome, BenchmarkVerdict, CascadeStage, CascadeStageName, SCHEMA, SkipAudit, Verdict, VerdictReport,
    overall_verdict, sort_for_report,
};

use super::reasons;
use crate::score::ScoreDocument;

/// An entry without figures.
pub(crate) fn entry(name: &str, outcome: BenchmarkOutcome) -> BenchmarkVerdict {
    BenchmarkVerdict {
        tool: String::from("callgrind"),
        reason: String::from("because"),
        ..BenchmarkVerdict::without_values(name, Metric::Instructions, outcome)
    }
}

fn measured(name: &str, outcome: BenchmarkOutcome, metric: Metric, base: f64, change: [f64; 3]) -> BenchmarkVerdict {
    let [low, change, high] = change;
    BenchmarkVerdict {
        metric,
        base: Some(base),
        head: Some((base * (1.0 + change)).round()),
        change: Some(change),
        low: Some(low),
        high: Some(high),
        significant: outcome == BenchmarkOutcome::Regression || outcome == BenchmarkOutcome::Improvement,
        probability: Some(0.87),
        starts: 3,
        ..entry(name, outcome)
    }
}

/// The report.
pub(crate) fn report() -> VerdictReport {
    let mut benchmarks = vec![
        BenchmarkVerdict {
            reachable: Some(true),
            evidence: Some(String::from("`krate::parse` changed and runs 120 k times in it")),
            reason: String::from("instructions rose by 10%, more than the noise floor of 0.1%"),
            ..measured(
                "parse/large",
                BenchmarkOutcome::Regression,
                Metric::Instructions,
                12_345_678.0,
                [0.1, 0.1, 0.1],
            )
        },
        BenchmarkVerdict {
            tool: String::from("clock"),
            reachable: Some(true),
            gating: false,
            reason: String::from(
                "slower: +8.1% (+6.0% to +10.2%) over 20 rounds, more than the smallest change that counts, 2%; p = 0.0008",
            ),
            starts: 20,
            ..measured(
                "parse/large",
                BenchmarkOutcome::Regression,
                Metric::WallTime,
                1_234_567.0,
                [0.06, 0.081, 0.102],
            )
        },
        BenchmarkVerdict {
            reachable: Some(false),
            evidence: Some(String::from(
                "no changed function is among the 214 that the benchmark can reach",
            )),
            reason: String::from("peak bytes were 0 at the base and are 65536 at the head"),
            change: None,
            low: None,
            high: None,
            base: Some(0.0),
            head: Some(65_536.0),
            tool: String::from("dhat"),
            ..measured(
                "walk/deep",
                BenchmarkOutcome::Regression,
                Metric::PeakBytes,
                0.0,
                [0.0; 3],
            )
        },
        BenchmarkVerdict {
            tool: String::from("clock"),
            reason: String::from("-1.2% to +4.4% over 80 rounds: too noisy to detect a change of 2%"),
            ..measured(
                "io/read",
                BenchmarkOutcome::Inconclusive,
                Metric::WallTime,
                98_765_432.0,
                [-0.012, 0.016, 0.044],
            )
        },
        BenchmarkVerdict {
            reason: String::from("exits with 101 at the head: thread 'main' panicked"),
            retries: 2,
            ..entry("io/write", BenchmarkOutcome::Failed)
        },
        measured(
            "search/one",
            BenchmarkOutcome::Improvement,
            Metric::Instructions,
            5_000_000.0,
            [-0.341, -0.34, -0.339],
        ),
        measured(
            "search/many",
            BenchmarkOutcome::Pass,
            Metric::Instructions,
            7_000_000.0,
            [0.0, 0.0, 0.0],
        ),
        entry("search/new", BenchmarkOutcome::Added),
    ];
    benchmarks.extend((1..=3).map(|n| entry(&format!("glob/{n}"), BenchmarkOutcome::SameCode)));
    benchmarks.extend((1..=14).map(|n| entry(&format!("print/{n:02}"), BenchmarkOutcome::Skipped)));
    sort_for_report(&mut benchmarks);
    let reason = overall_verdict(&benchmarks);
    let verdict = reason.cause.verdict();
    assert_eq!(verdict, Verdict::Mixed);
    VerdictReport {
        schema: String::from(SCHEMA),
        base: "b".repeat(40),
        head: "a".repeat(40),
        verdict,
        reason: reasons::overall(&reason),
        benchmarks,
        stages: vec![
            stage(CascadeStageName::Source, 24, 10, 0.21),
            stage(CascadeStageName::Build, 10, 7, 31.4),
            stage(CascadeStageName::Counts, 7, 2, 8.0),
            stage(CascadeStageName::WallTime, 2, 2, 64.0),
        ],
        audited: false,
        audit: Some(SkipAudit::of(60, 1)),
        claims: Vec::new(),
        repeat: None,
        environment: [
            ("processor", "x86_64, 2 cores"),
            ("rustc", "1.95.0"),
            ("valgrind", "3.19.0"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        programs: std::collections::BTreeMap::new(),
        cost_seconds: 103.61,
        spent: None,
    }
}

fn stage(name: CascadeStageName, benchmarks: u32, selected: u32, seconds: f64) -> CascadeStage {
    CascadeStage {
        name,
        benchmarks,
        selected,
        seconds,
    }
}

/// The prediction of the same versions: two changes that `parse/large` runs, one that nothing runs.
pub(crate) fn score() -> ScoreDocument {
    ScoreDocument {
        reason: String::from("`krate::parse` is called in a loop of `parse/large`"),
        ..ScoreDocument::of(&version_score())
    }
}

/// The same prediction, as the analyzer gives it.
pub(crate) fn version_score() -> VersionScore {
    let change = |kind, line, callee: Option<&str>, share: f64| ScoredChange {
        kind,
        function: Some(String::from("krate::parse::{closure}")),
        file: String::from("src/a b/x.rs"),
        line,
        callee: callee.map(str::to_owned),
        resolved_by: callee.map(|_| analyzer::resolve::CalleeEvidence::SameSite),
        effects: vec![BenchmarkEffect {
            benchmark: String::from("parse/large"),
            executions: 120_000,
            unit_cost: 35.2,
            terms: vec![analyzer::cost::CostTerm {
                executions: 120_000.0,
                unit_cost: 35.2,
                believed: 1.0,
            }],
            cost: 4_224_000.0,
            share,
            low: share / 2.0,
            high: share * 2.0,
        }],
        input_of: None,
    };
    let mut unreached = change(ChangeKind::Dependency, 0, Some("serde"), 0.0);
    unreached.effects.clear();
    VersionScore {
        commit: "a".repeat(40),
        parent: Some("b".repeat(40)),
        sample: Some(SampleReference {
            commit: "c".repeat(40),
            distance: 7,
            profiler: None,
        }),
        decision: ScoreDecision::Benchmark,
        reason: DecisionReason::NotExecuted,
        probability: 0.87,
        benchmarks: vec![BenchmarkPrediction {
            name: String::from("parse/large"),
            predicted: 0.123,
            low: 0.02,
            high: 0.31,
            probability: 0.87,
            selected: true,
            ..BenchmarkPrediction::default()
        }],
        changes: vec![
            change(ChangeKind::CallAddition, 120, Some("krate::check"), 0.098),
            change(ChangeKind::Operation, 0, None, 0.004),
            unreached,
        ],
        degraded: Vec::new(),
        unused: Vec::new(),
        newer_benchmarks: Vec::new(),
        changed_benchmarks: Vec::new(),
        reach: None,
    }
}

/// Sizes and a build time that nobody asked for: two that are told and one that is not.
pub(crate) fn byproducts() -> Vec<BenchmarkVerdict> {
    let size = |name: &str, metric, base: f64, change: f64| BenchmarkVerdict {
        gating: false,
        starts: 0,
        probability: None,
        significant: change >= 0.01,
        ..measured(name, BenchmarkOutcome::Regression, metric, base, [change; 3])
    };
    vec![
        size("speed", Metric::BinarySize, 412_000.0, 0.05),
        size("other", Metric::BinarySize, 412_000.0, 0.002),
        BenchmarkVerdict {
            verdict: BenchmarkOutcome::Inconclusive,
            significant: false,
            ..size("build", Metric::BuildTime, 20.0, 0.5)
        },
    ]
}

/// The same report with names that try to get out of their place.
pub(crate) fn hostile() -> (VerdictReport, ScoreDocument) {
    let evil = "x\x1b[2J\u{202e}|`</details><script>[a](https://evil.test) @all {0} ";
    let (mut report, mut score) = (report(), score());
    for entry in &mut report.benchmarks {
        entry.name = format!("{evil}{}", entry.name);
        entry.reason = evil.repeat(20);
        entry.evidence = Some(evil.repeat(20));
        entry.tool = String::from(evil);
    }
    report.reason = String::from(evil);
    report.base = String::from(evil);
    report.environment = [(evil.to_owned(), evil.to_owned())].into();
    for change in &mut score.changes {
        change.file = format!("../{evil}/ü%.rs");
        change.function = Some(evil.to_owned());
        change.callee = Some(evil.to_owned());
        for effect in &mut change.effects {
            effect.benchmark = format!("{evil}{}", effect.benchmark);
        }
    }
    (report, score)
}
