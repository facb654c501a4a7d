//! The output of our programs in the interpreter → records of so many words.

/// The whole records of an output in which a zero byte ends each word. A word that is not text is empty.
pub(super) fn records<const WORDS: usize>(output: &[u8]) -> Vec<[&str; WORDS]> {
    let words: Vec<&str> = output
        .split(|byte| *byte == 0)
        .map(|word| std::str::from_utf8(word).unwrap_or_default())
        .collect();
    words.as_chunks().0.to_vec()
}
