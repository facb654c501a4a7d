//! A value → JSON in which every text is safe to show, without the reader's help.
//!
//! Names, messages and sources are somebody else's: whatever moves a cursor, reorders or hides text is written out, as
//! [`crate::text::safe`] does. Line breaks and tabs stay: sources have them.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use crate::text::safe;

/// Writes a value as JSON.
pub(super) fn write_safe_json(value: &impl Serialize, writer: impl Write) -> serde_json::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(writer, SafeTextFormatter))
}

/// Compact JSON with safe texts.
struct SafeTextFormatter;

impl Formatter for SafeTextFormatter {
    /// A part of a text in which JSON has nothing to escape.
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // A backslash is one for JSON as well.
        let shown = safe(fragment).replace('\\', "\\\\");
        writer.write_all(shown.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        match escape {
            CharEscape::AsciiControl(byte) => write!(writer, "\\\\u{{{byte:x}}}"),
            CharEscape::Backspace => writer.write_all(b"\\\\u{8}"),
            CharEscape::FormFeed => writer.write_all(b"\\\\u{c}"),
            CharEscape::Quote
            | CharEscape::ReverseSolidus
            | CharEscape::Solidus
            | CharEscape::LineFeed
            | CharEscape::CarriageReturn
            | CharEscape::Tab => CompactFormatter.write_char_escape(writer, escape),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn read_back(text: &str) -> String {
        let mut json = Vec::new();
        write_safe_json(&text, &mut json).unwrap();
        serde_json::from_slice(&json).unwrap()
    }

    #[test]
    fn what_reorders_hides_or_controls_text_is_written_out() {
        assert_eq!(
            read_back("a\u{202e}b\u{1b}[31m\u{8}\u{c}"),
            "a\\u{202e}b\\u{1b}[31m\\u{8}\\u{c}"
        );
        assert_eq!(read_back("\u{200b}\u{85}"), "\\u{200b}\\u{85}");
    }

    #[test]
    fn the_lines_of_a_source_stay() {
        let source = "fn f() {\r\n\treturn \"\\n\"; // ä\n}";
        assert_eq!(read_back(source), source);
    }

    proptest! {
        #[test]
        fn any_text_is_read_back_as_it_is_shown(text in any::<String>()) {
            let lines = text.split(['\n', '\r', '\t']);
            let parts = read_back(&text);
            let shown: Vec<&str> = parts.split(['\n', '\r', '\t']).collect();
            let characters = |text: &str| text.chars().all(|c| safe(c.encode_utf8(&mut [0; 4])).starts_with(c));
            for (line, shown) in lines.zip(shown) {
                prop_assert!(characters(shown), "{shown:?}");
                prop_assert!(line.is_empty() == shown.is_empty());
            }
        }
    }
}
