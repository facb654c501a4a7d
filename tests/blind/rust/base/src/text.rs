//! Texts of many words.

/// A text by the number of its words.
pub struct Text {
    /// Its words.
    pub words: usize,
}

/// Something that can be written out.
pub trait Written {
    /// The word that is repeated.
    fn word(&self) -> &'static str {
        "evening "
    }
}

impl Written for Text {}

impl Text {
    /// The whole text.
    pub fn written(&self) -> String {
        self.word().repeat(self.words)
    }
}
