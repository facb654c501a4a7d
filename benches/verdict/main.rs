//! Is the verdict right? Released libraries compared with themselves and with slower copies of themselves, by
//! `lito selftest`: how often it cries wolf, and which changes it finds.
//!
//!     cargo bench --bench verdict                     # what is not in benches/verdict/results yet, then the table
//!     cargo bench --bench verdict -- --run 7          # more of the same, added to what is there
//!     cargo bench --bench verdict -- --libraries semver,memchr --parts sizes --sized 2
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
// a study runs programs
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use analyzer::instrument::seed::{KINDS, SeedHotness};
use report::selftest::{BinomialProportion, DetectionPower, IdenticalVersionsResult, SelftestReport, power};
use verdict::Metric;

/// Those that the demo has benchmarks for.
const LIBRARIES: [&str; 5] = ["semver", "httparse", "memchr", "hashbrown", "smallvec"];

/// Comparisons with itself, counted and timed, and planted changes of known sizes and of all kinds, in hot and warm code and
/// in cold code: each is run and kept by itself.
const PARTS: [&str; 5] = ["counts", "times", "sizes", "kinds", "cold"];

/// How much is tried of each library.
struct SelftestScale {
    /// Comparisons with itself, of every benchmark.
    identical: String,
    /// Planted changes of each known size.
    sized: String,
    /// Planted changes of each kind at each place.
    seeds: String,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let or = |name: &str, default: &str| value(name).unwrap_or_else(|| default.to_owned());
    let scale = SelftestScale {
        identical: or("--aa", "17"),
        sized: or("--sized", "12"),
        seeds: or("--seeds", "2"),
    };
    let run = or("--run", "1");
    let libraries = or("--libraries", &LIBRARIES.join(","));
    let parts = or("--parts", &PARTS.join(","));
    for library in libraries.split(',') {
        for part in parts.split(',') {
            let results = folder().join(format!("{library}-{part}-{run}.json"));
            if !results.is_file() {
                let found = study(library, part, &scale);
                fs::write(results, report::selftest::json(&found)).unwrap();
            }
        }
    }
    print(&LIBRARIES.map(|library| (library, stored(library))));
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folder() -> PathBuf {
    root().join("benches/verdict/results")
}

/// The stored results of a library, by part and run.
fn stored(library: &str) -> Vec<SelftestReport> {
    let mut files: Vec<PathBuf> = (fs::read_dir(folder()).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&format!("{library}-"))
        })
        .collect();
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    texts.map(|text| serde_json::from_str(&text).unwrap()).collect()
}

/// Tests a part of one library's newest release.
fn study(library: &str, part: &str, scale: &SelftestScale) -> SelftestReport {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history");
    let import = ["import", "crate", library, "--last", "1"];
    run(folder.path(), &[&import[..], &[history.to_str().unwrap()]].concat());
    let harness = root().join("config/demo").join(library);
    let settings = format!(
        "[[benchmarks]]\nadapter = \"cargo-bench\"\nharness = \"{}\"\n",
        harness.display()
    );
    fs::write(history.join("lito.toml"), settings).unwrap();
    let identical = ["--seeds", "0", "--sized", "0", "--aa", &scale.identical];
    let counts = ["--metric", "instructions", "--metric", "memory"];
    match part {
        "counts" => selftest(&history, &[&identical[..], &counts].concat()),
        "times" => selftest(&history, &[&identical[..], &["--metric", "wall-time"]].concat()),
        // Planted changes are held against instructions: what they do to time depends on the processor.
        "sizes" => selftest(&history, &["--aa", "0", "--seeds", "0", "--sized", &scale.sized]),
        "kinds" => planted_kinds(&history, scale, &["hot", "warm"]),
        // Hardly any change moves a benchmark here.
        "cold" => planted_kinds(&history, scale, &["cold"]),
        _ => panic!("`--parts {part}`: the parts are {}", PARTS.join(", ")),
    }
}

/// Plants changes of all kinds at these places.
fn planted_kinds(history: &Path, scale: &SelftestScale, places: &[&str]) -> SelftestReport {
    let mut arguments = vec!["--aa", "0", "--seeds", &scale.seeds, "--sized", "0"];
    arguments.extend(places.iter().flat_map(|place| ["--places", place]));
    selftest(history, &arguments)
}

/// Runs lito where it is to be tested; what it says of its progress is passed on.
fn run(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_lito"))
        .args(arguments)
        .current_dir(folder)
        .stderr(std::process::Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "lito {arguments:?}: {}", output.status);
    output.stdout
}

fn selftest(folder: &Path, arguments: &[&str]) -> SelftestReport {
    let whole = [&["selftest", "--format", "json", "--budget", "2h"], arguments].concat();
    serde_json::from_slice(&run(folder, &whole)).unwrap()
}

/// The results of all libraries together, as markdown.
fn print(stored: &[(&str, Vec<SelftestReport>)]) {
    let there: Vec<&SelftestReport> = stored.iter().flat_map(|(_, found)| found).collect();
    let names: Vec<&str> = (stored.iter())
        .filter(|(_, found)| !found.is_empty())
        .map(|(name, _)| *name)
        .collect();
    println!("Libraries: {}.\n", names.join(", "));
    println!("| identical versions | comparisons | false alarms | at most (95%) | undecided | largest change |");
    println!("|---|---:|---:|---:|---:|---:|");
    for metric in Metric::ALL {
        let of_metric = || {
            let all = there.iter().flat_map(|one| &one.identical);
            all.filter(|identical| identical.metric == metric)
        };
        if of_metric().next().is_none() {
            continue;
        }
        let alarms = sum(of_metric().map(IdenticalVersionsResult::false_alarms));
        let undecided: u32 = of_metric().map(|identical| identical.undecided).sum();
        let largest = of_metric().map(|identical| identical.largest).fold(0.0, f64::max);
        println!(
            "| {metric} | {} | {} | {} | {undecided} | {} |",
            alarms.of,
            alarms.hits,
            percent(alarms.high),
            percent(largest)
        );
    }
    println!(
        "\n| changes | size | found | of | rate | 95% interval | cost something else |\n|---|---:|---:|---:|---:|---:|---:|"
    );
    // Anew from the trials: what is kept may have been summed up by an older rule.
    let of_trials: Vec<DetectionPower> = there.iter().flat_map(|one| power(&one.sized)).collect();
    let powers = [
        ("planted loops, instructions", of_trials.iter().collect::<Vec<_>>()),
        (
            "times made longer, wall time",
            there.iter().flat_map(|one| &one.lengthened).collect(),
        ),
    ];
    for (what, powers) in &powers {
        let mut sizes: Vec<f64> = powers.iter().map(|power| power.share).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        for size in sizes {
            let of_size = || powers.iter().filter(|power| power.share == size);
            let found = sum(of_size().map(|power| power.found));
            let otherwise: u32 = of_size().map(|power| power.otherwise).sum();
            println!("| {what} | +{} | {} | {otherwise} |", percent(size), counted(found));
        }
    }
    println!("\n| planted changes of all kinds | flagged | of those that moved | rate | 95% interval |");
    println!("|---|---:|---:|---:|---:|");
    for (name, found) in stored {
        let all: Vec<_> = (found.iter().flat_map(|part| &part.cells))
            .filter(|cell| cell.kind.is_none() && cell.place.is_none())
            .collect();
        if !all.is_empty() {
            let compiled = sum(all.iter().map(|cell| cell.compiled));
            let recall = counted(sum(all.iter().map(|cell| cell.recall)));
            println!("| {name}: {} of {} compiled | {recall} |", compiled.hits, compiled.of);
        }
    }
    println!("\n| place of planted change | flagged | of those that moved | rate | 95% interval |");
    println!("|---|---:|---:|---:|---:|");
    for place in [SeedHotness::Hot, SeedHotness::Warm, SeedHotness::Cold] {
        let of_place =
            (there.iter().flat_map(|one| &one.cells)).filter(|cell| cell.kind.is_none() && cell.place == Some(place));
        println!(
            "| {} | {} |",
            place.name(),
            counted(sum(of_place.map(|cell| cell.recall)))
        );
    }
    println!("\n| kind of planted change | flagged | of those that moved | rate | 95% interval |");
    println!("|---|---:|---:|---:|---:|");
    for kind in KINDS {
        let of_kind =
            (there.iter().flat_map(|one| &one.cells)).filter(|cell| cell.kind == Some(kind) && cell.place.is_none());
        let recall = sum(of_kind.map(|cell| cell.recall));
        // Without a site in any of the libraries.
        if recall.of > 0 {
            println!("| {} | {} |", kind.name().replace('_', " "), counted(recall));
        }
    }
}

fn sum(rates: impl Iterator<Item = BinomialProportion>) -> BinomialProportion {
    let (hits, of) = rates.fold((0, 0), |(hits, of), rate| (hits + rate.hits, of + rate.of));
    BinomialProportion::new(hits, of)
}

fn counted(rate: BinomialProportion) -> String {
    let share = f64::from(rate.hits) / f64::from(rate.of.max(1));
    format!(
        "{} | {} | {} | {} to {}",
        rate.hits,
        rate.of,
        percent(share),
        percent(rate.low),
        percent(rate.high)
    )
}

fn percent(share: f64) -> String {
    report::number_format::share(share)
}
