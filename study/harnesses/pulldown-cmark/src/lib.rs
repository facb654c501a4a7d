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

/// Prose with emphasis, code and links.
pub fn prose(words: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::new();
    for word in 0..words {
        text.push_str(match numbers.below(30) {
            0 => "*stressed*",
            1 => "**strong**",
            2 => "`code`",
            3 => "[a link](https://example.test/page \"title\")",
            4 => "AT&amp;T",
            5 => "snake_case_name",
            6 => "<em>html</em>",
            other => ["plain", "words", "of", "some", "length"][other as usize % 5],
        });
        text.push_str(match word % 97 {
            0 => "\n\n",
            50 => "\n",
            _ => " ",
        });
    }
    text
}

/// Headings, lists within lists, quotes, blocks of code.
pub fn blocks(count: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::new();
    for block in 0..count {
        let number = numbers.below(1_000);
        text.push_str(&match numbers.below(6) {
            0 => format!("## Heading {number}\n\n"),
            1 => format!("- one {number}\n- two\n  - inner\n  - *other*\n- three\n\n"),
            2 => format!("> quoted {number}\n> more\n\n"),
            3 => format!("```rust\nlet x = {number};\nfn f() {{}}\n```\n\n"),
            4 => format!("1. first\n2. second {number}\n\n   with more\n\n"),
            _ => format!(
                "Paragraph {block} of [reference][r{number}].\n\n[r{number}]: /url/{number}\n\n"
            ),
        });
    }
    text
}
