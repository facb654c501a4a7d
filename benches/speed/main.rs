//! How fast the `lito` binary is, each figure beside what it is compared with, in one run: a real history against
//! git and difftastic, and repositories of growing size against one another. Prints the ratios at the end of each
//! group.
//!
//! - `LITO_BENCH_HISTORY`: a clone whose last 1,000 first-parent commits are scored; without it this is skipped.
//!   The README has the figures of ripgrep's.
//! - `LITO_BENCH_DIFFT`: difftastic's program, `difft` where it is on the path; without it this is skipped.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
// a benchmark runs programs and measures their time
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod history;
mod measure;
mod size;

use criterion::{criterion_group, criterion_main};

criterion_group!(benches, history::score, history::gate, history::difftastic, size::score);
criterion_main!(benches);
