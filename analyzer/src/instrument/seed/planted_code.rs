//! The code that changes are planted with: what a language must be able to write.

use super::edit_sites::SeedableItems;
use super::planted_kind::PlantedKind;

/// How changes are planted in the sources of one language.
#[derive(Clone, Copy)]
pub(crate) struct Seeder {
    /// True for the path of a file whose code benchmarks may execute and measure.
    pub(crate) is_measured: fn(&str) -> bool,
    /// True for the path of a benchmark's own source.
    pub(crate) is_benchmark: fn(&str) -> bool,
    /// The items of a source, given with its path; `None` if it cannot be parsed.
    pub(crate) items: fn(&str, &str) -> Option<SeedableItems>,
    /// True if a source, given with its path, is as free of syntax errors after an edit as before it.
    pub(crate) is_sound: fn(&str, &str, &str) -> bool,
    /// The writer of planted code, for a new function of this name; and the path of Rust's `core`.
    pub(crate) code: for<'n> fn(&'n str, &'static str) -> Box<dyn PlantedCode + 'n>,
    /// True if a function must stand before its use.
    pub(crate) is_declared_first: bool,
    /// The loop that [`PlantedCode::repeat`] writes.
    pub(crate) repeat: PlantedLoop,
    /// The kinds of change that can be planted.
    pub(crate) kinds: &'static [PlantedKind],
}

/// The cost of a planted loop. Checked by `lito selftest`, which measures the changes of known size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlantedLoop {
    /// The first rounds that cost less, if there are any, and the instructions of one of them: an interpreter keeps small numbers,
    /// and makes larger ones anew.
    pub(crate) first: (f64, f64),
    /// Instructions of a further round, in an optimised build on x86-64 or in an interpreter.
    pub(crate) round: f64,
    /// A shorter loop costs something else: a compiler unrolls it, or its start counts.
    pub(crate) fewest_rounds: f64,
}

impl PlantedLoop {
    /// The number of rounds that cost so many instructions.
    pub(super) fn rounds_of(&self, instructions: f64) -> f64 {
        let (first, of_one) = self.first;
        if instructions < first * of_one {
            instructions / of_one
        } else {
            first + (instructions - first * of_one) / self.round
        }
    }
}

/// The value that the new function returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SnippetReturnKind {
    /// An unused number.
    Number,
    /// True.
    Truth,
    /// Its first argument. Its second argument is the number of rounds.
    Itself,
}

/// Writes planted code in one language, without indentation.
pub(crate) trait PlantedCode {
    /// The new function: a number of rounds, given as an argument, of a few instructions each.
    fn function(&self, gives: SnippetReturnKind) -> String;

    /// A statement that calls the new function.
    fn call(&self, rounds: u32) -> String;

    /// The same call under a condition that always holds.
    fn guarded(&self, rounds: u32) -> String;

    /// A loop with a given number of rounds that does nothing else.
    fn repeat(&self, rounds: u32) -> String;

    /// A number of different lines of arithmetic.
    fn lines(&self, count: u32) -> String;

    /// A condition that first asks the new function, which returns true.
    fn condition(&self, rounds: u32, condition: &str) -> String;

    /// A value that is computed with a call of the new function.
    fn value(&self, rounds: u32, value: &str) -> String;
}

#[cfg(test)]
mod tests {
    use super::PlantedLoop;

    #[test]
    fn rounds_that_cost_less_come_first() {
        let planted = PlantedLoop {
            first: (10.0, 2.0),
            round: 5.0,
            fewest_rounds: 1.0,
        };
        assert_eq!([8.0, 20.0, 30.0].map(|cost| planted.rounds_of(cost)), [4.0, 10.0, 12.0]);
        let planted = PlantedLoop {
            first: (0.0, 0.0),
            ..planted
        };
        assert_eq!(planted.rounds_of(30.0), 6.0);
    }
}
