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

/// A manifest: a head, dependencies in three ways of writing, comments.
pub fn manifest(dependencies: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::from(
        "[package]\nname = \"study\" # a comment\nversion = \"1.2.3\"\nauthors = [\"A\", \"B\"]\nedition = \"2021\"\npublish = false\n\n[dependencies]\n",
    );
    for place in 0..dependencies {
        let (major, minor) = (numbers.below(3), numbers.below(30));
        text.push_str(&match numbers.below(3) {
            0 => format!("dependency-{place} = \"{major}.{minor}\"\n"),
            1 => format!("dependency-{place} = {{ version = \"{major}.{minor}\", optional = true, features = [\"a\", \"b\"] }}\n"),
            _ => format!("# about the next one\ndependency_{place} = {{ path = '../{place}', priority = {minor}, weight = {major}.5 }}\n"),
        });
    }
    text
}

/// A list of locked packages.
pub fn lock(packages: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::from("version = 3\n\n");
    for place in 0..packages {
        text.push_str(&format!(
            "[[package]]\nname = \"package-{place}\"\nversion = \"{}.{}.0\"\nchecksum = \"{:032x}\"\ndependencies = [\n \"one\",\n \"package-{}\",\n]\n\n",
            numbers.below(4),
            numbers.below(40),
            numbers.below(1 << 31),
            numbers.below(1_000)
        ));
    }
    text
}
