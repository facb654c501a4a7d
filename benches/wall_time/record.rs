//! A repository's HEAD against itself → rounds of wall time, as the gate takes them, in a file.

use std::fs;
use std::path::Path;
use std::process::Command;

use engine::profiling::{Profiler, choose_profiler};
use engine::settings::Settings;
use runner::build::RepositoryCache;
use runner::git::Repository;
use runner::measure::sides::{self, SideBuildPlan};
use runner::measure::wall_time::{RoundsRequest, time_rounds};
use runner::measure::{Deadline, RunConditions};
use runner::process::InterruptionFlag;
use verdict::{MeasurementRound, ProcessStart};

use crate::recording::Recording;

/// Iterations of a start that are kept; of more, as many evenly spaced ones in ascending order stand for all.
const ITERATIONS: usize = 20;

/// Records the newest release of a library, with the demo's benchmarks.
pub(crate) fn record_library(library: &str, rounds: u32, file: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history");
    let status = Command::new(env!("CARGO_BIN_EXE_lito"))
        .args(["import", "crate", library, "--last", "1"])
        .arg(&history)
        .status()
        .unwrap();
    assert!(status.success(), "importing {library}: {status}");
    let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/demo").join(library);
    let settings = format!(
        "[[benchmarks]]\nadapter = \"cargo-bench\"\nharness = \"{}\"\n",
        harness.display()
    );
    fs::write(history.join("lito.toml"), settings).unwrap();
    record_repository(&history, rounds, file);
}

/// Records every benchmark of a repository: one round of each, then the next of each.
pub(crate) fn record_repository(folder: &Path, rounds: u32, file: &Path) {
    let interruption = InterruptionFlag::default();
    let repository = Repository::open(folder).unwrap();
    let head = repository.resolve("HEAD").unwrap();
    let settings = Settings::read(folder).unwrap();
    let place = tempfile::tempdir().unwrap();
    let cache = RepositoryCache::below(place.path(), folder).unwrap();
    let profiler = choose_profiler(Profiler::Auto, &interruption, |note| eprintln!("{note}")).unwrap();
    let plan = SideBuildPlan {
        repository: &repository,
        base: head,
        head,
        definitions: &settings.benchmarks,
        cache: &cache,
        profiler: profiler.profiler(),
        interruption: &interruption,
        draft: false,
        fresh: true,
    };
    let mut sides = sides::build(&plan, &mut |step| eprintln!("{step:?}")).unwrap();
    let conditions = RunConditions {
        deadline: Deadline::NEVER,
        shared_start: None,
        interruption: &interruption,
    };
    let mut recorded: Vec<Recording> = (sides.benchmarks().into_keys())
        .map(|benchmark| Recording {
            benchmark,
            rounds: Vec::new(),
        })
        .collect();
    for number in 0..rounds {
        for recording in &mut recorded {
            let wanted = RoundsRequest {
                benchmark: &recording.benchmark,
                first: number,
                count: 1,
                seed: 0,
            };
            let taken = time_rounds(&mut sides, &wanted, &conditions).unwrap();
            recording.rounds.extend(taken.value.iter().map(thinned));
        }
    }
    fs::write(file, Recording::encode(&recorded)).unwrap();
}

fn thinned(round: &MeasurementRound) -> MeasurementRound {
    let thin = |start: &ProcessStart| {
        let mut times = start.0.clone();
        if times.len() > ITERATIONS {
            times.sort_by(f64::total_cmp);
            let last = (times.len() - 1) as f64 / (ITERATIONS - 1) as f64;
            times = (0..ITERATIONS)
                .map(|step| times[(step as f64 * last) as usize])
                .collect();
        }
        ProcessStart(times)
    };
    MeasurementRound {
        base: thin(&round.base),
        control: thin(&round.control),
        head: thin(&round.head),
    }
}
