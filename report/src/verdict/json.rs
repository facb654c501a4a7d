//! A verdict into its contract, `lito.verdict/1`; with the prediction of the same versions beside it, if there is one.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use verdict::VerdictReport;

use crate::score::ScoreDocument;

/// The verdict on two versions, with one entry for each benchmark and metric.
#[derive(Serialize, JsonSchema)]
pub(crate) struct VerdictDocument<'a> {
    #[serde(flatten)]
    report: &'a VerdictReport,
    /// The prediction for the same versions, an object of `lito.score/1`'s `versions`; missing where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<&'a ScoreDocument>,
}

/// The document, a newline at its end. Whole numbers are written without a fraction: counts are counts.
#[must_use]
pub fn json(report: &VerdictReport, score: Option<&ScoreDocument>) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, PlainNumberFormatter(PrettyFormatter::new()));
    VerdictDocument { report, score }
        .serialize(&mut serializer)
        .expect("strings and numbers are always encoded");
    let mut document = String::from_utf8(bytes).expect("JSON is written as UTF-8");
    document.push('\n');
    document
}

/// Beyond this, not every whole number has a double of its own, and digits would be invented: 2⁵³.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

/// Indented, with 1000 for 1000.0.
struct PlainNumberFormatter(PrettyFormatter<'static>);

impl Formatter for PlainNumberFormatter {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if value.fract() == 0.0 && value.abs() < EXACT_BELOW {
            write!(writer, "{}", value as i64)
        } else {
            self.0.write_f64(writer, value)
        }
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::fixture::{report, score};
    use super::*;

    #[test]
    fn the_document_is_the_report() {
        let read: VerdictReport = serde_json::from_str(&json(&report(), None)).unwrap();
        assert_eq!(read, report());
        // The prediction does not disturb whoever reads the verdict.
        let read: VerdictReport = serde_json::from_str(&json(&report(), Some(&score()))).unwrap();
        assert_eq!(read, report());
    }

    #[test]
    fn a_verdict_that_was_written_before_costs_were_told_is_still_read() {
        let before = json(&report(), None);
        assert!(!before.contains("\"spent\""), "{before}");
        let read: VerdictReport = serde_json::from_str(&before).unwrap();
        assert_eq!(read.spent, None);
    }

    #[test]
    fn the_prediction_stands_beside_the_verdict() {
        let value: serde_json::Value = serde_json::from_str(&json(&report(), Some(&score()))).unwrap();
        assert_eq!(value["schema"], "lito.verdict/1");
        assert_eq!(value["score"]["decision"], "benchmark");
        let read: ScoreDocument = serde_json::from_value(value["score"].clone()).unwrap();
        assert_eq!(read, score());
        let without: serde_json::Value = serde_json::from_str(&json(&report(), None)).unwrap();
        assert!(without.get("score").is_none());
    }

    #[test]
    fn counts_have_no_fraction() {
        let document = json(&report(), None);
        assert!(document.contains("\"base\": 12345678,"), "{document}");
        assert!(document.contains("\"change\": 0.1,"), "{document}");
        assert!(!document.contains(".0,"), "{document}");
        assert!(document.starts_with("{\n  \"schema\": \"lito.verdict/1\",\n"));
    }
}
