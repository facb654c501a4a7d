//! A number that is not known exactly: an expected value, and the bounds that the evidence allows.

use std::ops::{Add, Mul, Neg, Sub};

/// An expected value between two bounds: `low <= expected <= high`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    /// Lower bound.
    pub low: f64,
    /// Expected value.
    pub expected: f64,
    /// Upper bound.
    pub high: f64,
}

impl Estimate {
    /// Exactly zero.
    pub const ZERO: Self = Self::exactly(0.0);

    /// An exact value, for example a measured one.
    #[must_use]
    pub const fn exactly(value: f64) -> Self {
        Self {
            low: value,
            expected: value,
            high: value,
        }
    }

    /// An expected value with bounds; bounds that exclude it are widened to include it.
    #[must_use]
    pub fn between(low: f64, expected: f64, high: f64) -> Self {
        Self {
            low: low.min(expected),
            expected,
            high: high.max(expected),
        }
    }

    /// Raises everything below a floor to the floor.
    #[must_use]
    pub fn at_least(self, floor: f64) -> Self {
        Self {
            low: self.low.max(floor),
            expected: self.expected.max(floor),
            high: self.high.max(floor),
        }
    }

    /// Limits the upper bound to a multiple of the expected value, if that is above zero.
    #[must_use]
    pub fn at_most_times(self, factor: f64) -> Self {
        if self.expected <= 0.0 {
            return self;
        }
        Self {
            high: self.high.min(self.expected * factor),
            ..self
        }
    }

    /// True if zero is the only possible value.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// The smallest estimate that covers both, with the mean of their expected values.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::between(
            self.low.min(other.low),
            f64::midpoint(self.expected, other.expected),
            self.high.max(other.high),
        )
    }
}

impl Add for Estimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            low: self.low + other.low,
            expected: self.expected + other.expected,
            high: self.high + other.high,
        }
    }
}

impl Neg for Estimate {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            low: -self.high,
            expected: -self.expected,
            high: -self.low,
        }
    }
}

impl Sub for Estimate {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

/// Interval product. The expected value is the product of the expected values: the factors are assumed to be
/// independent.
impl Mul for Estimate {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let corners = [
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ];
        Self {
            low: corners.iter().copied().fold(f64::INFINITY, f64::min),
            expected: self.expected * other.expected,
            high: corners.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

impl Mul<f64> for Estimate {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        self * Self::exactly(factor)
    }
}

impl std::iter::Sum for Estimate {
    fn sum<I: Iterator<Item = Self>>(estimates: I) -> Self {
        estimates.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtracting_swaps_the_bounds() {
        let difference = Estimate::between(1.0, 2.0, 5.0) - Estimate::between(0.5, 1.0, 3.0);
        assert_eq!(difference, Estimate::between(-2.0, 1.0, 4.5));
    }

    #[test]
    fn a_product_with_a_negative_factor_keeps_its_bounds_in_order() {
        let product = Estimate::between(-1.0, 0.0, 4.0) * -2.0;
        assert_eq!((product.low, product.high), (-8.0, 2.0));
    }

    #[test]
    fn either_of_two_allows_what_each_allows() {
        let either = Estimate::exactly(4.0).or(Estimate::between(8.0, 10.0, 12.0));
        assert_eq!(either, Estimate::between(4.0, 7.0, 12.0));
    }
}
