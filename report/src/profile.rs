//! A profile → a page: the total, and the functions that cost most. The exchange format is the business
//! of the `profile` crate.

use anstyle::Style;
use profile::{CostUnit, Profile, ProfileFunction};

use crate::number_format;
use crate::style::{FAINT, STRONG, paint};
use crate::table::{TableColumn, table};
use crate::text;

/// How many functions a page lists.
const FUNCTIONS_SHOWN: usize = 25;

/// Columns of a function's name at least, however narrow the page.
const NAME_AT_LEAST: usize = 24;

/// Columns that the figures beside a name take.
const FIGURES: usize = 38;

/// The page for a terminal.
#[must_use]
pub fn human(profile: &Profile, commit: &str, width: Option<usize>) -> String {
    let mut out = format!("{}\n\n", paint(STRONG, &headline(profile, commit)));
    let name_columns = width.map_or(usize::MAX, |width| width.saturating_sub(FIGURES).max(NAME_AT_LEAST));
    let columns = [
        TableColumn::Words("function"),
        TableColumn::Figures("calls"),
        TableColumn::Figures("self"),
        TableColumn::Figures("inclusive"),
        TableColumn::Figures("share"),
    ];
    let functions = costliest(profile);
    let rows = functions.iter().take(FUNCTIONS_SHOWN).map(|f| {
        let name = text::safe(&f.name);
        vec![
            (
                if f.external { FAINT } else { Style::new() },
                text::cut_start(&name, name_columns).into_owned(),
            ),
            (Style::new(), calls(f)),
            (Style::new(), number_format::count(f.self_cost)),
            (Style::new(), number_format::count(f.inclusive)),
            (Style::new(), number_format::share(self_share(f, profile))),
        ]
    });
    out.push_str(&table(&columns, rows.collect(), None));
    if functions.len() > FUNCTIONS_SHOWN {
        let more = format!(
            "and {} more; `--format json` has them all\n",
            functions.len() - FUNCTIONS_SHOWN
        );
        out.push_str(&paint(FAINT, &more));
    }
    out
}

/// The page as markdown.
#[must_use]
pub fn markdown(profile: &Profile, commit: &str) -> String {
    let mut out = format!("{}\n\n", text::markdown_prose(&headline(profile, commit)));
    out.push_str("| function | calls | self | inclusive | share |\n|---|---:|---:|---:|---:|\n");
    for f in costliest(profile).iter().take(FUNCTIONS_SHOWN) {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            text::markdown_code(&f.name),
            calls(f),
            number_format::count(f.self_cost),
            number_format::count(f.inclusive),
            number_format::share(self_share(f, profile))
        ));
    }
    out
}

/// Name of a unit.
#[must_use]
pub fn unit(unit: CostUnit) -> &'static str {
    match unit {
        CostUnit::Instructions => "instructions",
        CostUnit::Operations => "operations",
    }
}

fn headline(profile: &Profile, commit: &str) -> String {
    format!(
        "{} at {}: {} {} in {}, by {}",
        text::safe(&profile.benchmark),
        text::short_id(commit),
        number_format::count(profile.total),
        unit(profile.unit),
        number_format::counted_noun(profile.functions.len(), "function"),
        text::safe(&profile.profiler)
    )
}

/// By self cost, ties by name.
fn costliest(profile: &Profile) -> Vec<&ProfileFunction> {
    let mut functions: Vec<&ProfileFunction> = profile.functions.iter().collect();
    functions.sort_by(|a, b| b.self_cost.cmp(&a.self_cost).then_with(|| a.name.cmp(&b.name)));
    functions
}

fn calls(function: &ProfileFunction) -> String {
    let estimate = if function.estimated { "~" } else { "" };
    format!("{estimate}{}", number_format::count(function.calls))
}

fn self_share(function: &ProfileFunction, profile: &Profile) -> f64 {
    if profile.total == 0 {
        0.0
    } else {
        function.self_cost as f64 / profile.total as f64
    }
}
