#!/usr/bin/env bash
# Makes the repository that the examples of the documentation run in: a small Rust library with three benchmarks, eight
# versions on `main`, and three branches that stand for pull requests. Needs git alone; the same commits every time.
#
#   docs/check/tally.sh FOLDER
set -euo pipefail

folder=${1:?usage: tally.sh FOLDER}
clock=1767225600 # 2026-01-01; one hour from commit to commit

git init --quiet --initial-branch=main "$folder"
cd "$folder"
git config user.name "tally"
git config user.email "tally@example.test"

commit() {
    clock=$((clock + 3600))
    git add --all
    GIT_AUTHOR_DATE="$clock +0000" GIT_COMMITTER_DATE="$clock +0000" git commit --quiet --message "$1"
}

# FILE FROM TO: replaces a text that the file has.
replace() {
    local text
    text=$(<"$1")
    [[ $text == *"$2"* ]] || {
        echo "tally.sh: $1 does not have: $2" >&2
        exit 1
    }
    printf '%s\n' "${text/"$2"/"$3"}" >"$1"
}

mkdir -p src/bin
cat >Cargo.toml <<'FILE'
[package]
name = "tally"
version = "0.1.0"
edition = "2021"
FILE
printf '/target\n/Cargo.lock\n' >.gitignore
cat >lito.toml <<'FILE'
[[benchmarks]]
adapter = "command"
name = "parse/short"
build = ["cargo", "build", "--release", "--offline"]
run = ["target/release/bench", "parse", "200"]
subject = "bench::parse"

[[benchmarks]]
adapter = "command"
name = "parse/long"
build = ["cargo", "build", "--release", "--offline"]
run = ["target/release/bench", "parse", "4000"]
subject = "bench::parse"

[[benchmarks]]
adapter = "command"
name = "table"
build = ["cargo", "build", "--release", "--offline"]
run = ["target/release/bench", "table", "400"]
subject = "bench::table"

[gate]
audit = "0%"
FILE
cat >src/lib.rs <<'FILE'
//! Records such as `apples: 12`, parsed and shown as a table.

pub mod record;
pub mod table;
FILE
cat >src/record.rs <<'FILE'
/// A name with a number.
pub struct Record<'t> {
    pub name: &'t str,
    pub count: u64,
}

/// The records of a text, one a line.
pub fn parse(text: &str) -> Vec<Record<'_>> {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<Record<'_>> {
    let (name, count) = line.split_once(':')?;
    Some(Record {
        name: name.trim(),
        count: number(count.trim())?,
    })
}

fn number(digits: &str) -> Option<u64> {
    let mut value = 0u64;
    for digit in digits.bytes() {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(digit - b'0');
    }
    Some(value)
}
FILE
cat >src/table.rs <<'FILE'
use crate::record::Record;

/// The records as a table with two columns.
pub fn table(records: &[Record<'_>]) -> String {
    let mut out = String::new();
    for record in records {
        out.push_str(record.name);
        out.push('\t');
        out.push_str(&record.count.to_string());
        out.push('\n');
    }
    out
}
FILE
cat >src/bin/bench.rs <<'FILE'
use std::hint::black_box;

use tally::record::{self, Record};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().expect("what to run");
    let lines: u64 = arguments.next().and_then(|n| n.parse().ok()).expect("how many lines");
    let text: String = (0..lines).map(|n| format!("item {}: {}\n", n * 7919 % 1000, n * n)).collect();
    match what.as_str() {
        "parse" => drop(parse(black_box(&text))),
        _ => drop(table(black_box(&record::parse(&text)))),
    }
}

#[inline(never)]
fn parse(text: &str) -> Vec<Record<'_>> {
    record::parse(text)
}

#[inline(never)]
fn table(records: &[Record<'_>]) -> String {
    tally::table::table(records)
}
FILE
commit "Parse records and show them as a table"

cat >README.md <<'FILE'
# tally

Reads records such as `apples: 12`.
FILE
commit "Describe the format"

replace src/record.rs "let mut value = 0u64;" "let mut value: u64 = 0;"
commit "Write the type of the value"

cat >>src/table.rs <<'FILE'

/// How many records the table has, and their sum.
pub fn total(records: &[Record<'_>]) -> (usize, u64) {
    (records.len(), records.iter().map(|record| record.count).sum())
}
FILE
commit "Add up the records"

replace src/table.rs "    for record in records {" "    let mut records: Vec<&Record<'_>> = records.iter().collect();
    records.sort_by(|a, b| a.name.cmp(b.name));
    for record in records {"
commit "Sort the table by name"

printf '\nThe table is sorted by name.\n' >>README.md
commit "Describe the order of the table"

replace src/table.rs "    let mut out = String::new();" "    let mut out = String::with_capacity(records.len() * 16);"
commit "Reserve room for the table"

replace src/record.rs "/// The records of a text, one a line." "/// The records of a text, one a line; lines without a colon are left out."
commit "Document lines that are left out"

# A pull request that makes parsing slower.
git switch --quiet --create overflow
replace src/record.rs "        value = value * 10 + u64::from(digit - b'0');" \
    "        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;"
replace src/record.rs "    let mut value: u64 = 0;" "    if digits.chars().any(char::is_whitespace) {
        return None;
    }
    let mut value: u64 = 0;"
commit "Reject numbers that do not fit"

# One that changes nothing that is compiled.
git switch --quiet --create wording main
replace README.md "Reads records such as" "Reads records, for example"
replace src/table.rs "/// The records as a table with two columns." "/// The records as a table: name and count."
commit "Reword the documentation"

# One that makes the table faster.
git switch --quiet --create write main
replace src/table.rs "        out.push_str(&record.count.to_string());" \
    "        let _ = write!(out, \"{}\", record.count);"
replace src/table.rs "use crate::record::Record;" "use std::fmt::Write as _;

use crate::record::Record;"
commit "Write numbers into the table directly"

git switch --quiet main
