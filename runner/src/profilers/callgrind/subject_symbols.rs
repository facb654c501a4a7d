//! A subject and a program's symbols → the machine-level functions that form the subject. Reads no file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use attribution::callgrind::trace::CallgrindTrace;
use profile::function_name;

use crate::benchmark::BenchmarkSubject;
use crate::profilers::suggestions::nearest_names;

/// Symbols of the subject by address, all names of one address together; empty for the whole process.
pub(super) fn select_symbols(symbols: &[(u64, String)], subject: &BenchmarkSubject) -> BTreeMap<u64, Vec<String>> {
    let exactly = |matches: &dyn Fn(&str) -> bool| {
        let addresses: BTreeSet<u64> = (symbols.iter())
            .filter(|(_, symbol)| matches(symbol))
            .map(|(address, _)| *address)
            .collect();
        let mut found: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (address, symbol) in symbols {
            // Callgrind may know a folded function by any of its names.
            if addresses.contains(address) {
                found.entry(*address).or_default().push(symbol.clone());
            }
        }
        found
    };
    match subject {
        BenchmarkSubject::Process | BenchmarkSubject::FurtherIterations { .. } | BenchmarkSubject::Marked => {
            BTreeMap::new()
        }
        BenchmarkSubject::Function(wanted) => {
            let found = exactly(&|symbol| function_name::canonical(symbol) == *wanted);
            if !found.is_empty() {
                return found;
            }
            let end = format!("::{wanted}");
            exactly(&|symbol| function_name::canonical(symbol).ends_with(&end))
        }
        BenchmarkSubject::Pattern(pattern) => {
            exactly(&|symbol| matches(pattern.as_bytes(), function_name::demangled(symbol).as_bytes()))
        }
        BenchmarkSubject::Clocked { within, .. } | BenchmarkSubject::FirstClocked { within, .. } => {
            exactly(&|symbol| {
                let name = function_name::demangled(symbol);
                within
                    .iter()
                    .any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
            })
        }
    }
}

/// True if a name matches a pattern of `*` and `?`.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    // Where to continue after a mismatch: behind the last star, which then takes one more character.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p + 1, n));
                p += 1;
            }
            Some(b'?') => (p, n) = (p + 1, n + 1),
            Some(byte) if *byte == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((after_star, given)) = retry else {
                    return false;
                };
                retry = Some((after_star, given + 1));
                (p, n) = (after_star, given + 1);
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// Names in the program that resemble a misspelled subject, the nearest first.
pub(super) fn near_misses(symbols: &[(u64, String)], subject: &BenchmarkSubject) -> Vec<String> {
    let wanted = match subject {
        BenchmarkSubject::Process | BenchmarkSubject::FurtherIterations { .. } | BenchmarkSubject::Marked => {
            return Vec::new();
        }
        BenchmarkSubject::Function(wanted) => wanted.clone(),
        BenchmarkSubject::Pattern(pattern) => function_name::canonical(&pattern.replace(['*', '?'], "")),
        BenchmarkSubject::Clocked { within, .. } | BenchmarkSubject::FirstClocked { within, .. } => {
            let first = within.first().map(|pattern| pattern.replace(['*', '?'], ""));
            function_name::canonical(&first.unwrap_or_default())
        }
    };
    let names = symbols.iter().map(|(_, symbol)| function_name::canonical(symbol));
    nearest_names(names, &wanted)
}

/// The selected functions that none of the others calls, directly or indirectly. Entering a second one switches
/// collection off, so that only the outermost may switch it.
///
/// `whole` is a trace of the whole process. If all call each other, the one that is entered at the highest cost is
/// taken.
pub(super) fn outermost(whole: &CallgrindTrace, selected: &BTreeMap<u64, Vec<String>>) -> BTreeMap<u64, Vec<String>> {
    let mut callees: HashMap<u32, BTreeSet<u32>> = HashMap::new();
    let mut entered: HashMap<u32, u64> = HashMap::new();
    for call in &whole.calls {
        callees.entry(call.from_symbol).or_default().insert(call.to_symbol);
        let cost = entered.entry(call.to_symbol).or_default();
        *cost = (*cost).max(call.cost);
    }
    let symbol_of = |names: &Vec<String>| {
        let at = (whole.symbols.iter()).position(|symbol| names.contains(symbol))?;
        u32::try_from(at).ok().filter(|at| entered.contains_key(at))
    };
    let executed: Vec<(u64, u32)> = (selected.iter())
        .filter_map(|(address, names)| Some((*address, symbol_of(names)?)))
        .collect();
    let reached: BTreeMap<u64, BTreeSet<u32>> = (executed.iter())
        .map(|(address, symbol)| (*address, reachable(&callees, *symbol)))
        .collect();
    let mut kept: BTreeSet<u64> = (executed.iter())
        .filter(|(address, symbol)| {
            !(executed.iter()).any(|(other, _)| other != address && reached[other].contains(symbol))
        })
        .map(|(address, _)| *address)
        .collect();
    if kept.is_empty() {
        kept.extend(
            (executed.iter())
                .max_by_key(|(address, symbol)| (entered[symbol], std::cmp::Reverse(*address)))
                .map(|(address, _)| *address),
        );
    }
    (selected.iter())
        .filter(|(address, _)| kept.contains(address))
        .map(|(address, names)| (*address, names.clone()))
        .collect()
}

fn reachable(callees: &HashMap<u32, BTreeSet<u32>>, from: u32) -> BTreeSet<u32> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(function) = open.pop() {
        for callee in callees.get(&function).into_iter().flatten() {
            if reached.insert(*callee) {
                open.push(*callee);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BenchmarkSubject, matches, near_misses, select_symbols};

    fn symbols() -> Vec<(u64, String)> {
        [
            (16, "_ZN5count7subject17he873f074805fa9f9E"),
            (32, "_ZN5count7subject17h0000000000000000E"),
            (32, "folded_twin"),
            (48, "_ZN5count5parse7Subject3run17he873f074805fa9f9E"),
            (64, "main"),
        ]
        .map(|(address, name)| (address, name.to_owned()))
        .to_vec()
    }

    #[test]
    fn all_copies_of_a_function_are_selected_with_all_their_names() {
        let found = select_symbols(&symbols(), &BenchmarkSubject::Function("count::subject".to_owned()));
        assert_eq!(found.keys().collect::<Vec<_>>(), [&16, &32]);
        assert!(found[&32].contains(&"folded_twin".to_owned()));
    }

    #[test]
    fn the_end_of_a_name_will_do_if_it_is_no_whole_name() {
        let found = select_symbols(&symbols(), &BenchmarkSubject::Function("Subject::run".to_owned()));
        assert_eq!(found.keys().collect::<Vec<_>>(), [&48]);
        assert!(select_symbols(&symbols(), &BenchmarkSubject::Function("ubject".to_owned())).is_empty());
    }

    #[test]
    fn a_misspelled_subject_is_answered_with_what_is_near() {
        let wanted = BenchmarkSubject::Function("count::subjct".to_owned());
        assert_eq!(near_misses(&symbols(), &wanted), ["count::subject"]);
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, answer) in [
            ("a*::iter", "abc<T>::iter", true),
            ("a*::iter", "abc<T>::iter_batched", false),
            ("*b?d*", "abcd", true),
            ("", "", true),
            ("?", "", false),
            ("**", "x", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), answer, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn a_name_matches_itself_and_stars_match_all(name in "[a-z:]{0,20}") {
            prop_assert!(matches(name.as_bytes(), name.as_bytes()));
            prop_assert!(matches(b"*", name.as_bytes()));
        }
    }
}
