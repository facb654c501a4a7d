#![allow(clippy::unwrap_used)]

use std::io::Write;

use proptest::prelude::*;

use super::*;
use verdict::ProcessStart;

fn cache() -> (tempfile::TempDir, RepositoryCache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = RepositoryCache::below(folder.path(), folder.path()).unwrap();
    (folder, cache)
}

fn open(cache: &RepositoryCache) -> MeasurementLog {
    let commit = |byte| CommitId([byte; 20]);
    MeasurementLog::open(cache, commit(1), commit(2), &Environment::default()).unwrap()
}

fn counts(benchmark: &str, head: u64) -> MeasurementRecord {
    MeasurementRecord {
        benchmark: benchmark.to_owned(),
        metric: Metric::Instructions,
        values: MeasuredValues::Counts {
            base: vec![u64::MAX, 2],
            head: vec![head],
        },
        retries: 1,
    }
}

#[test]
fn what_was_kept_is_known_after_a_restart_and_the_last_of_each_counts() {
    let (_folder, cache) = cache();
    let mut results = open(&cache);
    assert_eq!(results.known("a\n☂", Metric::Instructions), None);
    for entry in [counts("a\n☂", 1), counts("b", 2), counts("a\n☂", 3)] {
        results.append(entry).unwrap();
    }
    drop(results);
    let results = open(&cache);
    let entry = counts("a\n☂", 3);
    assert_eq!(results.known("a\n☂", Metric::Instructions), Some(&entry));
    assert_eq!(results.known("a\n☂", Metric::WallTime), None);
    assert_eq!(results.damaged, 0);
}

#[test]
fn other_versions_and_other_environments_share_nothing() {
    let (_folder, cache) = cache();
    open(&cache).append(counts("a", 1)).unwrap();
    let commit = |byte| CommitId([byte; 20]);
    let there = Environment([("processor".to_owned(), "another".to_owned())].into());
    for (base, head, environment) in [
        (commit(1), commit(3), &Environment::default()),
        (commit(2), commit(1), &Environment::default()),
        (commit(1), commit(2), &there),
    ] {
        let results = MeasurementLog::open(&cache, base, head, environment).unwrap();
        assert_eq!(results.known("a", Metric::Instructions), None);
    }
}

#[test]
fn a_line_cut_short_at_any_byte_is_left_out_and_the_file_goes_on() {
    let (_folder, cache) = cache();
    let mut results = open(&cache);
    results.append(counts("a", 1)).unwrap();
    let first = std::fs::read(&results.path).unwrap();
    results.append(counts("b", 2)).unwrap();
    let both = std::fs::read(&results.path).unwrap();
    for end in first.len()..both.len() {
        std::fs::write(&results.path, &both[..end]).unwrap();
        let mut again = open(&cache);
        assert!(again.known("a", Metric::Instructions).is_some());
        assert_eq!(again.known("b", Metric::Instructions), None, "{end}");
        assert_eq!(again.damaged, usize::from(end > first.len()));
        again.append(counts("c", 3)).unwrap();
        let again = open(&cache);
        assert!(again.known("c", Metric::Instructions).is_some() && again.damaged == 0);
    }
}

#[test]
fn a_spoilt_line_is_left_out_and_counted() {
    let (_folder, cache) = cache();
    let mut results = open(&cache);
    results.append(counts("a", 1)).unwrap();
    results.append(counts("b", 2)).unwrap();
    let mut text = std::fs::read_to_string(&results.path).unwrap();
    text = text.replacen("\"head\":[1]", "\"head\":[9]", 1);
    std::fs::write(&results.path, text).unwrap();
    let mut file = File::options().append(true).open(&results.path).unwrap();
    file.write_all(b"\xff\xfe\n\n{}\n").unwrap();
    let results = open(&cache);
    assert_eq!(results.known("a", Metric::Instructions), None);
    assert!(results.known("b", Metric::Instructions).is_some());
    assert_eq!(results.damaged, 3);
}

proptest! {
    #[test]
    fn times_come_back_bit_by_bit(values in prop::collection::vec(0.0..1e12_f64, 1..20)) {
        let entry = MeasurementRecord {
            benchmark: "a".to_owned(),
            metric: Metric::WallTime,
            values: MeasuredValues::Rounds(vec![MeasurementRound {
                base: ProcessStart(values.clone()),
                control: ProcessStart(values.iter().map(|value| value / 3.0).collect()),
                head: ProcessStart(vec![0.1]),
            }]),
            retries: 0,
        };
        let line = write_line(&entry);
        prop_assert_eq!(read_line(line.trim_end().as_bytes()), Some(entry));
    }

    #[test]
    fn no_line_makes_reading_fail(line in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(read_line(&line), None);
    }
}
