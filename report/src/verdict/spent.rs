//! The time that a judgement took and what it is held against → one line: measured, modelled or stated.

use verdict::SpentTime;

use crate::{number_format, text};

/// Seconds of a minute.
const MINUTE: f64 = 60.0;

/// The sentence. It names no saving that does not follow from recorded or stated values.
#[must_use]
pub(crate) fn spent(spent: &SpentTime) -> String {
    let mut out = format!("{} spent (measured); ", number_format::duration(spent.seconds));
    match (&spent.counting, spent.everything()) {
        (Some(cost), Some(everything)) => out.push_str(&format!(
            "counting {} at both versions: {} (modelled from the stages measured at {}), {}",
            number_format::counted_noun(spent.benchmarks as usize, "benchmark"),
            number_format::duration(everything),
            text::short_id(&cost.measured_at),
            difference(spent, everything)
        )),
        (None, _) | (_, None) => {
            out.push_str("what counting everything takes is not known yet: nothing has been measured here");
        }
    }
    if let Some(full) = spent.full_runs() {
        out.push_str(&format!(
            "; the framework's full run of both versions: {} (stated in lito.toml), {}",
            number_format::duration(full),
            difference(spent, full)
        ));
    }
    out
}

/// `28 s not spent`, or `3 s more than that`.
fn difference(spent: &SpentTime, other: f64) -> String {
    let saved = other - spent.seconds;
    let time = number_format::duration(saved.abs());
    let price = spent.price.as_ref().map_or_else(String::new, |price| {
        let amount = saved.abs() / MINUTE * price.per_minute;
        format!(" ({amount:.4} {})", text::safe(&price.currency))
    });
    match saved >= 0.0 {
        true => format!("{time}{price} not spent"),
        false => format!("so lito took {time}{price} more than that"),
    }
}

#[cfg(test)]
mod tests {
    use verdict::{CountingCost, MinutePrice};

    use super::*;

    fn time(seconds: f64) -> SpentTime {
        SpentTime {
            seconds,
            benchmarks: 4,
            counting: Some(CountingCost {
                measured_at: "e".repeat(40),
                build_seconds: 20.0,
                benchmark_seconds: 2.5,
            }),
            stated_full_run_seconds: None,
            price: None,
        }
    }

    #[test]
    fn a_saving_says_what_is_measured_and_what_is_modelled() {
        assert_eq!(
            spent(&time(2.0)),
            "2.0 s spent (measured); counting 4 benchmarks at both versions: 30 s (modelled from the stages measured at \
             eeeeeeeeee), 28 s not spent"
        );
    }

    #[test]
    fn a_loss_is_told_as_one() {
        let line = spent(&time(33.0));
        assert!(line.ends_with("so lito took 3.0 s more than that"), "{line}");
    }

    #[test]
    fn nothing_is_saved_against_what_nobody_measured() {
        let line = spent(&SpentTime {
            counting: None,
            ..time(2.0)
        });
        assert!(line.contains("not known yet") && !line.contains("not spent"), "{line}");
    }

    #[test]
    fn what_is_stated_is_called_so_and_priced() {
        let line = spent(&SpentTime {
            stated_full_run_seconds: Some(720.0),
            price: Some(MinutePrice {
                per_minute: 0.008,
                currency: String::from("USD"),
            }),
            ..time(0.0)
        });
        assert!(line.contains("full run of both versions: 24 min"), "{line}");
        assert!(
            line.contains("(stated in lito.toml)") && line.ends_with("(0.1920 USD) not spent"),
            "{line}"
        );
    }
}
