//! Input for the benchmarks: the same in every run and for every version.

/// A linear congruential generator with the constants of Knuth's MMIX.
pub struct Numbers(u64);

impl Numbers {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Numbers(seed)
    }

    /// The next number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// A source file: types, traits, functions with bodies.
pub fn source(items: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::from("//! A file.\nuse std::collections::{BTreeMap, HashMap as Map};\n");
    for item in 0..items {
        let number = numbers.below(1_000);
        text.push_str(&match numbers.below(4) {
            0 => format!(
                "/// A type.\n#[derive(Debug, Clone)]\npub struct Type{item}<'a, T: Clone> {{ pub name: &'a str, values: Vec<Option<T>>, #[serde(default)] count: u{} }}\n",
                8 << numbers.below(4)
            ),
            1 => format!("pub enum Kind{item} {{ Unit, Tuple(u8, String), Named {{ value: [u8; {number}] }} }}\n"),
            2 => format!(
                "impl<T> Trait{item} for Other<T> where T: Fn(u32) -> bool {{ fn call(&self, x: u32) -> bool {{ (self.0)(x + {number}) && x % 2 == 0 }} }}\n"
            ),
            _ => format!(
                "fn function{item}(input: &[u8]) -> Result<usize, Error> {{ let mut sum = {number}usize; for (place, byte) in input.iter().enumerate() {{ match byte {{ b'a'..=b'z' => sum += place * 3, b'0' if place > 4 => continue, _ => return Err(Error::new(\"no\")), }} }} if sum > 10 {{ Ok(sum) }} else {{ Ok(sum.map(|x| x << 2)?) }} }}\n"
            ),
        });
    }
    text
}
