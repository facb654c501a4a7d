//! Time to read a large callgrind file: a real one (`data/run.callgrind`), repeated at other addresses up to 50 MB.
//! Also prints the process's peak memory where the system reports it.
#![allow(missing_docs, clippy::print_stdout)]
// a benchmark reports on its own process
#![allow(clippy::disallowed_methods)]

use std::fmt::Write as _;

use attribution::callgrind::trace;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const WANTED: usize = 50 << 20;

const REAL: &str = include_str!("data/run.callgrind");

/// Distance between two repetitions: more than any address in the real file.
const SHIFT: u64 = 1 << 32;

/// The real file repeated, each time as another program as far as the format is concerned.
fn large() -> String {
    let (header, body) = REAL.split_once("\n\n\n").expect("a header");
    let body = body.split("totals:").next().expect("a body");
    let total: u64 = (REAL.lines())
        .filter_map(|line| line.strip_prefix("totals: "))
        .map(|total| total.parse::<u64>().expect("a number"))
        .sum();
    let mut file = format!("{header}\n\n\n");
    file.reserve(WANTED + body.len() * 2);
    let mut copies = 0;
    while file.len() < WANTED {
        let shift = copies * SHIFT;
        for line in body.lines() {
            // absolute addresses are the only hexadecimal words
            match line.strip_prefix("0x").map(|rest| rest.split_once(' ')) {
                Some(Some((address, rest))) => {
                    let address = u64::from_str_radix(address, 16).expect("an address");
                    writeln!(file, "0x{:x} {rest}", address + shift).expect("memory");
                }
                _ => writeln!(file, "{line}").expect("memory"),
            }
        }
        copies += 1;
    }
    writeln!(file, "totals: {}", total * copies).expect("memory");
    file
}

fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
}

fn read_50_megabytes(criterion: &mut Criterion) {
    let file = large();
    println!("before reading, the file included: {:?}", peak_memory());
    let trace = trace::read(file.as_bytes()).expect("a well-formed file");
    println!(
        "{} bytes, {} instructions, {} calls, {} jumps; after reading: {:?}",
        file.len(),
        trace.instructions.len(),
        trace.calls.len(),
        trace.jumps.len(),
        peak_memory()
    );
    let mut group = criterion.benchmark_group("callgrind");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(file.len() as u64));
    group.bench_function("read 50 MB", |bencher| {
        bencher.iter(|| trace::read(file.as_bytes()).expect("a well-formed file"));
    });
    group.finish();
}

criterion_group!(benches, read_50_megabytes);
criterion_main!(benches);
