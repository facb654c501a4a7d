//! A report → its page: the shell of `report/templates/view.html` around scripts, styles and values.

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::payload;
use super::plain_tables::{self, PlainTable};
use super::{CostTrend, HtmlReport, ReportHeadlineLine};

/// The bundle of `report/views`.
const SCRIPT: &str = include_str!("../../views/dist/report.js");
const STYLE: &str = include_str!("../../views/dist/report.css");

// The page's policy allows its own script and style, and no request at all. Saving needs no more: a link to a blob is no request, and
// pictures are drawn with a pen instead of loaded as images, so that there is no `img-src` (`views/src/save/pen.ts`).
#[derive(Template)]
#[template(path = "view.html")]
struct HtmlPage<'a> {
    title: String,
    headline: &'a str,
    lines: Vec<PlainLine>,
    made_by: &'a str,
    tables: Vec<PlainTable>,
    style: &'static str,
    script: &'static str,
    style_hash: String,
    script_hash: String,
    payload: String,
}

/// A line of the headline.
struct PlainLine {
    /// `worse`, `better`, or empty.
    tone: &'static str,
    sign: &'static str,
    text: String,
}

fn line(line: &ReportHeadlineLine) -> PlainLine {
    let (tone, sign) = match line.tone {
        CostTrend::Slower => ("worse", "▲"),
        CostTrend::Faster => ("better", "▼"),
        CostTrend::Mixed | CostTrend::Same | CostTrend::Unknown => ("", "•"),
    };
    PlainLine {
        tone,
        sign,
        text: line.in_words(),
    }
}

/// The page of a view: one HTML file.
#[must_use]
pub fn html(view: &HtmlReport<'_>) -> String {
    let page = HtmlPage {
        title: format!("{}: {}", view.project, view.title),
        headline: &view.headline.text,
        lines: view.headline.lines.iter().map(line).collect(),
        made_by: &view.made_by,
        tables: plain_tables::tables(view),
        style: STYLE,
        script: SCRIPT,
        style_hash: hash(STYLE),
        script_hash: hash(SCRIPT),
        payload: payload::encoded(view),
    };
    page.render()
        .expect("a template without filters that can fail, into memory")
}

/// Name of a text in a content security policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
