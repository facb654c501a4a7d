//! The settings at the sample and in a version → whether the version describes a benchmark that the sample lacks, or one that
//! was built or run in another way when it was sampled.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::sample::Sample;
use crate::sources::FileSource;

/// The file that describes benchmarks.
pub(super) const SETTINGS: &str = "lito.toml";

/// Keys of a description that decide nothing of what is executed.
const LIMITS: [&str; 2] = ["time_limit", "build_limit"];

/// True if one of the benchmarks that a version describes is not described in this way at the sample. Where there were no
/// settings then, a name that was sampled stands for a description: the file may have come into the repository later.
pub(super) fn describes_others(sample: &Sample, now: &dyn FileSource) -> bool {
    let Some(described) = descriptions(now) else {
        return false;
    };
    let known = descriptions(sample.tree.as_ref());
    let names: BTreeSet<&str> = match known {
        Some(_) => BTreeSet::new(),
        None => (sample.benchmarks.iter())
            .map(|profile| &*profile.profile().benchmark)
            .collect(),
    };
    let known = known.unwrap_or_else(|| vec![found_by_default()]);
    let is_sampled = |one: &Table| {
        let name = one.get("name").and_then(Value::as_str);
        known.contains(one) || name.is_some_and(|name| names.contains(name))
    };
    !described.iter().all(is_sampled)
}

/// The tables of `[[benchmarks]]`, as far as they decide what is executed; `None` where settings are missing or can't be read:
/// nothing is built by those.
fn descriptions(tree: &dyn FileSource) -> Option<Vec<Table>> {
    let text = tree.bytes(SETTINGS)?;
    let settings: Table = std::str::from_utf8(&text).ok()?.parse().ok()?;
    let tables = settings.get("benchmarks").and_then(Value::as_array);
    let decisive = |table: &Value| {
        let mut table = table.as_table()?.clone();
        table.retain(|key, _| !LIMITS.contains(&key));
        Some(table)
    };
    let described: Vec<Table> = tables.into_iter().flatten().filter_map(decisive).collect();
    Some(match described.is_empty() {
        true => vec![found_by_default()],
        false => described,
    })
}

/// The description that stands where there is none.
fn found_by_default() -> Table {
    Table::from_iter([("adapter".to_owned(), Value::from("cargo-bench"))])
}
