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

/// A document of records with attributes, namespaces, comments and escaped text.
pub fn document(records: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text =
        String::from("<?xml version=\"1.0\"?>\n<!-- records -->\n<list xmlns=\"urn:list\" xmlns:x=\"urn:extra\">\n");
    for record in 0..records {
        text.push_str(&format!(
            "  <record id=\"{record}\" kind='k{}' note=\"a &lt; b\">\n    <name>city {}</name>\n    \
             <x:size unit=\"m\">{}</x:size>\n    <empty x:flag=\"yes\"/>\n",
            numbers.below(9),
            numbers.below(100_000),
            numbers.below(9_000_000),
        ));
        if record % 5 == 0 {
            text.push_str("    <!-- seen & kept --><![CDATA[raw <text>]]>\n");
        }
        text.push_str("  </record>\n");
    }
    text.push_str("</list>\n");
    text
}
