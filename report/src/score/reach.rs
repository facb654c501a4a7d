//! How much of a version's changes the benchmarks reach → sentences.

use analyzer::score::BenchmarkReach;

use crate::number_format;

/// Names that a sentence lists before it only counts them.
const NAMES_SHOWN: usize = 4;

/// The sentences, each of which says something that a skip does not show; none where there is nothing to say.
#[must_use]
pub(super) fn reach_sentences(reach: &BenchmarkReach) -> Vec<String> {
    let executed = match (reach.functions, reach.executed) {
        (0, _) => None,
        (1, 0) => Some(String::from("no benchmark executes the changed function")),
        (1, _) => Some(String::from("the changed function is executed by a benchmark")),
        (all, 0) => Some(format!("no benchmark executes any of the {all} changed functions")),
        (all, executed) => Some(format!(
            "{executed} of the {all} changed functions {} executed by a benchmark",
            if executed == 1 { "is" } else { "are" }
        )),
    };
    let crates = &reach.unreached_crates;
    let unreached = (!crates.is_empty()).then(|| format!("no benchmark executes anything of {}", listed(crates)));
    let unprofiled = unprofiled_note(&reach.unprofiled_benchmarks);
    executed.into_iter().chain(unreached).chain(unprofiled).collect()
}

/// The sentences as one, where they do not stand below each other.
#[must_use]
pub fn reach_line(reach: &BenchmarkReach) -> Option<String> {
    let sentences = reach_sentences(reach);
    (!sentences.is_empty()).then(|| format!("Reach: {}.", sentences.join("; ")))
}

/// The benchmarks without a profile, and what follows from that; `None` if there is none.
#[must_use]
pub fn unprofiled_note(benchmarks: &[String]) -> Option<String> {
    let (have, they) = match benchmarks.len() {
        0 => return None,
        1 => ("has", "it executes"),
        _ => ("have", "they execute"),
    };
    Some(format!(
        "{} {have} no profile, so changes of what only {they} are not seen: {}",
        number_format::counted_noun(benchmarks.len(), "benchmark"),
        listed(benchmarks)
    ))
}

/// Names, the first few of them.
pub(crate) fn listed(names: &[String]) -> String {
    let shown = names.iter().take(NAMES_SHOWN).map(String::as_str);
    let listed = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES_SHOWN) {
        0 => listed,
        rest => format!("{listed} and {rest} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(functions: usize, executed: usize) -> BenchmarkReach {
        BenchmarkReach {
            functions,
            executed,
            ..BenchmarkReach::default()
        }
    }

    #[test]
    fn functions_crates_and_benchmarks_without_a_profile_have_a_sentence_each() {
        assert!(reach_sentences(&reach(0, 0)).is_empty());
        assert_eq!(
            reach_sentences(&reach(12, 3)),
            ["3 of the 12 changed functions are executed by a benchmark"]
        );
        let more = BenchmarkReach {
            unreached_crates: vec![String::from("engine")],
            unprofiled_benchmarks: ["a", "b", "c", "d", "e"].map(String::from).to_vec(),
            ..reach(2, 0)
        };
        assert_eq!(
            reach_sentences(&more),
            [
                "no benchmark executes any of the 2 changed functions",
                "no benchmark executes anything of engine",
                "5 benchmarks have no profile, so changes of what only they execute are not seen: a, b, c, d and 1 more",
            ]
        );
    }
}
