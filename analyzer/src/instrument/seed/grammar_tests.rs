//! Changes that are planted by a grammar: each kind, in one function, without a new syntax error.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::{CostUnit, Profile, ProfileFileId, ProfileFunction};

use super::tests::{SeedFixtureFiles, all, sources};
use super::*;
use crate::syntax::SourceParser;

const C: (&str, &str) = (
    "src/reader.c",
    r#"#include "reader.h"

struct reader { const char *text; int at; int last; };

static int is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

int broken(struct reader *reader)
{
    reader->at = 3;
    return reader->at @ 3;
}

int sum(struct reader *reader)
{
    int sum = 0;
    reader->last = reader->at;
    while (reader->text[reader->at] != 0) {
        int byte = reader->text[reader->at];
        if (byte != ' ') {
            sum += is_digit(byte);
        }
        reader->at++;
    }
    if (reader->last > 3) {
        reader->at = 0;
    }
    return is_digit(sum);
}
"#,
);

const CPP: (&str, &str) = (
    "src/reader.cpp",
    r#"namespace reading {

constexpr int twice(int value) { value += value; return value; }

static int larger(int one, int two) {
    if (one > two) {
        return one;
    }
    return two;
}

template <typename T>
class Reader {
public:
    int sum(const T &values) {
        this->last = 3;
        for (int value : values) {
            if (value > 0) {
                larger(value, this->last);
            }
        }
        return larger(this->last, 4);
    }

private:
    int last;
};

}
"#,
);

const PYTHON: (&str, &str) = (
    "reader.py",
    r#""""Reads."""


def larger(one, two):
    """The larger one."""
    if one > two:
        return one
    return two


class Reader:
    def sum(self, values):
        self.last = 3
        for value in values:
            if value > 0:
                larger(value, self.last)
        return larger(self.last, 4)

    def each(self):
        self.last = 4
        yield larger(self.last, 4)

    def short(self): return larger(self.last, 4)
"#,
);

fn files((path, text): (&str, &str)) -> SeedFixtureFiles {
    SeedFixtureFiles(BTreeMap::from([(Arc::from(path), Arc::from(text))]))
}

fn planted(source: (&str, &str), profiles: &[IndexedProfile], wanted: &SeedRequest) -> Vec<SeededChange> {
    let files = files(source);
    let version = SeedBaseVersion {
        sources: &sources(&files),
        tree: &files,
        profiles,
    };
    plant_changes(&version, wanted)
}

/// The names of functions by their digests, and the number of errors.
fn read(path: &str, text: &str) -> (BTreeMap<String, u64>, usize) {
    let file = SourceParser::default().parse(path, text.as_bytes());
    let functions = file.functions.iter();
    let digests = functions.map(|function| (function.path.join("::"), function.digest.0));
    (digests.collect(), file.problems.len())
}

#[test]
fn each_published_kind_changes_one_function_of_every_language() {
    for source in [C, CPP, PYTHON] {
        let seeds = planted(source, &[], &all(usize::MAX, 1));
        let kinds: BTreeSet<PlantedKind> = seeds.iter().map(|seed| seed.kind).collect();
        assert_eq!(kinds, BTreeSet::from(PUBLISHED), "{}", source.0);
        for seed in seeds {
            let given = seed.before.as_deref().unwrap_or(source.1);
            let (before, errors) = read(source.0, given);
            let (after, errors_after) = read(source.0, &seed.after);
            assert!(errors_after <= errors, "{}", seed.after);
            let changed = before.iter().filter(|&(name, digest)| after.get(name) != Some(digest));
            let changed: Vec<&str> = changed.map(|(name, _)| name.as_str()).collect();
            // The new function itself is changed in no kind, and gone in none that starts with it.
            assert!(changed.len() <= 2, "{changed:?} in {}", seed.after);
            let named = seed.function.rsplit(['.', ':']).next().unwrap();
            assert!(
                changed.iter().any(|name| name.ends_with(named)),
                "{changed:?}: {}",
                seed.description
            );
        }
    }
}

#[test]
fn what_does_not_run_from_its_start_to_its_end_is_left_alone() {
    for (source, left_alone) in [(C, "broken"), (CPP, "twice"), (PYTHON, "each")] {
        for seed in planted(source, &[], &all(usize::MAX, 1)) {
            assert!(!seed.function.ends_with(left_alone), "{}", seed.description);
        }
    }
}

#[test]
fn a_docstring_stays_the_first_statement() {
    let seeds = planted(PYTHON, &[], &all(usize::MAX, 1));
    let in_larger = seeds.iter().filter(|seed| seed.function.ends_with("larger"));
    for seed in in_larger {
        assert!(
            seed.after.contains("def larger(one, two):\n    \"\"\"The larger one."),
            "{}",
            seed.after
        );
    }
}

#[test]
fn a_function_of_c_stands_before_its_use() {
    for source in [C, CPP] {
        for seed in planted(source, &[], &all(usize::MAX, 1)) {
            let used = seed
                .after
                .find("(void) extra_work(")
                .or_else(|| seed.after.find("extra_work(4u)"));
            if let Some(used) = used {
                let declared = seed.after.find("extra_work(unsigned").unwrap();
                assert!(declared < used, "{}", seed.after);
            }
        }
    }
}

/// A benchmark that calls `sum` 10 times, at a cost of 2,000,000.
fn calls_of_sum() -> IndexedProfile {
    let line = C.1.lines().position(|line| line.starts_with("int sum")).unwrap();
    IndexedProfile::new(Profile {
        benchmark: "sum".to_owned(),
        unit: CostUnit::Instructions,
        profiler: "by hand".to_owned(),
        exact_counts: true,
        total: 2_000_000,
        files: vec![C.0.to_owned()],
        functions: vec![ProfileFunction {
            name: "sum".to_owned(),
            file: Some(ProfileFileId(0)),
            line: u32::try_from(line + 1).unwrap(),
            external: false,
            calls: 10,
            inlined_calls: 0,
            inclusive: 2_000_000,
            self_cost: 2_000_000,
            estimated: false,
        }],
        sites: Vec::new(),
        lines: Vec::new(),
    })
}

#[test]
fn a_place_is_known_only_where_each_call_comes_to_it_once() {
    let seeds = planted(C, &[calls_of_sum()], &all(usize::MAX, 1));
    let additions = seeds.iter().filter(|seed| seed.kind == PlantedKind::LoopAddition);
    let reached = additions.filter(|seed| seed.place != SeedHotness::Unreached);
    let lines: BTreeSet<u32> = reached.map(|seed| seed.line).collect();
    let starting = |text: &str| {
        C.1.lines()
            .position(|line| line.trim_start().starts_with(text))
            .unwrap()
    };
    let once = ["reader->last = ", "while (", "if (reader->last", "return is_digit"];
    let once = once.map(|text| u32::try_from(starting(text) + 1).unwrap());
    assert_eq!(lines, BTreeSet::from(once));
}

#[test]
fn a_sized_loop_costs_the_share_it_was_made_for() {
    let files = files(C);
    let profiles = [calls_of_sum()];
    let version = SeedBaseVersion {
        sources: &sources(&files),
        tree: &files,
        profiles: &profiles,
    };
    let seeds = plant_sized_changes(&version, &[0.05], usize::MAX, 1);
    assert_eq!(seeds.len(), 4);
    for seed in seeds {
        let aim = seed.aim.unwrap();
        // 5% of the total, in 10 loops of three instructions a round.
        assert_eq!((aim.executions, aim.rounds), (10, 3_333));
        assert!(seed.after.contains("step < 3333u"), "{}", seed.after);
    }
}
