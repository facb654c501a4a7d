//! The text of a claim ↔ the claim.
//!
//! ```text
//! claim     = name effect [ "in" metric ]
//! name      = the name of a benchmark, `*` for any text; in quotes or backticks where that is clearer
//! effect    = ( "faster" | "slower" | "smaller" | "larger" ) [ "by" ] [ "at least" ] percent
//!           | "unchanged" [ [ "within" ] percent ]
//! percent   = a number and "%"
//! ```
//!
//! Words are the same in capitals. The last word that is an effect is the effect: a name may have such words in it.

use std::fmt;
use std::str::FromStr;

use super::{Claim, ClaimError, ClaimedDirection, ClaimedEffect, ClaimedPercent, LONGEST_CLAIM};
use crate::Metric;

/// The word for a claim that nothing moves.
const UNCHANGED: &str = "unchanged";

/// The marks that a name may stand between.
const QUOTES: [char; 3] = ['`', '"', '\''];

/// A fall of more than this is impossible.
const WHOLE: f64 = 1.0;

impl ClaimedDirection {
    const ALL: [Self; 4] = [Self::Faster, Self::Slower, Self::Smaller, Self::Larger];

    /// The word in a claim.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Smaller => "smaller",
            Self::Larger => "larger",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        (Self::ALL.into_iter()).find(|direction| direction.word().eq_ignore_ascii_case(word))
    }
}

impl FromStr for Claim {
    type Err = ClaimError;

    fn from_str(text: &str) -> Result<Self, ClaimError> {
        if text.len() > LONGEST_CLAIM {
            return Err(ClaimError::TooLong);
        }
        let words = words(text);
        let is_effect = |word: &str| ClaimedDirection::of_word(word).is_some() || word.eq_ignore_ascii_case(UNCHANGED);
        let at = (words.iter())
            .rposition(|(_, word)| is_effect(word))
            .ok_or(ClaimError::NoEffect)?;
        let (start, effect) = words[at];
        let benchmarks = unquoted(text[..start].trim());
        if benchmarks.is_empty() {
            return Err(ClaimError::NoBenchmark);
        }
        let mut rest = RemainingWords(words[at + 1..].iter().map(|(_, word)| *word).collect());
        let effect = match ClaimedDirection::of_word(effect) {
            Some(direction) => {
                rest.skip("by");
                if rest.skip("at") && !rest.skip("least") {
                    return Err(ClaimError::NoPercent);
                }
                let at_least = rest.percent()?.ok_or(ClaimError::NoPercent)?;
                if direction.falls() && at_least.share() > WHOLE {
                    return Err(ClaimError::NotAPercentage(at_least.to_string()));
                }
                ClaimedEffect::Moved { direction, at_least }
            }
            None => {
                let within = rest.skip("within");
                let percent = rest.percent()?;
                if within && percent.is_none() {
                    return Err(ClaimError::NoPercent);
                }
                ClaimedEffect::Unchanged { within: percent }
            }
        };
        let metric = rest.metric()?;
        let needs_metric = match effect {
            ClaimedEffect::Moved { direction, .. } => match direction {
                ClaimedDirection::Smaller | ClaimedDirection::Larger => true,
                ClaimedDirection::Faster | ClaimedDirection::Slower => false,
            },
            ClaimedEffect::Unchanged { .. } => false,
        };
        if needs_metric && metric.is_none() {
            return Err(ClaimError::NoMetric);
        }
        Ok(Self {
            benchmarks: benchmarks.to_owned(),
            effect,
            metric,
        })
    }
}

/// The words of a text, each with its first byte.
fn words(text: &str) -> Vec<(usize, &str)> {
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(|word| (start(word), word)).collect()
}

/// The text between quotes, if it stands between any.
fn unquoted(name: &str) -> &str {
    let of = |quote: &char| name.strip_prefix(*quote)?.strip_suffix(*quote);
    QUOTES.iter().find_map(of).unwrap_or(name)
}

/// The words behind the effect.
struct RemainingWords<'t>(Vec<&'t str>);

impl RemainingWords<'_> {
    /// Takes the next word if it is this one.
    fn skip(&mut self, word: &str) -> bool {
        let is_next = self.0.first().is_some_and(|next| next.eq_ignore_ascii_case(word));
        if is_next {
            self.0.remove(0);
        }
        is_next
    }

    /// Takes a percentage: `10%`, `10 %`, `0.5%`; `None` at the end and before the metric.
    fn percent(&mut self) -> Result<Option<ClaimedPercent>, ClaimError> {
        let Some(&next) = self.0.first().filter(|next| !next.eq_ignore_ascii_case("in")) else {
            return Ok(None);
        };
        self.0.remove(0);
        let number = match next.strip_suffix('%') {
            Some(number) => Some(number),
            None => self.skip("%").then_some(next),
        };
        let is_plain = |number: &&str| number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number: Option<f64> = number.filter(is_plain).and_then(|number| number.parse().ok());
        match number.and_then(ClaimedPercent::new) {
            Some(percent) => Ok(Some(percent)),
            None => Err(ClaimError::NotAPercentage(next.to_owned())),
        }
    }

    /// Takes the metric, and everything that is left.
    fn metric(mut self) -> Result<Option<Metric>, ClaimError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        if !self.skip("in") {
            return Err(ClaimError::Unexpected(self.0.join(" ")));
        }
        let plain = |name: &str| name.replace(['_', '-'], " ").to_lowercase();
        let wanted = plain(&self.0.join(" "));
        let known = Metric::ALL.into_iter().find(|metric| plain(metric.name()) == wanted);
        known.map(Some).ok_or(ClaimError::UnknownMetric(self.0.join(" ")))
    }
}

impl fmt::Display for ClaimedPercent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}%", self.0)
    }
}

/// As it is written in full: `parse/* faster at least 10% in wall time`.
impl fmt::Display for Claim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.benchmarks;
        if name.trim() == name && unquoted(name) == name {
            write!(formatter, "{name}")?;
        } else {
            write!(formatter, "`{name}`")?;
        }
        match self.effect {
            ClaimedEffect::Moved { direction, at_least } => {
                write!(formatter, " {} at least {at_least}", direction.word())?;
            }
            ClaimedEffect::Unchanged { within: None } => write!(formatter, " {UNCHANGED}")?,
            ClaimedEffect::Unchanged { within: Some(within) } => write!(formatter, " {UNCHANGED} within {within}")?,
        }
        match self.metric {
            Some(metric) => write!(formatter, " in {metric}"),
            None => Ok(()),
        }
    }
}
