//! Tokens of callgrind's lines → words, numbers and abbreviated names.
//!
//! Does not interpret lines.

use std::collections::HashMap;

use super::CallgrindError;

/// Most names of one kind accepted in one file.
const MOST_NAMES: usize = 1 << 22;

/// Names of one kind and the numbers that stand for them (`(12) name`, later `(12)`).
#[derive(Debug, Default)]
pub(super) struct CompressedNames {
    pub(super) names: Vec<String>,
    by_name: HashMap<String, u32>,
    by_number: HashMap<u64, u32>,
}

/// Reason why a name can't be resolved.
pub(super) enum NameResolutionError {
    Undefined,
    TooMany,
}

impl NameResolutionError {
    pub(super) fn into_error(self, line: u64) -> CallgrindError {
        match self {
            Self::Undefined => CallgrindError::Malformed {
                line,
                why: "a name's number that was never defined",
            },
            Self::TooMany => CallgrindError::TooLarge {
                line,
                what: "names",
                limit: MOST_NAMES,
            },
        }
    }
}

impl CompressedNames {
    /// Returns the index of a name; `shorten` cuts the parts that do not belong to it.
    pub(super) fn resolve(
        &mut self,
        value: &[u8],
        shorten: impl for<'n> Fn(&'n [u8]) -> &'n [u8],
    ) -> Result<u32, NameResolutionError> {
        let (number, name) = split_number(value);
        if let Some(number) = number
            && name.is_empty()
        {
            return self
                .by_number
                .get(&number)
                .copied()
                .ok_or(NameResolutionError::Undefined);
        }
        let name = String::from_utf8_lossy(shorten(name)).into_owned();
        let index = if let Some(index) = self.by_name.get(&name) {
            *index
        } else {
            if self.names.len() >= MOST_NAMES {
                return Err(NameResolutionError::TooMany);
            }
            let index = u32::try_from(self.names.len()).map_err(|_| NameResolutionError::TooMany)?;
            self.names.push(name.clone());
            self.by_name.insert(name, index);
            index
        };
        if let Some(number) = number {
            if self.by_number.len() >= MOST_NAMES {
                return Err(NameResolutionError::TooMany);
            }
            self.by_number.insert(number, index);
        }
        Ok(index)
    }
}

/// `(12) name` → 12 and `name`; a name may itself start with a parenthesis (`(below main)`).
pub(super) fn split_number(value: &[u8]) -> (Option<u64>, &[u8]) {
    if let Some(rest) = value.strip_prefix(b"(")
        && let Some(end) = rest.iter().position(|b| *b == b')')
        && let Some(number) = parse_unsigned(&rest[..end])
    {
        return (Some(number), rest[end + 1..].trim_ascii());
    }
    (None, value.trim_ascii())
}

/// Words separated by blanks.
pub(super) struct BlankSeparatedWords<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for BlankSeparatedWords<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.0.trim_ascii_start();
        if line.is_empty() {
            self.0 = line;
            return None;
        }
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        self.0 = &line[end..];
        Some(&line[..end])
    }
}

/// Parses a number in decimal, or in hexadecimal after `0x`.
pub(super) fn parse_unsigned(word: &[u8]) -> Option<u64> {
    let (digits, radix) = match word {
        [b'0', b'x', rest @ ..] => (rest, 16),
        _ => (word, 10),
    };
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |n, digit| {
        let digit = char::from(*digit).to_digit(radix)?;
        n.checked_mul(u64::from(radix))?.checked_add(u64::from(digit))
    })
}
