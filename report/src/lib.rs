//! Results in, text out: for a terminal, as markdown, as JSON and as SARIF; for a pull request.
//!
//! Pure: nothing here knows whether anyone reads it on a terminal, how wide that is (the caller says so), or
//! where the results come from. Styled text always carries its escape sequences; whoever prints it strips
//! them where they do not belong. Names from repositories pass [`text::safe`] or the markdown writers of
//! [`text`] before they stand in a line.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

pub mod benchmarks;
pub mod bisection;
pub mod comparison;
pub mod contract;
pub mod coverage;
pub mod demo;
pub mod doctor;
pub mod github;
pub mod job_progress;
mod json_document;
pub mod kubernetes_job;
mod markdown;
pub mod number_format;
pub mod profile;
pub mod progress;
pub mod sampling;
pub mod sampling_plan;
pub mod score;
pub mod selftest;
pub mod store;
pub mod style;
pub mod table;
pub mod text;
pub mod track;
pub mod verdict;
pub mod view;
