//! Benchmarks → the order in which they are profiled: those that tell most come first, because the time may end before
//! the others have their turn.
//!
//! Benchmarks of one program whose names differ in an argument execute the same code, as `parse/10` and `parse/1000`. So
//! one of each such family is taken before any second one, and the programs take turns.

use std::collections::BTreeMap;
use std::path::Path;

use crate::frameworks::Benchmark;

/// The benchmarks, the most telling first; by name where they tell the same.
pub(super) fn most_telling_first<'b>(benchmarks: impl Iterator<Item = &'b Benchmark>) -> Vec<&'b Benchmark> {
    let mut programs: BTreeMap<&Path, BTreeMap<&str, Vec<&Benchmark>>> = BTreeMap::new();
    for benchmark in benchmarks {
        let families = programs.entry(&benchmark.program).or_default();
        families.entry(family(&benchmark.name)).or_default().push(benchmark);
    }
    let mut placed: Vec<((usize, usize), &Benchmark)> = Vec::new();
    for families in programs.into_values() {
        for (family, members) in families.into_values().enumerate() {
            placed.extend(
                members
                    .into_iter()
                    .enumerate()
                    .map(|(place, member)| ((place, family), member)),
            );
        }
    }
    placed.sort_by(|(one, first), (other, second)| one.cmp(other).then_with(|| first.name.cmp(&second.name)));
    placed.into_iter().map(|(_, benchmark)| benchmark).collect()
}

/// The name without what looks like an argument: the part behind the last slash or colon, else a number at the end.
fn family(name: &str) -> &str {
    match name.rfind(['/', ':']) {
        Some(at) => name[..at].trim_end_matches(':'),
        None => name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::fixture::script;

    #[test]
    fn arguments_are_no_part_of_a_family() {
        for (name, expected) in [
            ("parse/1000", "parse"),
            ("group/parse/1000", "group/parse"),
            ("clone_16", "clone"),
            ("ways::named::x", "ways::named"),
            ("whole", "whole"),
        ] {
            assert_eq!(family(name), expected);
        }
    }

    #[test]
    fn each_family_of_each_program_has_its_turn_before_a_second_member() {
        let folder = tempfile::tempdir().expect("a folder");
        let benchmark = |program: &str, name: &str| Benchmark {
            name: name.to_owned(),
            program: program.into(),
            ..script(folder.path(), "command", "")
        };
        let all = [
            benchmark("a", "parse/1"),
            benchmark("a", "parse/2"),
            benchmark("a", "parse/3"),
            benchmark("a", "print"),
            benchmark("b", "sum_8"),
            benchmark("b", "sum_16"),
        ];
        let order: Vec<&str> = most_telling_first(all.iter()).iter().map(|b| b.name.as_str()).collect();
        assert_eq!(order, ["parse/1", "sum_8", "print", "parse/2", "sum_16", "parse/3"]);
    }
}
