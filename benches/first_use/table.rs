//! First uses of lito on repositories → a table and its sums.

use crate::FirstUse;

/// Seconds within which a first verdict is right in time.
const IN_TIME: f64 = 600.0;

pub(crate) fn markdown(uses: &[FirstUse], listed: usize) -> String {
    let mut text = String::from(
        "| repository | benchmarks | list | list, s | sample, s | gate, s | clone to first right verdict | loop | comment |\n\
         |---|---:|---|---:|---:|---:|---:|---|---|\n",
    );
    for one in uses {
        let list = match (one.is_listed_right(), one.tests_stand_in) {
            (true, false) => "right".to_owned(),
            (true, true) => "unit tests".to_owned(),
            (false, _) if one.missing.is_empty() => "wrong".to_owned(),
            (false, _) => format!("lacks {}", one.missing.join(", ")),
        };
        let first = one.first_right_verdict().map_or_else(|| "none".to_owned(), minutes);
        text.push_str(&format!(
            "| {} | {} | {list} | {:.0} | {:.0} | {:.0} | {first} | {} | {} |\n",
            one.name, one.benchmarks, one.list, one.sample, one.gate, one.verdict, one.control
        ));
    }
    let count = |is: &dyn Fn(&FirstUse) -> bool| uses.iter().filter(|one| is(one)).count();
    let mut firsts: Vec<f64> = uses.iter().filter_map(FirstUse::first_right_verdict).collect();
    firsts.sort_by(f64::total_cmp);
    // A repository without a right verdict takes longer than any other.
    let median = firsts
        .get(uses.len() / 2)
        .map_or_else(|| "none".to_owned(), |&seconds| minutes(seconds));
    text.push_str(&format!(
        "\n{} of {listed} repositories measured. Right list: {}. First right verdict within 10 minutes: {}, median {median}. \
         Wrong skips: {}. Comment passed or skipped: {}.\n",
        uses.len(),
        count(&FirstUse::is_listed_right),
        firsts.iter().filter(|&&seconds| seconds <= IN_TIME).count(),
        count(&FirstUse::is_wrong_skip),
        count(&|one| matches!(one.control.as_str(), "pass" | "skipped")),
    ));
    text
}

fn minutes(seconds: f64) -> String {
    format!("{}:{:02} min", seconds as u64 / 60, seconds as u64 % 60)
}
