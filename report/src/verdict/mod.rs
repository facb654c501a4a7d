//! stub
use crate::score::Page;
use analyzer::score::VersionScore;
use profile::verdict::Report;
/// x
pub fn human(r: &Report, _: Option<&VersionScore>, _: Page) -> String {
    serde_json::to_string_pretty(r).unwrap_or_default()
}
/// x
pub fn json(r: &Report, _: Option<&VersionScore>) -> String {
    serde_json::to_string_pretty(r).unwrap_or_default()
}
/// x
pub fn markdown(_r: &Report, _: Option<&VersionScore>) -> String {
    String::new()
}
/// x
pub fn sarif(_r: &Report, _: Option<&VersionScore>) -> String {
    String::new()
}
