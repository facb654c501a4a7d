//! Benchmarks over versions → CSV (RFC 4180): a row for each benchmark at each version.

use std::borrow::Cow;

use super::CostTrack;

/// The rows below a heading: `benchmark,commit,value,state`. The value of a gap is empty.
#[must_use]
pub fn csv(track: &CostTrack) -> String {
    let mut out = String::from("benchmark,commit,value,state\r\n");
    for benchmark in &track.benchmarks {
        for (version, point) in track.versions.iter().zip(&benchmark.points) {
            let value = point.cost().map(|cost| cost.to_string());
            out.push_str(&format!(
                "{},{},{},{}\r\n",
                field(&benchmark.name),
                field(&version.commit),
                value.unwrap_or_default(),
                point.state().name()
            ));
        }
    }
    out
}

/// A field, in quotes if it contains a character with a meaning (RFC 4180, section 2, rules 5 to 7).
fn field(text: &str) -> Cow<'_, str> {
    if !text.contains(['"', ',', '\r', '\n']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(field("parse/large"), "parse/large");
        assert_eq!(field("a, b"), "\"a, b\"");
        assert_eq!(field("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(field("two\nlines"), "\"two\nlines\"");
    }
}
