//! How fast sources become models: the analyzer's own sources by each front end, or the folders of
//! `LITO_CORPUS` (separated by `:`).
#![allow(missing_docs, clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use analyzer::syntax::SourceParser;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn sources(folder: &Path, extension: &str, found: &mut Vec<(String, Vec<u8>)>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, extension, found);
        } else if path.extension().is_some_and(|known| known == extension) {
            found.push((path.to_string_lossy().into_owned(), std::fs::read(&path).unwrap()));
        }
    }
}

fn parse(criterion: &mut Criterion) {
    let corpus = std::env::var("LITO_CORPUS").unwrap_or_else(|_| format!("{}/src", env!("CARGO_MANIFEST_DIR")));
    let mut group = criterion.benchmark_group("parse");
    group.sample_size(10);
    for folder in corpus.split(':') {
        let mut files = Vec::new();
        sources(Path::new(folder), "rs", &mut files);
        let bytes: usize = files.iter().map(|(_, content)| content.len()).sum();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(folder, |bencher| {
            bencher.iter(|| {
                let parser = SourceParser::default();
                files
                    .iter()
                    .map(|(path, content)| parser.parse(path, content).functions.len())
                    .sum::<usize>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
