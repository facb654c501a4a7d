//! A time as frameworks print it → nanoseconds.

use super::timing::only_one;

/// Units of time as divan and tango print them, in nanoseconds.
const UNITS: [(&str, f64); 9] = [
    ("ps", 1e-3),
    ("ns", 1.0),
    ("µs", 1e3),
    ("us", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
    ("d", 86_400e9),
];

/// `1.234 µs` in nanoseconds.
pub(super) fn nanoseconds(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
    let number: f64 = number.parse().ok()?;
    Some(number * scale)
}

/// The number in `bench:       1,234.56 ns/iter (+/- 7)`, the only line of this form; commas separate thousands.
pub(super) fn nanoseconds_per_iteration(text: &str) -> Option<f64> {
    only_one(text.lines().filter_map(|line| {
        let (_, rest) = line.rsplit_once("bench:")?;
        let (number, _) = rest.split_once(" ns/iter")?;
        number.trim().replace(',', "").parse().ok()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_known() {
        for (text, value) in [
            ("812 ps", 0.812),
            ("1.5 ns", 1.5),
            ("2 us", 2e3),
            ("2 ms", 2e6),
            ("1.25 s", 1.25e9),
            ("2 m", 120e9),
        ] {
            let value: f64 = value;
            assert!(
                (nanoseconds(text).unwrap_or(0.0) - value).abs() <= value * 1e-12,
                "{text}"
            );
        }
        for text in ["", "12", "12 parsecs", "x ns", "1,2 ns"] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_read_with_their_separators() {
        let line = |time: &str| format!("running 1 test\ntest a ... bench: {time} (+/- 5)\n\n");
        for (time, value) in [
            ("          12 ns/iter", 12.0),
            ("   1,234,567.89 ns/iter", 1_234_567.89),
            ("0.31 ns/iter", 0.31),
        ] {
            assert_eq!(nanoseconds_per_iteration(&line(time)), Some(value));
        }
        let two = line("1 ns/iter").repeat(2);
        for text in ["", "bench: much ns/iter", "bench: 12 s", two.as_str()] {
            assert_eq!(nanoseconds_per_iteration(text), None, "{text}");
        }
    }
}
