//! The values of `lito.toml` that have a notation of their own.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::{Error as _, IntoDeserializer as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use super::GateMetric;

/// A share, written as a percentage: `"5%"`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, JsonSchema)]
#[schemars(transparent)]
pub struct Percent(#[schemars(with = "String", regex(pattern = r"^[0-9]+(\.[0-9]+)?%$"))] f64);

/// The largest useful percentage: eleven times the cost.
const LARGEST_PERCENT: f64 = 1000.0;

impl Percent {
    /// From a share: 0.05 is 5%.
    pub const fn of_share(share: f64) -> Self {
        Self(share)
    }

    /// As a share: 5% is 0.05.
    pub const fn share(self) -> f64 {
        self.0
    }
}

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim().strip_suffix('%').map(str::trim_end);
        match number.and_then(|number| number.parse::<f64>().ok()) {
            Some(percent) if (0.0..=LARGEST_PERCENT).contains(&percent) => Ok(Self(percent / 100.0)),
            Some(_) => Err(format!("a percentage is between 0% and {LARGEST_PERCENT}%")),
            None => Err(String::from(PERCENT)),
        }
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(PercentVisitor)
            .and_then(|text| text.parse().map_err(D::Error::custom))
    }
}

/// The notation of a percentage.
const PERCENT: &str = "a percentage is written as \"5%\"";

/// Reads a string, and answers any other value with the notation of a percentage.
struct PercentVisitor;

impl Visitor<'_> for PercentVisitor {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(PERCENT)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<String, E> {
        Err(E::custom(PERCENT))
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<String, E> {
        Err(E::custom(PERCENT))
    }
}

/// A price, 0 or more.
pub(super) fn price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let price = f64::deserialize(deserializer)?;
    match price.is_finite() && price >= 0.0 {
        true => Ok(Some(price)),
        false => Err(D::Error::custom("a price is a number, 0 or more")),
    }
}

/// A number of versions, 1 or more.
pub(super) fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = i64::deserialize(deserializer)?;
    match u32::try_from(number) {
        Ok(0) => Err(D::Error::custom("it must be 1 or more; 1 samples every version")),
        Ok(every) => Ok(every),
        Err(_) => Err(D::Error::invalid_value(
            Unexpected::Signed(number),
            &"a number of versions",
        )),
    }
}

/// The answer to whoever wants to gate on the time of builds.
pub const BUILD_TIME_NEVER_GATES: &str = "each version is built once, and one build does not tell a change from noise, so \
    that build time never gates; it is reported for information where it changed";

/// A list with at least one metric.
pub(super) fn metrics<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<GateMetric>, D::Error> {
    let list: Vec<NamedMetric> = Vec::deserialize(deserializer)?;
    if list.is_empty() {
        return Err(D::Error::custom("an empty list measures nothing: name at least one"));
    }
    Ok(list.into_iter().map(|NamedMetric(metric)| metric).collect())
}

/// A metric by its name. That of one which never gates is answered with the reason.
struct NamedMetric(GateMetric);

impl<'de> Deserialize<'de> for NamedMetric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(MetricVisitor).map(Self)
    }
}

/// Answers within the visit, so that the reader knows which element of the list is at fault.
struct MetricVisitor;

impl Visitor<'_> for MetricVisitor {
    type Value = GateMetric;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a metric")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<GateMetric, E> {
        if name == "build-time" {
            return Err(E::custom(format_args!("{BUILD_TIME_NEVER_GATES}; remove it")));
        }
        GateMetric::deserialize(name.into_deserializer())
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
}
