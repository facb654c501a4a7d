//! A smooth function with its gradient → the point of its minimum.
//!
//! The method of Broyden, Fletcher, Goldfarb and Shanno with a dense inverse Hessian (Nocedal and Wright, *Numerical
//! Optimization*, 2nd edition, algorithm 6.1) and a line search by halving: suitable for some twenty parameters, not
//! for thousands. Deterministic.

/// The most steps; the fits of the study take fewer than a hundred.
const STEPS: usize = 400;
/// Largest entry of the gradient, relative to the function's value, at which the search stops.
const FLAT: f64 = 1e-7;
/// Share of the predicted decrease that a step must reach (Armijo's condition).
const PROMISED: f64 = 1e-4;
/// The most halvings of a step.
const HALVINGS: u32 = 40;

/// The minimum near `start`. `function` writes the gradient at a point into the slice and returns the value; both must
/// be finite at `start`.
pub(super) fn minimise(start: Vec<f64>, mut function: impl FnMut(&[f64], &mut [f64]) -> f64) -> Vec<f64> {
    let n = start.len();
    let mut at = start;
    let mut slope = vec![0.0; n];
    let mut value = function(&at, &mut slope);
    let mut inverse = identity(n, 1.0);
    let mut first = true;
    for _ in 0..STEPS {
        if largest(&slope) <= FLAT * (1.0 + value.abs()) {
            break;
        }
        let mut direction = times(&inverse, &slope);
        direction.iter_mut().for_each(|d| *d = -*d);
        let mut descent = dot(&direction, &slope);
        if descent >= 0.0 {
            // Rounding has made the inverse unusable: restart with the direction of steepest descent.
            inverse = identity(n, 1.0);
            direction = slope.iter().map(|g| -g).collect();
            descent = -dot(&slope, &slope);
        }
        // The first direction has no scale yet: no entry moves by more than one.
        let mut length = if first { 1.0 / largest(&direction).max(1.0) } else { 1.0 };
        let mut next_slope = vec![0.0; n];
        let mut taken = None;
        for _ in 0..HALVINGS {
            let next: Vec<f64> = at.iter().zip(&direction).map(|(a, d)| a + length * d).collect();
            let there = function(&next, &mut next_slope);
            if there.is_finite() && there <= value + PROMISED * length * descent {
                taken = Some((next, there));
                break;
            }
            length /= 2.0;
        }
        let Some((next, there)) = taken else { break };
        let step: Vec<f64> = next.iter().zip(&at).map(|(a, b)| a - b).collect();
        let turn: Vec<f64> = next_slope.iter().zip(&slope).map(|(a, b)| a - b).collect();
        let curvature = dot(&step, &turn);
        if curvature > f64::EPSILON * dot(&turn, &turn) {
            if first {
                inverse = identity(n, curvature / dot(&turn, &turn));
            }
            update(&mut inverse, &step, &turn, curvature);
            first = false;
        }
        (at, value, slope) = (next, there, next_slope);
    }
    at
}

/// H ← (I − ρ s yᵀ) H (I − ρ y sᵀ) + ρ s sᵀ, with ρ = 1 / sᵀy.
fn update(inverse: &mut [Vec<f64>], step: &[f64], turn: &[f64], curvature: f64) {
    let product = times(inverse, turn);
    let stretch = 1.0 + dot(turn, &product) / curvature;
    for (i, row) in inverse.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry += (stretch * step[i] * step[j] - product[i] * step[j] - step[i] * product[j]) / curvature;
        }
    }
}

fn identity(n: usize, diagonal: f64) -> Vec<Vec<f64>> {
    (0..n)
        .map(|i| (0..n).map(|j| if i == j { diagonal } else { 0.0 }).collect())
        .collect()
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn largest(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |max, entry| max.max(entry.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_bottom_of_rosenbrocks_valley() {
        let found = minimise(vec![-1.2, 1.0], |x, slope| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            slope[0] = -2.0 * a - 400.0 * x[0] * b;
            slope[1] = 200.0 * b;
            a * a + 100.0 * b * b
        });
        assert!((found[0] - 1.0).abs() < 1e-4 && (found[1] - 1.0).abs() < 1e-4);
    }

    #[test]
    fn a_flat_function_is_left_where_it_is() {
        assert_eq!(
            minimise(vec![3.0], |_, slope| {
                slope[0] = 0.0;
                7.0
            }),
            [3.0]
        );
    }
}
