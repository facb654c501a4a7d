//! The likely time of a judgement → one line, before anything is built.

use verdict::GateForecast;

use crate::number_format;

/// The line. It names the alternative that is likely to be over sooner, and what to do then.
#[must_use]
pub fn forecast(forecast: &GateForecast) -> String {
    let duration = number_format::duration;
    let gate = duration(forecast.gate_seconds);
    let selected = number_format::counted_noun(forecast.selected as usize, "benchmark");
    let verdicts = number_format::counted_noun(forecast.verdicts as usize, "earlier verdict");
    let mut line = format!(
        "likely time: {gate} to build and count {selected}; everything at both versions: {} for {} (by {verdicts})",
        duration(forecast.everything_seconds),
        forecast.benchmarks,
    );
    if let Some(full) = forecast.full_run_seconds {
        line.push_str(&format!(
            ", the framework's own full runs: {} as lito.toml states",
            duration(full)
        ));
    }
    let sooner = match (forecast.is_above_full_runs(), forecast.is_above_everything()) {
        (true, _) => {
            "the framework's own full runs are likely to be over sooner: they answer for wall time; \
                      `lito gate --bench NAME` takes fewer benchmarks"
        }
        (false, true) => {
            "measuring everything is likely to be over sooner: `lito measure BASE HEAD` does; \
                          a newer sample (`lito sample`, or a smaller `sampling.every`) lets the score skip more"
        }
        (false, false) => return line,
    };
    format!("{line}; {sooner}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIKELY: GateForecast = GateForecast {
        gate_seconds: 23.0,
        everything_seconds: 128.0,
        selected: 1,
        benchmarks: 24,
        verdicts: 3,
        full_run_seconds: None,
    };

    #[test]
    fn a_gate_is_held_against_everything_and_what_is_stated() {
        assert_eq!(
            forecast(&LIKELY),
            "likely time: 23 s to build and count 1 benchmark; everything at both versions: 2 min 8 s for 24 (by 3 earlier \
             verdicts)"
        );
        let stated = GateForecast {
            full_run_seconds: Some(600.0),
            ..LIKELY
        };
        assert!(forecast(&stated).ends_with("own full runs: 10 min 0 s as lito.toml states"));
    }

    #[test]
    fn what_is_over_sooner_is_named() {
        let slow = GateForecast {
            gate_seconds: 150.0,
            ..LIKELY
        };
        assert!(forecast(&slow).contains("measuring everything is likely to be over sooner: `lito measure BASE HEAD`"));
        let stated = GateForecast {
            full_run_seconds: Some(10.0),
            ..LIKELY
        };
        assert!(forecast(&stated).contains("full runs are likely to be over sooner"));
    }
}
