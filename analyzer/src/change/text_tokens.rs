//! Normalised texts → digests and comparisons, modulo the names of locals and of what was renamed.

use hashbrown::HashMap;

use super::renames::RenameMap;
use crate::syntax::NormalisedText;

/// FNV-1a over tokens: stable over runs and machines, and fast on the short words of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenHasher(u64);

impl TokenHasher {
    pub(super) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn word(mut self, word: &str) -> Self {
        for byte in word.bytes() {
            self.byte(byte);
        }
        self.byte(0xff);
        self
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        for byte in number.to_le_bytes() {
            self.byte(byte);
        }
        self
    }

    pub(super) const fn finish(self) -> u64 {
        self.0
    }

    const fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
    }
}

/// The names that locals have on the other side; one to one.
#[derive(Debug, Default)]
pub(super) struct LocalRenames(pub(super) HashMap<String, String>);

/// How one side of a comparison is read: in the names of the after side.
#[derive(Clone, Copy, Default)]
pub(super) struct NameTranslation<'a> {
    /// Renamed definitions; `None` on the after side.
    pub(super) renames: Option<&'a RenameMap>,
    /// Renamed locals; `None` on the after side.
    pub(super) locals: Option<&'a LocalRenames>,
}

impl<'a> NameTranslation<'a> {
    /// A word that is no local, as the after side calls it.
    pub(super) fn word<'w>(&self, word: &'w str) -> &'w str
    where
        'a: 'w,
    {
        self.renames.map_or(word, |renames| renames.word(word))
    }

    /// A local, as the after side calls it.
    pub(super) fn local<'w>(&self, local: &'w str) -> &'w str
    where
        'a: 'w,
    {
        self.locals
            .and_then(|locals| locals.0.get(local))
            .map_or(local, String::as_str)
    }

    /// Digest of a text with all its names.
    pub(super) fn exact(&self, text: &NormalisedText) -> u64 {
        let hash = tokens(text).fold(TokenHasher::new(), |hash, token| match token {
            TextToken::Local(local) => hash.number(1).word(self.local(local)),
            TextToken::Word(word) => hash.word(self.word(word)),
            TextToken::Hole => hash.number(2),
        });
        hash.finish()
    }

    /// Digest of a text in which all locals look the same.
    pub(super) fn shape(&self, text: &NormalisedText) -> u64 {
        let hash = tokens(text).fold(TokenHasher::new(), |hash, token| match token {
            TextToken::Local(_) => hash.number(1),
            TextToken::Word(word) => hash.word(self.word(word)),
            TextToken::Hole => hash.number(2),
        });
        hash.finish()
    }

    pub(super) fn token<'w>(&self, token: TextToken<'w>) -> TextToken<'w>
    where
        'a: 'w,
    {
        match token {
            TextToken::Local(local) => TextToken::Local(self.local(local)),
            TextToken::Word(word) => TextToken::Word(self.word(word)),
            TextToken::Hole => TextToken::Hole,
        }
    }
}

/// One token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextToken<'a> {
    Hole,
    Local(&'a str),
    Word(&'a str),
}

impl TextToken<'_> {
    /// The name or word; the mark of a hole.
    pub(super) fn written(self) -> String {
        match self {
            Self::Local(word) | Self::Word(word) => word.to_owned(),
            Self::Hole => NormalisedText::HOLE.to_string(),
        }
    }
}

/// The tokens of a text. A local may stand inside a word: in a format string.
pub(super) fn tokens(text: &NormalisedText) -> impl Iterator<Item = TextToken<'_>> {
    let mut rest = text.0.as_str();
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(' ');
        let first = rest.chars().next()?;
        let after = &rest[first.len_utf8()..];
        if first == NormalisedText::HOLE {
            rest = after;
            return Some(TextToken::Hole);
        }
        if first == NormalisedText::LOCAL {
            let end = after
                .find(|letter: char| letter != '_' && !letter.is_alphanumeric())
                .unwrap_or(after.len());
            rest = &after[end..];
            return Some(TextToken::Local(&after[..end]));
        }
        let end = rest
            .find([' ', NormalisedText::HOLE, NormalisedText::LOCAL])
            .unwrap_or(rest.len());
        let word = &rest[..end];
        rest = &rest[end..];
        Some(TextToken::Word(word))
    })
}

/// The locals of a text in order, as often as they appear.
pub(super) fn locals(text: &NormalisedText) -> impl Iterator<Item = &str> {
    tokens(text).filter_map(|token| match token {
        TextToken::Local(local) => Some(local),
        TextToken::Word(_) | TextToken::Hole => None,
    })
}

/// True for arguments that are more than the results of calls: equal ones are the same arguments.
pub(super) fn is_distinctive(text: &NormalisedText) -> bool {
    tokens(text).any(|token| !matches!(token, TextToken::Hole | TextToken::Word(",")))
}

/// True for what names or hands on values without computing anything: `let x = <call>`, `x`, `(x, &y)`, `Some(x)`.
pub(super) fn is_costless(text: &NormalisedText) -> bool {
    tokens(text).all(|token| match token {
        TextToken::Local(_) | TextToken::Hole => true,
        TextToken::Word(word) => matches!(
            word,
            "let" | "mut" | "ref" | "&" | "(" | ")" | "=" | "," | ";" | "_" | "await" | "Some" | "None"
        ),
    })
}

/// True if two texts are equal but for a `return` in front of one of them.
pub(super) fn differ_in_return_only(
    before: &NormalisedText,
    reading: NameTranslation<'_>,
    after: &NormalisedText,
) -> bool {
    let is_return = |token: &TextToken<'_>| *token == TextToken::Word("return");
    let before = tokens(before).map(|token| reading.token(token)).skip_while(is_return);
    before.eq(tokens(after).skip_while(is_return))
}

/// True for `return <call>`.
pub(super) fn returns_a_call(text: &NormalisedText) -> bool {
    tokens(text).eq([TextToken::Word("return"), TextToken::Hole])
}

/// True for the head of a loop over elements: `x in <iterated>`.
pub(super) fn is_iteration(text: &NormalisedText) -> bool {
    tokens(text).any(|token| token == TextToken::Word("in"))
}

/// True if two texts differ only in that a call on one side stands where the other has none: the call
/// itself is listed then, and the text around it says nothing new.
pub(super) fn differ_in_calls_only(
    before: &NormalisedText,
    reading: NameTranslation<'_>,
    after: &NormalisedText,
    largest_table: usize,
) -> bool {
    if before.holes() == after.holes() {
        return false;
    }
    let before: Vec<TextToken<'_>> = tokens(before).map(|token| reading.token(token)).collect();
    let after: Vec<TextToken<'_>> = tokens(after).collect();
    let width = after.len() + 1;
    if (before.len() + 1) * width > largest_table {
        return false;
    }
    // reachable[i][j]: the first i tokens before can stand for the first j after.
    let mut reachable = vec![false; (before.len() + 1) * width];
    reachable[0] = true;
    for i in 0..=before.len() {
        for j in 0..=after.len() {
            let hole_before = i > 0 && before[i - 1] == TextToken::Hole;
            let hole_after = j > 0 && after[j - 1] == TextToken::Hole;
            let takes_before = hole_before || (hole_after && i > 0 && may_stand_for_a_call(&before[..i]));
            let takes_after = hole_after || (hole_before && j > 0 && may_stand_for_a_call(&after[..j]));
            let here = (i == 0 && j == 0)
                || (i > 0 && j > 0 && before[i - 1] == after[j - 1] && reachable[(i - 1) * width + j - 1])
                || (i > 0 && takes_before && reachable[(i - 1) * width + j])
                || (j > 0 && takes_after && reachable[i * width + j - 1]);
            reachable[i * width + j] = here;
        }
    }
    reachable[before.len() * width + after.len()]
}

/// The last of some tokens may be part of what a call was applied to, or be what stands in its place. A name
/// that is no local may be a function that took a closure's place.
fn may_stand_for_a_call(tokens: &[TextToken<'_>]) -> bool {
    let (last, before) = match tokens {
        [.., before, last] => (last, Some(before)),
        [last] => (last, None),
        [] => return false,
    };
    let TextToken::Word(word) = last else { return true };
    let is_name = word.starts_with(|letter: char| letter == '_' || letter.is_alphabetic());
    let is_member_or_type = matches!(before, Some(TextToken::Word("." | "as")));
    !is_name
        || is_member_or_type
        || matches!(
            *word,
            "self" | "mut" | "as" | "true" | "false" | "None" | "Some" | "Ok" | "Err"
        )
}
