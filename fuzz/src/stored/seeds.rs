//! The files of two whole stores, as lito writes them, and where a file belongs by its content.

use std::collections::BTreeMap;

use profile::inputs::InputRecord;
use profile::{CostUnit, Profile};
use runner::git::CommitId;
use runner::profilers::HeapUsage;
use runner::store::{Environment, ObjectKey, SampleOutcome, SampleRecord, SampleState};
use verdict::claims::claims_of_description;
use verdict::{
    ACKNOWLEDGEMENT_SCHEMA, Acknowledgement, BenchmarkOutcome, BenchmarkVerdict, CascadeStage, CascadeStageName,
    ComparedPrograms, ExecutedCode, Metric, ProgramIdentity, SCHEMA, SkipAudit, SpentTime, Verdict, VerdictReport,
};

use super::super::git_objects::{GitObjects, ObjectKind, commit};
use super::{StoreFiles, commit_id};

/// The format of stores.
const FORMAT: &[u8] = b"lito.store/1\ninstall lito 0.1.0 or newer\n";

/// Adds a version without files, which samples are of.
pub(super) fn add_version(objects: &mut GitObjects) -> CommitId {
    let tree = objects.add(ObjectKind::Tree, Vec::new());
    commit_id(objects.add(ObjectKind::Commit, commit(tree, &[])))
}

/// That version.
pub(super) fn version() -> CommitId {
    add_version(&mut GitObjects::default())
}

/// The store that is damaged: three samples, a verdict, two acknowledgements.
pub(super) fn theirs() -> StoreFiles {
    let mut files = StoreFiles::from([(b"format".to_vec(), FORMAT.to_vec())]);
    let mut sampled = SampleRecord::new(version(), 1_600_000_000, environment("a"));
    sampled.state = SampleState::Complete;
    for name in ["parse/large", "walk"] {
        let outcome = profiled(&mut files, name);
        sampled.benchmarks.insert(name.to_owned(), outcome);
    }
    let failed = SampleOutcome::Failed {
        reason: String::from("it exited with code 1"),
    };
    let others = [failed, SampleOutcome::TimedOut { seconds: 60 }, SampleOutcome::LeftOut];
    (sampled.benchmarks).extend(["deep", "slow", "new"].map(str::to_owned).into_iter().zip(others));
    let mut started = SampleRecord::new(commit_id([7; 20]), 1_600_000_100, environment("a"));
    started
        .benchmarks
        .insert(String::from("walk"), profiled(&mut files, "walk"));
    let mut unbuilt = SampleRecord::new(commit_id([8; 20]), 1_600_000_200, environment("b"));
    unbuilt.state = SampleState::BuildFailed {
        reason: String::from("error[E0308]: mismatched types"),
    };
    for record in [sampled, started, unbuilt] {
        add(&mut files, encoded(&record));
    }
    add(&mut files, encoded(&judged()));
    for benchmark in ["parse/large", "walk"] {
        add(&mut files, encoded(&accepted(benchmark, 20)));
    }
    files
}

/// The store that it is merged into: two samples, one of them of the same version and environment, a verdict on the same
/// versions, and one of the acknowledgements.
pub(super) fn ours() -> StoreFiles {
    let mut files = StoreFiles::from([(b"format".to_vec(), FORMAT.to_vec())]);
    for processor in ["a", "c"] {
        let mut record = SampleRecord::new(version(), 1_600_000_000, environment(processor));
        record.state = SampleState::Complete;
        let outcome = profiled(&mut files, "ours");
        record.benchmarks.insert(String::from("ours"), outcome);
        add(&mut files, encoded(&record));
    }
    let mut report = judged();
    report.benchmarks.truncate(1);
    add(&mut files, encoded(&report));
    add(&mut files, encoded(&accepted("walk", 10)));
    files
}

/// Where a file belongs by its content; `None` if it is none of a store.
pub(super) fn path_of(content: &[u8]) -> Option<Vec<u8>> {
    let path = if let Ok(record) = serde_json::from_slice::<SampleRecord>(content) {
        format!("samples/{}/{}.json", record.commit, record.environment.id())
    } else if let Ok(report) = serde_json::from_slice::<VerdictReport>(content) {
        let environment = Environment(report.environment).id();
        format!("verdicts/{}/{}-{environment}.json", report.head, report.base)
    } else if let Ok(given) = serde_json::from_slice::<Acknowledgement>(content) {
        let benchmark = ObjectKey::of(given.benchmark.as_bytes()).to_string();
        format!(
            "acknowledgements/{}/{}-{}.json",
            given.pull,
            given.head,
            &benchmark[..32]
        )
    } else {
        return None;
    };
    Some(path.into_bytes())
}

/// The path of an object.
pub(super) fn object_path(key: ObjectKey) -> Vec<u8> {
    let digits = key.to_string();
    format!("objects/{}/{}", &digits[..2], &digits[2..]).into_bytes()
}

fn add(files: &mut StoreFiles, content: Vec<u8>) {
    let path = path_of(&content).expect("it is a file of a store");
    files.insert(path, content);
}

fn encoded(file: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec_pretty(file).expect("strings and numbers are always encoded")
}

fn environment(processor: &str) -> Environment {
    let facts = [("processor", processor), ("profiler", "callgrind 3.19.0")];
    Environment(facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
}

/// The outcome of a benchmark, with its profile and its inputs among the files.
fn profiled(files: &mut StoreFiles, name: &str) -> SampleOutcome {
    let profile = Profile {
        benchmark: name.to_owned(),
        unit: CostUnit::Instructions,
        profiler: String::from("callgrind"),
        exact_counts: true,
        total: 12_345,
        files: Vec::new(),
        functions: Vec::new(),
        sites: Vec::new(),
        lines: Vec::new(),
    };
    let inputs = profile::inputs::binary::encode(&InputRecord::default());
    let [profile, inputs] = [profile::format::binary::encode(&profile), inputs].map(|content| {
        let key = ObjectKey::of(&content);
        files.insert(object_path(key), content);
        key
    });
    SampleOutcome::Profiled {
        profile,
        total: 12_345,
        inputs: Some(inputs),
        heap: Some(HeapUsage {
            bytes: 100,
            blocks: 3,
            peak: Some(64),
        }),
        program: Some(identity()),
    }
}

fn identity() -> ProgramIdentity {
    ProgramIdentity {
        dependencies: "0a".repeat(16),
        code: Some("0b".repeat(16)),
        executed: Some(ExecutedCode {
            sample: "0c".repeat(20),
            code: "0d".repeat(16),
        }),
    }
}

fn judged() -> VerdictReport {
    let entry = |name: &str, metric, outcome| BenchmarkVerdict {
        tool: String::from("callgrind"),
        base: Some(1000.0),
        head: Some(1200.0),
        change: Some(0.2),
        low: Some(0.19),
        high: Some(0.21),
        significant: true,
        reachable: Some(true),
        probability: Some(0.87),
        starts: 3,
        ..BenchmarkVerdict::without_values(name, metric, outcome)
    };
    let stage = |name| CascadeStage {
        name,
        benchmarks: 3,
        selected: 2,
        seconds: 1.5,
    };
    let mut report = VerdictReport {
        schema: SCHEMA.to_owned(),
        base: version().to_string(),
        head: commit_id([7; 20]).to_string(),
        verdict: Verdict::Regression,
        reason: String::from("one benchmark got worse"),
        benchmarks: vec![
            entry("walk", Metric::Instructions, BenchmarkOutcome::Pass),
            entry("parse/large", Metric::Instructions, BenchmarkOutcome::Regression),
            entry("parse/large", Metric::WallTime, BenchmarkOutcome::Inconclusive),
        ],
        stages: [
            CascadeStageName::Source,
            CascadeStageName::Build,
            CascadeStageName::Counts,
        ]
        .map(stage)
        .into(),
        audited: true,
        audit: Some(SkipAudit::of(60, 1)),
        claims: Vec::new(),
        repeat: Some(String::from("lito gate --base a --head b")),
        environment: environment("a").0,
        programs: BTreeMap::from([(
            String::from("walk"),
            ComparedPrograms {
                base: Some(identity()),
                head: None,
            },
        )]),
        cost_seconds: 12.5,
        spent: None,
    };
    report.spent = Some(SpentTime::of(&report, verdict::CountingCost::of(&report)));
    for requested in claims_of_description("lito: walk quicker") {
        let why = String::from("it says not what is claimed");
        report.claims.push(report::verdict::claims::malformed(&requested, why));
    }
    report
}

fn accepted(benchmark: &str, at: i64) -> Acknowledgement {
    Acknowledgement {
        schema: ACKNOWLEDGEMENT_SCHEMA.to_owned(),
        pull: 3,
        benchmark: benchmark.to_owned(),
        reason: String::from("correct input is worth it"),
        by: String::from("mona"),
        at,
        head: commit_id([7; 20]).to_string(),
        base: version().to_string(),
        accepted: BTreeMap::from([(Metric::Instructions, Some(0.2))]),
    }
}
