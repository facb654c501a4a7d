//! The time that a judgement took and what it is held against → one line: measured, modelled or stated.

use verdict::SpentTime;

use crate::{number_format, text};

/// Seconds of a minute.
const MINUTE: f64 = 60.0;

/// The smallest amount of money that is written out: smaller ones say nothing about one judgement.
const SMALLEST_AMOUNT: f64 = 0.01;

/// The sentence. It names no saving that does not follow from recorded or stated values.
#[must_use]
pub(crate) fn spent(spent: &SpentTime) -> String {
    let mut out = number_format::duration(spent.seconds);
    match (&spent.counting, spent.everything()) {
        (Some(cost), Some(everything)) => out.push_str(&format!(
            ", {} than counting {} at both versions ({}, modelled from the stages of {})",
            difference(spent, everything),
            all_benchmarks(spent.benchmarks),
            number_format::duration(everything),
            text::short_id(&cost.measured_at),
        )),
        (None, _) | (_, None) => {
            out.push_str("; what counting everything takes is not known yet: no version was built and counted here");
        }
    }
    if let Some(full) = spent.full_runs() {
        out.push_str(&format!(
            "; {} than the framework's full runs of both ({}, as lito.toml states)",
            difference(spent, full),
            number_format::duration(full),
        ));
    }
    out
}

/// `the benchmark`, `all 3 benchmarks`.
fn all_benchmarks(benchmarks: u32) -> String {
    match benchmarks {
        1 => String::from("the benchmark"),
        more => format!("all {}", number_format::counted_noun(more as usize, "benchmark")),
    }
}

/// `28 s (0.03 USD) less`, or `3 s more`.
fn difference(spent: &SpentTime, other: f64) -> String {
    let saved = other - spent.seconds;
    let time = number_format::duration(saved.abs());
    let price = (spent.price.as_ref()).map_or_else(String::new, |price| {
        let amount = saved.abs() / MINUTE * price.per_minute;
        let currency = text::safe(&price.currency);
        let currency = currency.trim();
        match amount >= SMALLEST_AMOUNT {
            true => format!(" ({amount:.2} {currency})"),
            false => format!(" (below {SMALLEST_AMOUNT} {currency})"),
        }
    });
    let direction = if saved >= 0.0 { "less" } else { "more" };
    format!("{time}{price} {direction}")
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
            "2.0 s, 28 s less than counting all 4 benchmarks at both versions (30 s, modelled from the stages of \
             eeeeeeeeee)"
        );
    }

    #[test]
    fn a_loss_is_told_as_one() {
        let line = spent(&time(33.0));
        assert!(line.starts_with("33 s, 3.0 s more than counting"), "{line}");
    }

    #[test]
    fn nothing_is_saved_against_what_nobody_measured() {
        let line = spent(&SpentTime {
            counting: None,
            ..time(2.0)
        });
        assert!(line.contains("not known yet") && !line.contains("less"), "{line}");
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
        assert!(
            line.ends_with(
                "24 min 0 s (0.19 USD) less than the framework's full runs of both (24 min 0 s, as lito.toml states)"
            ),
            "{line}"
        );
        assert!(line.contains("30 s (below 0.01 USD) less"), "{line}");
    }
}
