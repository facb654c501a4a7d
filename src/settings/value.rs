//! The values of `lito.toml` that are written as text: percentages and spans of time.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::{Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

/// A share, written as a percentage: `"5%"`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, JsonSchema)]
#[schemars(transparent)]
pub(crate) struct Percent(
    #[schemars(with = "String", regex(pattern = r"^[0-9]+(\.[0-9]+)?%$"))] f64,
);

/// A span of time, written with its unit: `"90s"`, `"10m"`, `"2h"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(transparent)]
pub(crate) struct Span(#[schemars(with = "String", regex(pattern = r"^[0-9]+(s|m|h)$"))] Duration);

/// The largest percentage that makes sense: something that got eleven times as slow.
const LARGEST_PERCENT: f64 = 1000.0;

/// The longest span that makes sense: a week.
const LONGEST_SPAN: u64 = 7 * 24 * 3600;

impl Percent {
    /// From a share: 0.05 is 5%.
    pub(crate) const fn of_share(share: f64) -> Self {
        Self(share)
    }

    /// As a share: 5% is 0.05.
    pub(crate) const fn share(self) -> f64 {
        self.0
    }
}

impl Span {
    /// From seconds.
    pub(crate) const fn of_seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// As the standard library has it.
    pub(crate) const fn duration(self) -> Duration {
        self.0
    }
}

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim().strip_suffix('%').map(str::trim_end);
        match number.and_then(|number| number.parse::<f64>().ok()) {
            Some(percent) if (0.0..=LARGEST_PERCENT).contains(&percent) => {
                Ok(Self(percent / 100.0))
            }
            Some(_) => Err(format!("a percentage is between 0% and {LARGEST_PERCENT}%")),
            None => Err(String::from("a percentage is written as \"5%\"")),
        }
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || String::from("a span of time is written as \"90s\", \"10m\" or \"2h\"");
        let text = text.trim();
        let unit = text.chars().last().ok_or_else(wrong)?;
        let factor = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            _ => return Err(wrong()),
        };
        let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
        match number.checked_mul(factor) {
            Some(0) => Err(String::from("a span of time is one second at least")),
            Some(seconds) if seconds <= LONGEST_SPAN => Ok(Self::of_seconds(seconds)),
            _ => Err(String::from("a span of time is a week at most: \"168h\"")),
        }
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(Text("a percentage is written as \"5%\""))
            .and_then(|text| parsed(&text))
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let how = "a span of time is written as \"90s\", \"10m\" or \"2h\"";
        deserializer
            .deserialize_any(Text(how))
            .and_then(|text| parsed(&text))
    }
}

fn parsed<T: FromStr<Err = String>, E: serde::de::Error>(text: &str) -> Result<T, E> {
    text.parse().map_err(E::custom)
}

/// Takes a string, and says of everything else how the value is written.
struct Text(&'static str);

impl Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<String, E> {
        Err(E::custom(self.0))
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<String, E> {
        Err(E::custom(self.0))
    }
}

/// A number of versions, 1 or more.
pub(super) fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = i64::deserialize(deserializer)?;
    match u32::try_from(number) {
        Ok(0) => Err(D::Error::custom(
            "a sample of every version is the least: 1",
        )),
        Ok(every) => Ok(every),
        Err(_) => Err(D::Error::invalid_value(
            Unexpected::Signed(number),
            &"a number of versions",
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn percentages_are_shares() {
        assert!(("5%".parse::<Percent>().unwrap().share() - 0.05).abs() < 1e-12);
        assert!((" 2.5 %".parse::<Percent>().unwrap().share() - 0.025).abs() < 1e-12);
        for wrong in ["5", "", "%", "nan%", "inf%", "-1%", "1001%"] {
            assert!(wrong.parse::<Percent>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn spans_have_a_unit() {
        assert_eq!(
            "90s".parse::<Span>().unwrap().duration(),
            Duration::from_secs(90)
        );
        assert_eq!(
            "2h".parse::<Span>().unwrap().duration(),
            Duration::from_secs(7200)
        );
        for wrong in [
            "90",
            "",
            "s",
            "0s",
            "99999999999999999999h",
            "9999h",
            "5µ",
            "1.5h",
        ] {
            assert!(wrong.parse::<Span>().is_err(), "{wrong}");
        }
    }
}
