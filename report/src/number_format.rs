//! Numbers → short text: counts, changes, probabilities, spans of time, sizes. Rounds; the JSON output has exact
//! figures.

/// A count with three significant digits: `532`, `12.3 k`, `1.23 M`, `45.6 G`.
#[must_use]
pub fn count(count: u64) -> String {
    scaled(count as f64, 1000.0, &["", " k", " M", " G", " T", " P", " E"])
}

/// A cost, which may be a saving or a fraction: `-12.3 k`, `35.2`.
#[must_use]
pub fn cost(cost: f64) -> String {
    if !cost.is_finite() {
        return String::from("?");
    }
    let sign = if cost < 0.0 { "-" } else { "" };
    format!(
        "{sign}{}",
        scaled(cost.abs(), 1000.0, &["", " k", " M", " G", " T", " P", " E"])
    )
}

/// A size in bytes: `812 B`, `1.23 kB`, `4.5 MB`.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, 1000.0, &[" B", " kB", " MB", " GB", " TB", " PB", " EB"])
}

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut unit = 0;
    // 999.5 would be shown as 1000.
    while value >= step - 0.5 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    let decimals = match value {
        v if v >= 99.95 || (unit == 0 && v.fract() == 0.0) => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}{}", units[unit])
}

/// A relative change with its sign: `+3.4%`, `-0.12%`, `+1150%`, `0%`.
#[must_use]
pub fn change(relative: f64) -> String {
    if relative == 0.0 {
        return String::from("0%");
    }
    if !relative.is_finite() {
        return String::from("?");
    }
    let percent = relative * 100.0;
    if percent.abs() < 0.005 {
        return String::from("0.00%");
    }
    let decimals = match percent.abs() {
        p if p >= 99.95 => 0,
        p if p >= 0.995 => 1,
        _ => 2,
    };
    format!("{percent:+.decimals$}%")
}

/// A share of a whole, 0 to 1: `38%`, `5%`, `1.1%`, `<0.1%`.
#[must_use]
pub fn share(share: f64) -> String {
    if !share.is_finite() {
        return String::from("?");
    }
    let percent = share * 100.0;
    match percent.abs() {
        0.0 => String::from("0%"),
        p if p < 0.1 => String::from("<0.1%"),
        p if p < 9.95 => format!("{}%", format!("{percent:.1}").trim_end_matches(".0")),
        _ => format!("{percent:.0}%"),
    }
}

/// A probability, 0 to 1. Never rounded to certainty: `<1%`, `87%`, `>99%`.
#[must_use]
pub fn probability(probability: f64) -> String {
    match probability {
        p if !p.is_finite() => String::from("?"),
        p if p <= 0.0 => String::from("0%"),
        p if p < 0.01 => String::from("<1%"),
        p if p >= 1.0 => String::from("100%"),
        p if p > 0.99 => String::from(">99%"),
        p => format!("{:.0}%", p * 100.0),
    }
}

/// A span of time: `12 ms`, `1.3 s`, `2 min 5 s`, `1 h 4 min`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return String::from("?");
    }
    match seconds {
        s if s < 0.9995 => format!("{:.0} ms", s * 1000.0),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 59.5 => format!("{s:.0} s"),
        s if s < 3599.5 => {
            let whole = s.round() as u64;
            format!("{} min {} s", whole / 60, whole % 60)
        }
        s => {
            let minutes = (s / 60.0).round() as u64;
            format!("{} h {} min", minutes / 60, minutes % 60)
        }
    }
}

/// A short time in nanoseconds: `812 ns`, `1.23 µs`, `45.6 ms`, `1.20 s`.
#[must_use]
pub fn nanoseconds(nanoseconds: f64) -> String {
    if !nanoseconds.is_finite() || nanoseconds < 0.0 {
        return String::from("?");
    }
    scaled(nanoseconds, 1000.0, &[" ns", " µs", " ms", " s"])
}

/// A ratio: `1.10×`, `0.50×`, `12.5×`.
#[must_use]
pub fn ratio(change: f64) -> String {
    let ratio = 1.0 + change;
    if !ratio.is_finite() || ratio < 0.0 {
        return String::from("?");
    }
    match ratio {
        r if r >= 99.95 => format!("{r:.0}×"),
        r if r >= 9.995 => format!("{r:.1}×"),
        r => format!("{r:.2}×"),
    }
}

/// A number with its noun: `1 version`, `20 versions`, `3 entries`.
#[must_use]
pub fn counted_noun(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix("ry")) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ries"),
        (_, None) => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_keep_three_digits() {
        let shown: Vec<String> = [0, 999, 1000, 12_345, 999_600, 1_234_567, 4_224_000_000]
            .map(count)
            .into();
        assert_eq!(shown, ["0", "999", "1.00 k", "12.3 k", "1.00 M", "1.23 M", "4.22 G"]);
        assert_eq!(cost(-4224.0), "-4.22 k");
        assert_eq!(cost(35.25), "35.2");
        assert_eq!(bytes(812), "812 B");
    }

    #[test]
    fn changes_carry_their_sign() {
        let shown: Vec<String> = [0.0, 0.034, -0.0012, 11.5, 1.0, -0.000_001].map(change).into();
        assert_eq!(shown, ["0%", "+3.4%", "-0.12%", "+1150%", "+100%", "0.00%"]);
    }

    #[test]
    fn probabilities_are_never_rounded_to_certainty() {
        let shown: Vec<String> = [0.0, 0.001, 0.5, 0.994, 0.995, 1.0].map(probability).into();
        assert_eq!(shown, ["0%", "<1%", "50%", ">99%", ">99%", "100%"]);
        assert_eq!(share(0.011), "1.1%");
        assert_eq!(share(0.0004), "<0.1%");
        assert_eq!(share(0.05), "5%");
    }

    #[test]
    fn spans_of_time_use_the_unit_that_fits() {
        let shown: Vec<String> = [0.012, 1.26, 45.4, 125.0, 3840.0].map(duration).into();
        assert_eq!(shown, ["12 ms", "1.3 s", "45 s", "2 min 5 s", "1 h 4 min"]);
    }

    #[test]
    fn short_times_use_the_unit_that_fits() {
        let shown: Vec<String> = [0.0, 812.0, 1234.0, 45_600_000.0, 1.2e9].map(nanoseconds).into();
        assert_eq!(shown, ["0 ns", "812 ns", "1.23 µs", "45.6 ms", "1.20 s"]);
    }

    #[test]
    fn ratios_keep_three_digits() {
        let shown: Vec<String> = [0.1, -0.5, 11.5, 150.0, -1.0].map(ratio).into();
        assert_eq!(shown, ["1.10×", "0.50×", "12.5×", "151×", "0.00×"]);
    }

    #[test]
    fn nothing_is_made_of_what_is_no_number() {
        for shown in [
            cost(f64::NAN),
            change(f64::INFINITY),
            probability(f64::NAN),
            duration(-1.0),
            nanoseconds(f64::INFINITY),
            ratio(f64::NAN),
            share(f64::NAN),
        ] {
            assert_eq!(shown, "?");
        }
    }
}
