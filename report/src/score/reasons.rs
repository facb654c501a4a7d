//! A version's predictions → the few changes with the largest possible effect, one line each, for lists of many
//! versions.

use analyzer::score::{ScoredChange, VersionScore};

use super::labels;
use crate::number_format;
use crate::text;

/// Columns of one line.
const COLUMNS: usize = 160;

/// At most `most` changes, those with the largest possible effect first; then the parts that could not be analysed.
#[must_use]
pub fn short_reasons(version: &VersionScore, most: usize) -> Vec<String> {
    let moving = version.changes.iter().filter_map(reason);
    let degraded = version.degraded.iter().map(|degraded| {
        let said = format!("not analysed: {}: {}", degraded.file, degraded.why);
        text::cut_end(&text::safe(&said), COLUMNS).into_owned()
    });
    moving.take(most).chain(degraded.take(1)).collect()
}

/// `call added: krate::check in krate::parse (src/x.rs:120): parse/large +2.0% to +31.0%`.
fn reason(change: &ScoredChange) -> Option<String> {
    let effect = change.effects.first()?;
    let mut said = labels::kind(change.kind).to_owned();
    if let Some(callee) = &change.callee {
        said.push_str(&format!(": {}", text::safe(callee)));
    }
    if let Some(function) = &change.function {
        said.push_str(&format!(" in {}", text::safe(function)));
    }
    let place = format!(
        " ({}): {} {} to {}",
        labels::place(change),
        text::safe(&effect.benchmark),
        number_format::change(effect.low),
        number_format::change(effect.high)
    );
    let columns = COLUMNS.saturating_sub(text::width(&place));
    Some(text::cut_end(&said, columns).into_owned() + &place)
}

#[cfg(test)]
mod tests {
    use super::super::human::tests::slower;
    use super::*;

    #[test]
    fn a_line_names_the_change_its_place_and_what_it_can_do() {
        assert_eq!(
            short_reasons(&slower(), 3),
            [
                "call added: krate::check in krate::parse (src/x.rs:120): parse/large +2.0% to +31.0%",
                "not analysed: src/y.rs: syntax error at 12:4"
            ]
        );
        assert_eq!(
            short_reasons(&slower(), 0),
            ["not analysed: src/y.rs: syntax error at 12:4"]
        );
    }
}
